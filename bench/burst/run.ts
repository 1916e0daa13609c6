import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { Stack } from '#test/support/stack.ts'
import { callFloor, floor, sendSignal } from '../contestants.ts'
import { postSignal } from '../post.ts'
import { drive } from '../load.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'

/** How much is measured. */
export interface BurstOptions {
  /** Scheduled signals that are due in the same second. */
  signals: number
  /** Exits that are due while the entries of the burst go out. */
  exits: number
}

/** What was measured. */
export interface Burst {
  options: BurstOptions
  /** Milliseconds after the instant at which all were due until the first order was let out, and until the last one was. */
  firstOrder: number
  lastOrder: number
  /** Entries let out a second, from the first to the last. */
  entriesPerSecond: number
  /** Calls of the smallest workflow a second, 20 at once, in the same run. */
  floorPerSecond: number
  /** Milliseconds by which each exit left after it was due. */
  exitsLate: number[]
  /** Workflow tasks of the burst that were done in vain, and again. */
  tasksInVain: { failed: number; timedOut: number }
}

/** Signals go to so many symbols in turn: those of one symbol wait for each other where they depend on each other. */
const SYMBOLS = 100
const CALLERS = 20
/** The exits of the signals of the burst in turn: an order at once after the entry, one that is waited for, and none. */
const EXITS = [
  { exitTriggerType: 'immediate' },
  { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 },
  {},
]
/** Until every signal of the burst whose exit is waited for has left the queue of scheduled signals. */
const LEAVING_MS = 8_000
/** Calls of the floor; enough for its rate. */
const FLOOR_CALLS = 300
const EXIT_AFTER_MS = 60_000
/** The exits are spread over so many milliseconds from the instant on at which all entries are due. */
const EXITS_WITHIN_MS = 5_000
/** At most, with some to spare: until all are stored. */
const STORING_ONE_MS = 60
const SPARE_MS = 3_000
const SETTINGS = {
  api: { API_WORKER: 'on', SIGNAL_ANSWER_DEADLINE_MS: '30000', SIGNALS_WAITING_PER_ACCOUNT: '100000' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, has the burst happen, and tears everything down. */
export async function runBurst(options: BurstOptions, tell: (what: string) => void): Promise<Burst> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  const client = new Client({ connection: await Connection.connect({ address: stack.addresses.temporal }) })
  try {
    await liftOrderLimit(stack)
    tell('measuring the floor')
    const floorPerSecond = await rateOfFloor(stack, client)
    tell(`storing ${options.signals} scheduled signals`)
    const dueAt = await storeBurst(stack, options)
    const exits = await openExits(stack, options.exits, dueAt)
    tell('waiting until they are due')
    await sleep(dueAt - Date.now())
    tell('all are due')
    const entries = await sentOf(stack, 'entry', `s.scheduled_at is not null`, options.signals)
    const late = await sentOf(
      stack,
      'exit',
      `s.scheduled_at is null and s.exit_rule is not null`,
      exits.length,
    )
    await sleep(LEAVING_MS)
    const [first, last] = [
      Math.min(...entries.map(({ sent }) => sent)),
      Math.max(...entries.map(({ sent }) => sent)),
    ]
    return {
      options,
      firstOrder: first - dueAt,
      lastOrder: last - dueAt,
      entriesPerSecond: entries.length / ((last - first) / 1_000),
      floorPerSecond,
      exitsLate: late.map(({ sent, due }) => sent - due),
      tasksInVain: await countTasksInVain(stack, client),
    }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await client.connection.close()
    await stack.close()
  }
}

async function rateOfFloor(stack: Stack, client: Client): Promise<number> {
  const contestant = await floor(stack, client)
  try {
    await drive(async () => void (await callFloor(client)), FLOOR_CALLS / 5, CALLERS)
    const { elapsedMs } = await drive(() => contestant.call(), FLOOR_CALLS, CALLERS)
    return FLOOR_CALLS / (elapsedMs / 1_000)
  } finally {
    await contestant.close()
  }
}

/** Stores the signals, and returns when they are due; milliseconds since the epoch. */
async function storeBurst(stack: Stack, { signals, exits }: BurstOptions): Promise<number> {
  const toEnter = exits > 0 ? EXIT_AFTER_MS + EXITS_WITHIN_MS : 0
  const dueAt = Math.ceil((Date.now() + SPARE_MS + toEnter + signals * STORING_ONE_MS) / 1_000) * 1_000
  let stored = 0
  await drive(
    async () => {
      const index = stored++
      const { status, body } = await postSignal(stack.api, {
        accountId: stack.accountId,
        symbol: `ZTBURST${lettersOf(index % SYMBOLS)}`,
        ...EXITS[index % EXITS.length],
        action: 'openLong',
        quantity: 1,
        executeMode: 'scheduled',
        scheduledProcessAt: new Date(dueAt).toISOString().replace('Z', ''),
        timezone: 'UTC',
      })
      assert.ok(status === 201 || status === 202, JSON.stringify(body))
    },
    signals,
    CALLERS,
  )
  return dueAt
}

/**
 * Enters positions whose exits are due while the burst goes out, each in a symbol of its own: exits of one symbol wait for each
 * other's fills, burst or not.
 */
async function openExits(stack: Stack, exits: number, dueAt: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < exits; index += 1) {
    const due = dueAt + 300 + (index * EXITS_WITHIN_MS) / exits
    await sleep(Math.max(due - EXIT_AFTER_MS - Date.now(), 0))
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
    ids.push(await sendSignal(stack, { symbol: `ZTEXIT${lettersOf(index)}`, ...exit }))
  }
  return ids
}

/** Looks at every run of the scheduled signals. */
async function countTasksInVain(stack: Stack, client: Client): Promise<Burst['tasksInVain']> {
  const inVain = { failed: 0, timedOut: 0 }
  const rows = await stack.query<{ id: string }>('select id from signals where scheduled_at is not null')
  await forEachAtMost(8, rows, async ({ id }) => {
    const query = `WorkflowId = '${workflowIdFor(id)}'`
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
      for (const event of events ?? []) {
        if (event.workflowTaskFailedEventAttributes) inVain.failed += 1
        if (event.workflowTaskTimedOutEventAttributes) inVain.timedOut += 1
      }
    }
  })
  return inVain
}

/** When the orders of signals were let out, and when they were due; milliseconds since the epoch. */
async function sentOf(
  stack: Stack,
  role: 'entry' | 'exit',
  which: string,
  count: number,
): Promise<{ sent: number; due: number }[]> {
  return eventually(
    async () => {
      const rows = await stack.query<{ sent: number; due: number }>(
        `select (extract(epoch from min(o.sent_at)) * 1000)::float8 as sent,
           (extract(epoch from ${role === 'entry' ? 's.scheduled_at' : 's.exit_due_at'}) * 1000)::float8 as due
         from signals s join orders o on o.signal_id = s.id and o.role = '${role}'
         where ${which} and o.sent_at is not null group by s.id`,
      )
      assert.equal(rows.length, count)
      return rows
    },
    { within: 180_000, every: 500 },
  )
}
