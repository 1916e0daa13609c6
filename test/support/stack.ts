import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Client } from '@temporalio/client'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { migrate } from '#db/engine/migrate.ts'
import { ensureDemo, type DemoCredentials } from '#local/start/demo.ts'
import { requireParts } from '#local/start/external-parts.ts'
import { startGuardian } from '#local/processes/managed-process.ts'
import { runStatement } from '#local/servers/postgres.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { ApiClient } from './api-client.ts'
import { eventually } from './eventually.ts'
import type { Part, Settings } from './part.ts'
import {
  assertPolls,
  newVenueKeys,
  PART_NAMES,
  partsOf,
  levelsOfSignal,
  type Addresses,
  type PartName,
  type PlannedParts,
  type StackOptions,
  type StackPlan,
  VENUE_CASH,
} from './stack-parts.ts'
import { connectTemporal } from './temporal-client.ts'
import { VenueDesk } from './venue-desk.ts'

/**
 * The whole service for one test file, chaos run or benchmark: PostgreSQL, Temporal on a file, the paper venue,
 * worker and API, each a process of its own on a port of its own, with one user on the plan PRO, a token and a
 * paper account. All of it is gone after {@link Stack.close}, or when this process dies.
 */
export class Stack {
  readonly parts: Readonly<Record<PartName, Part>>
  readonly api: ApiClient
  readonly venue: VenueDesk
  /** The paper account that signals may name. */
  readonly accountId: string
  readonly token: string
  /** Of the paper account, as its broker knows it. */
  readonly venueKeys: { keyId: string; secretKey: string }
  /** Who signs in at the web application. */
  readonly person: { email: string; password: string }
  /** Where everything listens, for those who bring their own client. */
  readonly addresses: Addresses
  /** Where every part writes its log; removed with everything else. */
  readonly logFolder: string
  readonly #record: RunRecord
  /** The installation's keys. */
  readonly keyFile: string
  readonly #planned: PlannedParts
  readonly #plan: StackPlan
  readonly #has: { own: boolean; inApi: boolean }
  #workers = 1
  #apis = 1
  #temporal: Promise<Client> | undefined

  /** Brings everything up and resolves when /readyz says that the parts work together. */
  static async start(options: StackOptions = {}): Promise<Stack> {
    const folder = mkdtempSync(join(tmpdir(), 'durable-trader-stack-'))
    // PostgreSQL's own user must be able to pass when we are root.
    chmodSync(folder, 0o755)
    const record = await RunRecord.claim(join(folder, 'run.json'), folder)
    startGuardian(record)
    let parts: Readonly<Record<PartName, Part>> | undefined
    try {
      const plan = await levelsOfSignal(folder)
      const planned = await partsOf(plan, options, record)
      parts = planned.parts
      await Promise.all([startPostgres(parts.postgres, plan), parts.temporal.start(), parts.venue.start()])
      const account = await openAccount(plan)
      await Promise.all([options.worker !== null && parts.worker.start(), parts.api.start()])
      const workers = { own: options.worker !== null, inApi: options.api?.['EMBEDDED_WORKER'] === 'on' }
      const stack = new Stack(record, planned, plan, account, workers)
      await stack.untilReady()
      return stack
    } catch (error) {
      if (parts) console.error(logsOf(parts))
      await record.close()
      throw error
    }
  }

  private constructor(
    record: RunRecord,
    planned: PlannedParts,
    plan: StackPlan,
    account: DemoCredentials,
    workers: { own: boolean; inApi: boolean },
  ) {
    this.#record = record
    this.#has = workers
    this.keyFile = plan.keyFile
    this.#planned = planned
    this.#plan = plan
    this.parts = planned.parts
    this.addresses = plan.addresses
    this.logFolder = plan.logFolder
    this.accountId = account.accountId
    this.token = account.token
    // Its database is new, so that the password is the one that was just made.
    this.person = { email: account.email, password: account.password! }
    this.venueKeys = { keyId: plan.venueKeyId, secretKey: plan.venueSecretKey }
    this.api = new ApiClient(plan.addresses.api, account.token)
    this.venue = new VenueDesk(plan.addresses.venue, plan.venueKeyId, plan.venueControlSecret)
  }

