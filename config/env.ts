import { z } from 'zod'

/** A duration such as "250ms", "60s", "5m", "2h" or a bare number of milliseconds; read as milliseconds. */
const duration = (fallback: string) =>
  z
    .string()
    .regex(/^\d+(ms|s|m|h)?$/, 'must be a duration such as 500ms, 60s, 5m or 2h')
    .default(fallback)
    .transform((text) => {
      const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[/[a-z]{1,2}$/.exec(text)?.[0] ?? 'ms'] ?? 1
      return Number.parseInt(text, 10) * unit
    })
const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback)
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true' || text === '1')

const origins = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .refine(
      (list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'must be origins such as https://desk.example.com',
    )

const logging = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  /** json for collectors, pretty for people; auto is pretty in a terminal. */
  LOG_FORMAT: z.enum(['auto', 'json', 'pretty']).default('auto'),
  /** The file to which whoever starts the process leads its output: the process sets it aside when it is full. */
  LOG_FILE: z.string().min(1).optional(),
}
const tracing = {
  /** Where a collector takes OTLP over HTTP; no traces are exported without one. */
  TRACES_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must look like http://127.0.0.1:4318/v1/traces' })
    .refine((url) => new URL(url).pathname !== '/', 'must name the path too, such as /v1/traces')
    .refine(
      (url) => new URL(url).username === '' && new URL(url).password === '',
      'must not hold a user or a password: OTEL_EXPORTER_OTLP_HEADERS takes headers such as Authorization',
    )
    .optional(),
  /** Part of all traces that is exported, from 0 to 1; by the id of the trace. */
  TRACES_RATIO: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be a number from 0 to 1')
    .max(1, 'must be a number from 0 to 1')
    .default(1),
}
const database = {
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must look like postgresql://user:password@host:5432/database',
    })
    .default('postgresql://durable:durable@127.0.0.1:15432/durable_trader'),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
}
const temporal = {
  TEMPORAL_ADDRESS: z.string().min(1).default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TLS: flag(false),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TASK_QUEUE: z.string().min(1).default('signals'),
  /**
   * on: what Temporal stores is encrypted, and nothing else is believed. accept-plain: also reads what is not, for
   * as long as signals from before encryption are under way. off: nothing is encrypted.
   */
  TEMPORAL_ENCRYPTION: z.enum(['on', 'accept-plain', 'off']).default('on'),
}

const brokers = {
  /** enabled lets users switch to LIVE, that is trade real money. */
  LIVE_TRADING: z.enum(['enabled', 'disabled']).default('disabled'),
  /** Signals of one account that may wait for a decision or for their time. */
  MAX_PENDING_PER_ACCOUNT: z.coerce.number().int().min(1).max(100_000).default(500),
  /** Bound on one broker request. */
  BROKER_REQUEST_TIMEOUT: duration('4s'),
}

/** Settings of every process that signs or encrypts. */
export const keySettings = z.object({
  NODE_ENV: z.string().optional(),
  /** The installation's keys. Without it they are made in .data/keys.json, except in production. */
  KEY_FILE: z.string().optional(),
})

