import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UsageError } from '#local/commands/arguments.ts'
import type { Stack } from '#test/support/stack.ts'
import { startChild } from '../child.ts'
import { machineText, percentile, ratio, table } from '../measure.ts'
import { numberOption, type Scenario } from '../options.ts'
import { cpuMilliseconds, residentMiB } from '../process-table.ts'
import { withStack } from '../with-stack.ts'
import type { FloodPlan, Sent } from './flooder.ts'
import { FLOODERS, prepareFloods, type Flooder } from './flooders.ts'
import { Neighbour, type Beside, type Calls } from './neighbour.ts'
import type { ShapePlan } from './shapes.ts'

interface Amount {
  by: Flooder[]
  /** Seconds of each flood, and of the floor. */
  seconds: number
}

/** Figures of the API with its worker, the logs of all parts, and the ledger. */
interface Reading {
  memoryMiB: number
  cpuMs: number
  logBytes: number
  ledgerBytes: number
}

interface Flood extends Beside {
  by: Flooder
  sent: Sent[]
  before: Reading
  after: Reading
  /**
   * Milliseconds from the flood's end until a signal and a halt, set and lifted, were answered within twice the floor's
   * p50; null if longer than {@link RECOVERY_MS}.
   */
  recoveredAfterMs: number | null
}

const RECOVERY_MS = 120_000
/** Milliseconds between two attempts; long enough for the person's limit per minute over consecutive floods. */
const RECOVERY_STEP_MS = 500
const WARM_UP_SECONDS = 5

export const flood: Scenario<Amount> = {
  about: `Somebody floods the service, with all limits on, beside another person who sends a signal, and sets and lifts a halt, every
second. The floor is the same person without a flood. The flood comes from a process of its own on this machine: a stranger sends
queries of 7,800 pairs, addresses of 15 kB without a route, invented tokens, 250 a second of each, and 10 requests a second whose
answers are not read; each token sends valid signals of 63 kB, for half of the time at the limit, then at ten times the limit; each
hook receives 600 messages a minute, of 15 kB and 190 fields.`,
  options: {
    by: {
      says: `who floods: all, or some of ${FLOODERS.join(',')}`,
      usual: 'all',
      read(text) {
        const names = text.split(',')
        const unknown = names.filter((name) => name !== 'all' && !FLOODERS.some((known) => known === name))
        if (unknown.length > 0)
          throw new UsageError(`takes all, or some of ${FLOODERS.join(',')}, not "${unknown.join()}"`)
        return FLOODERS.filter((known) => names.includes('all') || names.includes(known))
      },
    },
    // The person's proof for lifting a halt is valid for five minutes.
    seconds: numberOption('length of each flood', 60, { most: 240 }),
  },
  run: ({ by, seconds }, report) =>
    withStack({ RATE_LIMITS: 'on' }, async (stack) => {
      const shapesOf = await prepareFloods(stack)
      const neighbour = await Neighbour.moveIn(stack)
      report('warming up, and the floor')
      await neighbour.everySecond(Math.min(WARM_UP_SECONDS, seconds))
      const floor = await neighbour.everySecond(seconds)
      const floods: Flood[] = []
      for (const flooder of by) {
        report(`flood by ${flooder}`)
        floods.push(
          await measureFlood(stack, neighbour, { by: flooder, shapes: shapesOf[flooder], seconds, floor }),
        )
      }
      return textOf(seconds, floor, floods)
    }),
}

async function measureFlood(
  stack: Stack,
  neighbour: Neighbour,
  { by, shapes, seconds, floor }: { by: Flooder; shapes: ShapePlan[]; seconds: number; floor: Beside },
): Promise<Flood> {
  await neighbour.signIn()
  const plan: FloodPlan = { address: stack.addresses.api, seconds, shapes }
  const before = await readingOf(stack)
  const flooder = await startChild(fileURLToPath(new URL('flooder.ts', import.meta.url)), {
    FLOOD: JSON.stringify(plan),
  })
  try {
    const flooding = flooder.next()
    const living = neighbour.everySecond(seconds)
    const sent = (await flooding) as Sent[]
    const endedAt = performance.now()
    await flooder.stop()
    const recoveredAfterMs = await untilRecovered(neighbour, floor, endedAt)
    const after = await readingOf(stack)
    return { by, sent, before, after, recoveredAfterMs, ...(await living) }
  } finally {
    await flooder.stop()
  }
}

