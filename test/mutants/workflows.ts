import { inFile, type Mutant } from './mutant.ts'

const ANY_LIFE = 'test/workflows/signal/any-life.test.ts'
const inTests = (...names: string[]): string[] => names.map((name) => `test/workflows/signal/${name}.test.ts`)

const RUN = [
  ...inFile('workflows/signal/run.ts', inTests('run'), {
    'continue-as-new forgets that somebody wants an order cancelled': [
      '...(clientOrderId && by && { orderCancel: { clientOrderId, by, ...(at && { at }) } }),',
      '...(clientOrderId === undefined && { by }),',
    ],
    'continue-as-new forgets when a cancel was asked for': ['by, ...(at && { at }) } }),', 'by } }),'],
    'continue-as-new forgets how far the exit has come': ['this.exit = resumeState.exit\n', ''],
    'continue-as-new forgets how often the signal has ended': ['this.closings = resumeState.closings\n', ''],
    'continue-as-new forgets the queue in which the signal is to go on': [
      '...(stays && { thenQueue: this.#thenQueue }),',
      '',
    ],
    'a signal goes into the other queue before it has an outcome': [
      'return this.hasEntryOutcome && !this.#isNearlyOver',
      'return !this.#isNearlyOver',
    ],
    'a reopened signal forgets the late fill for which it was opened': [
      'for (const { report } of heard) this.note(report)',
      '',
    ],
    'a cancel that comes after the recorded end is lost with it': [' || orderCancel !== null', ''],
    'a second end is taken for the recorded first': [' || this.closings > 1', ''],
    'a fill after the recorded end is not recorded': [
      'compare(filledQuantity, recordedEnd.filledQuantity) === 0',
      'compare(filledQuantity, recordedEnd.filledQuantity) >= 0',
    ],
    'an order that a lost attempt may have sent cannot be cancelled': [
      " || (this.phase === 'checking' && this.lostAttempt !== null)",
      '',
    ],
    'an order that has ended is cancelled': [
      'return isFollowed && isWorking(report.status) ? null',
      'return isFollowed ? null',
    ],
  }),
  ...inFile('workflows/order/follower.ts', inTests('run'), {
    'a fresh run never asks the broker for a cancel again': ['isAsked: false }', 'isAsked: true }'],
    'an older report takes the place of what is known': [
      'const merged = known ? { ...known, ...news, quantity } : report',
      'const merged = report',
    ],
    'orders that work count as ended': ['.filter(({ report }) => isTerminal(report.status))', ''],
  }),
  ...inFile('workflows/manual-order/run.ts', ['test/workflows/manual-order/run.test.ts'], {
    'continue-as-new of a manual order forgets that it is to be cancelled': [
      'const cancel = clientOrderId && by ?',
      'const cancel = clientOrderId === undefined && by ?',
    ],
    'continue-as-new of a manual order forgets its order': [
      'resumeState: { phase, report, cancel }',
      'resumeState: { phase, report: null, cancel }',
    ],
    'a manual order takes a report of another one for its own': [
      'if (report.clientOrderId !== this.clientOrderId) return report',
      '',
    ],
    'a manual order that is too late to be stopped is stopped': [
      'return this.orderCancel !== null && !this.isTooLateToStop',
      'return this.orderCancel !== null',
    ],
  }),
]