/** Settings of the API process. */
export const apiSettings = z.object({
  ...logging,
  ...tracing,
  ...database,
  ...temporal,
  ...keySettings.shape,
  ...brokers,
  /** Where people reach the service, for links in messages; this machine's API_PORT by default. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://trader.example.com' })
    .transform((url) => url.replace(/\/{1,9}$/, ''))
    .optional(),
  /**
   * Where senders on the Internet reach hooks, if not at PUBLIC_URL: an origin such as https://hooks.example.com, which gives
   * them hooks and nothing else.
   */
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://hooks.example.com' })
    .transform((url) => url.replace(/\/{1,9}$/, ''))
    .refine((url) => new URL(url).origin === url, 'must be an origin such as https://hooks.example.com')
    .optional(),
  /** The people who may register; first-user: the first becomes the administrator, and nobody after. */
  REGISTRATION: z.enum(['open', 'closed', 'first-user']).default('first-user'),
  /** The secret that the first user shows to become the administrator; without it one follows from the keys and is logged. */
  SETUP_SECRET: z.string().min(16, 'must have at least 16 characters').max(128).optional(),
  DEFAULT_PLAN: z.enum(['FREE', 'BASIC', 'ADVANCED', 'PRO']).default('FREE'),
  /** Mail server such as smtps://user:password@mail.example.com; without one messages go to MAILBOX_FILE. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must look like smtps://user:password@host' }).optional(),
  MAIL_FROM: z.string().min(1).default('Durable Trader <durable-trader@localhost>'),
  MAILBOX_FILE: z.string().min(1).default('.data/mailbox.jsonl'),
  /** Addresses and networks whose X-Forwarded-For is believed, separated by commas. */
  TRUSTED_PROXIES: z.string().default(''),
  /** Origins of other sites whose pages may call the API, separated by commas; none by default. */
  CORS_ORIGINS: origins(''),
  /** off for measuring throughput on a machine that nobody else reaches. */
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  /** Connections for everything but trading, beside DATABASE_POOL_SIZE, which is for trading alone. */
  DATABASE_READ_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(6),
  /** Requests to a broker, for each of its connections, that this process makes for anything but trading. */
  BROKER_READS_PER_MINUTE: z.coerce.number().int().min(3).max(100_000).default(90),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(3000),
  /** Where /metrics is served, on a port of its own: it asks for no password. */
  API_METRICS_HOST: z.string().default('127.0.0.1'),
  API_METRICS_PORT: port(9466),
  /** on: a worker runs in the process of the API. */
  EMBEDDED_WORKER: z.enum(['on', 'off']).default('off'),
  /** Where the metrics of that worker are served, on API_METRICS_HOST. */
  EMBEDDED_WORKER_METRICS_PORT: port(9467),
  /** Folder of the data: the metrics tell how full its disk is. */
  DATA_DIR: z.string().min(1).default('.data'),
  VENUE_URL: z.url().default('http://127.0.0.1:3100'),
  /** Opens accounts at that venue for users who ask for one; without it none are offered. */
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Where administrators open Temporal's UI; they are shown no way there without it. */
  TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The built web app, which is served at `/`; nothing is where it was not built. */
  WEB_FOLDER: z.string().min(1).default('web/dist'),
  /** false refuses API keys in the query of POST /signals; they end up in the logs of others. */
  API_KEY_IN_QUERY: flag(true),
  /** off: no notifications are sent to browsers. */
  PUSH: z.enum(['on', 'off']).default('on'),
  /** Origins of push services beside those of Google, Mozilla, Apple and Microsoft, separated by commas. */
  PUSH_SERVICES: origins('').refine(
    (list) => list.every((origin) => /^https?:/.test(origin)),
    'must be origins of http or https',
  ),
  /** Between two heartbeats of an event stream; a credential that has ended ends its streams within that time. */
  EVENTS_HEARTBEAT: duration('15s'),
  /** How long a client of events may be away and go on where it was. */
  EVENTS_RETENTION: duration('24h'),
  /** Event streams that one user may hold open in one process. */
  EVENTS_STREAMS_PER_USER: z.coerce.number().int().min(1).max(1_000).default(10),
  /** false answers POST /signals with 503 SERVICE_DISABLED. */
  SIGNALS_ENABLED: flag(true),
  /** Signals that one process stores and sends at once; of one sender three quarters. Others wait for a second at most. */
  SIGNAL_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(16),
  /** While a user has fewer signals without an outcome, one whose second is over is stored, and begun a moment later. */
  SIGNAL_QUEUE_LIMIT: z.coerce.number().int().min(0).max(10_000).default(200),
  /** How long a webhook sender waits for its order before it is told 202 instead. */
  SIGNAL_ANSWER_DEADLINE_MS: z.coerce.number().int().min(50).max(30_000).default(2_000),
  /** An immediate signal not sent within this time of its acceptance is not sent any more. */
  SIGNAL_TTL: duration('60s'),
})

/** Settings of the worker process. */
export const workerSettings = z.object({
  ...logging,
  ...tracing,
  ...database,
  ...temporal,
  ...keySettings.shape,
  /** Where the workflow bundle lies; without it the worker builds one at start-up (development). */
  WORKFLOW_BUNDLE: z.string().optional(),
  /**
   * off: tasks go to any worker. deployment: to the build that an operator made current, by Temporal's Worker Versioning, and to
   * none before that.
   */
  WORKER_VERSIONING: z.enum(['off', 'deployment']).default('off'),
  /** Name of the deployment in Temporal; another one for each installation in a namespace. */
  WORKER_DEPLOYMENT: z.string().min(1).max(100).default('durable-trader'),
  /** on: Temporal's UI shows in which lines of code a workflow waits, and every workflow task costs more. */
  WORKFLOW_STACK_TRACES: z.enum(['on', 'off']).default('off'),
  /**
   * thread: each workflow thread is guarded against loops without end as a whole. call: the SDK's own watchdog at each entry
   * into workflow code, which costs more and fails the looping workflow's task alone.
   */
  WORKFLOW_WATCHDOG: z.enum(['thread', 'call']).default('thread'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9464),
  /** Where /healthz and /readyz of the worker are served, on METRICS_HOST. */
  WORKER_HEALTH_PORT: port(9465),
  ...brokers,
  /** How often every account is compared with its broker, whatever the stream has told. */
  BROKER_POLL_INTERVAL: duration('15s'),
  /** How often a schedule in Temporal syncs every account beside that. */
  ACCOUNT_SYNC_INTERVAL: duration('15m').refine((every) => every >= 10_000, 'must be at least 10s'),
})
export type WorkerSettings = z.infer<typeof workerSettings>

/** Settings of the endpoint that decrypts for Temporal's UI. */
export const codecSettings = z.object({
  ...logging,
  ...keySettings.shape,
  CODEC_HOST: z.string().default('127.0.0.1'),
  CODEC_PORT: port(8234),
  /** Where Temporal's UI is opened in browsers, separated by commas. */
  CODEC_ORIGINS: origins('http://127.0.0.1:8233,http://localhost:8233'),
})

