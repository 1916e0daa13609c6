import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UsageError } from '#local/commands/arguments.ts'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { Stack } from '#test/support/stack.ts'
import { startChild } from '../child.ts'
import { cpuMilliseconds } from '../cpu.ts'
import { percentile } from '../load.ts'
import { residentMiB } from '../resident-memory.ts'
import type { FloodPlan, Sent } from './flooder.ts'
import { Neighbour, type Beside, type Calls } from './neighbour.ts'
import { STRANGERS_SHAPES, type ShapePlan } from './shapes.ts'

/** Who floods the service beside another person. */
export const FLOODERS = ['stranger', 'token', 'ten-tokens', 'hook', 'eighteen-hooks'] as const
type Flooder = (typeof FLOODERS)[number]

/** How much is measured of another person beside floods. */
export interface BesideOptions {
  /** Some of {@link FLOODERS}, with commas between, or `all`. */
  by: string
  /** Length of each flood, and of the floor. */
  seconds: number
}

/** How the other person's calls of one kind were answered; milliseconds. */
export interface Answered {
  p50: number
  p95: number
  max: number
  /** How many by status; `failed` where no answer came. */
  statuses: Record<string, number>
}

/** What the other person was answered in a part of the run. */
interface BesideFigures {
  signals: Answered
  halts: Answered
}

/** What was measured of one flood. */
export interface BesideFlood extends BesideFigures {
  by: Flooder
  /** What the flood sent, by kind of request. */
  sent: Sent[]
  /** MiB of the API with its worker: right before, the most that was seen each second, and when the other person was answered as before. */
  memory: { before: number; most: number; after: number }
  /** Seconds of the processor that the API with its worker took during the flood and until all was well again. */
  cpu: number
  /** Bytes by which the logs of all parts grew. */
  logged: number
  /** Bytes by which the ledger grew, by what was accepted. */
  stored: number
  /**
   * Milliseconds from the flood's end until a signal and a halt, set and lifted, were answered within twice the floor's p50; null
   * where that was not so within {@link RECOVERY_MS}.
   */
  recoveredAfter: number | null
}

export interface BesideFloods {
  options: BesideOptions
  /** Without any flood. */
  floor: BesideFigures
  floods: BesideFlood[]
}