const FOLLOWING = [
  ...inFile('workflows/order/follow.ts', [...inTests('good-till-date', 'replace')], {
    'an entry is not cancelled at its good till date': ['again ?? expiry)', 'again)'],
    'a replaced order is cancelled once and no more': [
      'if (came || hasEnded()) continue',
      'if (came || hasEnded() || isReplaced()) continue',
    ],
  }),
  ...inFile('workflows/signal/exit.ts', inTests('rebuilt-exit'), {
    'a cancel that a person asked for as the order ended counts as the broker’s': [
      'await recordUnasked(run, clientOrderId)',
      'await Promise.resolve()',
    ],
  }),
  ...inFile('workflows/order/cancel.ts', inTests('cancel-order'), {
    'a cancel that a person asked for is not on record': ['    recordAsked(run, cancelled),\n', ''],
    'what the broker says of a cancelled order is not noted': [
      'if (result?.report) run.note(result.report)',
      '',
    ],
    'an order is cancelled only while nothing of it has filled': [
      'onlyIfUnfilled: false',
      'onlyIfUnfilled: true',
    ],
  }),
  ...inFile('workflows/order/messages.ts', inTests('run', 'cancel-order'), {
    'the last who wants an order cancelled counts': [
      'if (run.orderCancel?.clientOrderId !== clientOrderId)',
      'if (run.orderCancel?.by !== by)',
    ],
    'a cancel is answered before the broker was asked': [
      'await condition(() => cancel.isAsked || run.hasEnded(clientOrderId))',
      '',
    ],
  }),
  ...inFile('workflows/order/submit.ts', inTests('entry'), {
    'the outcome counts as unknown since the second try': [
      'const at = first?.at ?? workflowNow()',
      'const at = workflowNow()',
    ],
    'an order that was certainly not sent is in doubt': ['if (!MAY_HAVE_SENT[failure]) return false', ''],
  }),
  ...inFile('workflows/order/leg.ts', [...inTests('lost-attempt'), ANY_LIFE, ...inTests('entry')], {
    'a lost attempt is made again as if it were the first': [
      'run.lostAttempt === null ? await attempt() : null',
      'await attempt()',
    ],
    'a rejected order counts as one that was not tried': [
      "(outcome === 'denied' && code !== 'STALE') || outcome === 'rejected'",
      "outcome === 'denied' && code !== 'STALE'",
    ],
    'an order that is decided is sent though it was stopped meanwhile': [
      'if (decided !== null && !opening.isStopped()) return decided',
      'if (decided !== null) return decided',
    ],
    'a stopped order is checked all the same': [
      'if (!opening.isStopped()) decided ??= await opening.decide()',
      'decided ??= await opening.decide()',
    ],
  }),
  ...inFile('workflows/steps/waits.ts', ['test/workflows/waits.test.ts'], {
    'a wait moves to the other queue though it is over in a moment': [
      'const isToMove = nextQueue !== null && (left === null || left > BEFORE_MOVING)',
      'const isToMove = nextQueue !== null',
    ],
    'a wait goes on in its own queue': ['nextQueue === null ? {} : { taskQueue: nextQueue }', '{}'],
  }),
]

const BEFORE_THE_ENTRY = [
  ...inFile('workflows/signal/wait-for-start.ts', inTests('scheduled', 'pending'), {
    'a scheduled signal that expired during an outage is sent': [
      'if (validUntil !== null && millisecondsUntil(validUntil) === 0) {',
      'if (validUntil === scheduledAt) {',
    ],
    'the quantity that was approved is not that which is sent': [
      'quantity: approval.quantity ?? quantity',
      'quantity',
    ],
    'the limit that was approved is not that which is sent': [
      'limitPrice: approval.limitPrice ?? limitPrice',
      'limitPrice',
    ],
    'an approval may be acted upon for ever': ['sendBefore: approval.sendBefore ?? sendBefore', 'sendBefore'],
    'a pending signal waits beyond its expiry': [
      "if (!(await waitUntil(run, decided, expiry))) run.stop ??= { kind: 'expired' }",
      'await waitUntil(run, decided, null)',
    ],
  }),
  ...inFile('workflows/signal/messages.ts', [ANY_LIFE, ...inTests('pending', 'replace', 'exit-cancel')], {
    'a decision counts after the expiry': [
      'validUntil !== null && millisecondsUntil(validUntil) === 0\n  const waits',
      'validUntil === null\n  const waits',
    ],
    'two people approve one signal': ['run.approval === null && run.stop === null', 'run.stop === null'],
    'a stop that came too late is granted': ['return run.stop === how\n', 'return true\n'],
    'two replacements are decided at once': [
      'while (run.pendingReplacement !== null && run.pendingReplacement.answer === null)',
      'if (run.pendingReplacement !== null && run.pendingReplacement.answer === null)',
    ],
    'a signal is replaced twice': [
      "if (run.phase !== 'working' || isFailed(run.status)) throw",
      "if (run.phase !== 'working') throw",
    ],
    'an exit that is being sent may be cancelled': [
      "run.phase === 'awaitingExit' || run.exitIsParked",
      "run.phase === 'awaitingExit' || run.phase === 'exiting'",
    ],
  }),
  ...inFile('workflows/signal/withdraw.ts', [ANY_LIFE, ...inTests('replace')], {
    'a replacement that came too late counts as stored': [
      "return stopping === 'stopped' ? 'stopped' : 'too_late'",
      "return stopping === 'stopped' ? 'stopped' : 'stopped'",
    ],
  }),
  ...inFile('workflows/signal/entry.ts', inTests('lost-attempt', 'per-symbol-sequencing'), {
    'a signal that waits for its turn does not expire': [
      "if (validUntil !== null && millisecondsUntil(validUntil) === 0) run.stop ??= { kind: 'expired' }\n    if",
      'if',
    ],
    'a signal is not woken by the one that it waits for': [
      'run.stop !== null || run.earlierSignalChanges > changes',
      'run.stop !== null',
    ],
  }),
  ...inFile('workflows/signal/replace.ts', inTests('replace'), {
    'a replacement is stored although the order has filled': [
      'if (isPositive(run.entry.filledQuantity)) {\n    pendingReplacement',
      'if (run.stop !== null) {\n    pendingReplacement',
    ],
    'an order that is to give way is not looked at once more': [
      'return came ? null : askToCancel(run)',
      'return null',
    ],
    'a fill that kept the replacement away is forgotten': ['run.note(replaceResult.filled)', ''],
    'an order that may still fill counts as ended': [
      'working: ended ? null : { accountId',
      'working: ended || run ? null : { accountId',
    ],
    'an order that has filled in part is cancelled for its replacement': [
      'onlyIfUnfilled: true',
      'onlyIfUnfilled: false',
    ],
  }),
]

