import assert from 'node:assert/strict'
import { Stack } from '#test/support/stack.ts'
import { sendSignal } from '../contestants.ts'
import { drive, percentile } from '../load.ts'
import { residentMiB } from '../resident-memory.ts'
import type { MassesOptions } from './options.ts'

/** What was measured at one time. */
export interface Standing {
  /** Milliseconds from posting a signal to its answer, one at a time. */
  p50: number
  p95: number
  /** MiB of each process in which workflows run. */
  memory: { worker: number; api: number }
}

export interface Masses {
  options: MassesOptions
  before: Standing
  /** While all of them wait. */
  beside: Standing
  /** Signals stored a second, 20 at once, in the first and the last tenth of them. */
  storedPerSecond: { first: number; last: number }
  /** Milliseconds from starting a worker that was killed until it takes tasks. */
  workerBackAfter: number
}

const CALLERS = 20
const WARM_UP = 30
const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'SPY']
/** Of one account, at most. */
const MOST_WAITING = 100_000
const SETTINGS = {
  api: {
    API_WORKER: 'on',
    SIGNAL_ANSWER_DEADLINE_MS: '30000',
    SIGNALS_WAITING_PER_ACCOUNT: String(MOST_WAITING),
  },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, has the signals wait, and tears everything down. */
export async function runMasses(options: MassesOptions, tell: (what: string) => void): Promise<Masses> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    const person = await stack.signIn()
    const limits = await person.put(`/settings/risk/${stack.accountId}`, { maxOrdersPerMinute: null })
    assert.equal(limits.status, 200, JSON.stringify(limits.body))
    tell('sending signals')
    await drive(() => sendOne(stack), WARM_UP, 1)
    const before = await standingOf(stack, options.signals)
    const storedPerSecond = await fill(stack, options.waiting, tell)
    tell('sending signals beside them')
    const beside = await standingOf(stack, options.signals)
    tell('killing the worker')
    await stack.parts.worker.kill()
    const killed = performance.now()
    await stack.parts.worker.start()
    const workerBackAfter = performance.now() - killed
    return { options, before, beside, storedPerSecond, workerBackAfter }
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
  const { worker, api } = stack.parts
  return {
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    memory: { worker: residentMiB(worker.pid), api: residentMiB(api.pid) },
  }
}

/** Has signals wait, and tells how fast they were stored in the first and the last tenth. */
async function fill(
  stack: Stack,
  waiting: number,
  tell: (what: string) => void,
): Promise<Masses['storedPerSecond']> {
  const rates: number[] = []
  const tenth = Math.ceil(waiting / 10)
  for (let stored = 0; stored < waiting; stored += tenth) {
    const signals = Math.min(tenth, waiting - stored)
    const { elapsedMs } = await drive(() => postWaiting(stack), signals, CALLERS)
    rates.push(signals / (elapsedMs / 1_000))
    const { api, worker } = stack.parts
    const memory = [worker, api].map(({ pid }) => residentMiB(pid).toFixed(0)).join(' and ')
    tell(`${(stored + signals).toLocaleString('en')} signals wait; worker and API take ${memory} MiB`)
  }
  return { first: rates[0]!, last: rates.at(-1)! }
}

async function postWaiting(stack: Stack): Promise<void> {
  const { status, body } = await stack.api.post(
    '/signals',
    { accountId: stack.accountId, symbol: 'WAIT', action: 'openLong', quantity: 1, executeMode: 'pending' },
    60_000,
  )
  assert.ok(status === 201 || status === 202, JSON.stringify(body))
}
