import { inFile, type Mutant } from './mutant.ts'
import { WORKFLOWS } from './workflows.ts'
import { GATE } from './gate.ts'
import { LEDGER } from './ledger.ts'
import { EDGES } from './edges.ts'

const EXIT_SIZE = inFile('activities/exit/size.ts', ['test/activities/size-exit.test.ts'], {
  'each try of an exit is sized anew': ['if (before !== null) return sizeIn(before, input)', ''],
  'an exit sells the shares of others': [
    "smaller(isMine ? book.shares.of(signalId) : '0', filledQuantity)",
    'smaller(book.shares.quantity, filledQuantity)',
  ],
  'an exit sells more than its entry has filled': [
    "const own = smaller(isMine ? book.shares.of(signalId) : '0', filledQuantity)",
    "const own = isMine ? book.shares.of(signalId) : '0'",
  ],
  'an exit sells shares of the other side': [
    "isMine ? book.shares.of(signalId) : '0'",
    'book.shares.of(signalId)',
  ],
  'an exit sells more than is held': [
    "const closable = smaller(own, holds ? position.quantity : '0')",
    'const closable = own',
  ],
  'an exit does not wait for a position that lags': [
    'if (isFresh(book, POSITION_LAG_MS)) throw outcomeUnknown(detail)\n  const sellers',
    'const sellers',
  ],
  'an exit beside one that was just sent is taken for blocked': [
    'compare(sold, missing) >= 0',
    'compare(sold, missing) > 0',
  ],
  'one wrong answer of the broker sizes an exit': [
    '(isFresh(book, POSITION_LAG_MS) || failures === 0 || !holds)',
    '(isFresh(book, POSITION_LAG_MS) || !holds)',
  ],
  'an order that can have traded nothing keeps an exit out': [
    'explaining(book, position).length > 0',
    'book.live.length > 0',
  ],
  'an exit does not wait for the order that explains a difference': [
    '(failures === 0 || explaining(book, position).length > 0)',
    'failures === 0',
  ],
  'an exit gives up shares that an unrecorded order of ours may have sold as a foreign one': [
    'if (isTakenByOthers && seller) {',
    'if (isTakenByOthers && !seller) {',
  ],
  'an exit is sent into a closed exchange': [
    'if (notBefore !== null) return { quantity: null, coversQuantity: null, notBefore }',
    '',
  ],
  'an exit sells what a resting close is to take': [
    'const stands = first !== undefined && standsStill(first, book)',
    'const stands = first === undefined && standsStill(first, book)',
  ],
  'an exit does not wait for the close that it gave way to': [
    'if (closers.size > 0) throw outcomeUnknown(',
    'if (closers.size > 99) throw outcomeUnknown(',
  ],
  'an exit has orders cancelled that take the shares of others': [
    '(order) => order.signalId !== signalId && order.takes.some(({ owner }) => owner === signalId),',
    '(order) => order.signalId !== signalId,',
  ],
  'an exit does not wait for an order that closes its shares at once': [
    'if (underWay) throw outcomeUnknown(',
    'if (underWay && !underWay) throw outcomeUnknown(',
  ],
  'an exit is for shares that foreign orders hold': [
    'const open = smaller(closable, availableQuantity)',
    'const open = closable',
  ],
  'an exit has the exits of other signals cancelled': [
    "order.signalId !== signalId && order.role !== 'exit'",
    'order.signalId !== signalId',
  ],
  'an exit does not wait for an opposite order that is about to end': [
    "if (action.what === 'wait')",
    "if (action.what === 'wait' && !action)",
  ],
  'an exit answers for shares that it does not close': [
    'const coversQuantity = subtract(filledQuantity, subtract(own, closedBy(quantity, closable, own)))',
    'const coversQuantity = filledQuantity',
  ],
  'an exit for a part of the shares is taken for one of all': ['...(isPositive(leaves) && { leaves }),', ''],
  'an exit sells its own when nothing explains the rest': [
    'if (isPositive(beyond) && !isFresh(book, POSITION_LAG_MS)) return',
    'if (!book) return',
  ],
  'an exit sells what its owner chose for another position': [
    'if (isPositive(beyond) && compare(position.quantity, shown) !== 0)',
    'if (!book)',
  ],
  'the size of an exit is not kept': [
    'return { sized: sizeIn(await keep(signalId, keyOf(input), kept, found.books), input) }',
    'return found',
  ],
})