const AFTER_THE_ENTRY = [
  ...inFile('workflows/signal/follow-entry.ts', [ANY_LIFE, ...inTests('exit-cancel', 'entry', 'replace')], {
    'the order of a replaced signal works on': ["isReplaced: () => run.status === 'cancelled',", ''],
    'a cancel that came too late for the ledger counts': ["if (stopping === 'stopped') run.exit", 'run.exit'],
    'who asks while another is answered gets no answer': [
      'while (isAsked(run) || isExitCancelDue(run)) {',
      'while (isAsked(run) && isExitCancelDue(run)) {',
    ],
    'a rejected entry is shown as executed': [
      "rejected: nothing && entry.status === 'REJECTED' && run.status === 'executed'",
      'rejected: false',
    ],
    'a replaced signal is rejected afterwards': [" && run.status === 'executed'", ''],
  }),
  ...inFile('workflows/signal/exit-plan.ts', inTests('exit'), {
    'an exit is timed from when its workflow heard of the end': [
      'run.exit.entryEndedAt ?? run.entry.endedAt ?? run.lastNewsAt(run.entryId)',
      'run.exit.entryEndedAt ?? run.lastNewsAt(run.entryId)',
    ],
    'an exit is not planned again after a late fill': [
      'compare(run.entry.filledQuantity, known.filledQuantity) > 0',
      'compare(run.entry.filledQuantity, known.filledQuantity) > 1',
    ],
  }),
  ...inFile('workflows/signal/exit-retry.ts', inTests('exit', 'exit-ladder'), {
    'a failed exit is tried at the shortest interval for ever': [
      'failures: run.exit.failures + 1,',
      'failures: run.exit.failures,',
    ],
    'an acknowledged alert changes nothing about the tries': [
      'acknowledged ? nextTry.acknowledged : nextTry.usual',
      'nextTry.usual',
    ],
    'an exit does not listen to the end of what blocks it': [
      'run.exitCancelledBy !== null || run.exitRetryAsked',
      'run.exitCancelledBy !== null',
    ],
    'nobody hears of an exit whose size cannot be found out': [
      'await recordTrouble(run, trouble)\n  run.waitFor',
      'run.waitFor',
    ],
  }),
  ...inFile('workflows/signal/exit-retry.ts', inTests('exit', 'exit-cancel', 'exit-ladder'), {
    'a late fill is not taken note of while the exit waits': [
      "await step('acknowledgeEnds', 'Take note of a late fill', {\n      signalId: run.terms.signalId,\n      acknowledges: run.endedOrders,\n    })",
      '',
    ],
  }),
  ...inFile('workflows/signal/exit.ts', [ANY_LIFE, ...inTests('exit', 'cancel-order')], {
    'why an exit was cancelled is not asked': ["status === 'CANCELLED'\n", "status === 'PENDING'\n"],
    'nobody is told of shares that are left without an exit': [
      'rejected: false, unprotected })',
      'rejected: false, unprotected: null })',
    ],
    'an exit order that a person cancels is followed by another': [
      "if (cause.by === 'person') run.exitCancelAskedBy = cause.who",
      '',
    ],
  }),
  ...inFile('workflows/signal/close.ts', inTests('fill-after-end'), {
    'a second run of a reopened signal goes on': [
      "if (kept === null) run.phase = 'ended'\n  else run.reopen(kept)",
      'if (kept !== null) run.reopen(kept)',
    ],
  }),
  ...inFile('workflows/signal/close.ts', inTests('fill-after-end', 'recorded-end'), {
    'an end is recorded without the orders that led to it': [
      'acknowledges: run.endedOrders,',
      'acknowledges: [],',
    ],
    'the second end of a signal is taken for the first': ['run.closings += 1', 'run.closings = 1'],
  }),
]

