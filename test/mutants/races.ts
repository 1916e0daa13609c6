import { inFile } from './mutant.ts'

const EXIT_PLAN = ['test/workflows/signal/exit-plan.test.ts']

/** The mistakes that docs/build/one-exit.md names, one or more for each race. */
export const RACES = [
  ...inFile('activities/exit/decide-size.ts', ['test/activities/size-exit.test.ts'], {
    'the order of a plan is sent at levels of before a split': [
      'if (isAtLevel(input.reason) && standing',
      'if (false && standing',
    ],
    'a plan takes the shares that a person closes': [
      "stands && (reason === 'PROTECTION' || !isReducing(first.side))",
      'false',
    ],
    'an exit by price is sent for fewer shares than anything explains': [
      'isPositive(other) || (!isZero(other) && isByPrice(input))',
      'isPositive(other)',
    ],
    'an exit leaves its shares to an order of another signal that is too large': [
      'others.filter((order) => isTooLarge(order, symbolState))',
      '[] as LiveOrder[]',
    ],
  }),
  ...inFile('activities/exit/size.ts', ['test/activities/size-exit.test.ts'], {
    'an order is sent for something else than was decided': ['{ ...size, order }', 'size'],
    'an order at the broker that the ledger has lost is sent again': [
      'asked.itself = await findItself(broker, input)',
      'asked.itself = null',
    ],
  }),
  ...inFile('activities/exit/adjust.ts', ['test/activities/exit-plan.test.ts'], {
    'a stop is moved away from the price by a rolled-back ledger': [
      'revision === restingRevision ? noLooser',
      'false ? noLooser',
    ],
  }),
  ...inFile('activities/exit/change-resting.ts', ['test/activities/exit-plan.test.ts'], {
    'a change that was overtaken leaves': ['if (!isAsRead(', 'if (false && !isAsRead('],
    'a change that stood still for long leaves': ['since.elapsed() > LEAVES_WITHIN', 'false'],
    'a change that has overtaken a later one stays': [
      'const isOvertaken = hasLeft',
      'const isOvertaken = false',
    ],
  }),
  ...inFile('db/exit/protection-change.ts', ['test/db/exit/protection-change.test.ts'], {
    'of two changes of a plan at once one is lost': [
      'await lockSymbolOf(em, signalId)',
      'await Promise.resolve()',
    ],
  }),
  ...inFile('db/exit/unfilled-exits.ts', ['test/worker/feed/account-feed.test.ts'], {
    'the owner is not notified of a stop whose limit the price has passed': [
      'o.stop_limit_price end) < 0)',
      'o.stop_limit_price end) > 0)',
    ],
  }),
  ...inFile('domain/exit/progress.ts', ['test/workflows/signal/any-life.test.ts'], {
    'shares that an exit has closed are closed again': [
      'if (!isPositive(rest)) return { ...after, coveredQuantity: coversUpTo }',
      'if (!isPositive(rest)) return after',
    ],
  }),
  ...inFile(
    'domain/exit/progress.ts',
    ['test/workflows/signal/fill-after-end.test.ts', 'test/workflows/signal/run.test.ts'],
    {
      'a reopened signal follows an exit that has ended': [
        'return { ...rest, workingOrder: null, waits: {}, time',
        'return { ...rest, waits: {}, time',
      ],
    },
  ),
  ...inFile('domain/exit/progress.ts', EXIT_PLAN, {
    'an order that ended at the broker is not placed again': [
      "if (!isOfLevels(reason) || status !== 'EXPIRED') return open",
      "if (!isOfLevels(reason) || status !== 'EXPIRED') return null",
    ],
    'a target that cannot be worked at calls the stop back again and again': ['refused: 5 }', 'refused: 0 }'],
  }),
  ...inFile('domain/exit/progress.ts', ['test/workflows/signal/exit-ladder.test.ts', ...EXIT_PLAN], {
    'an exit that is refused climbs no ladder': ['? before + 1 : before', '? before : before'],
  }),
  ...inFile('domain/exit/desired.ts', EXIT_PLAN, {
    'a late fill is left without the order of the plan': [
      'compare(filled, exit.workingOrder.filledThen) > 0',
      'false',
    ],
    'the levels for one session are kept after its end': [
      "return !isSessionOver(facts.exit, protection, now) || workingReason(facts) === 'PROTECTION'",
      'return true',
    ],
    'a time exit that cannot be sent keeps its levels from the broker': [
      'tries >= LEVELS_ARE_BACK_AFTER',
      'tries >= 99',
    ],
    'an order at a level is cancelled for another while all trading is stopped': [
      'halt === null || ',
      'true || ',
    ],
    'the order at a target stays for ever': ['now >= targetEnds(facts.exit.workingOrder!.since)', 'false'],
    'the time exit is not sent beside levels': [
      'hasTime({ exit, asked }) && exit',
      'hasTime({ exit, asked }) && !asked.protection && exit',
    ],
  }),
  ...inFile('domain/exit/look.ts', EXIT_PLAN, {
    'a level that is none any more is acted upon': [
      'return reached && (reached.level ===',
      'return (crossed.level ===',
    ],
    'a plan that was changed is not at the broker': ['revision !== restingRevision || isPart', 'isPart'],
    'a stop that is reached while a target is worked at is forgotten': [
      'mayActOn(level) ? level : known',
      'mayActOn(level) ? (known ?? level) : known',
    ],
  }),
  ...inFile(
    'domain/exit/protection.ts',
    ['test/domain/exit/protection.test.ts', 'test/domain/exit/protection-watch.test.ts'],
    {
      'a target counts before the stop': [
        'if (stop !== null && !keepsStop',
        'if (stop !== null && plan.target === null && !keepsStop',
      ],
    },
  ),
  ...inFile('workflows/signal/entry.ts', EXIT_PLAN, {
    'an entry works on at a level of its plan': ['run.exit.reached ? run', 'false ? run'],
  }),
  ...inFile('workflows/exit/exit.ts', EXIT_PLAN, {
    'the owner is not notified of an order that the broker does not cancel': [
      'hangs: () => notifyNotCancelled(run, clientOrderId, cancelledForReason!)',
      'hangs: () => Promise.resolve()',
    ],
    'the owner is alerted of an order of a plan that expires': ["cause.by === 'session' && (", 'false && ('],
    'an order that cannot be changed holds up a stop that was reached': [
      "runBounded('adjustProtection', CHANGE, input)",
      'new Promise(() => {})',
    ],
    'a plan that was taken away stays at the broker': ['return takeAway(run, clientOrderId)', 'return'],
  }),
  ...inFile('workflows/exit/place.ts', EXIT_PLAN, {
    'an order that was decided before the stop was reached stays in its place': [
      'if (order.reason !== reason || order.reason',
      'if (order.reason',
    ],
    'a target that cannot be worked at keeps the stop from the broker': [
      'reportTrouble(run, reason, { generation, kind, code: null, detail, ...more })',
      "reportTrouble(run, 'PROTECTION', { generation, kind, code: null, detail, ...more })",
    ],
    'the owner is not notified of a stop that was reached as the exchange closed': [
      "...(reason === 'PROTECTION' && { isQuiet: true })",
      'isQuiet: true',
    ],
  }),
]
