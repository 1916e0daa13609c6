import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import assert from 'node:assert/strict'
import { written } from '#test/cluster/balancer.ts'
import { KeptPorts } from '#test/cluster/kept-ports.ts'
import { findClusterPrograms } from '#test/cluster/programs.ts'
import { ensureTemporalSchema } from '#test/cluster/temporal-schema.ts'
import { requireHosts, startTemporalNodes } from '#test/cluster/temporal.ts'
import { startGuardian } from '#local/processes/managed-process.ts'
import { RunRecord, signalGroup } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { postgresUrl, preparePostgres } from '#local/servers/postgres.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { dataFolderAt, makeDataFolder, type DataFolder } from '#local/start/data-folder.ts'
import { keepSecrets, makePassword } from '#local/start/secrets.ts'
import { eventually } from './eventually.ts'

/** PostgreSQL's connections: those of seven Temporal processes, and of a service that has its ledger there. */
const POSTGRES = { max_connections: '400' }
/** Milliseconds in which a process that was killed has been started again. */
const RESTARTED_WITHIN_MS = 60_000

interface ClusterSecrets {
  postgresPassword: string
  /** Of the user of PostgreSQL that the service is. */
  databasePassword: string
  /** Of the user of PostgreSQL that Temporal is. */
  temporalPassword: string
}

/**
 * PostgreSQL and over it seven processes of Temporal's server, each supervised by itself, for an installation that has its
 * Temporal elsewhere, and its ledger there too if it likes. What it holds stays in its folder: planned on it once more,
 * it is the same cluster.
 */
export class TemporalCluster {
  readonly #folder: DataFolder
  readonly #ports: KeptPorts
  readonly #secrets: ClusterSecrets
  readonly #record: RunRecord
  readonly #supervisor: Supervisor
  readonly #postgresPort: number

  /** Ends what a run before has left in the folder; nothing is started. */
  static async plan(path: string): Promise<TemporalCluster> {
    const folder = dataFolderAt(path)
    makeDataFolder(folder)
    await requireHosts()
    const record = await RunRecord.claim(folder.record)
    startGuardian(record)
    const ports = new KeptPorts(join(path, 'ports.json'))
    return new TemporalCluster(folder, record, ports, await ports.of('postgres'))
  }

  private constructor(folder: DataFolder, record: RunRecord, ports: KeptPorts, postgresPort: number) {
    this.#folder = folder
    this.#record = record
    this.#supervisor = new Supervisor({ record, announce: () => {} })
    this.#ports = ports
    this.#postgresPort = postgresPort
    this.#secrets = keepSecrets<ClusterSecrets>(folder.secrets, {
      postgresPassword: makePassword(),
      databasePassword: makePassword(),
      temporalPassword: makePassword(),
    })
  }

  /** The data of PostgreSQL. */
  get postgresFolder(): string {
    return this.#folder.postgres
  }

  /** @param settings of PostgreSQL beside those of the cluster, as `name: value` */
  async startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const logFile = join(this.#folder.logs, 'postgres.log')
    const server = { ...this.#server, folder: this.#folder.postgres, logFile }
    await this.#supervisor.keep(await preparePostgres({ ...server, settings: { ...POSTGRES, ...settings } }))
  }

  /** Makes a database for the service unless it is there, and answers its address. */
  serviceDatabase(): Promise<string> {
    return ensureServiceDatabase(this.#server, this.#secrets.databasePassword, 'durable_trader')
  }

  /** The address of a database as the superuser has it. */
  asSuperuser(database: string): string {
    return postgresUrl(this.#server, database)
  }

  /**
   * Brings the Temporal processes up, over a PostgreSQL that runs; minutes where they have to be built first. Answers what
   * TEMPORAL_ADDRESS has to say: the proxy before its frontends.
   */
  async startTemporal(): Promise<string> {
    const logFolder = this.#folder.logs
    const { server, sqlTool } = await findClusterPrograms({
      record: this.#record,
      logFolder,
      report: (progress) => console.error(`      ${progress}`),
    })
    const { temporalPassword: password } = this.#secrets
    await ensureTemporalSchema(this.#server, password, sqlTool)
    const frontends = await startTemporalNodes({
      server,
      password,
      postgresPort: this.#postgresPort,
      ports: this.#ports,
      configFolder: join(dirname(this.#folder.temporalDatabase), 'config'),
      logFolder,
      supervisor: this.#supervisor,
    })
    return written(frontends)
  }

  /** The names of its processes. */
  processes(): string[] {
    return this.#record.processes.map(({ name }) => name)
  }

  /** Ends a process on the spot, as `kill -9` does, and resolves when its supervisor has started it again. */
  async kill(name: string): Promise<void> {
    const find = () => this.#record.processes.find((process_) => process_.name === name)
    const killed = find()
    assert.ok(killed, `${name} does not run`)
    signalGroup(killed, 'SIGKILL')
    await eventually(() => assert.ok((find()?.pid ?? killed.pid) !== killed.pid, `${name} is not back`), {
      within: RESTARTED_WITHIN_MS,
    })
  }

  /** What each process wrote last. */
  logs(): string {
    const { logs } = this.#folder
    const lastOf = (file: string) => readFileSync(join(logs, file), 'utf8').slice(-4_000)
    return readdirSync(logs)
      .map((file) => `----- ${file} at its end -----\n${lastOf(file)}`)
      .join('\n')
  }

  /** Ends every process on the spot, as the loss of the machine does. */
  async crash(): Promise<void> {
    this.#record.killAll()
    await this.close()
  }

  /** Stops every process. */
  close(): Promise<void> {
    return this.#supervisor.stop()
  }

  get #server(): { port: number; password: string } {
    return { port: this.#postgresPort, password: this.#secrets.postgresPassword }
  }
}
