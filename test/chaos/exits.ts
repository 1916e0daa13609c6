import type { CertainLevels } from '#test/support/evidence.ts'
import { restsFirst, type Kind } from './kinds.ts'
import type { Random } from './random.ts'
import type { ClockedExit } from './timing.ts'

/** How a signal leaves. */
export interface RequestedExit {
  /** Fields of the body, but for those that a clock decides. */
  fields: object
  /** Set when a clock decides. */
  clocked: ClockedExit | null
  /** It comes no sooner than so long after the entry's end, in milliseconds. */
  afterMs: number
  /** Of an exit plan, as far as they are certain. */
  levels?: CertainLevels
  /** Nothing of it is to be at the broker before the price has reached a level. */
  waitsForPrice?: boolean
}

/** How far a run is when the signal is sent. */
export interface ExitCircumstances {
  /** Seconds to the last signal of the run: only an early one has time for a slow exit. */
  secondsLeft: number
  /** Seconds to the end of the session. */
  secondsToClose: number
}

/** An exit that is still to come when it is withdrawn. */
const DISTANT = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }
export const DISTANT_MS = 3_600_000
const IN_AUCTION = { exitOrderType: 'moc', exitTimeInForce: 'cls' }
/** A time on a clock may be that much later than the next full minute; some entries are not there by then. */
const MAX_LEAD_MS = 15_000
/** A slow exit needs a minute, and a signal that is late anyway adds nothing to a run but its length, in seconds. */
const TIME_FOR = { clock: 20, minute: 75 }
/** Later than this its auction takes no more orders, whatever has held them up; in seconds. */
const TIME_FOR_AUCTION = 20 * 60

/** A sound exit rule of the kind. */
export function exitFor(
  kind: Kind,
  action: 'openLong' | 'openShort',
  { secondsLeft, secondsToClose }: ExitCircumstances,
  random: Random,
): RequestedExit {
  const { fields, afterMs } = triggerFor(secondsLeft, random)
  const plain = (more: object = {}): RequestedExit => ({
    fields: { ...fields, ...more },
    clocked: null,
    afterMs,
  })
  const clocked = (by: ClockedExit['by']): RequestedExit => ({
    fields: {},
    clocked: { by, leadMs: random.between(0, MAX_LEAD_MS) },
    afterMs: 0,
  })
  const isLong = action === 'openLong'
  const hasTime = secondsLeft > TIME_FOR.clock
  if (kind === 'exit withdrawn') return { fields: DISTANT, clocked: null, afterMs: DISTANT_MS }
  if (kind === 'exit by a plan') return { ...scheduleFor(random), clocked: null, afterMs: 0 }
  if (kind === 'exit at a stop') return { fields: stopFor(isLong, random), clocked: null, afterMs: 0 }
  if (kind === 'exit at a clock time' && hasTime) return clocked('clock')
  if (kind === 'exit before the close' && hasTime) return clocked('close')
  if (kind === 'exit in the closing auction') {
    if (hasTime && random.fraction() < 0.4) return clocked('auction')
    return plain(secondsToClose > TIME_FOR_AUCTION ? IN_AUCTION : {})
  }
  // Where the price is known, some exits carry a limit that the market meets.
  const isLimited = restsFirst(kind) && random.fraction() < 0.5
  return plain(isLimited ? { exitOrderType: 'limit', exitLimitPrice: limitBehind(isLong) } : {})
}

const [NEAR, FAR] = [{ percent: 1.5 }, { percent: 3 }]
/**
 * Plans with levels near the price of the entry, whatever that is. Where a trail begins later, and whether a stop with a limit trades,
 * depends on the way of the price.
 */
const PLANS: readonly ({ protection: object } & Required<Pick<RequestedExit, 'levels'>> &
  Pick<RequestedExit, 'waitsForPrice'>)[] = [
  { protection: { stop: FAR, target: FAR }, levels: { stop: 3, target: 3 } },
  { protection: { stop: FAR, target: FAR, until: 'session' }, levels: { stop: 3, target: 3 } },
  { protection: { trail: NEAR }, levels: { stop: 1.5, target: null } },
  { protection: { stop: FAR, breakEven: NEAR }, levels: { stop: 3, target: null } },
  { protection: { trail: NEAR, target: FAR }, levels: { stop: 1.5, target: 3 } },
  { protection: { target: FAR }, levels: { stop: null, target: 3 } },
  {
    protection: { trail: { ...NEAR, after: { percent: 1 } } },
    levels: { stop: null, target: null },
    waitsForPrice: true,
  },
  { protection: { stop: { ...FAR, limitOffset: 0.5 }, target: FAR }, levels: { stop: null, target: 3 } },
]
/** Another plan, which takes the place of any of them. */
export const ANOTHER_PLAN = { stop: { percent: 2 }, target: { percent: 2.5 }, trail: null, breakEven: null }

/** A plan, now and then beside an exit at a time. */
function scheduleFor(random: Random): Omit<RequestedExit, 'clocked' | 'afterMs'> {
  const { protection, ...known } = random.pick(PLANS)
  const beside = random.fraction() < 0.25
  return {
    fields: { protection, ...(beside && { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }) },
    ...known,
  }
}

/** A stop, or a stop with a limit, between the price at the entry and the one that the market goes to. */
function stopFor(isLong: boolean, random: Random): object {
  const stop = { exitTriggerType: 'immediate', exitStopPrice: isLong ? 97 : 103 }
  return random.fraction() < 0.5
    ? { ...stop, exitOrderType: 'stop' }
    : { ...stop, exitOrderType: 'stopLimit', exitLimitPrice: limitBehind(isLong) }
}

/** A limit beyond every price of the run. */
const limitBehind = (isLong: boolean): number => (isLong ? 90 : 110)

/** At once in every form that it can be told in, and a minute later where there is time for it. */
function triggerFor(secondsLeft: number, random: Random): { fields: object; afterMs: number } {
  const minutes = secondsLeft > TIME_FOR.minute ? 1 : 0
  return random.weighted([
    { weight: 5, item: { fields: { exitTriggerType: 'immediate' }, afterMs: 0 } },
    {
      weight: 2,
      item: { fields: { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 0 }, afterMs: 0 },
    },
    { weight: 2, item: { fields: { exitTriggerType: 'timed', exitTriggerValue: 0 }, afterMs: 0 } },
    {
      weight: 1,
      item: {
        fields: { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: minutes },
        afterMs: minutes * 60_000,
      },
    },
  ])
}
