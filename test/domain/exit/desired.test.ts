import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compare, decimal, isPositive, type Decimal } from '#domain/money/decimal.ts'
import { desiredExit, isServed, type DesiredExit, type ExitFacts } from '#domain/exit/desired.ts'
import { exitBegins, type Wait } from '#domain/exit/progress.ts'
import type { ExitReason, ExitRule } from '#domain/exit/exit.ts'
import {
  crossedLevel,
  isBetter,
  stopNow,
  targetPrice,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from '#domain/exit/protection.ts'

const BEGIN = Date.parse('2026-03-02T15:00:00.000Z')
/** UTC, so many steps of five seconds from the beginning: instants meet. */
const at = (steps: number): string => new Date(BEGIN + steps * 5_000).toISOString()
const NOW = at(20)
const YEARS_LATER = '2036-03-02T15:00:00.000Z'

const KINDS: ExitReason[] = ['STOP_LOSS', 'TAKE_PROFIT', 'TIME', 'PROTECTION']
const AT_MARKET: ExitRule = {
  trigger: 'minutesAfterEntry',
  minutes: 1,
  clockTime: null,
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
}
const NO_LEVEL: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const oneOf = <const T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

const anInstant = fc.integer({ min: 10, max: 40 }).map(at)
const before = fc.integer({ min: 10, max: 20 }).map(at)
const aWait: fc.Arbitrary<Wait> = fc.record({
  why: oneOf('obstacle', 'refused', 'closed'),
  tries: fc.integer({ min: 0, max: 6 }),
  until: anInstant,
  detail: fc.constant('another try'),
})
/** Of a long or a short position that was bought or sold at 100; a level lies below, or above, by so many dollars. */
const aPlan = (away: (dollars: number) => Decimal): fc.Arbitrary<Protection> =>
  fc
    .record({
      stop: oneOf(
        null,
        { price: away(-5) },
        { percent: '5' } as const,
        { price: away(-5), limitOffset: '1' } as const,
      ),
      target: oneOf(null, { price: away(10) }, { amount: '10' } as const),
      trail: oneOf(null, { amount: '3' } as const, { amount: '3', after: { amount: '2' } } as const),
      breakEven: oneOf(null, { amount: '2' } as const),
      until: oneOf('session', 'closed'),
    })
    .filter(({ stop, target, trail }) => stop !== null || target !== null || trail !== null)

const aResting = (away: (dollars: number) => Decimal): fc.Arbitrary<RestingOrder | null> => {
  const timeInForce = oneOf('day', 'gtc')
  const stopPrice = oneOf(away(-5), away(-2), away(1), away(-7))
  const limitPrice = oneOf(away(10), away(12), away(8))
  const none = fc.constant(null)
  const trail = oneOf({ amount: '3' })
  return fc.oneof(
    none,
    fc.record({ orderType: oneOf('stop'), stopPrice, limitPrice: none, timeInForce }),
    fc.record({ orderType: oneOf('stopLimit'), stopPrice, limitPrice: oneOf(away(-8)), timeInForce }),
    fc.record({ orderType: oneOf('limit'), stopPrice: none, limitPrice, timeInForce }),
    fc.record({ orderType: oneOf('oco'), stopPrice, limitPrice, timeInForce }),
    fc.record({ orderType: oneOf('trailingStop'), stopPrice: none, limitPrice: none, trail, timeInForce }),
  )
}

const anOwned = oneOf<Decimal>('0', '4', '6.5', '10')
const levelsOf = (side: 'LONG' | 'SHORT') => {
  const away = (dollars: number): Decimal => `${side === 'LONG' ? 100 + dollars : 100 - dollars}`
  return fc.record({
    plan: fc.option(aPlan(away), { freq: 6 }),
    levels: fc.record({
      position: fc.constant<ProtectedPosition>({ side, average: '100', fees: '0.1' }),
      best: oneOf(away(0), away(2), away(6)),
      abilities: oneOf({ oco: true, trailing: true }, { oco: false, trailing: false }),
      resting: aResting(away),
      owned: anOwned,
    }),
  })
}

const aWorkingOrder = fc.record({
  reason: oneOf(...KINDS),
  quantity: oneOf<Decimal>('4', '6.5', '10'),
  filledThen: oneOf<Decimal>('4', '10'),
  since: before,
  fillsAtOnce: fc.boolean(),
  isTooLarge: fc.boolean(),
})

/** Everything that can be known of an exit at {@link NOW}, likely or not. */
const anyFacts: fc.Arbitrary<ExitFacts> = fc
  .record({
    ofLevels: fc.oneof(levelsOf('LONG'), levelsOf('SHORT')),
    working: fc.option(aWorkingOrder),
    rule: oneOf(null, AT_MARKET, { ...AT_MARKET, orderType: 'limit', limitPrice: '104' }),
    filled: oneOf<Decimal>('4', '10'),
    covered: oneOf<Decimal>('0', '0', '0', '4', '10'),
    halt: oneOf(null, null, 'All trading is stopped'),
    cancelledBy: fc.option(fc.constant('ann'), { freq: 12 }),
    isTimeOver: oneOf(false, false, false, true),
    time: fc.record({ at: fc.option(anInstant, { freq: 4 }), lookAt: fc.option(anInstant) }),
    more: fc.record(
      { reached: oneOf('STOP_LOSS', 'TAKE_PROFIT'), retriedAt: before, sessionEndsAt: anInstant },
      { requiredKeys: [] },
    ),
    waits: fc.record(
      { STOP_LOSS: aWait, TAKE_PROFIT: aWait, TIME: aWait, PROTECTION: aWait },
      { requiredKeys: [] },
    ),
  })
  .map(({ ofLevels, working, rule, filled, covered, halt, cancelledBy, isTimeOver, time, more, waits }) => ({
    exit: {
      ...exitBegins(),
      coveredQuantity: covered,
      workingOrder: working && { ...orderOf(working.reason), ...working, coversUpTo: working.quantity },
      cancelledBy,
      time,
      waits,
      ...(isTimeOver && { timeHasEnded: true as const }),
      ...more,
    },
    asked: { exit: rule, ...(ofLevels.plan && { protection: ofLevels.plan }) },
    filled,
    levels: ofLevels.levels,
    working: working && { fillsAtOnce: working.fillsAtOnce, isTooLarge: working.isTooLarge },
    halt,
  }))

const orderOf = (reason: ExitReason) => ({
  clientOrderId: `s-${reason}`,
  quantity: '10' as Decimal,
  coversUpTo: '10' as Decimal,
  reason,
  filledThen: '10' as Decimal,
  since: NOW,
})

const always = (what: (facts: ExitFacts) => void): void =>
  fc.assert(fc.property(anyFacts, what), { numRuns: 3_000 })

const levelsCount = ({ asked: { protection }, exit: { sessionEndsAt, workingOrder } }: ExitFacts): boolean =>
  protection !== undefined &&
  (protection.until === 'closed' ||
    sessionEndsAt === undefined ||
    sessionEndsAt > NOW ||
    workingOrder?.reason === 'PROTECTION')
const isTimed = ({ asked, exit }: ExitFacts): boolean => asked.exit !== null && !exit.timeHasEnded
const isUnsold = ({ exit: { workingOrder } }: ExitFacts): boolean =>
  workingOrder?.reason === 'TAKE_PROFIT' && Date.parse(NOW) - Date.parse(workingOrder.since) >= 10_000

/** Those that ask for an order, whichever comes first: stop, target, time, levels. */
const due = (facts: ExitFacts): ExitReason[] => {
  const { exit } = facts
  const is: Record<ExitReason, boolean> = {
    STOP_LOSS: exit.reached === 'STOP_LOSS',
    TAKE_PROFIT: exit.reached === 'TAKE_PROFIT' && !isUnsold(facts),
    TIME: isTimed(facts) && exit.time.at !== null && exit.time.at <= NOW,
    PROTECTION: levelsCount(facts),
    CLOSE_AT_MARKET: false,
  }
  return KINDS.filter((reason) => is[reason])
}
const areLevelsBack = ({ tries, why }: Wait): boolean => tries >= 4 || why === 'closed'
const waits = ({ exit }: ExitFacts, reason: ExitReason): Wait | null => {
  const wait = exit.waits[reason]
  if (wait === undefined || wait.until <= NOW || exit.workingOrder?.reason === reason) return null
  return wait.why === 'obstacle' && exit.retriedAt !== undefined ? null : wait
}

/** What stays the same while nothing happens: not until when a full stop is looked at. */
const toCompare = (facts: ExitFacts, now: string): unknown => {
  const { again: _, ...desired } = desiredExit(facts, now) as DesiredExit & { again?: string | null }
  return {
    ...desired,
    ...('keeps' in desired && { until: null }),
    isServed: isServed(facts, desiredExit(facts, now)),
  }
}

/** An order at the broker acts by itself at that price. */
function acts(
  { side }: ProtectedPosition,
  order: RestingOrder | null,
  price: Decimal,
  best: Decimal,
): boolean {
  if (order === null) return false
  const { stopPrice, limitPrice, trail, orderType } = order
  const far = trail && 'amount' in trail ? Number(trail.amount) : null
  const trailed = far === null ? null : decimal(String(Number(best) + (side === 'LONG' ? -far : far)))
  const stop = stopPrice ?? trailed
  const limit = orderType === 'limit' || orderType === 'oco' ? limitPrice : null
  return (stop !== null && !isBetter(side, price, stop)) || (limit !== null && !isBetter(side, limit, price))
}

/** Ten were bought at 100, with levels at 95 and 110, of which the order at the broker keeps the stop. */
const LEVELS: Protection = { ...NO_LEVEL, stop: { price: '95' }, target: { price: '110' } }
const STOP: RestingOrder = { orderType: 'stop', stopPrice: '95', limitPrice: null, timeInForce: 'gtc' }
interface Race {
  working?: ExitReason
  /** Five seconds ago, unless given. */
  since?: string
  exit?: Partial<ExitFacts['exit']>
  facts?: Partial<ExitFacts>
  protection?: Partial<Protection>
  isTooLarge?: true
  answer: string
}
const isDue = { time: { at: NOW, lookAt: null } }
const triedTimes = (tries: number, reason: ExitReason, why: Wait['why'] = 'refused') => ({
  waits: { [reason]: { why, tries, until: at(30), detail: 'another try' } },
})
const RACES: Record<string, Race> = {
  'R3 the average fill is not known yet': {
    facts: { levels: null },
    answer: 'waits for the price to reach a level of the exit, which this service watches',
  },
  'R4 a fill of the entry comes late': {
    working: 'PROTECTION',
    facts: { filled: '12' },
    answer: 'PROTECTION gives way to PROTECTION',
  },
  'R7 a level cannot be placed': { exit: triedTimes(3, 'PROTECTION'), answer: 'waits for another try' },
  'R8 the price was at both levels': { exit: { ...isDue, reached: 'STOP_LOSS' }, answer: 'sends STOP_LOSS' },
  'R9 the session of the levels has ended': {
    protection: { until: 'session' },
    exit: { sessionEndsAt: NOW },
    answer: 'waits for the exit time',
  },
  'R9 its order has not ended yet': {
    working: 'PROTECTION',
    protection: { until: 'session' },
    exit: { sessionEndsAt: NOW },
    answer: 'keeps PROTECTION',
  },
  'R9 and no time is left': {
    protection: { until: 'session' },
    exit: { sessionEndsAt: NOW, timeHasEnded: true },
    answer: 'nothing: over',
  },
  'R11 the levels are taken away beside a time': {
    facts: { asked: { exit: AT_MARKET } },
    answer: 'waits for the exit time',
  },
  'R12 the order is for more than is owned': {
    working: 'PROTECTION',
    isTooLarge: true,
    answer: 'PROTECTION gives way to PROTECTION',
  },
  'R12 it is at market': {
    working: 'STOP_LOSS',
    exit: { reached: 'STOP_LOSS' },
    isTooLarge: true,
    answer: 'keeps STOP_LOSS',
  },
  'R13 all trading is stopped': {
    working: 'PROTECTION',
    exit: isDue,
    facts: { halt: 'halted' },
    answer: 'keeps PROTECTION, alerts',
  },
  'R13 at a target': {
    working: 'PROTECTION',
    exit: { reached: 'TAKE_PROFIT' },
    facts: { halt: 'halted' },
    answer: 'keeps PROTECTION',
  },
  'R13 without an order': { exit: isDue, facts: { halt: 'halted' }, answer: 'sends TIME' },
  'R14 the time is due': { working: 'PROTECTION', exit: isDue, answer: 'PROTECTION gives way to TIME' },
  'R14 the time is due beside an order at market': {
    working: 'STOP_LOSS',
    exit: isDue,
    answer: 'keeps STOP_LOSS',
  },
  'R14 and was refused three times': {
    exit: { ...isDue, ...triedTimes(3, 'TIME') },
    answer: 'waits for another try',
  },
  'R14 and was refused four times': {
    exit: { ...isDue, ...triedTimes(4, 'TIME') },
    answer: 'sends PROTECTION',
  },
  'R14 and the calendar says both open and closed': {
    exit: { ...isDue, ...triedTimes(1, 'TIME', 'closed') },
    answer: 'sends PROTECTION',
  },
  'R15 a target is reached': {
    working: 'PROTECTION',
    exit: { reached: 'TAKE_PROFIT' },
    answer: 'PROTECTION gives way to TAKE_PROFIT',
  },
  'R15 its order works for less than ten seconds': {
    working: 'TAKE_PROFIT',
    exit: { reached: 'TAKE_PROFIT' },
    answer: 'keeps TAKE_PROFIT',
  },
  'R15 its order has not sold in ten seconds': {
    working: 'TAKE_PROFIT',
    since: at(18),
    exit: { reached: 'TAKE_PROFIT' },
    answer: 'TAKE_PROFIT gives way to PROTECTION',
  },
  'R15 the stop is reached meanwhile': {
    working: 'TAKE_PROFIT',
    exit: { reached: 'STOP_LOSS' },
    answer: 'TAKE_PROFIT gives way to STOP_LOSS',
  },
  'R20 a target cannot be placed': {
    exit: { reached: 'TAKE_PROFIT', ...triedTimes(0, 'TAKE_PROFIT', 'obstacle') },
    answer: 'sends PROTECTION',
  },
  'R22 a stop waits for the exchange to open': {
    exit: { reached: 'STOP_LOSS', ...triedTimes(0, 'STOP_LOSS', 'closed') },
    answer: 'waits for another try',
  },
  'A1 a stop is reached beside a timed limit that rests': {
    working: 'TIME',
    exit: { ...isDue, reached: 'STOP_LOSS' },
    answer: 'TIME gives way to STOP_LOSS',
  },
}

function inWords({ working, since = at(19), exit, facts: more, protection, isTooLarge }: Race): string {
  const fillsAtOnce = working === 'STOP_LOSS'
  const facts: ExitFacts = {
    exit: {
      ...exitBegins(),
      time: { at: at(90), lookAt: null },
      workingOrder: working ? { ...orderOf(working), since } : null,
      ...exit,
    },
    asked: { exit: AT_MARKET, protection: { ...LEVELS, ...protection } },
    filled: '10',
    levels: {
      position: { side: 'LONG', average: '100', fees: '0' },
      best: '100',
      abilities: { oco: false, trailing: false },
      resting: working === 'PROTECTION' ? { ...STOP, timeInForce: protection ? 'day' : 'gtc' } : null,
      owned: '10',
    },
    working: working ? { fillsAtOnce, isTooLarge: isTooLarge ?? false } : null,
    halt: null,
    ...more,
  }
  const desired = desiredExit(facts, NOW)
  if (desired.what === 'none') return `nothing: ${desired.why}`
  if (isServed(facts, desired))
    return `keeps ${working}${desired.what === 'wait' && desired.keeps?.alert ? ', alerts' : ''}`
  if (desired.what === 'wait') return `waits for ${desired.for}`
  return working ? `${working} gives way to ${desired.reason}` : `sends ${desired.reason}`
}

describe('the exit order that should exist, over the whole space of facts', () => {
  it('the exit order that should exist is none once a person cancelled it, or nothing is open', () =>
    always((facts) => {
      const desired = desiredExit(facts, NOW)
      const { exit, filled, working } = facts
      const isClosed = working === null && compare(exit.coveredQuantity, filled) >= 0
      const why = exit.cancelledBy !== null ? 'cancelled' : isClosed ? 'closed' : null
      if (desired.what === 'none') assert.equal(isServed(facts, desired), false)
      if (why !== null) assert.deepEqual(desired, { what: 'none', why })
      else if (desired.what === 'none') {
        assert.equal(desired.why, 'over')
        assert.ok(
          !levelsCount(facts) && !isTimed(facts) && due(facts).every((reason) => reason === 'TAKE_PROFIT'),
        )
      }
    }))

  it('the exit order that should exist is for a stop before a target, and that before the time; one that cannot be placed is cancelled only for what protects meanwhile', () =>
    always((facts) => {
      const desired = desiredExit(facts, NOW)
      if (desired.what !== 'order') return
      const earlier = due(facts).slice(0, due(facts).indexOf(desired.reason))
      assert.ok(due(facts).includes(desired.reason), 'nothing asks for it')
      assert.equal(waits(facts, desired.reason), null, 'it is sent while it waits for its next try')
      for (const reason of earlier) {
        assert.notEqual(reason, 'STOP_LOSS', 'a stop makes way for nothing')
        const wait = waits(facts, reason)
        if (reason === 'TIME') assert.ok(areLevelsBack(wait!) && levelsCount(facts))
        else
          assert.ok(
            wait !== null || targetPrice(facts.asked.protection ?? NO_LEVEL, facts.levels!.position) === null,
          )
      }
    }))

  it('the exit order that should exist waits for the next try of the first that is due, and without one for a level or the time', () =>
    always((facts) => {
      const desired = desiredExit(facts, NOW)
      if (desired.what !== 'wait' || desired.keeps) return
      const first = due(facts).find((reason) => reason !== 'TAKE_PROFIT')
      const wait = first === undefined ? null : waits(facts, first)
      if (first === 'PROTECTION' && wait === null) assert.match(desired.for, /reach a level/)
      else if (first === undefined)
        assert.deepEqual([desired.for, desired.until], ['the exit time', facts.exit.time.at])
      else if (first === 'TIME' && areLevelsBack(wait!) && levelsCount(facts))
        assert.ok(desired.until === null || desired.until === waits(facts, 'PROTECTION')!.until)
      else assert.equal(desired.until, wait!.until)
    }))

  it('the exit order that should exist does not change by itself before the instant that it is looked at again', () =>
    always((facts) => {
      const desired = desiredExit(facts, NOW)
      if (desired.what === 'none') return
      const { again } = desired
      if (again !== null) assert.ok(again > NOW, again)
      const justBefore = again === null ? YEARS_LATER : new Date(Date.parse(again) - 1).toISOString()
      assert.deepEqual(toCompare(facts, justBefore), toCompare(facts, NOW))
    }))

  it('the exit order that should exist, beside levels, is the one that works while all trading is stopped', () =>
    always((facts) => {
      const stopped = { ...facts, halt: 'All trading is stopped' }
      if (facts.working === null || !facts.asked.protection || facts.exit.cancelledBy !== null) return
      const desired = desiredExit(stopped, NOW)
      assert.ok(isServed(stopped, desired))
      // That it is lifted is seen within a minute.
      if (desired.what === 'wait') assert.ok(desired.again! <= at(32))
    }))

  it('the exit order that should exist stays the same once it works', () =>
    always((facts) => {
      const desired = desiredExit(facts, NOW)
      if (facts.working !== null || desired.what !== 'order') return
      const { reason, terms } = desired
      const { owned } = facts.levels!
      const quantity = isPositive(owned) ? owned : facts.filled
      const workingOrder = { ...orderOf(reason), quantity, filledThen: facts.filled }
      const placed: ExitFacts = {
        ...facts,
        exit: { ...facts.exit, workingOrder },
        levels: { ...facts.levels!, resting: reason === 'PROTECTION' ? (terms as RestingOrder) : null },
        working: { fillsAtOnce: terms.orderType === 'market', isTooLarge: false },
      }
      const then = desiredExit(placed, NOW)
      assert.ok(isServed(placed, then))
      if (facts.halt === null)
        assert.deepEqual([then.what, 'reason' in then && then.reason], ['order', reason])
    }))

  it('the exit order that should exist acts at every level, or the level is watched here, for every kind of order', () =>
    always((facts) => {
      const { levels, asked } = facts
      const desired = desiredExit(facts, NOW)
      if (levels === null || !asked.protection || !levelsCount(facts)) return
      const { position, best, resting } = levels
      const requested =
        desired.what === 'order' && desired.reason === 'PROTECTION' ? (desired.terms as RestingOrder) : null
      const stop = stopNow(asked.protection, position, best)?.price ?? null
      const target = targetPrice(asked.protection, position)
      for (const order of [requested, resting, null])
        for (const price of [stop, target])
          if (price !== null)
            assert.ok(
              acts(position, order, price, best) ||
                crossedLevel(asked.protection, position, best, order, price) !== null,
              `${JSON.stringify(order)} at ${price}`,
            )
    }))

  for (const [title, race] of Object.entries(RACES))
    it(`the exit order that should exist in the race ${title}: ${race.answer}`, () =>
      assert.equal(inWords(race), race.answer))
})