const OPPOSITE = inFile('domain/opposite-orders.ts', ['test/activities/size-exit.test.ts'], {
  'orders that are about to end are cancelled': ["if (passing) return { what: 'wait', order: passing }", ''],
  'a limit that equals the opposite one does not meet it': [
    'compare(limitPrice, order.limitPrice) * (sells ? 1 : -1) >= 0',
    'compare(limitPrice, order.limitPrice) * (sells ? 1 : -1) > 0',
  ],
  'an exit goes round the farthest opposite order': [
    'compare(a!, b!) * (sells ? 1 : -1) >= 0 ? a : b',
    'compare(a!, b!) * (sells ? 1 : -1) < 0 ? a : b',
  ],
  'an exit goes round an order by a limit that does not trade': [
    'const tradesAtOnce = compare(lastPrice, limitPrice) * (sells ? 1 : -1) > 0',
    'const tradesAtOnce = true',
  ],
  'an exit of the closing auction goes round an order by a limit': ["order.timeInForce !== 'day' ||", ''],
  'the limit of an exit meets the opposite order': [
    'sells ? add(nearest, tickAt(nearest))',
    'sells ? nearest',
  ],
})

const OWNERSHIP = [
  ...inFile('domain/ownership.ts', ['test/domain/ownership.test.ts'], {
    'an exit takes the oldest shares': ['return [{ owner: origin.signalId, quantity }]', 'return []'],
    'a close takes the shares of nobody first': [
      "origin.role === 'close' || origin.role === 'entry' ? 'signal' : 'person'",
      "origin.role === 'entry' ? 'signal' : 'person'",
    ],
    'whoever closes takes the other shares first': [
      "(owner === null) === (closer === 'signal')",
      "(owner === null) !== (closer === 'signal')",
    ],
    'the second part of a close begins anew': ['return after(origin.takes, before)', 'return origin.takes'],
    'shares that are bought by hand belong to the next exit': [
      "origin.role === 'entry' ? origin.signalId : null",
      "'signalId' in origin ? origin.signalId : 'nobody'",
    ],
    'a position that is closed keeps its side': ['if (this.#lots.length === 0) this.#side = null', ''],
    'shares that are set apart are given again': [
      'for (const { owner, quantity } of claims) takeOf(owner, rest.#lots, quantity)',
      '',
    ],
    'shares of any owner are taken off': ['lots.filter((lot) => lot.owner === owner),', 'lots,'],
    'what goes through zero is lost': [
      'if (!isPositive(left)) return\n    this.#side',
      'if (this.#side === null) return\n    this.#side',
    ],
  }),
  ...inFile('domain/symbol-book.ts', ['test/domain/symbol-book.test.ts'], {
    'a position of the other side is taken for the one that is missing': [
      'position.side === shares.side ? position.quantity : negate(position.quantity)',
      'position.quantity',
    ],
    'the oldest orders have to make way': ['candidates.toReversed()', 'candidates'],
    'all orders have to make way': ['if (!isPositive(left)) break\n    chosen', 'chosen'],
    'an order for the closing auction is taken for one that fills at once': ["timeInForce === 'cls' ||", ''],
    'an order that the broker may not have is cancelled': ['order.brokerOrderId !== null &&\n', ''],
    'a market order that waits for the open never gives way': [
      '(rests(order) || (order.knownAt !== null && ageAt(book, order.knownAt) >= FILLS_AT_ONCE_WITHIN_MS))',
      'rests(order)',
    ],
    'orders that the broker has accepted since it was asked are not counted': [
      'knownAt === null || knownAt >= asOf',
      'knownAt === null',
    ],
    'orders of the other side explain a position that differs': [
      "isPositive(difference) ? 'BUY' : 'SELL'",
      "isPositive(difference) ? 'SELL' : 'BUY'",
    ],
    'entries take from a position': ['live.filter(({ side }) => isReducing(side))', '[...live]'],
  }),
]

