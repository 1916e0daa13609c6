import { setTimeout as sleep } from 'node:timers/promises'
import { workflowIdFor } from '#domain/signal.ts'
import type { Cluster } from '#test/support/cluster.ts'
import { eventually } from '#test/support/eventually.ts'
import { sendSignal } from '../contestants.ts'
import { cpuMilliseconds } from '../cpu.ts'
import { MinuteBudget } from '../minute-budget.ts'

/** PostgreSQL's databases of a cluster, by what they hold. */
const DATABASES = { books: 'durable_trader', history: 'temporal', visibility: 'temporal_visibility' } as const
type Holding = keyof typeof DATABASES

/** What one signal costs that is bought at once and sold at once, until its workflow has ended. */
export interface SignalCost {
  signals: number
  /** Of Temporal, in its workflow's history. */
  events: number
  historyBytes: number
  /** Committed, by database, without those that happen while nothing is sent. */
  transactions: Record<Holding, number>
  /** To Temporal's nodes, by the role that answers them, and of its nodes to PostgreSQL. */
  requests: Record<Asked, number>
  /** Writes to a workflow, each of which its history shard does by itself. */
  shardWrites: number
  /** Milliseconds that such a write takes. */
  shardWriteMs: number
  /** The growth of each database, indexes and dead rows included. */
  bytes: Record<Holding, number>
  /** Of PostgreSQL's log, which is written, archived and sent to a standby. */
  walBytes: number
  /** Milliseconds of all processes, without those that they use while nothing is sent. */
  cpuMs: number
}

/** Who is asked. */
const ASKED = ['frontend', 'history', 'matching', 'PostgreSQL'] as const
type Asked = (typeof ASKED)[number]

/** Operations that change a workflow, as Temporal's metrics name them. */
const SHARD_WRITE = /operation="(Create|Update)WorkflowExecution"/

/** A count that only grows. */
interface Reading {
  transactions: Record<Holding, number>
  requests: Record<Asked, number>
  shardWrites: number
  shardWritesMs: number
  bytes: Record<Holding, number>
  walBytes: number
  cpuMs: number
}

const CALLERS = 4
const IDLE_MS = 20_000
/** PostgreSQL shows transactions up to a second later; an idle session as soon as it is idle. */
const STATISTICS_LAG_MS = 2_000
const SYMBOLS = ['ZTCOSTA', 'ZTCOSTB', 'ZTCOSTC', 'ZTCOSTD']

/** Sends signals with exits through the cluster, and shares out what they left behind. */
export async function costOfSignal(cluster: Cluster, { signals }: { signals: number }): Promise<SignalCost> {
  const budget = new MinuteBudget()
  await sendAndWait(cluster, CALLERS, budget)
  const start = await read(cluster)
  await sleep(IDLE_MS)
  const idle = difference(await read(cluster), start)
  const begun = performance.now()
  const before = await read(cluster)
  const ids = await sendAndWait(cluster, signals, budget)
  const used = difference(await read(cluster), before)
  const idleShare = (performance.now() - begun) / IDLE_MS
  const each = (figure: number, whileIdle = 0) => (figure - whileIdle * idleShare) / ids.length
  const ofEach = (kind: 'transactions' | 'bytes', hasIdle: boolean) => ({
    books: each(used[kind].books, hasIdle ? idle[kind].books : 0),
    history: each(used[kind].history, hasIdle ? idle[kind].history : 0),
    visibility: each(used[kind].visibility, hasIdle ? idle[kind].visibility : 0),
  })
  return {
    signals: ids.length,
    ...(await historyOf(cluster, ids)),
    transactions: ofEach('transactions', true),
    requests: Object.fromEntries(
      ASKED.map((asked) => [asked, each(used.requests[asked], idle.requests[asked])]),
    ) as Record<Asked, number>,
    shardWrites: each(used.shardWrites, idle.shardWrites),
    shardWriteMs: used.shardWritesMs / used.shardWrites,
    bytes: ofEach('bytes', false),
    walBytes: each(used.walBytes, idle.walBytes),
    cpuMs: each(used.cpuMs, idle.cpuMs),
  }
}

