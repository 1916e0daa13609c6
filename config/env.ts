import { z } from 'zod'

/** A bare number is milliseconds; read as milliseconds. */
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
  /** auto is pretty in a terminal. */
  LOG_FORMAT: z.enum(['auto', 'json', 'pretty']).default('auto'),
  /** The process sets the file aside when it is full. */
  LOG_FILE: z.string().min(1).optional(),
}
const tracing = {
  /** No traces are exported without one. */
  TRACES_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must look like http://127.0.0.1:4318/v1/traces' })
    .refine((url) => new URL(url).pathname !== '/', 'must name the path too, such as /v1/traces')
    .refine(
      (url) => new URL(url).username === '' && new URL(url).password === '',
      'must not hold a user or a password: OTEL_EXPORTER_OTLP_HEADERS takes headers such as Authorization',
    )
    .optional(),
  /** Part of all traces that is exported, from 0 to 1. */
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
  /** accept-plain: unencrypted payloads are accepted too, while older signals are under way. */
  TEMPORAL_ENCRYPTION: z.enum(['on', 'accept-plain', 'off']).default('on'),
}

const brokers = {
  /** enabled permits LIVE mode: trading of real money. */
  LIVE_TRADING: z.enum(['enabled', 'disabled']).default('disabled'),
  /** Signals of one account that may wait for approval or their time. */
  MAX_PENDING_PER_ACCOUNT: z.coerce.number().int().min(1).max(100_000).default(500),
  BROKER_REQUEST_TIMEOUT: duration('4s'),
}

/** Settings of every process that signs or encrypts. */
export const keySettings = z.object({
  NODE_ENV: z.string().optional(),
  /** By default made in .data/keys.json, except in production. */
  KEY_FILE: z.string().optional(),
})