const SHARED_POSITION = [
  ...inFile(
    'domain/closing.ts',
    [
      'test/domain/closing.test.ts',
      'test/activities/shared-position.test.ts',
      'test/activities/prepare-manual-order.test.ts',
    ],
    {
      'a close takes shares that only a late position shows': [
        'compare(missing, toCome) > 0 && isFresh(book, MAX_POSITION_LAG_MS)',
        'compare(missing, toCome) > 0 && !book',
      ],
      'a close does not wait for a position that lags': [
        'if (isFresh(book, MAX_POSITION_LAG_MS))\n    return {',
        'if (!book)\n    return {',
      ],
      'a close believes that a position is gone which is not shown': [
        'if (isEnough || isWhatThereIs) return null',
        'if (isEnough || isWhatThereIs || !isPositive(held)) return null',
      ],
      'a close waits for ever for a part that is not shown': [
        'if (isEnough || isWhatThereIs) return null',
        'if (isEnough) return null',
      ],
      'a close is for shares that another is about to take': [
        'const free = subtract(position!.availableQuantity, unseenBy(book.live, asOf))',
        'const free = position!.availableQuantity',
      ],
      'a close has nothing cancelled': ['if (movable.length > 0) return', 'if (movable.length > 99) return'],
      'a close leaves an entry on the other side alone': [
        "if (opposite.what === 'cancel') return { blockingOrders: opposite.orders }",
        '',
      ],
      'a close is for shares that foreign orders hold': [
        'const decision = judge(smaller(free, most), position)',
        'const decision = judge(most, position)',
      ],
      'no shares are set apart for a close': ['{ ...decision, takes }', 'decision'],
      'shares are set apart for two closes': ['.without(claimsOf(live)).allot(', '.allot('],
      'a close does not wait for an entry that is not recorded': [
        'ageAt(book, dueSince) >= RECORD_PATIENCE',
        'true',
      ],
      'shares of an entry that is not recorded are not set apart': [
        'allot([...named, ...left, ...others])',
        'recorded',
      ],
      'what an entry has bought is taken for nobody’s until it is recorded': [
        'book.unattributed.includes(opens)',
        '!book',
      ],
      'a close does not look for foreign orders': [
        "if (ours.length === 0 && holders === null) return { asks: 'holders' }",
        '',
      ],
    },
  ),
  ...inFile(
    'activities/order/cancel-blocking.ts',
    ['test/activities/cancel-blocking-orders.test.ts', 'test/activities/shared-position.test.ts'],
    {
      'an order counts as ended once its cancel is accepted': [
        'return !isTerminal(report.status)',
        'return false',
      ],
      'nobody knows for whom an order was cancelled': [
        'await recordCancelledFor(em, order, closer, new Date(now()).toISOString())',
        '',
      ],
    },
  ),
  ...inFile('db/orders/symbol-book.ts', ['test/activities/shared-position.test.ts'], {
    'fills of a position that was never closed do not count': ["'-infinity'", "'infinity'"],
    'fills that the broker does not list yet do not count': [
      'and o.filled_quantity > listed.quantity)',
      'and false)',
    ],
    'an execution that is listed before its report is to take its shares once more': [
      'greatest(o.filled_quantity, coalesce(sum(f.quantity), 0)) as filled',
      'o.filled_quantity as filled',
    ],
  }),
  ...inFile('db/orders/share-origin.ts', ['test/activities/shared-position.test.ts'], {
    'an order that a person placed is taken for one from elsewhere': [
      "return { role: 'person', takes: takes ?? [] }",
      "return { role: 'stranger' }",
    ],
    'a close is taken for an entry': [
      "return { role: 'close', takes: takes ?? [] }",
      'return { role, signalId }',
    ],
  }),
  ...inFile('domain/round-trips.ts', ['test/domain/round-trips.test.ts'], {
    'trades forget whose the shares are': [
      'owner: lot.opening.owner, quantity: lot.fill.left',
      'owner: null, quantity: lot.fill.left',
    ],
  }),
  ...inFile(
    'activities/entry/decide.ts',
    ['test/activities/shared-position.test.ts', 'test/activities/prepare-entry.test.ts'],
    {
      'an opening whose turn never came is sent': [
        'if (behind.length > 0 && isOpening(terms.action))',
        'if (behind.length > 99 && isOpening(terms.action))',
      ],
    },
  ),
  ...inFile('activities/entry/decide.ts', ['test/activities/decide-entry.test.ts'], {
    'entries are held to a limit of the position all at once': [
      '[symbolLockQuery(accountId, symbol), entryFactsQuery(signalId)] as const\n  return inTwoMessages(em, asked, async ([, facts], transaction)',
      '[entryFactsQuery(signalId)] as const\n  return inTwoMessages(em, asked, async ([facts], transaction)',
    ],
    'an entry is let out at a limit that has no room for it any more': [
      "if (decision.outcome !== 'ready') return { refused: decision }",
      'if (!decision) return decision',
    ],
  }),
  ...inFile('activities/entry/decide.ts', ['test/activities/held-entry.test.ts'], {
    'an attempt that was given up decides by what a person has changed since': [
      'if (facts === null || (facts.approval?.at ?? null) !== at)',
      'if (facts === null)',
    ],
  }),
  ...inFile('activities/entry/turn.ts', ['test/activities/prepare-entry.test.ts'], {
    'a signal does not wait for its turn': [
      'if (behind.length === 0 || (sequencingUntil',
      'if (behind.length < 99 || (sequencingUntil',
    ],
  }),
  ...inFile('activities/entry/take-up.ts', ['test/activities/sent-before.test.ts'], {
    'an order of another size is not taken for the one that was sent': [
      "if (result.outcome !== 'accepted') return result",
      'return result',
    ],
  }),
  ...inFile('activities/manual-order/decide.ts', ['test/activities/sent-manual-order.test.ts'], {
    'a manual order that exists is judged anew': [
      'if (sent !== null) return takeUpManualOrder',
      'if (!terms) return takeUpManualOrder',
    ],
  }),
  ...inFile('db/orders/manual-order-ledger.ts', ['test/activities/sent-manual-order.test.ts'], {
    'a manual order keeps the size that was asked for': [
      'quantity = case when is_undecided then ?::numeric else quantity end',
      'quantity = case when is_undecided and false then ?::numeric else quantity end',
    ],
  }),
  ...inFile('db/signals/ledger-statement.ts', ['test/activities/sent-before.test.ts'], {
    'a signal whose order is out is stopped': ["stops === 'entry' ?", 'false ?'],
  }),
  ...inFile('db/signals/unplaced.ts', ['test/worker/feed/late-fill.test.ts'], {
    'a signal that was denied stays closed though its order filled': [
      "in ('ready', 'denied')",
      "in ('ready')",
    ],
  }),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/account-feed.test.ts'], {
    'a fill that the attempt has not recorded is taken for recorded': [
      'mergeReport(recorded, report, recorded.quantity) === null',
      'recorded !== report',
    ],
  }),
  ...inFile(
    'activities/manual-order/decide.ts',
    ['test/activities/prepare-manual-order.test.ts', 'test/activities/shared-position.test.ts'],
    {
      'a manual order that is too old is sent': ['if (before !== null && asOf > before)', 'if (!terms)'],
      'a sale that is sent twice opens a short position': [
        'if (denied !== null) return await refuse(denied)',
        '',
      ],
      'a position that lags decides whether an order opens': [
        'if (awaited !== null) throw outcomeUnknown(awaited)',
        '',
      ],
      'orders by hand are held to a limit of the position all at once': [
        'await lockAccountSymbol(inner, accountId, symbol)',
        '',
      ],
    },
  ),
]

