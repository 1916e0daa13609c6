import { inFile } from './mutant.ts'

/** Mistakes of more than one word, which no operator of the random changes makes. */
export const BEYOND_OPERATORS = [
  ...inFile('activities/attempt.ts', ['test/activities/attempt.test.ts'], {
    'the time of an attempt counts from its submission': [
      'submitOrder(input, beganAt, permitted)',
      'submitOrder(input, now(), permitted)',
    ],
    'an attempt whose acceptance is not recorded does not tell of it': [
      'recorded.completed ? recorded.result : { orderId: null, report }',
      "recorded.completed ? recorded.result : { orderId: 'none', report }",
    ],
  }),
  ...inFile('activities/signal/opening.ts', ['test/activities/decide-entry.test.ts'], {
    'entries are held to a limit of the position all at once': [
      '[symbolLockQuery(accountId, symbol), entryFactsQuery(signalId)] as const\n  return inTwoMessages(em, asked, async ([, facts], transaction)',
      '[entryFactsQuery(signalId)] as const\n  return inTwoMessages(em, asked, async ([facts], transaction)',
    ],
  }),
  ...inFile(
    'activities/signal/opening.ts',
    ['test/activities/sent-before.test.ts', 'test/activities/sent-by-hand.test.ts'],
    {
      'a close that is taken up takes no shares': [
        'return { reservedLots: theirsOf(owners, shares).without(claimsOf(live)).allot(quantity, closer) }',
        'return {}',
      ],
      'a close that is taken up takes shares that are set apart for others': [
        'theirsOf(owners, shares).without(claimsOf(live)).allot(quantity, closer)',
        'theirsOf(owners, shares).allot(quantity, closer)',
      ],
    },
  ),
  ...inFile('activities/exit/size.ts', ['test/activities/plan-exit.test.ts'], {
    'an exit is planned from when it fills, whatever the entry’s end': [
      '{ endedAt: ended, filledAt: entry.filledAt && byBroker(entry.filledAt) }',
      '{ endedAt: entry.filledAt ?? ended, filledAt: entry.filledAt && byBroker(entry.filledAt) }',
    ],
  }),
  ...inFile('activities/exit/size.ts', ['test/activities/size-exit.test.ts'], {
    'the size of an exit is not kept': [
      'return { sized: sizeIn(await keep(input, kept, found.books), input) }',
      'return found',
    ],
  }),
  ...inFile('activities/order/submit.ts', ['test/activities/submit-order.test.ts'], {
    'an order is sent a minute too late': [
      'since.elapsed() > sendBeforeMs',
      'since.elapsed() > sendBeforeMs + 60_000',
    ],
  }),
  ...inFile(
    'activities/order/throttle.ts',
    ['test/activities/throttle.test.ts', 'test/activities/given-up.test.ts'],
    {
      'orders leave while the database does not answer': [
        "throw throttleUnavailable('it cannot be decided now whether the order may be sent', error)",
        "return { what: 'permitted', decidedAt: null, since, passes: { passes: 1, before: null, asOf: new Date(now()).toISOString() } }",
      ],
      'an old answer lets an order leave': [
        'const since = startStopwatch(now)',
        'const since = { elapsed: () => 0 }',
      ],
    },
  ),
  ...inFile('activities/brokers.ts', ['test/activities/plan-exit.test.ts'], {
    'the calendar of one account serves all': ['`${accountId} ${firstDay(instant)}`', 'firstDay(instant)'],
  }),
  ...inFile('api/intake/create.ts', ['test/api/signal/create-signal.test.ts'], {
    'a signal is answered as it was stored': [
      '{ ...fresh, status, orderId, statusReason: reason, statusDetail: detail, advisories: known }',
      '{ ...fresh, advisories: known }',
    ],
    'an order is told of that the entry does not have': [
      'status, orderId, statusReason: reason,',
      'status, statusReason: reason,',
    ],
  }),
  ...inFile('api/signal/replace.ts', ['test/api/signal/replace-signal.test.ts'], {
    'nobody hears that the old order still works': [
      'return stored(existing, replacement, warning)',
      'return stored(existing, replacement, null)',
    ],
  }),
  ...inFile('api/supervisor/census.ts', ['test/api/watch/watch.test.ts'], {
    'a slice for which Temporal did not answer is passed over': [
      'const ids = slice.map(workflowOf)',
      'this.#after = slice.at(-1)?.place ?? null\n    const ids = slice.map(workflowOf)',
    ],
  }),
  ...inFile(
    'activities/load.ts',
    ['test/activities/load-signal.test.ts', 'test/activities/loaded-numbers.test.ts'],
    {
      'a signal begins its ends anew': ['closings: record.closings', 'closings: 0'],
      'an exit at the broker without a size is followed by nobody': [
        'exits.filter((each) => each.generation >= stored.generation)',
        'exits.filter((each) => sizeIn(record, each.generation) !== null)',
      ],
    },
  ),
  ...inFile('db/order/cancelled-for.ts', ['test/db/signal/cancelled-for.test.ts'], {
    'a cancel that a close once asked for is for that close for ever': [
      'then orders.cancelled_for end`',
      'then orders.cancelled_for else orders.cancelled_for end`',
    ],
    'the reason of a cancel outlives its close': [
      "case when orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}",
      "case when true or orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}",
    ],
  }),
  ...inFile('db/order/by-hand.ts', ['test/db/order/by-hand.test.ts'], {
    'a manual order keeps the side and size that were asked for': [
      "where client_order_id = decided.id || '-e1' and broker_order_id is null",
      "where client_order_id = decided.id || '-e1' and broker_order_id is not null",
    ],
  }),
  ...inFile('db/order/reports.ts', ['test/db/order/by-hand.test.ts'], {
    'a manual order that its broker has undecided keeps the size that was asked for': [
      'quantity = case when is_undecided then ?::numeric else quantity end',
      'quantity = case when is_undecided and false then ?::numeric else quantity end',
    ],
  }),
  ...inFile('db/order/early-reports.ts', ['test/db/order/reports.test.ts', 'test/db/signal/ledger.test.ts'], {
    'what an order tells when it is first heard of is not merged': [
      'const first = isWhole ? report : asFirstReported(report)',
      'const first = report',
    ],
    'a fill after the record of the acceptance is told by nobody': ['held.status in ${LEAVING})', 'true)'],
  }),
  ...inFile(
    'db/order/throttle.ts',
    [
      'test/db/order/throttle.test.ts',
      'test/db/order/send-permits.test.ts',
      'test/activities/given-up.test.ts',
    ],
    {
      'a decision is taken back while its order is let out': [
        'where not asked.is_beyond for share of s)',
        'where not asked.is_beyond)',
      ],
      'the time of the first attempt is told instead of that of the latest': [
        'permitted_before = out.permitted_at, permitted_at = now()',
        'permitted_before = out.registered_at, permitted_at = now()',
      ],
    },
  ),
  ...inFile(
    'db/signal/decision-ledger.ts',
    ['test/db/signal/decision-ledger.test.ts', 'test/activities/held-entry.test.ts'],
    {
      'an exit that a person has cancelled is sent afterwards': ['stops: `exit-${generation}`,', ''],
    },
  ),
  ...inFile('db/order/order-rows.ts', ['test/db/order/replaced-orders.test.ts'], {
    'nobody is told of figures that a broker changes in place': [
      'const isInPlace = !isReplaced(report, executed)',
      'const isInPlace = false',
    ],
  }),
  ...inFile('db/exit/exits.ts', ['test/db/alert/alerts.test.ts'], {
    'an exit of a late fill ends the alert of shares that were given up': [
      '${isWhole} and ${NONE_GIVEN_UP} and',
      '${isWhole} and',
    ],
    'the order of a plan ends the alert of the timed exit that is late': ["plan: ['TIME'],", 'plan: [],'],
  }),
  ...inFile('db/exit/exits.ts', ['test/db/alert/alerts.test.ts', 'test/db/signal/ledger.test.ts'], {
    'nobody is told that an exit is for a part of the shares': [
      'raises: [{ ...unprotectedByPart(generation), where: { sql: isAlerted, parameters } }],',
      'raises: [],',
    ],
  }),
  ...inFile('db/signal/ledger-statement.ts', ['test/db/alert/alerts.test.ts'], {
    'an end that is written once more ends the alerts of a late fill': ['${isFirst}', ''],
  }),
  ...inFile('db/signal/record.ts', ['test/db/signal/reopening.test.ts'], {
    'a fill that was counted opens its signal again': [
      '(filled_quantity > counted_quantity and',
      '(filled_quantity >= counted_quantity and',
    ],
  }),
  ...inFile('activities/index.ts', ['test/activities/loaded-size.test.ts'], {
    'an exit is sized without a word of how far it has come': [
      'keyOf(input), sized, input.progress)',
      'keyOf(input), sized)',
    ],
  }),
  ...inFile(
    'domain/position/closing.ts',
    [
      'test/domain/position/closing.test.ts',
      'test/activities/shared-position.test.ts',
      'test/activities/entry-by-hand.test.ts',
    ],
    {
      'no shares are set apart for a close': ['{ ...decision, reservedLots }', 'decision'],
      'shares are set apart for two closes': ['.without(claims).allot(', '.allot('],
      'shares of an entry that is not recorded are not set apart': [
        'allot([...named, ...left, ...others])',
        'recorded',
      ],
    },
  ),
  ...inFile(
    'domain/exit/schedule.ts',
    ['test/activities/plan-exit.test.ts', 'test/domain/exit/exit.test.ts'],
    {
      'an exit is put off from this moment on': [
        'const endedAt = closeOfSessionAt(plan.submitAt, sessions)',
        'const endedAt = brokerNow',
      ],
    },
  ),
  ...inFile('domain/exit/progress.ts', ['test/workflows/signal/any-life.test.ts'], {
    'what an exit has closed is forgotten': [', ended: [...progress.ended, clientOrderId]', ''],
  }),
  ...inFile('domain/position/ownership.ts', ['test/domain/position/ownership.test.ts'], {
    'an exit takes the oldest shares': ['return [{ owner: origin.signalId, quantity }]', 'return []'],
    'the second part of a close begins anew': [
      'return after(origin.reservedLots, before)',
      'return origin.reservedLots',
    ],
  }),
  ...inFile('domain/position/round-trips.ts', ['test/domain/position/round-trips.test.ts'], {
    'trades forget whose the shares are': [
      'owner: lot.opening.owner, quantity: lot.fill.left',
      'owner: null, quantity: lot.fill.left',
    ],
  }),
  ...inFile('worker/feed/account-sync.ts', ['test/db/risk/facts.test.ts'], {
    'a sync is of the instant of its writing': [', askedAt)', ')'],
  }),
  ...inFile(
    'worker/feed/order-reconciler.ts',
    ['test/worker/feed/order-reconciler.test.ts', 'test/worker/feed/late-fill.test.ts'],
    {
      'one order that makes trouble keeps the others waiting': [
        "this.#log.error({ err: error, ...names }, 'an order could not be compared; trying again')",
        'throw error',
      ],
    },
  ),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/unconfirmed-orders.test.ts'], {
    'executions of an order that is not shown are sought where others were read last': [
      'this.#executions.read(order.submittedAt)',
      'this.#executions.read()',
    ],
  }),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/account-feed.test.ts'], {
    'orders that work wait for the lists of what has ended': [
      'const before = since === null ? 0 : await this.reconcile(now)',
      'const before = 0',
    ],
  }),
  ...inFile('worker/feed/order-reconciler.ts', ['test/api/reconcile/reconcile.test.ts'], {
    'executions from before the account was followed are taken up': [
      'this.#executions.read(executions.since)',
      'this.#executions.read(since)',
    ],
  }),
  ...inFile('api/reconcile/reconcile.ts', ['test/api/reconcile/reconcile.test.ts'], {
    'a sync reaches less far back than the reconciliation': [
      'gateway.syncAccount(accountId, limit, since)',
      'gateway.syncAccount(accountId, limit)',
    ],
  }),
  ...inFile('activities/exit/decide-size.ts', ['test/activities/size-exit.test.ts'], {
    'shares are gone by the number of looks': [
      'within(input, asked, symbolState, { closable, own, isGone })',
      'within(input, asked, symbolState, { closable, own, isGone: failures > 0 })',
    ],
  }),
  ...inFile('workflows/signal/workflow.ts', ['test/workflows/signal/run.test.ts'], {
    'a message that starts a run is judged when its entry is on its way': [
      'await condition(() => run.unjudged === 0)',
      'void condition(() => run.unjudged === 0)',
    ],
  }),
  ...inFile('workflows/order/follow.ts', ['test/workflows/signal/cancel-order.test.ts'], {
    'a cancel that a person asked for is not on record': ['    recordAsked(run, cancelled),\n', ''],
  }),
  ...inFile('workflows/signal/entry.ts', ['test/workflows/signal/entry.test.ts'], {
    'an attempt that was lost may be sent again as if for the first time': [
      'if (attempted?.completed === false) {',
      'if (attempted?.completed === false && !run) {',
    ],
  }),
  ...inFile('workflows/exit/trouble.ts', ['test/workflows/signal/rebuilt-exit.test.ts'], {
    'a failed exit is stored as if it had not failed': [
      'progress: run.exit,',
      'progress: { ...run.exit, waits: {} },',
    ],
  }),
  ...inFile(
    'workflows/exit/look.ts',
    ['test/workflows/signal/exit-calendar.test.ts', 'test/workflows/signal/any-life.test.ts'],
    {
      'an exit that cannot be planned again is late for it': [
        'run.terms.protection === undefined && (at === null || isTimeDue(run))',
        'run.terms.protection === undefined',
      ],
    },
  ),
  ...inFile(
    'workflows/signal/messages.ts',
    [
      'test/workflows/signal/any-life.test.ts',
      'test/workflows/signal/pending.test.ts',
      'test/workflows/signal/replace.test.ts',
      'test/workflows/signal/exit-cancel.test.ts',
    ],
    {
      'two replacements are decided at once': [
        'while (run.pendingReplacement !== null && run.pendingReplacement.answer === null)',
        'if (run.pendingReplacement !== null && run.pendingReplacement.answer === null)',
      ],
    },
  ),
]
