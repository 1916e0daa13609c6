import { type TokenBounds, SCOPES } from '#domain/risk/token-bounds.ts'
import { lookAt } from '#api/supervisor/supervisor.ts'
import type { WorkflowToRun } from '#api/temporal/watch-gateway.ts'
import { createMetrics } from '#api/metrics/metrics.ts'
import { createApp, type AppDeps } from '#api/app.ts'
import { mintAccessToken } from '#api/http/access-token.ts'
import type { AccountSyncGateway, FlattenGateway } from '#api/temporal/gateway.ts'
import { STOPPING_DEADLINE_MS } from '#api/http/deadline.ts'
import type { Failpoint } from '#api/http/failpoint.ts'
import type { IdentitySettings } from '#api/identity/deps.ts'
import type { Limits } from '#api/access/limits.ts'
import type { WorkBounds } from '#api/http/work-bounds.ts'
import type { Mailbox, Mail } from '#api/mail/mail.ts'
import type { OrderGateway } from '#api/temporal/signals.ts'
import type { Recipient, SignalGateway } from '#api/temporal/calls.ts'
import { listen } from '#api/http/server.ts'
import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { AccessToken, type User } from '#db/entities/index.ts'
import { isByHand, type ByHandTerms } from '#domain/signal/by-hand.ts'
import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { documentedApi } from '../../support/documented-api.ts'
import { createAccount, createStrategy, createUser } from '../../support/factories.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { createTestDatabase } from '../../support/servers.ts'
import { notifyForTests } from './push.ts'
import { identityForTests, identitySettings, recordingMailer } from './identity.ts'

/** What the page of the mailbox is opened by. */
export const MAILBOX_SECRET = 'the-secret-of-the-data-folder'

/** Bounds make callers wait by the clock, which tests of all else must not depend on. */
const unbounded: WorkBounds = { run: (_kind, _caller, work) => work() }

type Message = 'approve' | 'decline' | 'withdraw' | 'cancelExit' | 'changeProtection' | 'replace'

/** A gateway without Temporal behind it; answers as the test says. */
export class FakeGateway implements SignalGateway, OrderGateway, AccountSyncGateway, FlattenGateway {
  readonly awaited: Parameters<SignalGateway['startAndAwaitEntry']>[] = []
  readonly started: string[] = []
  answer: SignalGateway['startAndAwaitEntry'] = async () => ({
    status: 'executed',
    orderId: randomUUID(),
    reason: null,
    detail: null,
  })
  onStart: SignalGateway['start'] = async () => {}
  /** Messages as they came, by their name. */
  readonly messages: { kind: Message; to: Recipient; content: object }[] = []
  /** What becomes of messages; each resolves as if it had been carried out unless a test says otherwise. */
  onApprove: SignalGateway['approve'] = (to) => this.answer(to.terms, 0)
  onDecline: SignalGateway['decline'] = async () => ({ status: 'rejected', reason: 'DECLINED' })
  onWithdraw: SignalGateway['withdraw'] = async () => ({ status: 'cancelled', reason: 'WITHDRAWN' })
  onCancelExit: SignalGateway['cancelExit'] = async () => ({ status: 'executed', reason: null })
  onChangeProtection: SignalGateway['changeProtection'] = async () => ({ status: 'executed', reason: null })
  onReplace: SignalGateway['replace'] = async () => ({ warning: null })
  /** Signals whose exits were to be tried at once. */
  readonly retried: string[] = []
  /** Accounts whose sync was asked for. */
  readonly synced: string[] = []
  onSync: AccountSyncGateway['syncAccount'] = async () => ({
    outcome: 'synced',
    syncedAt: '2026-03-02T14:31:10.120Z',
  })
  /** Orders by hand whose placement was awaited. */
  readonly placed: ByHandTerms[] = []
  readonly cancels: { to: Recipient; clientOrderId: string; by: string }[] = []
  onPlaceOrder: (terms: ByHandTerms, milliseconds: number) => Promise<unknown> = async () => {}
  onCancelOrder: OrderGateway['cancelOrder'] = async () => ({ status: 'CANCELLED', filledQuantity: '0' })
  /** Flattenings that were begun. */
  readonly flattened: string[] = []
  onFlatten: FlattenGateway['beginFlattening'] = async () => {}
  isReachable = true

