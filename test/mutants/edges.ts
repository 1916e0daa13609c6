import { inFile, type Mutant } from './mutant.ts'

const ATTEMPTS = [
  ...inFile('activities/attempt.ts', ['test/activities/attempt.test.ts'], {
    'who waits is told of an execution that is not recorded': [
      'if (!answer || orderId === null || endedUnfilled(report)) return accepted(report)\n    answer(orderId,',
      "if (!answer || endedUnfilled(report)) return accepted(report)\n    answer(orderId ?? '',",
    ],
    'who waits is told of an execution that ended at once with nothing filled': [
      ' || endedUnfilled(report)) return',
      ') return',
    ],
    'who waits is not told the advisories': [
      '...(advisories.length > 0 && { advisories }),\n})',
      '...(advisories.length > 99 && { advisories }),\n})',
    ],
    'the feed is told of a record that was not written': [
      'if (recorded.completed) sending?.record(report)',
      'sending?.record(report)',
    ],
    'a fill counts as recorded that is not': [
      'return accepted(applied?.completed ? later : report)',
      'return accepted(later)',
    ],
    'the end counts as recorded that the feed was faster with': [
      'recorded.completed && recorded.result.isClosed ? atOnce',
      'recorded.completed ? atOnce',
    ],
    'an order stays on its way for the feed': ['sending?.over()\n', ''],
  }),
  ...inFile('activities/handover/entry-handover.ts', ['test/activities/entry-handover.test.ts'], {
    'who waits is not told that there is nothing to tell': ['.finally(() => entry?.tell(null))', ''],
    'a request that is over ends the wait of another one': ['this.#requests -= 1', 'this.#requests = 0'],
    'one attempt serves a workflow twice': ['entry?.isTaken ? null : entry?.attempt', 'entry?.attempt'],
    'a workflow makes an attempt beside the one that was begun': [
      'begun ?? this.#make(signalId',
      'this.#make(signalId',
    ],
    'an attempt is begun beside that of a workflow that was faster': [
      'entry?.attempt ?? this.#make(signalId',
      'this.#make(signalId',
    ],
    'an attempt is kept for ever': [
      'setTimeout(() => this.#forget(signalId, entry), ATTEMPT_KEPT_FOR).unref()\n',
      '',
    ],
    'an attempt is lost with the request for it': ['&& entry.attempt === null) this', ') this'],
  }),
  ...inFile('activities/handover/entry-handover.ts', ['test/activities/attempt.test.ts'], {
    'an order is waited for although no stream tells of it': [
      'if (this.#openStreams(accountId) === 0) return null',
      '',
    ],
    'a report that comes while an order is sent is lost': ['this.#heard.push(report)\n', ''],
  }),
  ...inFile('activities/entry/decide.ts', ['test/activities/attempt.test.ts'], {
    'an attempt that is late lets the order out': [' || now() > sending.until) return', ') return'],
    'an attempt that became late leaves its pass': [
      'await withdrawPass(em.fork(), order.clientOrderId, registration.passes)\n',
      '',
    ],
  }),
  ...inFile('activities/entry/decide.ts', ['test/activities/decide-entry.test.ts'], {
    'an entry beyond a cap breaks the attempt': ['sending !== null && isBeyondCap(error)', 'false'],
  }),
  ...inFile('activities/exit/plan.ts', ['test/activities/plan-exit.test.ts'], {
    'an exit is planned from when it fills, whatever the entry’s end': [
      '{ endedAt: ended, filledAt: entry.filledAt && byBroker(entry.filledAt) }',
      '{ endedAt: entry.filledAt ?? ended, filledAt: entry.filledAt && byBroker(entry.filledAt) }',
    ],
    'one odd answer of a calendar moves an exit': [
      'if (confirmed.submitAt !== again.submitAt)',
      'if (false)',
    ],
    'an exit is planned by the clock of its process': [
      'correctionBy(offset + ahead)',
      'correctionBy(offset)',
    ],
  }),
  ...inFile('activities/session-calendar.ts', ['test/activities/plan-exit.test.ts'], {
    'the calendar of one account serves all': ['`${accountId} ${firstDay(instant)}`', 'firstDay(instant)'],
  }),
  ...inFile('brokers/sessions.ts', ['test/activities/plan-exit.test.ts'], {
    'a calendar is believed whatever it says': ['if (fault !== null)', 'if (fault === "")'],
  }),
  ...inFile('domain/exit-plan.ts', ['test/activities/plan-exit.test.ts', 'test/domain/exit-plan.test.ts'], {
    'an exit whose day falls away leaves at an opening': [
      'const again = isClockAnchored(rule) ? rule',
      'const again = rule.trigger === "immediate" ? rule',
    ],
    'an exit is put off from this moment on': [
      'const endedAt = closeOfSessionAt(plan.submitAt, sessions)',
      'const endedAt = brokerNow',
    ],
    'an exit that leaves its day is moved without an alert': [
      'const staysOpen = day > dayBefore',
      'const staysOpen = false',
    ],
  }),
  ...inFile('activities/order/cancel.ts', ['test/activities/cancel-order.test.ts'], {
    'an order with a fill is cancelled that is to be only without': [
      'if (report && isPositive(report.filledQuantity)) return { report }',
      '',
    ],
    'a cancel tells how the order stood before': [
      'await broker.cancelOrder(brokerOrderId)\n    return { report: await broker.getOrder(brokerOrderId) }',
      'const report = await broker.getOrder(brokerOrderId)\n    await broker.cancelOrder(brokerOrderId)\n    return { report }',
    ],
    'an order of which nothing has filled is not cancelled': [
      'if (report && isPositive(report.filledQuantity)) return { report }',
      'if (report) return { report }',
    ],
  }),
  ...inFile('activities/order/cancel-blocking.ts', ['test/activities/cancel-blocking-orders.test.ts'], {
    'an order that its broker does not show counts as ended': [
      'if (!report) return true',
      'if (!report) return false',
    ],
    'the end of an order that was cancelled for another is not recorded': [
      'await applyOrderReport(em, accountId, report)\n      return',
      'return',
    ],
  }),
]