export const apiSettings = z.object({
  ...logging,
  ...tracing,
  ...database,
  ...temporal,
  ...keySettings.shape,
  ...brokers,
  /** Address for links in messages; this machine's API_PORT by default. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://trader.example.com' })
    .transform((url) => url.replace(/\/{1,9}$/, ''))
    .optional(),
  /** Origin at which senders reach hooks and nothing else; PUBLIC_URL by default. */
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://hooks.example.com' })
    .transform((url) => url.replace(/\/{1,9}$/, ''))
    .refine((url) => new URL(url).origin === url, 'must be an origin such as https://hooks.example.com')
    .optional(),
  /** first-user: only the first, who becomes the administrator. */
  REGISTRATION: z.enum(['open', 'closed', 'first-user']).default('first-user'),
  /** The first user shows it to become the administrator; by default it follows from the keys and is logged. */
  SETUP_SECRET: z.string().min(16, 'must have at least 16 characters').max(128).optional(),
  DEFAULT_PLAN: z.enum(['FREE', 'BASIC', 'ADVANCED', 'PRO']).default('FREE'),
  /** Without one messages go to MAILBOX_FILE. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must look like smtps://user:password@host' }).optional(),
  MAIL_FROM: z.string().min(1).default('Durable Trader <durable-trader@localhost>'),
  MAILBOX_FILE: z.string().min(1).default('.data/mailbox.jsonl'),
  /** Their X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: z.string().default(''),
  /** Origins of other sites, separated by commas. */
  CORS_ORIGINS: origins(''),
  /** off for measuring throughput on an isolated machine. */
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  /** Connections for everything but trading. */
  DATABASE_READ_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(6),
  /** Requests of this process to each broker connection, except trading. */
  BROKER_READS_PER_MINUTE: z.coerce.number().int().min(3).max(100_000).default(90),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(3000),
  API_METRICS_HOST: z.string().default('127.0.0.1'),
  API_METRICS_PORT: port(9466),
  /** on: a worker runs in the process of the API. */
  EMBEDDED_WORKER: z.enum(['on', 'off']).default('off'),
  /** Port of that worker's metrics, on API_METRICS_HOST. */
  EMBEDDED_WORKER_METRICS_PORT: port(9467),
  /** Data folder, whose disk usage the metrics report. */
  DATA_DIR: z.string().min(1).default('.data'),
  VENUE_URL: z.url().default('http://127.0.0.1:3100'),
  /** Without it no accounts are offered. */
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Address of Temporal's UI for administrators. */
  TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Built web app, served at `/`. */
  WEB_FOLDER: z.string().min(1).default('web/dist'),
  /** false refuses keys in the query, which end up in logs. */
  API_KEY_IN_QUERY: flag(true),
  /** off: no notifications are sent to browsers. */
  PUSH: z.enum(['on', 'off']).default('on'),
  /** Origins beside those of Google, Mozilla, Apple and Microsoft, separated by commas. */
  PUSH_SERVICES: origins('').refine(
    (list) => list.every((origin) => /^https?:/.test(origin)),
    'must be origins of http or https',
  ),
  /** Addresses and networks, separated by commas, inside which people's webhooks and channels may lead. */
  OUTGOING_NETWORKS: z.string().default(''),
  /** Origin of Telegram's Bot API, or of a server of one's own. */
  TELEGRAM_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .transform((url) => new URL(url).origin),
  /** An expired or revoked credential ends its event streams within this time. */
  EVENTS_HEARTBEAT: duration('15s'),
  /** Time that a client of events may be away and continue. */
  EVENTS_RETENTION: duration('24h'),
  /** Event streams of one user in one process. */
  EVENTS_STREAMS_PER_USER: z.coerce.number().int().min(1).max(1_000).default(10),
  /** false answers POST /signals with 503 SERVICE_DISABLED. */
  SIGNALS_ENABLED: flag(true),
  /** Signals stored and sent at once; a single sender has at most three quarters. */
  SIGNAL_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(16),
  /**
   * A signal that found no place within a second is stored and begun later, while its user has fewer without an
   * outcome.
   */
  SIGNAL_QUEUE_LIMIT: z.coerce.number().int().min(0).max(10_000).default(200),
  /** Webhook senders are answered 202 after this. */
  SIGNAL_ANSWER_DEADLINE_MS: z.coerce.number().int().min(50).max(30_000).default(2_000),
  /** An immediate signal is not sent later than this after its acceptance. */
  SIGNAL_TTL: duration('60s'),
})

export const workerSettings = z.object({
  ...logging,
  ...tracing,
  ...database,
  ...temporal,
  ...keySettings.shape,
  /** The worker builds one by default (development). */
  WORKFLOW_BUNDLE: z.string().optional(),
  /** deployment: tasks go only to the build that an operator made current (Temporal's Worker Versioning). */
  WORKER_VERSIONING: z.enum(['off', 'deployment']).default('off'),
  /** Each installation in a namespace has its own. */
  WORKER_DEPLOYMENT: z.string().min(1).max(100).default('durable-trader'),
  /** on: Temporal's UI shows the lines of code in which a workflow waits, and tasks cost more. */
  WORKFLOW_STACK_TRACES: z.enum(['on', 'off']).default('off'),
  /**
   * call: the SDK's own watchdog at each entry into workflow code, which costs more and fails only the looping
   * workflow's task.
   */
  WORKFLOW_WATCHDOG: z.enum(['thread', 'call']).default('thread'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9464),
  WORKER_HEALTH_PORT: port(9465),
  ...brokers,
  /** Interval between comparisons of every account with its broker. */
  BROKER_POLL_INTERVAL: duration('15s'),
  ACCOUNT_SYNC_INTERVAL: duration('15m').refine((every) => every >= 10_000, 'must be at least 10s'),
})
export type WorkerSettings = z.infer<typeof workerSettings>

/** Settings of the endpoint that decrypts for Temporal's UI. */
export const codecSettings = z.object({
  ...logging,
  ...keySettings.shape,
  CODEC_HOST: z.string().default('127.0.0.1'),
  CODEC_PORT: port(8234),
  CODEC_ORIGINS: origins('http://127.0.0.1:8233,http://localhost:8233'),
})