  async startAndAwaitEntry(...call: Parameters<SignalGateway['startAndAwaitEntry']>) {
    const [terms, milliseconds] = call
    if (isByHand(terms)) {
      this.placed.push(terms)
      await this.onPlaceOrder(terms, milliseconds)
    } else this.awaited.push(call)
    return this.answer(...call)
  }
  async start(terms: Parameters<SignalGateway['start']>[0]) {
    await this.onStart(terms)
    this.started.push(terms.signalId)
  }
  approve(...call: Parameters<SignalGateway['approve']>) {
    this.#note('approve', call)
    return this.onApprove(...call)
  }
  decline(...call: Parameters<SignalGateway['decline']>) {
    this.#note('decline', call)
    return this.onDecline(...call)
  }
  withdraw(...call: Parameters<SignalGateway['withdraw']>) {
    this.#note('withdraw', call)
    return this.onWithdraw(...call)
  }
  cancelExit(...call: Parameters<SignalGateway['cancelExit']>) {
    this.#note('cancelExit', call)
    return this.onCancelExit(...call)
  }
  changeProtection(...call: Parameters<SignalGateway['changeProtection']>) {
    this.#note('changeProtection', call)
    return this.onChangeProtection(...call)
  }
  replace(...call: Parameters<SignalGateway['replace']>) {
    this.#note('replace', call)
    return this.onReplace(...call)
  }
  async retryExit(signalId: string) {
    this.retried.push(signalId)
  }
  syncAccount(...call: Parameters<AccountSyncGateway['syncAccount']>) {
    this.synced.push(call[0])
    return this.onSync(...call)
  }
  #note(kind: Message, [to, content]: [Recipient, object, ...unknown[]]) {
    this.messages.push({ kind, to, content })
  }
  cancelOrder(...call: Parameters<OrderGateway['cancelOrder']>) {
    const [to, { clientOrderId, by }] = call
    this.cancels.push({ to, clientOrderId, by })
    return this.onCancelOrder(...call)
  }
  async beginFlattening(flattenId: string) {
    this.flattened.push(flattenId)
    await this.onFlatten(flattenId, 0)
  }
  /** For the supervisor. */
  async ensureRunning(workflow: WorkflowToRun) {
    if ('terms' in workflow) await this.start(workflow.terms)
    else this.flattened.push(workflow.flattenId)
    return true
  }
  async checkReachable() {
    if (!this.isReachable) throw new Error('not reachable')
  }
  async close() {}
}

export interface TestUser {
  userId: string
  accountId: string
  strategyId: string
  token: string
  /** Makes another token of this user. */
  mint(changes?: {
    label?: string
    scopes?: string[]
    expiresAt?: Date
    revokedAt?: Date
    mergesRepeats?: boolean
    lastUsedAt?: Date
    bounds?: TokenBounds
  }): Promise<string>
}

export type UserChanges = Partial<Pick<User, 'plan' | 'tradingMode' | 'disabledAt'>> & { isDemo?: boolean }

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  body: any
}

export interface ApiServer {
  database: Database
  gateway: FakeGateway
  /** The broker of every account. */
  broker: ScriptedBroker
  address: string
  /** Every route, as the access policy names it. */
  routes: string[]
  /** Carries out what was sent to hooks and not brought to its end, once it is started. */
  hookSweep: { sweep(): Promise<void> }
  /** Lines of the log, parsed. */
  log: Record<string, unknown>[]
  /** Messages that would have been sent, the last one last. */
  mails: Mail[]
  /** With which JWTs are signed. */
  signingKey: Buffer
  /** Resolves when what requests have set off in the background has ended. */
  whenIdle(): Promise<void>
  addUser(changes?: UserChanges): Promise<TestUser>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  stop(): Promise<void>
}