const REBUILT = [
  ...inFile(
    'api/watch/resume-state.ts',
    ['test/api/watch/resume-state.test.ts', 'test/api/watch/rebuilt-numbers.test.ts'],
    {
      'an entry that is held for a person is checked again': [
        "phase: isHeld && !entry ? 'waiting' : isEntering",
        'phase: isEntering',
      ],
      'an approved signal waits for a person again': [
        "(signal.status === 'queued' && signal.executeMode === 'immediate')",
        "signal.status === 'queued'",
      ],
      'an entry in doubt is followed as if it were at the broker': [
        'isEntering = !entry || isUnplaced(signal.status)',
        'isEntering = !entry',
      ],
      'an entry that is at the broker waits for its person or its time again': [
        'if (beginsAnew && !entry) return null',
        'if (beginsAnew) return null',
      ],
      'the exits of an entry that is taken up are forgotten': ['isEntering && order === entry', 'isEntering'],
      'a cancel that a person asked for is forgotten': ['...(cancelled && {', '...(cancelled === null && {'],
      'a cancel of an order that has ended is asked for again': [
        'marks.askedBy !== null && isWorking(report.status)',
        'marks.askedBy !== null',
      ],
      'an exit does not wait for its next try': ['notBefore: exit.notBefore && due }', 'notBefore: null }'],
      'an exit is tried before the time that it is planned for': [
        'if (due !== null && exit.notBefore === null && !protection)',
        'if (due !== null && false)',
      ],
      'an exit that a person has cancelled is sent': [
        'cancelledBy: progress.cancelledBy ?? exitCancelledBy',
        'cancelledBy: progress.cancelledBy',
      ],
      'a signal begins its ends anew': ['closings: record.closings', 'closings: 0'],
      'the size that a set back ledger holds counts instead of the order': [
        'const sized = isSizedSo ? size :',
        'const sized = size ? size :',
      ],
      'a late fill is not planned for': [
        "if (signal.exitStatus !== 'scheduled' && signal.exitStatus !== 'submitted')",
        'if (signal.exitStatus === null)',
      ],
      'what the lost workflow knew is forgotten': [
        'const known = exitProgress ?? exitBegins()',
        'const known = exitBegins()',
      ],
      'an exit at the broker without a size is followed by nobody': [
        "if (role === 'exit')\n",
        "if (role === 'exit' && exits.has(generation))\n",
      ],
    },
  ),
  ...inFile(
    'domain/exit-progress.ts',
    [
      'test/api/watch/resume-state.test.ts',
      'test/api/watch/rebuilt-exits.test.ts',
      'test/api/watch/rebuilt-numbers.test.ts',
    ],
    {
      'an exit that a person wants cancelled and that expires is given up': [
        "if (status === 'EXPIRED') return { by: 'session' }\n  if (status !== 'CANCELLED')",
        "if (status === 'REJECTED')",
      ],
      'an exit that gave way is taken for one that its broker cancelled': [
        "gaveWayTo === null ? { by: 'broker' }",
        "gaveWayTo !== null ? { by: 'broker' }",
      ],
      'a person who has cancelled an exit that was to give way is passed over': [
        'if (askedBy !== null) return',
        'if (askedBy !== null && gaveWayTo === null) return',
      ],
      'a position that a person has closed is closed again': [
        'coveredQuantity: add(coveredBefore, coversQuantity) })',
        'coveredQuantity: coveredBefore })',
      ],
    },
  ),
  ...inFile('db/watch/unfinished-work.ts', ['test/api/watch/rebuilt-numbers.test.ts'], {
    'a rejected signal that filled is lost for good when lost again': [
      'in ${UNPLACED} or reopened_by is not null\n',
      'in ${UNPLACED}\n',
    ],
    'a manual order that gave way is cancelled on behalf of a person': [
      "'select cancel_asked_by as by from orders",
      "'select coalesce(cancel_asked_by, cancelled_for) as by from orders",
    ],
  }),
  ...inFile('db/signals/terms.ts', ['test/api/watch/rebuilt-terms.test.ts'], {
    'a close may wait for its turn as long as its approval took': [
      '...(signal.decidedAt && { dueAt: signal.decidedAt.toISOString() }),',
      '',
    ],
  }),
  ...inFile('db/orders/gives-way.ts', ['test/db/signals/cancelled-for.test.ts'], {
    'the reason of a cancel outlives its close': [
      "case when orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}",
      "case when true or orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}",
    ],
    'a close that is over is not the reason of the cancel that it asked for': [
      "${closeIsUnderWay('orders')}\n  or least(coalesce(?::timestamptz, now()), now()) < orders.cancelled_for_at + ${CONFIRMED_WITHIN}",
      "${closeIsUnderWay('orders')}\n  or ?::timestamptz is null and false",
    ],
    'a close that has ended counts as under way': ['and c.entry_ended_at is null and', 'and'],
    'a manual order that has ended counts as under way': [
      "c.role = 'manual' and c.status in ${WORKING}))`",
      "c.role = 'manual'))`",
    ],
  }),
  ...inFile(
    'domain/symbol-book.ts',
    ['test/domain/symbol-book.test.ts', 'test/domain/closing.test.ts', 'test/activities/size-exit.test.ts'],
    {
      'freshness is judged by the clock of the worker': [
        'Date.parse(asOf) - Date.parse(instant)',
        'Date.now() - Date.parse(instant) + Date.parse(asOf) * 0',
      ],
      'a fill is fresh for ever': [
        'book.changedAt !== null && ageAt(book, book.changedAt) < milliseconds',
        'book.changedAt !== null',
      ],
      'any order explains a difference': [
        'live.filter((order) => executionSide(order.side) === side)',
        '[...live]',
      ],
    },
  ),
  ...inFile('api/watch/restarts.ts', ['test/api/watch/restarts.test.ts'], {
    'a signal that is not decided begins anew from an older ledger': [
      'if (rebuilt === null || rebuilt.resumeState === null || rebuilt.resumeState.phase',
      'if (rebuilt === null || rebuilt.resumeState?.phase',
    ],
    'a signal that waits for a person begins anew from an older ledger': [
      " || rebuilt.resumeState.phase === 'waiting')\n",
      ')\n',
    ],
    'workflows that go by another ledger run on': [
      'await gateway.restart(rebuilt, RESTART_QUESTION_LIMIT_MS, true)',
      'await gateway.restart(rebuilt, RESTART_QUESTION_LIMIT_MS)',
    ],
    'a manual order is started again without its cancel': [
      'const cancel = report && cancelledBy ?',
      'const cancel = report && !cancelledBy ?',
    ],
    'without Temporal each missing workflow is tried': [
      'if (error instanceof GatewayUnavailable || isDatabaseUnavailable(error)) throw error\n',
      '',
    ],
    'a workflow is looked for before it can be listed': [
      'const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()\n  const expected',
      'const startedBefore = new Date().toISOString()\n  const expected',
    ],
  }),
  ...inFile('api/watch/lost-workflows.ts', ['test/api/watch/watch.test.ts'], {
    'workflows beyond the first slice are never compared': [
      'this.#after = slice.length < this.#slice ? null : slice.at(-1)!.place',
      'this.#after = null',
    ],
    'a slice for which Temporal did not answer is passed over': [
      'const ids = slice.map((each) => workflowOf(each)!)',
      'this.#after = slice.at(-1)?.place ?? null\n    const ids = slice.map((each) => workflowOf(each)!)',
    ],
    'a comparison is over after one slice': [
      'this.#isUnderWay = this.#after !== null',
      'this.#isUnderWay = false',
    ],
    'workflows that were started a moment ago are started again': [
      'new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()',
      'new Date(Date.now() + TEMPORAL_LIST_LAG_MS).toISOString()',
    ],
  }),
]

