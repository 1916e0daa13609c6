import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { machineText, milliseconds, percentile, ratio, table } from './measure.ts'
import { numberOption, type Scenario } from './options.ts'
import { sendSignal, UNBOUNDED } from './send.ts'
import { withStack } from './with-stack.ts'

/** Exits in turn; the first is the floor: it is sent as soon as the entry has ended. */
const EXITS: readonly [string, object][] = [
  ['exit at once, at market', { exitTriggerType: 'immediate' }],
  ['stop', { protection: { stop: { percent: 20 } } }],
  ['stop and target', { protection: { stop: { percent: 20 }, target: { percent: 20 } } }],
]
/** Rounds before the measurement, while Node compiles and statements are prepared. */
const WARM_UP = 5

export const stops: Scenario<{ signals: number }> = {
  about: `Sends entries in turn with an exit at once, with a stop, and with a stop and a target, and measures the time from the fill of
the entry until the exit lies at the broker. The exit at once is the floor.`,
  options: { signals: numberOption('signals of each kind', 40) },
  run: ({ signals }, report) =>
    withStack(UNBOUNDED, async (stack) => {
      report(`sending ${signals} signals of each kind`)
      const latencies = EXITS.map((): number[] => [])
      for (let round = -WARM_UP; round < signals; round += 1)
        for (const [kind, [, exit]] of EXITS.entries()) {
          const symbol = `ZTBENCH${lettersOf(round + WARM_UP)}Z${lettersOf(kind)}`
          await sendSignal(stack, { symbol, ...exit })
          const latency = await latencyOf(stack, symbol)
          if (round >= 0) latencies[kind]!.push(latency)
        }
      const floor = percentile(latencies[0]!, 0.5)
      return [
        `From the fill of the entry until the exit lies at the broker; ${signals} signals of each kind, in turn`,
        machineText(),
        '',
        ...table([
          ['', 'p50', 'p95', 'p50 / floor'],
          ...EXITS.map(([title], kind) => [
            title,
            ...[0.5, 0.95].map((share) => milliseconds(percentile(latencies[kind]!, share))),
            ratio(percentile(latencies[kind]!, 0.5), floor),
          ]),
        ]),
      ].join('\n')
    }),
}

/** Milliseconds from the fill by the venue's clock until the ledger knows that the broker has the exit. */
const latencyOf = (stack: Stack, symbol: string): Promise<number> =>
  eventually(
    async () => {
      const [row] = await stack.query<{ latency: number | null }>(
        `select (extract(epoch from x.acknowledged_at - e.filled_at) * 1000)::float8 as latency
         from orders e join orders x on x.signal_id = e.signal_id and x.role = 'exit'
         where e.symbol = '${symbol}' and e.role = 'entry'`,
      )
      assert.ok(typeof row?.latency === 'number', `the exit of ${symbol} is not at the broker`)
      return row.latency
    },
    { within: 30_000, every: 50 },
  )