export interface CallOptions {
  token?: string | undefined
  /** Sent as JSON; text is sent as it is. */
  body?: unknown
  headers?: Record<string, string>
}

/** The whole API on a port of its own with a database of its own; only Temporal is played. */
export async function startApi(
  settings: {
    enabled?: boolean
    keyInQuery?: boolean
    answerDeadline?: number
    failpoint?: Failpoint
    /** The time by PostgreSQL's clock, in milliseconds since the epoch. */
    now?: () => number
    /** For how many seconds the process has run, as it says itself. */
    uptime?: () => number
    diskSpace?: AppDeps['build']['diskSpace']
    venueUrl?: string
    /** Opens accounts at that venue; none are offered otherwise. */
    venueControlSecret?: string
    /** Requests to a broker a minute beside trading; as good as unlimited otherwise. */
    brokerReads?: number
    /** Signals of one user that may be stored without being begun. */
    begunLater?: number
    /** Signals of one account that may wait. */
    maxWaiting?: number
    /** How much of each caller's work goes on at once; nothing is bounded otherwise. */
    work?: WorkBounds
    liveTrading?: 'enabled' | 'disabled'
    /** How brokers are reached; a scripted one stands for all of them otherwise. */
    connectBroker?: (settings: BrokerConnectionSettings) => Broker
    /** Nothing is limited otherwise. */
    limits?: (databaseUrl: string) => Limits
    identity?: Partial<IdentitySettings>
    mailbox?: Mailbox
    /** As TRUSTED_PROXIES lists them. */
    proxies?: string
    events?: { heartbeat?: number; streamsPerUser?: number }
    /** The built web app; none otherwise. */
    webFolder?: string
    temporalUiUrl?: string
    /** What channels of notifications need beyond the usual. */
    notify?: Partial<AppDeps['notify']>
    /** A database that outlives this API; one of its own otherwise. */
    databaseUrl?: string
  } = {},
): Promise<ApiServer> {
  const { url, drop } =
    settings.databaseUrl === undefined
      ? await createTestDatabase()
      : { url: settings.databaseUrl, drop: async () => {} }
  const database = await openDatabase(url, 10)
  const stoppingDatabase = await openDatabase(url, 4, STOPPING_DEADLINE_MS)
  const ordinaryDatabase = await openDatabase(url, 6)
  const gateway = new FakeGateway()
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line)) })
  const mailer = recordingMailer()
  const broker = new ScriptedBroker()
  const identity = identityForTests({
    limits: settings.limits?.(url),
    mailer: settings.mailbox ?? mailer,
    mailbox: settings.mailbox && { mailbox: settings.mailbox, secret: MAILBOX_SECRET },
    proxies: settings.proxies,
  })
  const { current, keys } = identity.identity.signingKeys
  const app = createApp({
    database,
    stoppingDatabase,
    ordinaryDatabase,
    work: settings.work ?? unbounded,
    gateway,
    connectBroker: gatedBroker(
      settings.connectBroker ?? (() => broker),
      new BrokerGates({
        perMinute: () => null,
        showPerMinute: settings.brokerReads ?? 100_000,
        exchange: gateExchange(ordinaryDatabase.em),
      }),
    ),
    logger,
    ...identity,
    settings: {
      ...identitySettings,
      ...settings.identity,
      SIGNALS_ENABLED: settings.enabled ?? true,
      API_KEY_IN_QUERY: settings.keyInQuery ?? true,
      SIGNAL_ANSWER_DEADLINE_MS: settings.answerDeadline ?? 2_000,
      SIGNAL_TTL: 60_000,
      BROKER_REQUEST_TIMEOUT: 1_000,
      SIGNAL_QUEUE_LIMIT: settings.begunLater ?? 200,
      MAX_PENDING_PER_ACCOUNT: settings.maxWaiting ?? 500,
      TEMPORAL_TASK_QUEUE: 'signals',
      TEMPORAL_NAMESPACE: 'trading',
      VENUE_URL: settings.venueUrl ?? 'http://127.0.0.1:9',
      VENUE_CONTROL_SECRET: settings.venueControlSecret,
      EVENTS_HEARTBEAT: settings.events?.heartbeat ?? 15_000,
      EVENTS_STREAMS_PER_USER: settings.events?.streamsPerUser ?? 10,
      LIVE_TRADING: settings.liveTrading ?? 'disabled',
      TEMPORAL_UI_URL: settings.temporalUiUrl,
      WEB_FOLDER: settings.webFolder ?? '/nonexistent/web',
    },
    notify: notifyForTests({ mailer, ...settings.notify }),
    metrics: createMetrics({ readLedger: async () => null, probeDependencies: async () => null }),
    build: {
      buildId: 'this build',
      uptime: settings.uptime ?? (() => 3_600),
      diskSpace: settings.diskSpace ?? (async () => null),
    },
    ...(settings.now && { now: settings.now }),
    ...(settings.failpoint && { failpoint: settings.failpoint }),
  })
  const server = await listen(app.koa.callback(), '127.0.0.1', 0, { proxies: identity.proxies })

  return {
    database,
    gateway,
    broker,
    log,
    routes: app.routes,
    hookSweep: {
      sweep: () => lookAt(app.leftMessages, logger, { secondTryAfterMs: 0 })(),
    },
    mails: mailer.sent,
    signingKey: keys.get(current)!,
    whenIdle: () => app.whenIdle(),
    address: server.address,
    addUser: (changes) => addUser(database, changes),
    async call(method, path, { token, body, headers = {} } = {}) {
      const response = await fetch(server.address + path, {
        method,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      if (isStream(response))
        return { status: response.status, headers: response.headers, body: await beginningOf(response) }
      const text = await response.text()
      const { status, headers: received } = response
      if (isFile(response)) return { status, headers: received, body: text }
      const answer: Answer = { status, headers: received, body: text === '' ? null : JSON.parse(text) }
      documentedApi().hold(method, path, answer)
      return answer
    },
    async stop() {
      await Promise.all([app.endStreams(), server.stop()])
      await app.whenIdle()
      await Promise.all([database, stoppingDatabase, ordinaryDatabase].map((each) => each.close(true)))
      await drop()
    },
  }
}

const isStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') ?? false

const isFile = ({ headers }: Response): boolean => headers.has('content-disposition')

/** A stream of events as far as its first event: it has no end to wait for. */
async function beginningOf(response: Response): Promise<string> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (/^data: .*\n\n/m.test(text)) break
  }
  return text
}

async function addUser(
  database: Database,
  { isDemo = true, ...fields }: UserChanges = {},
): Promise<TestUser> {
  const { em } = database
  const { id: userId } = await createUser(em, fields)
  const account = await createAccount(em, { userId, isDemo, equity: '1000.5', lastSyncedAt: new Date() })
  const strategy = await createStrategy(em, { userId })
  const mint: TestUser['mint'] = async (changes = {}) => {
    const { token, hash, prefix } = mintAccessToken()
    const fields = { id: randomUUID(), userId, label: 'test', scopes: [...SCOPES], createdAt: new Date() }
    await em.fork().insert(AccessToken, { ...fields, hash, prefix, ...changes })
    return token
  }
  return { userId, accountId: account.id, strategyId: strategy.id, token: await mint(), mint }
}

/** A body of POST /signals that is valid; changes with value undefined leave their field out. */
export const signalBody = (accountId: string, changes: Record<string, unknown> = {}) => ({
  symbol: 'AAPL',
  action: 'openLong',
  accountId,
  quantity: 10,
  executeMode: 'immediate',
  ...changes,
})

/** What is answered 503 had no effect, and is sent again: on a busy machine many wait too long for one lock. */
export async function untilJudged(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 503) return answer
  }
}