const TOLD = [
  ...inFile('worker/feed/exit-waker.ts', ['test/worker/feed/exit-waker.test.ts'], {
    'an ended order wakes its own exit': ['.filter((id) => id !== except)', ''],
    'an exit is not woken when shares are free again': [
      'one?.quantity !== other?.quantity ||\n  one?.availableQuantity !== other?.availableQuantity',
      'one?.quantity !== other?.quantity',
    ],
  }),
  ...inFile(
    'worker/feed/order-reconciler.ts',
    ['test/worker/feed/order-reconciler.test.ts', 'test/worker/feed/account-feed.test.ts'],
    {
      'the end of an order that was cancelled for another is not told': [
        "if (applied?.changed || applied?.report.status === 'CANCELLED') await",
        'if (applied?.changed) await',
      ],
      'an attempt keeps the end of an order that was cancelled for another': [
        "recorded.status !== 'CANCELLED' &&",
        '',
      ],
      'an exit is not woken by the end of what blocked it': [
        'if (isTerminal(report.status)) await this.#exits.orderEnded(report)',
        '',
      ],
      'an open order of ours is taken for one that the ledger lacks': [
        'open.delete(order.clientOrderId)\n',
        '',
      ],
      'an alert to an order that its broker knows again stays': [
        "await resolveAlert(this.#em, this.#subject(order), 'order_unknown_at_broker', { clientOrderId })",
        'this.#subject(order)',
      ],
      'a reminder tells what the broker said instead of the ledger': [
        'if (applied && (applied.changed || order.ended)) await',
        'if (applied && applied.changed) await',
      ],
    },
  ),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/exit-waker.test.ts'], {
    'an exit is not woken by an end that a comparison finds': [
      'if (applied?.changed && isTerminal(applied.report.status)) await this.#exits.orderEnded(applied.report)',
      '',
    ],
  }),
  ...inFile('worker/feed/late-fill.ts', ['test/worker/feed/order-reconciler.test.ts'], {
    'a late fill of an exit opens its signal again': [
      'if (isEntry && reopenState && ',
      'if (reopenState && ',
    ],
    'a late fill of a manual order is told to nobody': [
      "if (!isPositive(filledQuantity)) return { what: 'nothing' }",
      "if (isPositive(filledQuantity)) return { what: 'nothing' }",
    ],
  }),
  ...inFile('worker/feed/unplaced-fill.ts', ['test/worker/feed/unplaced-fill.test.ts'], {
    'a rejected entry without a fill leaves a state to open its signal again': [
      ' || !isPositive(report.filledQuantity)) return',
      ') return',
    ],
    'the fill of an exit leaves a state to open a rejected signal again': ['!isEntry || ', ''],
    'a state to open a signal again is kept of one that wants no exit': [
      'if (exit === null && protection === undefined) return null',
      '',
    ],
  }),
  ...inFile('worker/feed/workflow-announcer.ts', ['test/worker/feed/workflow-announcer.test.ts'], {
    'of two who open a signal again one fails': ['if (!isTold) throw error', 'throw error'],
  }),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/order-reconciler.test.ts'], {
    'one look-up that lags alerts the owner': ['return misses >= MISSES_THAT_COUNT', 'return misses > 0'],
    'an order that is known again is asked for rarely': ['this.#missed.delete(clientOrderId)', ''],
  }),
  ...inFile('worker/feed/order-lanes.ts', ['test/worker/feed/order-lanes.test.ts'], {
    'two reports of one order are applied at once': [
      'const before = this.#lanes.get(clientOrderId) ?? Promise.resolve()',
      'const before = Promise.resolve()',
    ],
  }),
  ...inFile('worker/feed/account-feed.ts', ['test/worker/feed/account-feed.test.ts'], {
    'a report that could not be applied waits for the usual comparison': [
      "'an order report could not be applied',\n      )\n      this.#lookSoon()",
      "'an order report could not be applied',\n      )",
    ],
    'a report of an order that is being sent is applied at once': [
      'if (sent === null) take()',
      'if (sent !== undefined) take()',
    ],
  }),
]