const RULES = [
  ...inFile('domain/sizing.ts', ['test/domain/sizing.test.ts'], {
    'a close of more than is held turns the position round': [
      'quantity: smaller(wanted.quantity, facts.closableQuantity)',
      'quantity: wanted.quantity',
    ],
    'a close is sent while nothing is held': ['if (!isPositive(facts.closableQuantity))', 'if (!facts)'],
    'an amount is sent that the buying power does not pay for': [
      'if (compare(quantity, most) <= 0) return asAsked',
      'if (compare(quantity, most) !== null) return asAsked',
    ],
    'a buyer is sized at the last price': [
      'return stopPrice === null || buyAt === null ? (stopPrice ?? buyAt) : larger(stopPrice, buyAt)',
      'return stopPrice ?? lastPrice',
    ],
    'parts of a share are ordered where only whole ones trade': [
      'divideDown(amount, price, whole === null ? FRACTION_PLACES : 0)',
      'divideDown(amount, price, FRACTION_PLACES)',
    ],
  }),
  ...inFile('domain/risk.ts', ['test/domain/risk.test.ts'], {
    'working orders do not count towards a limit of the position': [
      'add(add(heldQuantity, workingQuantity), order.quantity)',
      'add(heldQuantity, order.quantity)',
    ],
    'a limit denies what equals it': [
      'return compare(amount, limit) > 0 ? denied(message) : passed(message)',
      'return compare(amount, limit) >= 0 ? denied(message) : passed(message)',
    ],
    'a limit of orders lets one more pass': [
      'return count >= limit ? denied(message) : passed(message)',
      'return count > limit ? denied(message) : passed(message)',
    ],
    'limits keep closing orders back': [
      "closing === 'exempt' && isReducing(order.side)",
      "closing === 'exempt' && !order",
    ],
    'a daily loss is reached a cent too late': [
      'compare(loss, maxDailyLoss) >= 0',
      'compare(loss, maxDailyLoss) > 0',
    ],
  }),
  ...inFile('domain/sequence.ts', ['test/domain/sequence.test.ts'], {
    'a reversal does not wait for the close': ["return same ? 'sent' : 'ended'", 'return null'],
    'a close does not wait for the end of an open': [
      "return endsAtOnce(earlier) ? 'ended' : 'sent'",
      "return 'sent'",
    ],
  }),
  ...inFile('db/orders/sequencing.ts', ['test/db/orders/sequencing.test.ts'], {
    'a signal begins to wait for a change that has happened': [
      'select status <> ? or entry_ended_at is not null and not ${IS_CROSSING} as has_changed',
      'select status <> ? and false as has_changed',
    ],
    'a signal begins to wait beside a change that is being committed': [
      'from signals where id = ? for share)',
      'from signals where id = ?)',
    ],
  }),
]

