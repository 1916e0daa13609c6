import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { Stack } from '#test/support/stack.ts'
import { tradersOf, type Trader } from '#test/support/traders.ts'
import { postSignal } from '../post.ts'

/** How much is measured. */
export interface StopsBenchOptions {
  /** Signals of each kind, in turn. */
  signals: number
}

/** Milliseconds from the fill of the entry, by the venue's clock, until the ledger knows that the broker has the order; of each signal. */
export interface StopsFigures {
  options: StopsBenchOptions
  /** An exit at market that leaves as soon as the entry has ended: the floor. */
  immediateExit: number[]
  /** The stop of an exit plan. */
  stop: number[]
  /** Stop and target of an exit plan, as one order at the broker. */
  oco: number[]
}

const KINDS = {
  immediateExit: { exitTriggerType: 'immediate' },
  stop: { protection: { stop: { percent: 20 } } },
  oco: { protection: { stop: { percent: 20 }, target: { percent: 20 } } },
} as const satisfies Record<keyof Omit<StopsFigures, 'options'>, object>

const SETTINGS = {
  api: { API_WORKER: 'on' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}
/** Rounds before anything is measured: Node goes on compiling, and statements are prepared, by the tenth signal. */
const WARM_UP = 5

/** Brings the service up, sends entries with an exit of each kind in turn, and tears everything down. */
export async function runStopsBench(
  options: StopsBenchOptions,
  tell: (what: string) => void,
): Promise<StopsFigures> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    const [trader] = (await tradersOf(stack, 1)) as [Trader]
    const figures: StopsFigures = { options, immediateExit: [], stop: [], oco: [] }
    for (let round = -WARM_UP; round < options.signals; round += 1) {
      if (round === 0) tell(`sending ${options.signals} signals of each kind`)
      for (const [kind, exit] of Object.entries(KINDS) as [keyof typeof KINDS, object][]) {
        const symbol = `ZTSTOP${lettersOf(round + WARM_UP)}${lettersOf(Object.keys(KINDS).indexOf(kind))}`
        const latency = await latencyOf(stack, trader, symbol, exit)
        if (round >= 0) figures[kind].push(latency)
      }
    }
    return figures
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

async function latencyOf(
  stack: Stack,
  { api, accountIds }: Trader,
  symbol: string,
  exit: object,
): Promise<number> {
  const body = {
    accountId: accountIds[0],
    symbol,
    action: 'openLong',
    quantity: 1,
    executeMode: 'immediate',
    ...exit,
  }
  const { status, body: answer } = await postSignal(api, body)
  assert.ok(status === 201 || status === 202, JSON.stringify(answer))
  return eventually(
    async () => {
      const [row] = await stack.query<{ latency: number | null }>(
        `select (extract(epoch from x.acknowledged_at - e.filled_at) * 1000)::float8 as latency
         from orders e join orders x on x.signal_id = e.signal_id and x.role = 'exit'
         where e.symbol = '${symbol}' and e.role = 'entry'`,
      )
      assert.ok(row?.latency != null)
      return row.latency
    },
    { within: 30_000, every: 50 },
  )
}