/** Settings of the gate before a Temporal UI that runs elsewhere than under `npm start`. */
export const uiGateSettings = z.object({
  ...logging,
  TEMPORAL_UI_HOST: z.string().default('127.0.0.1'),
  TEMPORAL_UI_PORT: port(8233),
  /** Address of the UI itself. */
  TEMPORAL_UI_UPSTREAM: z
    .url({ protocol: /^http$/, error: 'must look like http://127.0.0.1:8080' })
    .default('http://127.0.0.1:8080'),
})

export const venueSettings = z.object({
  ...logging,
  VENUE_HOST: z.string().default('127.0.0.1'),
  VENUE_PORT: port(3100),
  VENUE_DATA: z.string().default('.data/venue/venue.sqlite'),
  /** Prices are a pure function of this seed, the symbol and the time. */
  VENUE_SEED: z.coerce.number().int().default(1),
  /** always: trades at any time. nyse: keeps the exchange's sessions and holidays. */
  VENUE_HOURS: z.enum(['always', 'nyse']).default('always'),
  /** New York's time at which each session of `always` ends. */
  VENUE_CLOSE: z
    .string()
    .regex(/^(?!00:00)(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 16:00, at most 23:59')
    .default('23:59'),
  /** Keys of the account opened in an empty ledger. */
  VENUE_KEY_ID: z.string().min(1).default('PAPER-DEMO-KEY'),
  VENUE_SECRET_KEY: z.string().min(1).default('paper-demo-secret'),
  /** Bearer token of the control API, which is closed without one. */
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  VENUE_HOST_NAMES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((name) => name.trim() || [])),
  /** Dollars in that account. */
  VENUE_CASH: z.coerce.number().positive().default(1_000_000),
  /** Dollars that each traded share costs its account. */
  VENUE_FEE_PER_SHARE: z.coerce.number().min(0).max(1).default(0),
  /** Requests of one account in a minute before 429; Alpaca permits 200. No limit by default. */
  VENUE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).optional(),
})

/** Settings of `npm start`: one machine, every part embedded unless its address is given. */
export const localSettings = z.object({
  DATA_DIR: z.string().default('.data'),
  /** Port of the API; other parts use the ports after it, unless set. Kept for the data folder. */
  PORT_BASE: z.coerce
    .number()
    .int()
    .min(1)
    .max(32_000, 'must be at most 32000: from 32768 on are ports that Linux gives to outgoing connections')
    .optional(),
  API_PORT: apiSettings.shape.API_PORT,
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: uiGateSettings.shape.TEMPORAL_UI_PORT,
  CODEC_PORT: codecSettings.shape.CODEC_PORT,
  POSTGRES_PORT: port(15_432),
  VENUE_PORT: venueSettings.shape.VENUE_PORT,
  API_METRICS_PORT: apiSettings.shape.API_METRICS_PORT,
  EMBEDDED_WORKER_METRICS_PORT: apiSettings.shape.EMBEDDED_WORKER_METRICS_PORT,
  /** Address of an external part in place of the embedded one. */
  DATABASE_URL: database.DATABASE_URL.unwrap().optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  VENUE_URL: z.url().optional(),
  /** By default made at the first start. */
  VENUE_KEY_ID: z.string().min(1).optional(),
  VENUE_SECRET_KEY: z.string().min(1).optional(),
  VENUE_CONTROL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** By default it is built whenever its sources have changed. */
  WORKFLOW_BUNDLE: z.string().optional(),
})
export type LocalSettings = z.infer<typeof localSettings>

/** Error with one printable line for each faulty setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** Secrets of published examples begin like this. */
const EXAMPLE_SECRET = /(?:^|:)change-?me/i

/**
 * Reads settings; an empty variable counts as absent. Throws {@link SettingsError}, also for secrets copied from an
 * example.
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