/** Settings of the gate before a Temporal UI that runs elsewhere than under `npm start`. */
export const uiGateSettings = z.object({
  ...logging,
  TEMPORAL_UI_HOST: z.string().default('127.0.0.1'),
  TEMPORAL_UI_PORT: port(8233),
  /** Where the UI itself listens. */
  TEMPORAL_UI_UPSTREAM: z
    .url({ protocol: /^http$/, error: 'must look like http://127.0.0.1:8080' })
    .default('http://127.0.0.1:8080'),
})

/** Settings of the paper venue process. */
export const venueSettings = z.object({
  ...logging,
  VENUE_HOST: z.string().default('127.0.0.1'),
  VENUE_PORT: port(3100),
  /** File of the venue's ledger (SQLite); created when missing. */
  VENUE_DATA: z.string().default('.data/venue/venue.sqlite'),
  /** Prices are a pure function of this seed, the symbol and the time. */
  VENUE_SEED: z.coerce.number().int().default(1),
  /** always: trades at any time of any day. nyse: keeps the exchange's sessions and holidays. */
  VENUE_HOURS: z.enum(['always', 'nyse']).default('always'),
  /** Local time of New York at which every session of `always` ends; another one shows exits before a close. */
  VENUE_CLOSE: z
    .string()
    .regex(/^(?!00:00)(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 16:00, at most 23:59')
    .default('23:59'),
  /** Keys of the account that is opened when the ledger is empty. */
  VENUE_KEY_ID: z.string().min(1).default('PAPER-DEMO-KEY'),
  VENUE_SECRET_KEY: z.string().min(1).default('paper-demo-secret'),
  /** Opens the control API (prices, faults, accounts, ledger), as a bearer token; without one it is closed. */
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Names under which the venue is reached beside localhost and addresses, separated by commas. */
  VENUE_HOST_NAMES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((name) => name.trim() || [])),
  /** Dollars in that account. */
  VENUE_CASH: z.coerce.number().positive().default(1_000_000),
  /** Dollars that each share traded costs its account, bought or sold. */
  VENUE_FEE_PER_SHARE: z.coerce.number().min(0).max(1).default(0),
  /** Requests of one account in a minute, beyond which the venue answers 429; 200 is Alpaca's. None by default. */
  VENUE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).optional(),
})

/** Settings of `npm start`: one machine, every part embedded unless its address is given. */
export const localSettings = z.object({
  DATA_DIR: z.string().default('.data'),
  /** Port of the API, and the others behind it, unless they have settings of their own; kept for the data folder. */
  PORT_BASE: z.coerce
    .number()
    .int()
    .min(1)
    .max(32_000, 'must be at most 32000: from 32768 on are ports that Linux gives to outgoing connections')
    .optional(),
  API_PORT: apiSettings.shape.API_PORT,
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: uiGateSettings.shape.TEMPORAL_UI_PORT,
  /** Decrypts for Temporal's UI. */
  CODEC_PORT: codecSettings.shape.CODEC_PORT,
  POSTGRES_PORT: port(15_432),
  VENUE_PORT: venueSettings.shape.VENUE_PORT,
  API_METRICS_PORT: apiSettings.shape.API_METRICS_PORT,
  EMBEDDED_WORKER_METRICS_PORT: apiSettings.shape.EMBEDDED_WORKER_METRICS_PORT,
  /** Set to use a part that runs elsewhere instead of the embedded one. */
  DATABASE_URL: database.DATABASE_URL.unwrap().optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  VENUE_URL: z.url().optional(),
  /** Keys of the demo account at the venue; made at the first start when not given. */
  VENUE_KEY_ID: z.string().min(1).optional(),
  VENUE_SECRET_KEY: z.string().min(1).optional(),
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** A workflow bundle built before; otherwise it is built whenever its sources have changed. */
  WORKFLOW_BUNDLE: z.string().optional(),
})
export type LocalSettings = z.infer<typeof localSettings>

/** Raised with one line per faulty setting, ready to print. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** As examples of secrets begin, on their own or as the password in an address: whoever reads the example knows them. */
const EXAMPLE_SECRET = /(?:^|:)change-?me/i

/**
 * Reads settings from the environment; an empty variable counts as absent. Throws {@link SettingsError}, also for secrets
 * that were left as an example has them.
 */
export function readSettings<T extends z.ZodObject>(
  schema: T,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = schema.safeParse(present)
  const examples = Object.keys(schema.shape).filter((name) => EXAMPLE_SECRET.test(present[name] ?? ''))
  if (result.success && examples.length === 0) return result.data
  const faults = [
    ...(result.error?.issues ?? []).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`),
    ...examples.map(
      (name) =>
        `  ${name}: is the secret of an example, which everybody knows; make one of your own, such as that of: openssl rand -hex 24`,
    ),
  ]
  throw new SettingsError(`These settings cannot be used:\n${faults.join('\n')}`)
}