  /** The same service for another user with a token and a paper account of their own. */
  async forAnotherUser(): Promise<Stack> {
    const keys = newVenueKeys()
    await this.venue.openAccount({ keyId: keys.venueKeyId, secretKey: keys.venueSecretKey }, VENUE_CASH)
    const plan = { ...this.#plan, ...keys }
    const account = await openAccount(plan, `${keys.venueKeyId.toLowerCase()}@example.test`)
    return new Stack(this.#record, this.#planned, plan, account, this.#has)
  }

  processes(): Record<string, number> {
    const running = Object.values(this.parts).filter(({ isRunning }) => isRunning)
    return Object.fromEntries(running.map(({ name, pid }) => [name, pid]))
  }

  /** Waits until the API sees every part, and the worker works: a dead one shows as up for a while. */
  async untilReady(): Promise<void> {
    if (this.#has.own) await eventually(() => assertPolls(this.addresses.metrics), { within: 60_000 })
    if (this.#has.inApi)
      await eventually(() => assertPolls(this.addresses.embeddedWorkerMetrics), { within: 60_000 })
    await eventually(() => requireParts(`${this.addresses.api}/readyz`), { within: 60_000 })
  }

  /** Rows of the service's database, each read on a connection of its own. */
  async query<Row>(statement: string): Promise<Row[]> {
    return (await runStatement(this.addresses.database, statement)).rows as Row[]
  }

  /** A JWT of the person to whom the account belongs, signed in at the web application just now. */
  async jwt(): Promise<string> {
    const { email, password } = this.person
    const { body } = await this.api.post('/auth/login', { email, password })
    return body.data.accessToken
  }

  /** The API as the person sees it to whom the account belongs, signed in at the web application. */
  async signIn(): Promise<ApiClient> {
    return new ApiClient(this.addresses.api, await this.jwt())
  }

  /** Starts one more worker beside those that run; the settings last for this life only. */
  async addWorker(settings: Settings = {}): Promise<Part> {
    const worker = await this.#planned.anotherWorker((this.#workers += 1))
    await worker.start(settings)
    return worker
  }

  /** Another API beside those that run, which is still to be started, and a client of it. */
  async addApi(): Promise<{ part: Part; api: ApiClient }> {
    const { part, origin } = await this.#planned.anotherApi((this.#apis += 1))
    return { part, api: new ApiClient(origin, this.token) }
  }

  /** A client of the stack's Temporal server that reads what the parts have encrypted. */
  temporal(): Promise<Client> {
    return (this.#temporal ??= connectTemporal(this.addresses.temporal, this.keyFile))
  }

  /** Removes all that Temporal knows, as the loss of its disk does; its part must not run. */
  eraseTemporal(): void {
    const folder = join(dirname(this.logFolder), 'temporal')
    for (const file of readdirSync(folder)) rmSync(join(folder, file))
  }

  /** What every part wrote last. */
  logs(): string {
    return logsOf(this.parts)
  }

  /** Starts again the parts that do not run, as a test that failed in the midst of an outage leaves them. */
  async revive(): Promise<void> {
    const dead = PART_NAMES.map((name) => this.parts[name]).filter(({ isRunning }) => !isRunning)
    for (const part of dead) await part.start()
    if (dead.length > 0) await this.untilReady()
  }

  /** Closes its own connections; the parts go on. */
  async closeClients(): Promise<void> {
    if (this.#temporal) await (await this.#temporal).connection.close()
    this.#temporal = undefined
  }

  /** Stops every part and removes all data and logs. */
  async close(): Promise<void> {
    await this.closeClients()
    await this.#record.close()
  }
}

async function startPostgres(part: Part, plan: StackPlan): Promise<void> {
  await part.start()
  const server = { port: plan.ports.postgres, password: plan.postgresPassword }
  await ensureServiceDatabase(server, plan.databasePassword, 'durable_trader')
  await migrate(plan.addresses.database)
}

/** One user with everything that a sender of signals needs, just as the demo user of `npm start` has it. */
async function openAccount(plan: StackPlan, email?: string): Promise<DemoCredentials> {
  const { credentials } = await ensureDemo({
    ...(email !== undefined && { email }),
    databaseUrl: plan.addresses.database,
    secretKeys: keysFor(await readKeyRing(plan.keyFile, false), 'stored-secrets'),
    credentialsFile: join(plan.folder, `${plan.venueKeyId}.json`),
    addresses: {
      apiUrl: `${plan.addresses.api}/api/v1`,
      webUrl: plan.addresses.api,
      temporalUiUrl: '',
      venueUrl: plan.addresses.venue,
    },
    venueKeys: {
      venueKeyId: plan.venueKeyId,
      venueSecretKey: plan.venueSecretKey,
      venueControlSecret: plan.venueControlSecret,
    },
  })
  return credentials
}

function logsOf(parts: Readonly<Record<PartName, Part>>): string {
  return Object.values(parts)
    .map((part) => `----- ${part.name} wrote last -----\n${part.logTail()}`)
    .join('\n')
}