const OF_PLANS = inTests('exit-plan')

/** Mistakes in how an exit plan is kept: see `docs/exit-races.md`. */
const EXIT_PLANS = [
  ...inFile('workflows/signal/plan-news.ts', OF_PLANS, {
    'the timed exit is not sent beside an exit plan': ['if (isTimedDue(run)) run', 'if (false) run'],
    'a stop that was reached is not acted upon': ["if (level === 'stop') run", 'if (level === null) run'],
    'a target that was reached is not acted upon': ["level === 'target' && run", 'level === null && run'],
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
  ...inFile('workflows/signal/follow-planned.ts', OF_PLANS, {
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
  ...inFile('workflows/signal/exit.ts', OF_PLANS, {
    'a timed exit that cannot be sent keeps its plan from the broker': [
      'failures >= PLAN_IS_BACK_AFTER',
      'failures >= 99',
    ],
    'a target that cannot be worked at keeps the stop from the broker': [
      "if (next === 'target') return",
      "if (next === 'stop') return",
    ],
    'the owner is alerted of an order of a plan that expires': [
      "cause.by === 'session' && (isFor === 'plan' || isFor === 'target')",
      'false',
    ],
  }),
  ...inFile('workflows/signal/follow-entry.ts', OF_PLANS, {
    'an entry works on at a level of its plan': ['run.exit.next === undefined ? null', 'true ? null'],
    'an entry with a plan alone has no exit': [' || run.terms.protection !== undefined', ''],
  }),
  ...inFile('workflows/signal/exit-order.ts', OF_PLANS, {
    'a stop that was reached as the exchange closed is told to nobody': [
      "waitForOpening(run, opensAt, 'the stop was reached, and the exchange is closed')",
      'waitForOpening(run, opensAt)',
    ],
  }),
  ...inFile('domain/exit-progress.ts', OF_PLANS, {
    'what nobody here has ended is not placed again': [
      "if (status !== 'EXPIRED' || protection?.until",
      "if (status === 'EXPIRED' && protection?.until",
    ],
    'a stop that is reached while a target is worked at is forgotten': [
      "progress.next === 'target' ? backToPlan",
      "isFor === 'target' ? backToPlan",
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
  ...inFile('activities/protection/adjust.ts', ['test/activities/exit-plan.test.ts'], {
    'a stop is moved away from the price by a ledger that was set back': [
      'mayLoosen ? ofPlan',
      'true ? ofPlan',
    ],
  }),
  ...inFile('db/orders/unfilled-exits.ts', ['test/worker/feed/account-feed.test.ts'], {
    'nobody is told of a stop whose limit was passed over': [
      "when 'LONG' then p.price <",
      "when 'LONG' then p.price >",
    ],
  }),
  ...inFile('activities/exit/size.ts', ['test/activities/size-exit.test.ts'], {
    'the order of a plan is sent at levels of before a split': [
      'if (choice !== null && isPlans)',
      'if (choice === undefined && isPlans)',
    ],
    'an order is sent for something else than was decided': ['{ ...size, order }', 'size'],
    'an order at the broker that the ledger has lost is sent again': [
      'asked.itself = await findItself(broker, input)',
      'asked.itself = null',
    ],
    'a plan takes the shares that a person closes': ["stands && isFor === 'plan'", 'false'],
  }),
]

/** Mistakes in the workflows of signals and manual orders. */
export const WORKFLOWS: readonly Mutant[] = [
  ...RUN,
  ...FOLLOWING,
  ...BEFORE_THE_ENTRY,
  ...AFTER_THE_ENTRY,
  ...EXIT_PLANS,
]
