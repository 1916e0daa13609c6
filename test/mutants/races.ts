import { inFile } from './mutant.ts'

/** The mistakes that docs/exit-races.md names, one or more for each race. */
export const RACES = [
  ...inFile('activities/exit/decide-size.ts', ['test/activities/size-exit.test.ts'], {
    'the order of a plan is sent at levels of before a split': [
      'if (isPlans && standing.isOfBefore)',
      'if (isPlans && false)',
    ],
    'a plan takes the shares that a person closes': ["stands && reason === 'PROTECTION'", 'false'],
    'an exit by price goes out for fewer shares than anything explains': [
      'isPositive(other) || (!isZero(other) && isByPrice(input))',
      'isPositive(other)',
    ],
    'an exit leaves its shares to an order of another signal that is too large': [
      'others.filter((order) => isTooLarge(order, book))',
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
  ...inFile('activities/protection/adjust.ts', ['test/activities/exit-plan.test.ts'], {
    'a stop is moved away from the price by a ledger that was set back': [
      'revision === restingRevision ? noLooser',
      'false ? noLooser',
    ],
  }),
  ...inFile('activities/protection/change-resting.ts', ['test/activities/exit-plan.test.ts'], {
    'a change that was overtaken leaves': ['if (!isAsRead(', 'if (false && !isAsRead('],
    'a change that stood still for long leaves': ['since.elapsed() > LEAVES_WITHIN', 'false'],
    'a change that has overtaken a later one stays': [
      'const isOvertaken = hasLeft',
      'const isOvertaken = false',
    ],
  }),
  ...inFile('db/signals/protection-change.ts', ['test/db/signals/protection-change.test.ts'], {
    'of two changes of a plan at once one is lost': [
      'await lockSymbolOf(em, signalId)',
      'await Promise.resolve()',
    ],
  }),
  ...inFile('db/orders/unfilled-exits.ts', ['test/worker/feed/account-feed.test.ts'], {
    'nobody is told of a stop whose limit was passed over': [
      "when 'LONG' then p.price <",
      "when 'LONG' then p.price >",
    ],
  }),
  ...inFile('domain/exit-progress.ts', ['test/workflows/signal/any-life.test.ts'], {
    'shares that an exit has closed are closed again': [
      'if (!isPositive(rest)) return { ...after, coveredQuantity: coversUpTo }',
      'if (!isPositive(rest)) return after',
    ],
  }),
  ...inFile('domain/exit-progress.ts', ['test/workflows/signal/run.test.ts'], {
    'a reopened signal follows an exit that has ended': ['workingOrder: null,\n  failures', 'failures'],
  }),
  ...inFile('domain/exit-progress.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'what nobody here has ended is not placed again': [
      "if (status !== 'EXPIRED' || protection?.until",
      "if (status === 'EXPIRED' && protection?.until",
    ],
    'a stop that is reached while a target is worked at is forgotten': [
      "progress.next === 'target' ? backToPlan",
      "reason === 'TAKE_PROFIT' ? backToPlan",
    ],
  }),
  ...inFile(
    'domain/protection.ts',
    ['test/domain/protection.test.ts', 'test/domain/protection-watch.test.ts'],
    {
      'a target counts before the stop': [
        'if (stop !== null && isStopKeptHere',
        'if (stop !== null && plan.target === null && isStopKeptHere',
      ],
    },
  ),
  ...inFile('workflows/signal/exit-order.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'a stop that was reached as the exchange closed is told to nobody': [
      "waitForOpening(run, opensAt, 'the stop was reached, and the exchange is closed')",
      'waitForOpening(run, opensAt)',
    ],
  }),
  ...inFile('workflows/signal/exit.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'a timed exit that cannot be sent keeps its plan from the broker': [
      'failures >= PLAN_IS_BACK_AFTER',
      'failures >= 99',
    ],
    'a target that cannot be worked at keeps the stop from the broker': [
      "if (next === 'target') return",
      "if (next === 'stop') return",
    ],
    'the owner is alerted of an order of a plan that expires': [
      "cause.by === 'session' && (reason === 'PROTECTION' || reason === 'TAKE_PROFIT')",
      'false',
    ],
  }),
  ...inFile('workflows/signal/follow-entry.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'an entry works on at a level of its plan': ['run.exit.next === undefined ? null', 'true ? null'],
  }),
  ...inFile('workflows/signal/follow-planned.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'the order at a target stays for ever': [
      'const isTargetOver = () => isWanted',
      'const isTargetOver = () => false && isWanted',
    ],
    'nobody is told of an order that the broker does not cancel': [
      'hangs: () => tellNotCancelled(',
      'hangs: () => Promise.resolve() ?? tellNotCancelled(',
    ],
    'an order that was decided before the stop was reached stays in its place': [
      '    isToBeOther ||\n    isOutdated(run, working, isAtMarket)',
      '    isToBeOther',
    ],
    'an order of a plan gives way while all trading is stopped': [
      'if (detail === null) {',
      'if (detail !== 0) {',
    ],
    'an order that cannot be changed holds up a stop that was reached': [
      "persistBriefly('adjustProtection', CHANGE, input)",
      'new Promise(() => {})',
    ],
    'a late fill is left without the order of the plan': [
      'compare(run.entry.filledQuantity, filledThen) > 0',
      'false',
    ],
    'a plan that was changed is not at the broker': [
      'isToBeOther = await isOfAnotherKind(mayLoosen)',
      'isToBeOther = false',
    ],
    'a plan that was taken away stays at the broker': [
      'if (exitWanted(run) === null) takeAway(run, clientOrderId)\n    else if',
      'if',
    ],
  }),
  ...inFile('workflows/signal/plan-news.ts', ['test/workflows/signal/exit-plan.test.ts'], {
    'the timed exit is not sent beside an exit plan': ['if (isTimedDue(run)) run', 'if (false) run'],
    'a level that is none any more is acted upon': [
      'const level = await step(',
      'const level = crossed.level ?? await step(',
    ],
    'a target that cannot be worked at calls the stop back again and again': [
      'millisecondsUntil(targetAfter) === 0',
      'true',
    ],
    'a plan is kept that was for a session which is over': [
      'terms.protection !== undefined && exit.planIsOver === undefined',
      'terms.protection !== undefined',
    ],
  }),
]
