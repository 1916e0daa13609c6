import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { startFloor } from './floor.ts'
import { drive, machineText, percentile, ratio, table } from './measure.ts'
import { numberOption, type Scenario } from './options.ts'
import { sendSignal, UNBOUNDED } from './send.ts'
import { withStack } from './with-stack.ts'

interface Amount {
  /** Scheduled signals that are due in the same second. */
  signals: number
  /** Exits that are due while the burst's entries are sent. */
  exits: number
}

/** Symbols in turn: dependent signals of one symbol wait for each other. */
const SYMBOLS = 100
const CALLERS = 20
/** Exits of the burst's signals in turn: at once after the entry, a timer, and none. */
const EXITS = [
  { exitTriggerType: 'immediate' },
  { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 },
  {},
]
/** Calls of the floor; enough for its rate. */
const FLOOR_CALLS = 300
const EXIT_AFTER_MS = 60_000
/** Milliseconds over which the exits are spread, from the instant at which all entries are due. */
const EXITS_WITHIN_MS = 5_000
/** Most milliseconds to store a signal, and a reserve for all signals. */
const STORING_ONE_MS = 60
const SPARE_MS = 3_000

export const burst: Scenario<Amount> = {
  about: `Many scheduled signals become due in the same second, and a few exits meanwhile: the time until the first order leaves, the
rate of the others against the rate of the floor's calls in the same run, and the delay of the exits. Of the burst's signals a third
has an exit at once, and a third an exit by a timer. Takes two to three minutes.`,
  options: {
    signals: numberOption('scheduled signals due in the same second', 1_000),
    exits: numberOption('exits due meanwhile; without any it takes a minute less', 10, { least: 0 }),
  },
  run: (amount, report) =>
    withStack({ ...UNBOUNDED, MAX_PENDING_PER_ACCOUNT: '100000' }, async (stack) => {
      report('measuring the floor')
      const floorRate = await rateOfFloor(stack)
      report(`storing ${amount.signals} scheduled signals`)
      const dueAt = await storeBurst(stack, amount)
      await openExits(stack, amount.exits, dueAt)
      report('waiting until they are due')
      await sleep(dueAt - Date.now())
      report('all are due')
      const entries = await departures(stack, 'entry', amount.signals)
      const exits = await departures(stack, 'exit', amount.exits)
      return textOf(
        amount,
        floorRate,
        entries.map(({ sent }) => sent - dueAt),
        exits.map(({ sent, due }) => sent - due),
      )
    }),
}

/** Calls a second, 20 at once. */
async function rateOfFloor(stack: Stack): Promise<number> {
  const floor = await startFloor(stack)
  try {
    await drive(() => floor.call(), FLOOR_CALLS / 5, CALLERS)
    const { elapsedMs } = await drive(() => floor.call(), FLOOR_CALLS, CALLERS)
    return (FLOOR_CALLS * 1_000) / elapsedMs
  } finally {
    await floor.close()
  }
}

/** Stores the signals, and returns their due time in milliseconds since the epoch. */
async function storeBurst(stack: Stack, { signals, exits }: Amount): Promise<number> {
  const toEnter = exits > 0 ? EXIT_AFTER_MS + EXITS_WITHIN_MS : 0
  const dueAt = Math.ceil((Date.now() + SPARE_MS + toEnter + signals * STORING_ONE_MS) / 1_000) * 1_000
  let stored = 0
  const store = (): Promise<void> => {
    const index = stored++
    return sendSignal(stack, {
      symbol: `ZTBURST${lettersOf(index % SYMBOLS)}`,
      ...EXITS[index % EXITS.length],
      executeMode: 'scheduled',
      scheduledProcessAt: new Date(dueAt).toISOString().replace('Z', ''),
      timezone: 'UTC',
    })
  }
  await drive(store, signals, CALLERS)
  return dueAt
}

/** Enters positions with exits due during the burst, each in a separate symbol. */
async function openExits(stack: Stack, exits: number, dueAt: number): Promise<void> {
  for (let index = 0; index < exits; index += 1) {
    const due = dueAt + 300 + (index * EXITS_WITHIN_MS) / exits
    await sleep(Math.max(due - EXIT_AFTER_MS - Date.now(), 0))
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
    await sendSignal(stack, { symbol: `ZTEXIT${lettersOf(index)}`, ...exit })
  }
}

/** Milliseconds since the epoch at which orders were sent and due. */
function departures(
  stack: Stack,
  role: 'entry' | 'exit',
  count: number,
): Promise<{ sent: number; due: number }[]> {
  const [due, which] =
    role === 'entry'
      ? ['s.scheduled_at', 's.scheduled_at is not null']
      : ['s.exit_due_at', 's.scheduled_at is null and s.exit_rule is not null']
  return eventually(
    async () => {
      const rows = await stack.query<{ sent: number; due: number }>(
        `select (extract(epoch from min(o.sent_at)) * 1000)::float8 as sent,
           (extract(epoch from ${due}) * 1000)::float8 as due
         from signals s join orders o on o.signal_id = s.id and o.role = '${role}'
         where ${which} and o.sent_at is not null group by s.id`,
      )
      assert.equal(rows.length, count)
      return rows
    },
    { within: 180_000, every: 500 },
  )
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`

/** @param entries milliseconds after the instant at which all were due */
function textOf({ signals, exits }: Amount, floorRate: number, entries: number[], late: number[]): string {
  const [first, last] = [Math.min(...entries), Math.max(...entries)]
  const rate = (signals * 1_000) / (last - first)
  return [
    `${signals} scheduled signals due in the same second, ${exits} exits meanwhile`,
    machineText(),
    '',
    ...table([
      ['first order after', seconds(first)],
      ['last order after', seconds(last)],
      ['entries a second', rate.toFixed(0)],
      ['calls of the floor a second', floorRate.toFixed(0)],
      ['entries / floor', ratio(rate, floorRate)],
      ...(late.length > 0
        ? [
            ['delay of exits, p50', seconds(percentile(late, 0.5))],
            ['delay of exits, longest', seconds(Math.max(...late))],
          ]
        : []),
    ]),
  ].join('\n')
}