const withExit = (symbol: string) => ({ symbol, exitTriggerType: 'immediate' })

/** The ids of the signals, all of whose exits are filled and whose workflows have ended. */
async function sendAndWait(cluster: Cluster, signals: number, budget: MinuteBudget): Promise<string[]> {
  // An exit is an order too.
  await budget.take(signals)
  const ids: string[] = []
  let left = signals
  const caller = async (symbol: string): Promise<void> => {
    while (left-- > 0) ids.push(await sendSignal(cluster, withExit(symbol)))
  }
  await Promise.all(SYMBOLS.slice(0, CALLERS).map(caller))
  await eventually(
    async () => {
      const [open] = await cluster.query<{ count: number }>(
        `select count(*)::int as count from signals s where exit_rule is not null
         and not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'closed')`,
      )
      if (open!.count > 0) throw new Error(`${open!.count} signals are not closed`)
    },
    { within: 120_000, every: 200 },
  )
  return ids
}

async function historyOf(
  cluster: Cluster,
  ids: readonly string[],
): Promise<Pick<SignalCost, 'events' | 'historyBytes'>> {
  const client = await cluster.temporal()
  const sample = ids.slice(0, 20)
  let [events, bytes] = [0, 0]
  for (const id of sample) {
    const { historyLength, historySize } = await client.workflow.getHandle(workflowIdFor(id)).describe()
    events += historyLength
    bytes += historySize ?? 0
  }
  return { events: events / sample.length, historyBytes: bytes / sample.length }
}

async function read(cluster: Cluster): Promise<Reading> {
  await sleep(STATISTICS_LAG_MS)
  const rows = await cluster.query<{ name: string; transactions: number; bytes: number }>(
    `select datname as name, xact_commit::float8 as transactions, pg_database_size(datname)::float8 as bytes
     from pg_stat_database where datname is not null`,
  )
  const [wal] = await cluster.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
  )
  const of = (kind: 'transactions' | 'bytes') => {
    const figureOf = (holding: Holding) => rows.find(({ name }) => name === DATABASES[holding])![kind]
    return { books: figureOf('books'), history: figureOf('history'), visibility: figureOf('visibility') }
  }
  return {
    ...requestsIn(await cluster.temporalMetrics()),
    transactions: of('transactions'),
    bytes: of('bytes'),
    walBytes: wal!.bytes,
    cpuMs: Object.values(cluster.processes()).reduce((sum, pid) => sum + cpuMilliseconds(pid), 0),
  }
}

function difference(later: Reading, earlier: Reading): Reading {
  const between = (kind: 'transactions' | 'bytes') => ({
    books: later[kind].books - earlier[kind].books,
    history: later[kind].history - earlier[kind].history,
    visibility: later[kind].visibility - earlier[kind].visibility,
  })
  return {
    requests: Object.fromEntries(
      ASKED.map((asked) => [asked, later.requests[asked] - earlier.requests[asked]]),
    ) as Record<Asked, number>,
    shardWrites: later.shardWrites - earlier.shardWrites,
    shardWritesMs: later.shardWritesMs - earlier.shardWritesMs,
    transactions: between('transactions'),
    bytes: between('bytes'),
    walBytes: later.walBytes - earlier.walBytes,
    cpuMs: later.cpuMs - earlier.cpuMs,
  }
}

/** Counters of all nodes, added up. */
function requestsIn(lines: readonly string[]): Pick<Reading, 'requests' | 'shardWrites' | 'shardWritesMs'> {
  const total = (metric: string, isMeant: (labels: string) => boolean): number =>
    lines
      .filter((line) => line.startsWith(`${metric}{`) && isMeant(line))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  const asked = (role: string) =>
    total('service_requests_total', (line) => line.includes(`service_name="${role}"`))
  const isShardWrite = (line: string) => SHARD_WRITE.test(line)
  return {
    requests: {
      frontend: asked('frontend'),
      history: asked('history'),
      matching: asked('matching'),
      PostgreSQL: total('persistence_requests_total', () => true),
    },
    shardWrites: total('persistence_requests_total', isShardWrite),
    shardWritesMs: total('persistence_latency_milliseconds_sum', isShardWrite),
  }
}
