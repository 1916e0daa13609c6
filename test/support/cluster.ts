import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, unwatchFile } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import type { ClusterStart } from '#test/cluster/cluster-run.ts'
import { startCluster, type StartedCluster } from '#test/cluster/start-up.ts'
import { startGuardian, type ProcessSpec } from '#local/processes/managed-process.ts'
import { RunRecord, signalGroup } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { runStatement } from '#local/servers/postgres.ts'
import { dataFolderAt, makeDataFolder, type DataFolder } from '#local/start/data-folder.ts'
import { requireParts } from '#local/start/external-parts.ts'
import { ApiClient } from './api-client.ts'
import { eventually } from './eventually.ts'
import { JointDesk } from './joint-desk.ts'
import type { Desk, Service } from './service.ts'
import { connectTemporal } from './temporal-client.ts'
import { VenueDesk } from './venue-desk.ts'

/** How long a process that was killed may be away, restart included, in milliseconds. */
const BACK_WITHIN_MS = 90_000
/** So that a process that is killed often is still started again at once. */
const RESTART_DELAYS = [500]

/** What a process is, of whichever of its kind: "Temporal history 2" is a "Temporal history". */
export const kindOf = (name: string): string => name.replace(/ \d+$/, '')

/** Keeps processes as `npm test -- cluster` does, and knows how each is told to work. */
class KnowingSupervisor extends Supervisor {
  readonly specs = new Map<string, ProcessSpec>()

  override keep(spec: ProcessSpec): Promise<void> {
    this.specs.set(spec.name, spec)
    return super.keep(spec)
  }
}

/**
 * The cluster of `npm test -- cluster`, started by the same code, for one drill: with data, ports and accounts of its
 * own, all of which is gone after {@link Cluster.close}, or when this process dies.
 */
export class Cluster implements Service {
  readonly api: ApiClient
  readonly venue: Desk
  readonly accountIds: readonly string[]
  readonly #started: StartedCluster
  readonly #folder: DataFolder
  readonly #record: RunRecord
  readonly #supervisor: KnowingSupervisor
  #temporal: Promise<Client> | undefined

  /** Brings everything up, which takes minutes where Temporal's programs have to be built first. */
  static async start(more: NonNullable<ClusterStart['more']>): Promise<Cluster> {
    const path = mkdtempSync(join(tmpdir(), 'durable-trader-cluster-'))
    // PostgreSQL's own user must be able to pass when we are root.
    chmodSync(path, 0o755)
    const folder = dataFolderAt(path)
    makeDataFolder(folder)
    const record = await RunRecord.claim(folder.record, path)
    startGuardian(record)
    const supervisor = new KnowingSupervisor({ record, announce: () => {}, restartDelays: RESTART_DELAYS })
    try {
      const started = await startCluster({
        folder,
        record,
        supervisor,
        publicPorts: {},
        more: {
          ...more,
          // Drills send more from one machine than one person may.
          api: { RATE_LIMITS: 'off', ...more.api },
          venue: { VENUE_CASH: '1000000000', ...more.venue },
        },
      })
      return new Cluster(started, folder, record, supervisor)
    } catch (error) {
      await supervisor.stop()
      throw error
    }
  }

  private constructor(
    started: StartedCluster,
    folder: DataFolder,
    record: RunRecord,
    supervisor: KnowingSupervisor,
  ) {
    const { credentials, second } = started
    this.#started = started
    this.#folder = folder
    this.#record = record
    this.#supervisor = supervisor
    this.api = new ApiClient(credentials.webUrl, credentials.token)
    this.accountIds = [credentials.accountId, second.accountId]
    const { venueUrl, venueKeyId, venueControlSecret } = credentials
    this.venue = new JointDesk([
      new VenueDesk(venueUrl, venueKeyId, venueControlSecret),
      new VenueDesk(second.venueUrl, second.keyId, venueControlSecret),
    ])
  }

  get logFolder(): string {
    return this.#folder.logs
  }

  accountOf(symbol: string): string {
    const sum = Buffer.from(symbol).reduce((total, byte) => total + byte, 0)
    return this.accountIds[sum % this.accountIds.length]!
  }

  processes(): Record<string, number> {
    return Object.fromEntries(this.#record.processes.map(({ name, pid }) => [name, pid]))
  }

  /** Ends a process on the spot, as `kill -9` does, and resolves when its supervisor has it working again. */
  async kill(name: string): Promise<void> {
    const killed = this.#find(name)
    assert.ok(killed, `${name} does not run`)
    signalGroup(killed, 'SIGKILL')
    const isBack = async (): Promise<void> => {
      const now = this.#find(name)
      assert.ok(now && now.pid !== killed.pid, `${name} is not started again`)
      await this.#supervisor.specs.get(name)!.ready()
    }
    await eventually(isBack, { within: BACK_WITHIN_MS, every: 100 })
  }

  async untilReady(): Promise<void> {
    await eventually(() => requireParts(`${this.#started.credentials.webUrl}/readyz`), {
      within: BACK_WITHIN_MS,
    })
  }

  async query<Row>(statement: string): Promise<Row[]> {
    return (await runStatement(this.#started.databaseUrl, statement)).rows as Row[]
  }

  async signIn(): Promise<ApiClient> {
    const { email, password, webUrl } = this.#started.credentials
    const { body } = await this.api.post('/auth/login', { email, password })
    return new ApiClient(webUrl, body.data.accessToken)
  }

  temporal(): Promise<Client> {
    return (this.#temporal ??= connectTemporal(this.#started.temporalAddress, this.#started.keyFile))
  }

  logs(): string {
    const lastOf = (file: string) => readFileSync(join(this.logFolder, file), 'utf8').slice(-4_000)
    return readdirSync(this.logFolder)
      .map((file) => `----- ${file} at its end -----\n${lastOf(file)}`)
      .join('\n')
  }

  async close(): Promise<void> {
    if (this.#temporal) await (await this.#temporal).connection.close()
    // The endpoint that decrypts for the UI looks whether they have changed; now they go.
    unwatchFile(this.#started.keyFile)
    await this.#supervisor.stop()
  }

  #find(name: string) {
    return this.#record.processes.find((process_) => process_.name === name)
  }
}
