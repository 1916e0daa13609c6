import { setTimeout } from 'node:timers/promises'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { COUNTING, countStatements, since, statementsOf, type Statement } from './cost/statements.ts'
import { machineText, table } from './measure.ts'
import { numberOption, type Scenario } from './options.ts'
import { cpuMilliseconds, figuresOf } from './process-table.ts'
import { sendSignal } from './send.ts'
import { withStack } from './with-stack.ts'

const PLAN = { protection: { stop: { percent: 20 }, target: { percent: 20 } } }

interface Amount {
  positions: number
  seconds: number
  settle: number
}

export const idle: Scenario<Amount> = {
  about: `Measures the processor time of an installation in which nothing happens: without positions, with positions that have a stop
and a target while their market is open, and with the same while it is closed (from 20:00 to 4:00 in New York).`,
  options: {
    positions: numberOption('positions with a stop and a target', 20),
    seconds: numberOption('seconds of each measurement', 60),
    settle: numberOption('seconds before each, in which the work of a start ends', 45),
  },
  run: ({ positions, seconds, settle }, report) =>
    withStack(
      {},
      async (stack) => {
        await countStatements(stack)
        const measured: [string, Record<string, number>, Statement[]][] = []
        const measure = async (title: string): Promise<void> => {
          report(`measuring: ${title}`)
          await setTimeout(settle * 1_000)
          const before = await statementsOf(stack)
          const shares = await shareOfCore(stack, seconds * 1_000)
          const ran = since(before, await statementsOf(stack))
          report(
            Object.entries(shares)
              .map(([name, share]) => `${name} ${share.toFixed(2)} %`)
              .join(', '),
          )
          measured.push([title, shares, ran])
        }
        await measure('no position')
        for (let at = 0; at < positions; at += 1)
          await sendSignal(stack, { symbol: `ZTIDLE${lettersOf(at)}`, ...PLAN })
        await eventually(() => requireResting(stack, positions), { within: 60_000 })
        await measure('open session')
        await stack.parts.venue.restart({ VENUE_HOURS: 'nyse' })
        await stack.parts.api.restart()
        await stack.untilReady()
        await measure('closed session')
        const names = Object.keys(measured[0]![1])
        const sum = (shares: Record<string, number>) =>
          Object.values(shares).reduce((all, each) => all + each, 0)
        return [
          `Per cent of a core, ${positions} positions with a stop and a target, ${seconds} s each`,
          machineText(),
          '',
          ...table([
            ['', ...names, 'all', 'statements a second'],
            ...measured.map(([title, shares, ran]) => [
              title,
              ...names.map((name) => shares[name]!.toFixed(2)),
              sum(shares).toFixed(2),
              (ran.reduce((all, { calls }) => all + calls, 0) / seconds).toFixed(1),
            ]),
          ]),
          ...measured.flatMap(([title, , ran]) => [
            '',
            `statements a minute, ms a minute: ${title}`,
            ...mostFrequent(ran, seconds),
          ]),
        ].join('\n')
      },
      { postgres: COUNTING },
    ),
}

async function requireResting(stack: Stack, positions: number): Promise<void> {
  const [row] = await stack.query<{ count: number }>(
    `select count(distinct signal_id)::int as count from orders where role = 'exit' and broker_order_id is not null and ended_at is null`,
  )
  if (row!.count < positions) throw new Error(`${row!.count} of ${positions} positions have their exit`)
}

const mostFrequent = (ran: readonly Statement[], seconds: number): string[] =>
  ran
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, 40)
    .map(
      ({ query, calls, ms }) =>
        `${((calls / seconds) * 60).toFixed(1)} ${((ms / seconds) * 60).toFixed(2)} ${query.slice(0, 150)}`,
    )

/** Percent of a core by process. */
async function shareOfCore(stack: Stack, milliseconds: number): Promise<Record<string, number>> {
  const before = figuresOf(stack.processes(), cpuMilliseconds)
  await setTimeout(milliseconds)
  const after = Object.entries(figuresOf(stack.processes(), cpuMilliseconds))
  return Object.fromEntries(after.map(([name, ms]) => [name, ((ms - before[name]!) / milliseconds) * 100]))
}
