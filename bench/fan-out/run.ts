import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { Stack } from '#test/support/stack.ts'
import { tradersOf, type Trader } from '#test/support/traders.ts'
import { postSignal } from '../post.ts'

/** How much is measured. */
export interface FanOutBenchOptions {
  /** Accounts of a signal for several, at most 20. */
  accounts: number
  /** Signals for one account, and as many for several, in turn. */
  signals: number
}

/** Milliseconds from the request until its first order was let out to the broker, and its last one; of each signal. */
export interface Latencies {
  first: number[]
  last: number[]
}

/** What was measured. */
export interface FanOutFigures {
  options: FanOutBenchOptions
  one: Latencies
  several: Latencies
}

const SETTINGS = {
  api: { API_WORKER: 'on' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}
/** Signals before anything is measured, of each kind: Node goes on compiling, and statements are prepared, by the tenth. */
const WARM_UP = 15

/** Brings the service up, sends signals for one account and for several in turn, and tears everything down. */
export async function runFanOutBench(
  options: FanOutBenchOptions,
  tell: (what: string) => void,
): Promise<FanOutFigures> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    const [trader] = (await tradersOf(stack, options.accounts)) as [Trader]
    const figures: FanOutFigures = { options, one: nothing(), several: nothing() }
    for (let round = -WARM_UP; round < options.signals; round += 1) {
      if (round === 0) tell(`sending ${options.signals} signals of each kind`)
      const symbol = `ZTBENCH${lettersOf(round + WARM_UP)}`
      const one = await latencyOf(stack, trader, `${symbol}A`, trader.accountIds.slice(0, 1))
      const several = await latencyOf(stack, trader, `${symbol}B`, trader.accountIds)
      if (round < 0) continue
      note(figures.one, one)
      note(figures.several, several)
    }
    return figures
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

const nothing = (): Latencies => ({ first: [], last: [] })

function note(latencies: Latencies, { first, last }: { first: number; last: number }): void {
  latencies.first.push(first)
  latencies.last.push(last)
}

async function latencyOf(
  stack: Stack,
  { api }: Trader,
  symbol: string,
  accountIds: readonly string[],
): Promise<{ first: number; last: number }> {
  const sentAt = Date.now()
  const whom = accountIds.length === 1 ? { accountId: accountIds[0] } : { accountIds }
  const body = { ...whom, symbol, action: 'openLong', quantity: 1, executeMode: 'immediate' }
  const { status, body: answer } = await postSignal(api, body)
  assert.ok(status === 201 || status === 202, JSON.stringify(answer))
  return eventually(
    async () => {
      const [row] = await stack.query<{ first: number; last: number; orders: number }>(
        `select (extract(epoch from min(o.sent_at)) * 1000)::float8 as first,
           (extract(epoch from max(o.sent_at)) * 1000)::float8 as last, count(*)::int as orders
         from orders o where o.symbol = '${symbol}' and o.sent_at is not null`,
      )
      assert.equal(row!.orders, accountIds.length)
      return { first: row!.first - sentAt, last: row!.last - sentAt }
    },
    { within: 30_000, every: 50 },
  )
}