/** The most tokens that a user may have on the plan PRO; the stack has made one of them. */
const TOKENS = 10
const HOOKS = 18
/** Milliseconds for which recovery is awaited at most, and between two looks at it. */
export const RECOVERY_MS = 120_000
/** Long enough that the person's own limit of a minute holds for floods that follow each other. */
const RECOVERY_STEP = 500
const WARM_UP_SECONDS = 5
const SETTINGS = {
  api: { API_WORKER: 'on', RATE_LIMITS: 'on' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, measures the other person without and beside floods, and tears everything down. */
export async function runBeside(options: BesideOptions, tell: (what: string) => void): Promise<BesideFloods> {
  const flooders = floodersOf(options.by)
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    await liftOrderLimit(stack)
    const neighbour = await Neighbour.moveIn(stack)
    tell('warming up, and the floor')
    await neighbour.everySecond(Math.min(WARM_UP_SECONDS, options.seconds))
    const floor = figuresOf(await neighbour.everySecond(options.seconds))
    const floods: BesideFlood[] = []
    for (const by of flooders) {
      tell(`flood by ${by}`)
      floods.push(await measureFlood(stack, neighbour, { by, seconds: options.seconds, floor }))
    }
    return { options, floor, floods }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

/** In the order of {@link FLOODERS}. Throws {@link UsageError}. */
export function floodersOf(list: string): Flooder[] {
  if (list === 'all') return [...FLOODERS]
  const names = list.split(',')
  const unknown = names.filter((name) => !FLOODERS.some((flooder) => flooder === name))
  if (unknown.length > 0)
    throw new UsageError(`--by takes all, or some of ${FLOODERS.join(', ')}, not ${unknown.join(', ')}`)
  return FLOODERS.filter((flooder) => names.includes(flooder))
}

async function measureFlood(
  stack: Stack,
  neighbour: Neighbour,
  { by, seconds, floor }: { by: Flooder; seconds: number; floor: BesideFigures },
): Promise<BesideFlood> {
  await neighbour.signIn()
  const { shapes, undo } = await shapesOf(stack, by)
  const plan: FloodPlan = { address: stack.addresses.api, seconds, shapes }
  const memory = () => residentMiB(stack.parts.api.pid)
  const cpu = () => cpuMilliseconds(stack.parts.api.pid)
  const before = {
    memory: memory(),
    cpu: cpu(),
    logged: bytesOfLogs(stack),
    stored: await bytesOfLedger(stack),
  }
  let most = before.memory
  const watching = setInterval(() => (most = Math.max(most, memory())), 1_000)
  const flooder = await startChild(fileURLToPath(new URL('flooder.ts', import.meta.url)), {
    FLOOD: JSON.stringify(plan),
  })
  try {
    const flooding = flooder.next()
    const living = neighbour.everySecond(seconds)
    const sent = (await flooding) as Sent[]
    const endedAt = performance.now()
    // Its connections end with it.
    await flooder.stop()
    const recoveredAfter = await untilRecovered(neighbour, floor, endedAt)
    const after = memory()
    const used = cpu() - before.cpu
    const figures = figuresOf(await living)
    return {
      by,
      ...figures,
      sent,
      memory: { before: before.memory, most: Math.max(most, after), after },
      cpu: used / 1_000,
      logged: bytesOfLogs(stack) - before.logged,
      stored: (await bytesOfLedger(stack)) - before.stored,
      recoveredAfter,
    }
  } finally {
    clearInterval(watching)
    await flooder.stop()
    await undo()
  }
}

/** Milliseconds from `endedAt` on; null where the time for it is over. */
async function untilRecovered(
  neighbour: Neighbour,
  floor: BesideFigures,
  endedAt: number,
): Promise<number | null> {
  const passed = () => performance.now() - endedAt
  const isWithin = ({ took, statuses }: Calls, { p50 }: Answered): boolean =>
    Object.keys(statuses).every((status) => status.startsWith('2')) && Math.max(...took) <= 2 * p50
  while (passed() < RECOVERY_MS) {
    const { signals, halts } = await neighbour.once()
    if (isWithin(signals, floor.signals) && isWithin(halts, floor.halts)) return passed()
    await sleep(RECOVERY_STEP)
  }
  return null
}

/** What the flood consists of; `undo` takes away the tokens and hooks that were made for it. */
async function shapesOf(
  stack: Stack,
  by: Flooder,
): Promise<{ shapes: ShapePlan[]; undo: () => Promise<void> }> {
  if (by === 'stranger')
    return { shapes: STRANGERS_SHAPES.map((kind) => ({ kind })), undo: () => Promise.resolve() }
  const person = await stack.signIn()
  if (by === 'hook' || by === 'eighteen-hooks') return hooksOf(stack, person, by === 'hook' ? 1 : HOOKS)
  const made: { id: string; token: string }[] = []
  for (let number = 0; number < (by === 'token' ? 1 : TOKENS - 1); number++)
    made.push(await makeToken(person, `flood ${number}`))
  const tokens = [...made.map(({ token }) => token), ...(by === 'token' ? [] : [stack.token])]
  return {
    shapes: tokens.map((token) => ({ kind: 'signals', token, accountId: stack.accountId })),
    async undo() {
      for (const { id } of made)
        await eventually(
          async () => {
            const { status, body } = await person.delete(`/tokens/${id}?signals=keep`)
            assert.ok(status === 200 || status === 404, JSON.stringify(body))
          },
          // Right after its flood the service may refuse even that for a while.
          { within: 60_000, every: 500 },
        )
    },
  }
}

/** Hooks of one person, each with the highest rate that it may have. */
async function hooksOf(
  stack: Stack,
  person: ApiClient,
  hooks: number,
): Promise<{ shapes: ShapePlan[]; undo: () => Promise<void> }> {
  const made: { id: string; url: string }[] = []
  while (made.length < hooks) {
    const hook = { name: `flood ${made.length}`, kind: 'tradingview', accountIds: [stack.accountId] }
    const { status, body } = await person.post('/hooks', { ...hook, requestsPerMinute: 600 })
    assert.equal(status, 201, JSON.stringify(body))
    made.push({ id: body.data.hook.id, url: body.data.url })
  }
  return {
    shapes: made.map(({ url }) => ({ kind: 'messages', path: new URL(url).pathname })),
    async undo() {
      for (const { id } of made)
        await eventually(
          async () => {
            const { status, body } = await person.delete(`/hooks/${id}`)
            assert.ok(status === 200 || status === 404, JSON.stringify(body))
          },
          { within: 60_000, every: 500 },
        )
    },
  }
}

async function makeToken(person: ApiClient, label: string): Promise<{ id: string; token: string }> {
  const { status, body } = await person.post('/tokens', { label, scopes: ['signals:write'] })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

const figuresOf = ({ signals, halts }: Beside): BesideFigures => ({
  signals: answeredOf(signals),
  halts: answeredOf(halts),
})

const answeredOf = ({ took, statuses }: Calls): Answered => ({
  p50: percentile(took, 0.5),
  p95: percentile(took, 0.95),
  max: Math.max(...took),
  statuses,
})

const bytesOfLogs = ({ logFolder }: Stack): number =>
  readdirSync(logFolder).reduce((bytes, name) => bytes + statSync(join(logFolder, name)).size, 0)

async function bytesOfLedger(stack: Stack): Promise<number> {
  const [row] = await stack.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  )
  return row!.bytes
}