const REPORTS = [
  ...inFile('domain/order.ts', ['test/domain/order.test.ts'], {
    'a fill after the end is lost': ['if (!moreFilled && !further) return null', 'if (!further) return null'],
    'an older report takes fills back': [
      'const filled = moreFilled ? report : known',
      'const filled = report',
    ],
    'an order that has filled whole works on': [
      'const complete = compare(filled.filledQuantity, quantity) >= 0',
      'const complete = compare(filled.filledQuantity, quantity) > 0',
    ],
    'an older report wakes an ended order': [
      'further || (moreFilled && report.status === known.status) ? report : known',
      'moreFilled ? report : known',
    ],
  }),
  ...inFile('db/orders/gives-way.ts', ['test/db/signals/cancelled-for.test.ts'], {
    'a cancel that a close once asked for is for that close for ever': [
      'then orders.cancelled_for end`',
      'then orders.cancelled_for else orders.cancelled_for end`',
    ],
    'a cancel that is confirmed after its close has ended is that of somebody else': [
      'or least(coalesce(?::timestamptz, now()), now()) < orders.cancelled_for_at + ${CONFIRMED_WITHIN}',
      'or ?::timestamptz < orders.cancelled_for_at',
    ],
    'a broker that is ahead turns the cancel of a close into that of somebody else': [
      'least(coalesce(?::timestamptz, now()), now())',
      'coalesce(?::timestamptz, now())',
    ],
    'the reason of a cancel is decided anew by a later report': ['orders.status not in ${WORKING} or ', ''],
  }),
  ...inFile('db/risk/facts.ts', ['test/db/risk/facts.test.ts'], {
    'a fill that a slow sync does not show is not counted': [
      " - ${SYNC_LAG} - ${BROKER_BEHIND}, '-infinity')",
      ", '-infinity')",
    ],
    'a fill that became known right before a sync is not counted': [
      "and o.updated_at > coalesce(account.last_synced_at - ${SYNC_LAG}, '-infinity')",
      "and o.updated_at > coalesce(account.last_synced_at, '-infinity')",
    ],
  }),
  ...inFile('worker/feed/account-sync.ts', ['test/db/risk/facts.test.ts'], {
    'a sync is of the instant of its writing': [', askedAt)', ')'],
  }),
  ...inFile('db/signals/exit-alerts.ts', ['test/db/risk/alerts.test.ts'], {
    'an exit for a part of the shares ends the alert': [
      'const isWhole = `not ${isPart(',
      'const isWhole = `true or ${isPart(',
    ],
    'an exit of a late fill ends the alert of shares that were given up': [
      '`${isWhole} and ${NONE_GIVEN_UP}`',
      'isWhole',
    ],
    'an exit that is planned ends any alert': ["alerts.data ->> 'trouble' = 'unplanned'", 'true'],
    'an end with open shares ends the alert of a late fill': [
      'unprotected === null',
      'unprotected !== undefined',
    ],
  }),
  ...inFile('worker/feed/order-reconciler.ts', ['test/worker/feed/order-reconciler.test.ts'], {
    'another order of the signal ends the alert of the one that the broker does not know': [
      "'order_unknown_at_broker', { clientOrderId })",
      "'order_unknown_at_broker')",
    ],
  }),
  ...inFile('db/orders/reports.ts', ['test/db/orders/reports.test.ts'], {
    'a fill after the end is no news': ["${moreFilled ? 'end_acknowledged_at = null,' : ''}", ''],
    'two reports at once overwrite each other': [
      'where id = ? and revision = ?`',
      'where id = ? and revision >= ?::integer - 1000`',
    ],
    'the fill of an exit is shown as the entry’s': [" and merged.role = 'entry' returning", ' returning'],
    'an order that the ledger lacks is passed over': [
      'where id = ? and account_id = ? and symbol = ?',
      'where id = ? and account_id = ? and false and symbol = ?',
    ],
  }),
  ...inFile('db/signals/ledger-statement.ts', ['test/db/risk/alerts.test.ts'], {
    'an end that is written once more ends the alerts of a late fill': ['${isFirst}', ''],
  }),
  ...inFile('db/signals/ledger-statement.ts', ['test/db/signals/ledger.test.ts'], {
    'a fill within the acceptance is lost': [
      'case when ${isFurther} then',
      'case when ${isFurther} and false then',
    ],
  }),
  ...inFile('db/signals/ledger-write.ts', ['test/db/signals/ledger.test.ts'], {
    'a fill within the acceptance of an order that the feed recorded first is lost': [
      'if (!report || (isPlaced && !report.links)) return written',
      'if (report || isPlaced) return written',
    ],
    'a step that cannot follow is passed over': ['if (error) throw error\n', ''],
    'a doubt that comes late throws': ['if (!row || !later.includes(row.status)) throw error', 'throw error'],
  }),
  ...inFile('db/orders/decisions.ts', ['test/activities/prepare-entry.test.ts'], {
    'the last decision counts': ['set decisions = given || decisions', 'set decisions = decisions || given'],
    'a stopped signal is sent': [
      'if (isStopped(kept)) throw new SignalAlreadyStopped(id)',
      'if (isStopped(kept) && !id) throw new SignalAlreadyStopped(id)',
    ],
  }),
  ...inFile('activities/entry/decide.ts', ['test/activities/attempt.test.ts'], {
    'an entry that its broker has rejected is sent again': [
      "if (facts.end !== null) return { prepared: { outcome: 'ended', ...facts.end } }",
      '',
    ],
  }),
]