/** Milliseconds from `endedAt` on; null after the timeout. */
async function untilRecovered(neighbour: Neighbour, floor: Beside, endedAt: number): Promise<number | null> {
  const passed = () => performance.now() - endedAt
  const isWithin = ({ took, statuses }: Calls, before: Calls): boolean =>
    Object.keys(statuses).every((status) => status.startsWith('2')) &&
    Math.max(...took) <= 2 * percentile(before.took, 0.5)
  while (passed() < RECOVERY_MS) {
    const { signals, halts } = await neighbour.once()
    if (isWithin(signals, floor.signals) && isWithin(halts, floor.halts)) return passed()
    await sleep(RECOVERY_STEP_MS)
  }
  return null
}

async function readingOf(stack: Stack): Promise<Reading> {
  const [row] = await stack.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  )
  return {
    memoryMiB: residentMiB(stack.parts.api.pid),
    cpuMs: cpuMilliseconds(stack.parts.api.pid),
    logBytes: readdirSync(stack.logFolder).reduce(
      (bytes, name) => bytes + statSync(join(stack.logFolder, name)).size,
      0,
    ),
    ledgerBytes: row!.bytes,
  }
}

const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

function textOf(seconds: number, floor: Beside, floods: readonly Flood[]): string {
  const rowsOf = (kind: keyof Beside): string[][] => {
    const figures = ({ took }: Calls) => [percentile(took, 0.5), percentile(took, 0.95), Math.max(...took)]
    const floorFigures = figures(floor[kind])
    return [{ by: 'nobody', ...floor }, ...floods].map((part) => [
      `${kind} beside ${part.by}`,
      ...figures(part[kind]).flatMap((value, index) => [
        value.toFixed(0),
        `(${ratio(value, floorFigures[index]!)})`,
      ]),
      countsText(part[kind].statuses),
    ])
  }
  const megabytes = (after: number, before: number): string => ((after - before) / 1e6).toFixed(2)
  return [
    `${seconds} s for each flood and for the floor; times in ms, in brackets the ratio to the floor: nobody floods`,
    machineText(),
    '',
    ...table([
      ['', 'p50', '', 'p95', '', 'longest', '', 'answers'],
      ...rowsOf('signals'),
      ...rowsOf('halts'),
    ]),
    '',
    ...table([
      ['flood by', 'MiB before', 'after', 'MB logged', 'MB of ledger', 'CPU s', 'recovered after s'],
      ...floods.map(({ by, before, after, recoveredAfterMs }) => [
        by,
        before.memoryMiB.toFixed(0),
        after.memoryMiB.toFixed(0),
        megabytes(after.logBytes, before.logBytes),
        megabytes(after.ledgerBytes, before.ledgerBytes),
        ((after.cpuMs - before.cpuMs) / 1_000).toFixed(1),
        recoveredAfterMs === null
          ? `not within ${RECOVERY_MS / 1_000}`
          : (recoveredAfterMs / 1_000).toFixed(1),
      ]),
    ]),
    '',
    ...floods.flatMap(({ by, sent }) => sentLines(by, sent)),
  ].join('\n')
}

const sentLines = (by: string, sent: readonly Sent[]): string[] =>
  [...Map.groupBy(sent, ({ kind }) => kind)].map(([kind, same]) => {
    const statuses: Record<string, number> = {}
    for (const [status, count] of same.flatMap((each) => Object.entries(each.statuses)))
      statuses[status] = (statuses[status] ?? 0) + count
    const requests = same.reduce((sum, each) => sum + each.requests, 0)
    return `${by}: ${requests} ${kind}: ${countsText(statuses)}`
  })
