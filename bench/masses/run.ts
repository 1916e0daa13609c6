import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { Stack } from '#test/support/stack.ts'
import { sendSignal } from '../contestants.ts'
import { postSignal } from '../post.ts'
import { drive, percentile } from '../load.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { residentMiB } from '../resident-memory.ts'

/** How much is measured. */
export interface MassesOptions {
  /** Signals that wait for their time. */
  waiting: number
  /** Signals that are sent at once, before and after. */
  signals: number
}

/** What was measured at one time. */
interface Standing {
  /** Milliseconds from posting a signal to its answer, one at a time. */
  p50: number
  p95: number
  /** MiB of each process in which workflows run. */
  memory: { worker: number; api: number }
}

/** What was seen when another tenth of the signals waited. */
export interface Tenth {
  waiting: number
  /** Signals stored a second, several at once, and begun. */
  perSecond: number
  memory: Standing['memory']
}

export interface Masses {
  options: MassesOptions
  before: Standing
  /** While all of them wait. */
  beside: Standing
  /** After each tenth of them. */
  fill: Tenth[]
  /** Milliseconds from starting a worker that was killed until it takes tasks. */
  workerBackAfter: number
}

/** As many as one token may have under way at once: what comes beyond is begun later. */
const CALLERS = 12
const WARM_UP = 100
const MONTH_MS = 30 * 86_400_000
const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'SPY']
/** Fewer than may wait by default: the count of an account's waiting signals is part of storing one. */
const WAITING_OF_ACCOUNT = 400
const SETTINGS = {
  api: { API_WORKER: 'on', SIGNAL_ANSWER_DEADLINE_MS: '30000' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, has the signals wait, and tears everything down. */
export async function runMasses(options: MassesOptions, tell: (what: string) => void): Promise<Masses> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    await liftOrderLimit(stack)
    tell('sending signals')
    await drive(() => sendOne(stack), WARM_UP, 1)
    const before = await standingOf(stack, options.signals)
    const accounts = await openAccounts(stack, Math.ceil(options.waiting / WAITING_OF_ACCOUNT))
    const tenths = await fill(stack, accounts, options.waiting, tell)
    tell('sending signals beside them')
    const beside = await standingOf(stack, options.signals)
    tell('killing the worker')
    await stack.parts.worker.kill()
    const killed = performance.now()
    await stack.parts.worker.start()
    const workerBackAfter = performance.now() - killed
    return { options, before, beside, fill: tenths, workerBackAfter }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

let sent = 0
const sendOne = async (stack: Stack): Promise<void> =>
  void (await sendSignal(stack, { symbol: SYMBOLS[sent++ % SYMBOLS.length]! }))

async function standingOf(stack: Stack, signals: number): Promise<Standing> {
  const { latencies } = await drive(() => sendOne(stack), signals, 1)
  return { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95), memory: memoryOf(stack) }
}

const memoryOf = ({ parts: { worker, api } }: Stack): Standing['memory'] => ({
  worker: residentMiB(worker.pid),
  api: residentMiB(api.pid),
})

/**
 * Accounts in which signals wait and nothing else happens: copies of the first one that count as removed, for the reports of so
 * many live accounts at a broker would be measured too. Returns their ids.
 */
async function openAccounts(stack: Stack, accounts: number): Promise<string[]> {
  const rows = await stack.query<{ id: string }>(
    `insert into accounts
     select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'broker_account_id', 'waits-' || number,
       'name', 'Waits ' || number, 'is_primary', false, 'is_active', false))).*
     from accounts a, generate_series(1, ${accounts}) number where a.id = '${stack.accountId}' returning id`,
  )
  return rows.map(({ id }) => id)
}

/** Has signals wait, a tenth of them after the other, until each has its workflow and is recorded as waiting. */
async function fill(
  stack: Stack,
  accounts: readonly string[],
  waiting: number,
  tell: (what: string) => void,
): Promise<Tenth[]> {
  const tenths: Tenth[] = []
  let posted = 0
  const postNext = (): Promise<void> => postWaiting(stack, accounts[posted++ % accounts.length]!)
  const most = Math.ceil(waiting / 10)
  for (let stored = 0; stored < waiting;) {
    const signals = Math.min(most, waiting - stored)
    const begun = performance.now()
    await drive(postNext, signals, CALLERS)
    await untilAllWait(stack)
    stored += signals
    const perSecond = signals / ((performance.now() - begun) / 1_000)
    const tenth = { waiting: stored, perSecond, memory: memoryOf(stack) }
    tenths.push(tenth)
    const memory = [tenth.memory.worker, tenth.memory.api].map((each) => each.toFixed(0)).join(' and ')
    tell(`${stored.toLocaleString('en')} signals wait; worker and API take ${memory} MiB`)
  }
  return tenths
}

/** One that waits for its time, a month away: unlike one for a person it asks the broker for no price. */
async function postWaiting(stack: Stack, accountId: string): Promise<void> {
  const { status, body } = await postSignal(stack.api, {
    accountId,
    symbol: 'ZTWAIT',
    action: 'openLong',
    quantity: 1,
    executeMode: 'scheduled',
    scheduledProcessAt: new Date(Date.now() + MONTH_MS).toISOString().slice(0, -1),
    timezone: 'UTC',
  })
  assert.ok(status === 201 || status === 202, JSON.stringify(body))
}

const untilAllWait = (stack: Stack): Promise<void> =>
  eventually(
    async () => {
      const [rest] = await stack.query<{ count: number }>(
        `select count(*)::int as count from signals s where execute_mode = 'scheduled'
         and not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'waiting')`,
      )
      assert.equal(rest!.count, 0, `${rest!.count} signals are stored and do not wait yet`)
    },
    { within: 600_000, every: 1_000 },
  )