const RECONCILIATION = [
  ...inFile(
    'worker/feed/order-reconciler.ts',
    ['test/worker/feed/order-reconciler.test.ts', 'test/worker/feed/late-fill.test.ts'],
    {
      'an end that is dealt with is told again': [
        'if (acknowledged || !isTerminal(report.status)) return',
        'if (!isTerminal(report.status)) return',
      ],
      'a signal whose workflow is missing is taken for one that has ended': [
        'if (await isUnfinished(this.#em, order)) {',
        'if (!order) {',
      ],
      'a workflow is not reminded of an end': [
        'if (order.ended && !this.#unknown.isToBeAsked(order.clientOrderId, now)) {\n          await this.#remind(order)',
        'if (order.ended && !this.#unknown.isToBeAsked(order.clientOrderId, now)) {',
      ],
      'orders that are not on the list are not asked for': [
        'open.get(order.clientOrderId) ?? (await this.#lookUp(order))',
        'open.get(order.clientOrderId)',
      ],
      'nobody hears of an order that the broker does not know': [
        'await raiseAlert(this.#em, this.#subject(order), unknownAtBroker(order))',
        '',
      ],
      'open orders that the ledger lacks are not taken up': [
        'return news + (await this.#adopt([...open.values()]))',
        'return news',
      ],
      'one order that makes trouble keeps the others waiting': [
        "this.#log.error({ err: error, ...namesOf(order) }, 'an order could not be compared; trying again')",
        'throw error',
      ],
      'refused keys are taken for trouble of one order': [
        'if (error instanceof BrokerBusy || error instanceof BrokerCredentialsError) throw error',
        '',
      ],
      'a look back does not ask for orders beyond the list': [
        "if ((await this.ask(id)) === 'news') news += 1",
        'void id',
      ],
      'a signal that was filled after its end is not opened again': [
        "if (late.what === 'reopen') await this.#announcer.reopen(late.reopenState.terms, report)\n    else await",
        'await',
      ],
    },
  ),
  ...inFile('worker/feed/late-fill.ts', ['test/worker/feed/order-reconciler.test.ts'], {
    'what is known of a fill is news': [
      "if (compare(filledQuantity, counted) <= 0) return { what: 'nothing' }",
      "if (compare(filledQuantity, counted) < 0) return { what: 'nothing' }",
    ],
    'a late fill opens a signal again that wants no exit': [
      '(terms.exit !== null || terms.protection !== undefined) &&',
      '(terms !== null || terms.protection !== undefined) &&',
    ],
    'a late fill brings an exit back that a person cancelled': [
      ' && resumeState.exit.cancelledBy === null',
      '',
    ],
  }),
  ...inFile(
    'worker/feed/fill-importer.ts',
    ['test/worker/feed/fill-importer.test.ts', 'test/worker/feed/late-fill.test.ts'],
    {
      'orders beyond the ledger are not looked up': ['await this.#followUp(now)', ''],
      'fills that are listed late are never looked for': [
        'if (now >= this.#backfillAt) await this.#backfill(now)',
        '',
      ],
    },
  ),
  ...inFile('brokers/fill-listings.ts', ['test/worker/feed/fill-importer.test.ts'], {
    'only the first page of fills is read': [
      'if (!hasMore || until === null || Date.parse(until) <= Date.parse(after)) return',
      'return',
    ],
  }),
]