const ANSWERS = [
  ...inFile('api/signals/decision-commands.ts', ['test/api/signals/decisions.test.ts'], {
    'a decision that was not taken is answered as if it was': [
      'if (!isConfirmed && !mayBeTaken) throw temporalUnavailable(error)\n',
      '',
    ],
    'a decision that was taken is answered as if it was not': [
      'if (!isConfirmed && !mayBeTaken) throw temporalUnavailable(error)',
      'throw temporalUnavailable(error)',
    ],
    'a live entry is approved without a proof': ['await permitApproval(caller, signal)\n', ''],
    'the second of two edits is answered as if it counted': [
      'if (isOther && !isSentBefore)',
      'if (isOther && isSentBefore)',
    ],
    'a decision on a signal that has ended asks its workflow': [
      'if (!isOpen(signal)) throw new ApiError(beyond, { message: describeState(signal) })\n',
      '',
    ],
    'an approval may be acted upon beyond the expiry': [
      'validUntil == null ? stale : Math.min(stale, validUntil.getTime())',
      'stale',
    ],
    'a withdrawal counts where a signal ended otherwise': [
      "statusReason === 'WITHDRAWN'",
      "statusReason !== 'WITHDRAWN'",
    ],
  }),
  ...inFile('api/signals/replace.ts', ['test/api/signals/replace-signal.test.ts'], {
    'a replacement that could not be asked for is answered as undecided': [
      'if (!(error instanceof AnswerOverdue)) throw temporalUnavailable(error)\n',
      '',
    ],
    'a replacement that is on record is answered as undecided': [
      'if (await look(id)) return stored(existing, replacement, null)\n',
      '',
    ],
    'a signal with a fill is replaced once its workflow is over': [
      'if (rejection !== null) throw rejection\n',
      '',
    ],
    'a signal that has failed is replaced': [
      'if (!now || isFailed(now.status)) return null',
      'if (!now) return null',
    ],
    'a replacement is answered as stored though it is not': [
      'return isStored ? stored(now, replacement, null) : null',
      'return stored(now, replacement, null)',
    ],
    'nobody hears that the old order still works': [
      'return stored(existing, replacement, warning)',
      'return stored(existing, replacement, null)',
    ],
  }),
  ...inFile('api/signals/commands.ts', ['test/api/signals/create-signal.test.ts'], {
    'a signal is answered as it was stored': [
      '{ ...fresh, status, orderId, statusReason: reason, statusDetail: detail, advisories: known }',
      '{ ...fresh, advisories: known }',
    ],
    'an order is told of that the entry does not have': [
      'status, orderId, statusReason: reason,',
      'status, statusReason: reason,',
    ],
  }),
  ...inFile(
    'api/signals/acceptance.ts',
    ['test/api/signals/create-signal.test.ts', 'test/api/signals/replace-signal.test.ts'],
    {
      'a repeated request is refused by a rule of today': ['if (earlier) return earlier\n', ''],
      'a repeated request takes the place of its signal': [
        'if (existing && !request.replaceExisting) return asExisting(caller, existing, request)\n',
        '',
      ],
      'a paused strategy opens positions': [
        "if (strategy.status === 'paused' && surelyOpens(request)) return new ApiError('STRATEGY_PAUSED')\n",
        '',
      ],
    },
  ),
  ...inFile('api/temporal/entry-here.ts', ['test/api/temporal/entry-here.test.ts'], {
    'a signal is begun here with no time left': ['milliseconds < LEAST_TIME || ', ''],
    'a workflow that began elsewhere is waited for': ['if (!eagerlyStarted) return null\n', ''],
    'a broken connection is tried with every signal': ['|| begun < avoidedUntil', ''],
    'a request waits for its entry beyond its time': [
      'Math.min(HAND_OVER_WITHIN, end - performance.now())',
      'HAND_OVER_WITHIN',
    ],
    'nobody is told that a request waits no more': ['awaited.over()\n', ''],
  }),
]

/** Mistakes where orders leave, where their ends are told, and in what people are answered. */
export const EDGES: readonly Mutant[] = [...ATTEMPTS, ...REBUILT, ...TOLD, ...ANSWERS]