const LIFE = ['test/workflows/signal/any-life.test.ts']
const EXITS = [
  ...inFile('workflows/signal/exit.ts', LIFE, {
    'an exit that a person cancelled is sent': [
      'if (exit.cancelledBy !== null) return\n    run.phase',
      'run.phase',
    ],
  }),
  ...inFile('domain/exit-progress.ts', LIFE, {
    'an exit that ended early is not followed by another': [
      "afterEarlyEnd(exit, status) === 'again'",
      "afterEarlyEnd(exit, status) === 'uncovered'",
    ],
    'an exit that gave way is not sent again': ["cause.by === 'another_order')", "cause.by === 'session')"],
    'shares that an exit has closed are closed again': [
      'if (!isPositive(rest)) return { ...after, coveredQuantity: coversUpTo }',
      'if (!isPositive(rest)) return after',
    ],
    'what an exit has closed is forgotten': ['ended: [...progress.ended, clientOrderId],', ''],
    'two exit orders share an id': [
      'generation: progress.generation + 1,',
      'generation: progress.generation,',
    ],
  }),
  ...inFile('api/watch/resume-state.ts', ['test/api/watch/resume-state.test.ts'], {
    'an exit that a lost workflow has sized is counted from what is covered now': [
      'coveredBefore, ...sized },',
      '...sized, coveredBefore },',
    ],
    'a lost exit waits on though it was sized since': [
      'progress = { ...progress, generation, notBefore: null }',
      'progress = { ...progress, generation }',
    ],
    'an exit that was rebuilt is counted twice': [
      'if (generation < progress.generation) {',
      'if (generation < 0) {',
    ],
  }),
  ...inFile('api/watch/resume-state.ts', ['test/api/watch/rebuilt-exits.test.ts'], {
    'an exit that ended before the one that works is not counted': [
      'if (end && isTerminal(end.report.status)) {\n',
      'if (end && !end) {\n',
    ],
  }),
  ...inFile('workflows/signal/exit-retry.ts', ['test/workflows/signal/rebuilt-exit.test.ts'], {
    'a failed exit is stored as if it had not failed': ['progress: failed }', 'progress: run.exit }'],
  }),
  ...inFile('domain/exit-progress.ts', ['test/workflows/signal/exit-ladder.test.ts'], {
    'an exit that has filled in part goes on with the pauses of before': [
      '...(isPositive(order.filledQuantity) && { failures: 0 }),',
      '',
    ],
  }),
  ...inFile('domain/exit-progress.ts', ['test/workflows/signal/run.test.ts'], {
    'a reopened signal follows an exit that has ended': ['workingOrder: null,\n  failures', 'failures'],
  }),
  ...inFile('workflows/signal/exit-order.ts', LIFE, {
    'an exit is sized without regard to earlier ones': [
      'filledQuantity = subtract(run.entry.filledQuantity, run.exit.coveredQuantity)',
      'filledQuantity = run.entry.filledQuantity',
    ],
  }),
  ...inFile('workflows/signal/exit-plan.ts', [...LIFE, 'test/workflows/signal/exit-calendar.test.ts'], {
    'an exit does not wait for its time': ['(!isCutShort && millisecondsUntil(submitAt) === 0)', 'true'],
    'an exit that cannot be planned again is late for it': [
      'return tried.completed ? tried.result : null',
      'return tried.completed ? tried.result : stepOrAlarm(run, "held", ...step, input)',
    ],
  }),
  ...inFile('workflows/signal/follow-entry.ts', LIFE, {
    'an entry that filled in part gets no exit': [
      'run.exitCancelledBy === null && isPositive(entry.filledQuantity)) {',
      "run.exitCancelledBy === null && entry.status === 'FILLED') {",
    ],
  }),
  ...inFile('domain/entry-order.ts', ['test/domain/entry-order.test.ts'], {
    'an entry may be sent at any time': [
      'sendBefore: sized.sendBefore ?? entryToSendBefore(terms, sized)',
      'sendBefore: null',
    ],
  }),
  ...inFile('workflows/signal/withdraw.ts', LIFE, {
    'a signal is stopped after its order was decided': [
      "if ((await record(run, stop, detail)) === 'too_late') {",
      "if ((await record(run, stop, detail)) === 'too_late' && !run) {",
    ],
  }),
  ...inFile('workflows/order/submit.ts', LIFE, {
    'the second try does not know of the first': [
      '{ ...input, unknownSince: input.unknownSince ?? at }',
      'input',
    ],
  }),
  ...inFile('workflows/order/leg.ts', ['test/workflows/signal/entry.test.ts'], {
    'an attempt that was lost may be sent again as if for the first time': [
      'if (attempted?.completed === false) {',
      'if (attempted?.completed === false && !run) {',
    ],
  }),
  ...inFile('db/signals/ledger.ts', ['test/activities/attempt.test.ts'], {
    'an end counts as recorded though the feed had recorded the order first': [
      'isClosed: isPlaced',
      'isClosed: true || isPlaced',
    ],
    'the feed tells of an end that the attempt has recorded': ['acknowledgesReport: true,', ''],
  }),
  ...inFile('activities/order/filled-at-once.ts', ['test/activities/attempt.test.ts'], {
    'a signal ends with its entry although an exit follows': ['    terms.exit !== null ||\n', ''],
    'a signal ends with an entry that has ended unfilled': [
      ' ||\n    !isPositive(report.filledQuantity)',
      '',
    ],
  }),
  ...inFile('api/temporal/entry-here.ts', ['test/api/temporal/entry-here.test.ts'], {
    'a late start turns all others away': [' && lastAnswered > begun', ' && lastAnswered > Infinity'],
  }),
  ...inFile('activities/attempt.ts', ['test/activities/attempt.test.ts'], {
    'the time of an attempt counts from its submission': [
      'submitOrder(input, beganAt, letOut)',
      'submitOrder(input, now(), letOut)',
    ],
    'an attempt whose acceptance is not recorded does not tell of it': [
      'const orderId = recorded.completed ? recorded.result.orderId : null',
      "const orderId = recorded.completed ? recorded.result.orderId : 'none'",
    ],
    'an entry that fills while it is sent is not waited for': [
      'const mayFillMeanwhile = isAwaited || terms.exit === null',
      'const mayFillMeanwhile = isAwaited || terms.exit !== null',
    ],
    'an attempt sends after a check that took long': [' || (letOut === undefined && now() > sendUntil)', ''],
    'an attempt records after an answer that took long': [
      'if (now() - beganAt > RECORD_WITHIN) return { check: checked, submission, orderId: null }',
      '',
    ],
  }),
  ...inFile(
    'activities/handover/entry-handover.ts',
    ['test/activities/attempt.test.ts', 'test/worker/feed/account-feed.test.ts'],
    {
      'a report of another account goes to an attempt': ['`${accountId} ${clientOrderId}`', 'clientOrderId'],
      'an attempt whose time is over keeps the fill': ['if (this.#isOver) return answered', ''],
    },
  ),
]

/** Mistakes that would cost money, by their subject. `test/mutants/run.ts` tests the tests with them. */
export const MUTANTS: readonly Mutant[] = [
  ...GATE,
  ...EXIT_SIZE,
  ...OPPOSITE,
  ...OWNERSHIP,
  ...SHARED_POSITION,
  ...RULES,
  ...REPORTS,
  ...RECONCILIATION,
  ...EXITS,
  ...WORKFLOWS,
  ...LEDGER,
  ...EDGES,
]
