import { inFile, type Mutant } from './mutant.ts'

const SHARED = ['test/activities/shared-position.test.ts']

const SHORTS = [
  ...inFile('db/orders/symbol-book.ts', SHARED, {
    'the close of a short position is taken for one of the other side': [
      "when 'openShort' then 'SELL_SHORT' else 'BUY_TO_COVER' end`",
      "when 'openShort' then 'SELL_SHORT' else 'SELL' end`",
    ],
    'a short sale is taken for one that closes': [
      "when 'openShort' then 'SELL_SHORT' else 'BUY_TO_COVER' end`",
      "when 'openShort' then 'SELL' else 'BUY_TO_COVER' end`",
    ],
    'the exit of a short position is taken for one of the other side': [
      "case s.action when 'openLong' then 'SELL' else 'BUY_TO_COVER' end, sized.quantity",
      "case s.action when 'openLong' then 'SELL' else 'SELL' end, sized.quantity",
    ],
    'a cover is taken for a sale until the broker lists it': [
      "case when o.side in ('BUY', 'BUY_TO_COVER') then 'BUY' else 'SELL' end",
      "case when o.side = 'BUY' then 'BUY' else 'SELL' end",
    ],
  }),
  ...inFile('activities/exit/size.ts', SHARED, {
    'the exit of a short position looks for long shares of its own': [
      "const isMine = book.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')",
      "const isMine = book.shares.side === 'LONG'",
    ],
    'the exit of a short position looks for a long one': [
      "const holds = position?.side === (side === 'SELL' ? 'LONG' : 'SHORT')",
      "const holds = position?.side === 'LONG'",
    ],
  }),
  ...inFile('domain/closing.ts', SHARED, {
    'a close of a short position looks for a long one': [
      "const closes = side === 'SELL' ? 'LONG' : 'SHORT'\n  const held",
      "const closes: 'LONG' | 'SHORT' = side === 'SELL' ? 'LONG' : 'LONG'\n  const held",
    ],
    'an entry that is to open a short position is not waited for by its close': [
      "const opens = closes === 'LONG' ? 'BUY' : 'SELL'",
      "const opens: 'BUY' | 'SELL' = closes === 'LONG' ? 'BUY' : 'BUY'",
    ],
  }),
  ...inFile('domain/order.ts', ['test/domain/order.test.ts', ...SHARED], {
    'a cover is taken for an order that opens': [
      "side === 'SELL' || side === 'BUY_TO_COVER'",
      "side === 'SELL'",
    ],
  }),
  ...inFile('db/orders/manual-order-decisions.ts', SHARED, {
    'a purchase that is sent twice opens a long position': [
      "action === 'openShort' ? 'SELL' : 'BUY_TO_COVER'",
      "action === 'openShort' ? 'SELL' : 'SELL'",
    ],
  }),
]

const MANUAL = [
  ...inFile('db/orders/manual-order-decisions.ts', [...SHARED, 'test/db/orders/manual-orders.test.ts'], {
    'two sales under keys of their own count as one sent twice': [
      'and (h.request_key is null or not coalesce(?::boolean,\n         (select asked.request_key is not null from manual_orders asked where asked.order_id = ?), true))',
      'and (?::boolean is null or ?::uuid is not null)',
    ],
    'a sale with a key is never one sent twice': [
      '(h.request_key is null or not coalesce',
      '(false or not coalesce',
    ],
    'the last decision on a manual order counts': [
      'set decision = coalesce(decision, ?::jsonb)',
      'set decision = coalesce(?::jsonb, decision)',
    ],
    'a manual order keeps the side and size that were asked for': [
      "where orders.id = kept.order_id and decision ->> 'outcome' = 'ready'",
      "where orders.id = kept.order_id and decision ->> 'outcome' = 'done'",
    ],
    'a manual order that has ended is decided on': ['if (end !== null) return { end }', ''],
  }),
]

const STOPS = [
  ...inFile(
    'db/signals/ledger-statement.ts',
    [
      'test/db/signals/decision-ledger.test.ts',
      'test/activities/held-entry.test.ts',
      'test/activities/refused-approval.test.ts',
    ],
    {
      'a stop counts after the decision to send': [
        "decisions -> ?::text -> 'stopped' is not null or",
        "decisions -> ?::text -> 'stopped' is null or",
      ],
      'a stop does not rule the decision out': [
        "assigned.push('decisions = decisions || jsonb_build_object(?::text, ?::jsonb)')",
        "assigned.push('decisions = coalesce(decisions, jsonb_build_object(?::text, ?::jsonb))')",
      ],
      'an entry is held that a person has approved': ["? 'decided_by is null' :", "? 'true' :"],
      'an approval leaves the decision to hold the entry': [
        "then decisions - 'entry' else decisions end`",
        'then decisions else decisions end`',
      ],
      'an attempt that was given up refuses the next approval': ['${REFUSALS} = ?`} and', '? >= 0`} and'],
      'an approval that was refused is recorded once more': [
        'is distinct from ?`',
        'is distinct from ? or true`',
      ],
    },
  ),
  ...inFile(
    'db/signals/ledger-statement.ts',
    [
      'test/db/signals/decision-ledger.test.ts',
      'test/db/orders/manual-orders.test.ts',
      'test/db/signals/ledger.test.ts',
    ],
    {
      'a manual order is cancelled after the decision to send it': [
        "guard = 'and (decision is null and accepted_at is null or decision = ?::jsonb)'",
        "guard = 'and (accepted_at is null or decision = ?::jsonb)'",
      ],
      'a manual order that the broker has is rejected': ["guard = 'and accepted_at is null'", "guard = ''"],
      'the end of an order is acknowledged though it has filled further': [
        'where client_order_id = ? and filled_quantity <= ?::numeric and status in',
        'where client_order_id = ? and ?::numeric is not null and status in',
      ],
      'the end of an order that works is acknowledged': [
        'filled_quantity <= ?::numeric and status in ${TERMINAL} ',
        'filled_quantity <= ?::numeric ',
      ],
      'a late write takes an exit back': [
        'assigned.push(`${column} = case when forward then ? else ${column} end`)',
        'assigned.push(`${column} = case when true or forward then ? else ${column} end`)',
      ],
    },
  ),
  ...inFile('db/signals/decision-ledger.ts', ['test/db/signals/symbol-lock.test.ts'], {
    'a replacement is stored without its lock': [
      'await lockAccountSymbol(inner, replacement.signal.accountId, replacement.signal.symbol)\n    const stopping',
      'const stopping',
    ],
    'a replacement of an ended signal is stored without its lock': [
      'await lockAccountSymbol(inner, replacement.signal.accountId, replacement.signal.symbol)\n    const rows',
      'const rows',
    ],
    'a signal with a fill is replaced': [
      '\n         and filled_quantity = 0 for update',
      '\n         for update',
    ],
    'a signal whose entry works is replaced': ['and entry_ended_at is not null\n', '\n'],
  }),
  ...inFile(
    'db/signals/decision-ledger.ts',
    ['test/db/signals/decision-ledger.test.ts', 'test/activities/held-entry.test.ts'],
    {
      'a replaced signal that was not sent may be sent afterwards': [
        "...(!wasSent && { stops: 'entry' }),",
        '',
      ],
      'a replacement is late by the time that its predecessor took to give way': [
        'sendBefore: new Date(sendBefore.getTime() + waited)',
        'sendBefore',
      ],
      'a withdrawn signal is sent afterwards': [
        "acknowledges: null }), stops: 'entry' })",
        'acknowledges: null }) })',
      ],
      'a declined signal is sent afterwards': [
        "ending: 'declined',\n      stops: 'entry',",
        "ending: 'declined',",
      ],
      'an exit that a person has cancelled is sent afterwards': ['stops: `exit-${generation}`,', ''],
      'an entry is held behind the decision to send it': [
        'if (kept === null) throw error\n    return kept',
        'return held',
      ],
    },
  ),
  ...inFile('activities/entry/replace.ts', ['test/activities/replace.test.ts'], {
    'a repetition of a replacement looks for fills': [
      'if (working !== null && !(await isReplaced(em, replacement.row as NewSignal))) {',
      'if (working !== null) {',
    ],
    'a fill that keeps a replacement away is not in the ledger': [
      'await applyOrderReport(em, working.accountId, report)\n',
      '',
    ],
    'a broker that cannot be asked keeps a replacement away': ['if (cannotBeAsked) return null', ''],
  }),
  ...inFile('activities/entry/waiting.ts', ['test/activities/start-waiting.test.ts'], {
    'a signal that closes waits for its price': ['|| !isOpening(held.action)) return', ') return'],
  }),
  ...inFile(
    'db/orders/entry-facts.ts',
    ['test/activities/attempt.test.ts', 'test/activities/shared-position.test.ts'],
    {
      'an entry is judged without the end that the ledger has': [
        'and s.order_id is null\n         then json_build_object',
        'and s.order_id is not null\n         then json_build_object',
      ],
      'a signal waits for itself and for those after it': [
        '(e.turn_at, e.sequence) < (coalesce',
        '(e.turn_at, e.sequence) <= (coalesce',
      ],
    },
  ),
]

const REOPENING = [
  ...inFile('db/signals/ledger-statement.ts', ['test/db/signals/reopening.test.ts'], {
    'an end that is recorded twice lets a second run open the signal': [
      '`reopened_by = case when closings < ?${isNew} then null',
      '`reopened_by = case when closings <= ?${isNew} then null',
    ],
    'a signal is opened again with what it knew at its end before': [
      '`${column} = case when closings < ?${isNew} then ?::jsonb',
      '`${column} = case when closings > ?${isNew} then ?::jsonb',
    ],
  }),
  ...inFile('db/signals/reopening.ts', ['test/db/signals/reopening.test.ts'], {
    'a signal is opened again by two runs': [
      'or reopened_by = ?) for no key update',
      'or ? is not null) for no key update',
    ],
    'a late run opens a signal again for a fill that has its exit': [
      'reopened_by is null and not ${COUNTS_ALL_FILLS} or',
      'reopened_by is null or',
    ],
    'an owner is alerted each time that one run opens a signal again': [
      'from reopened where is_new ${UNLESS_OPEN}',
      'from reopened where true',
    ],
    'an order that has filled further is settled': [
      'end_acknowledged_at is null and filled_quantity <= ?::numeric',
      'end_acknowledged_at is null and ?::numeric is not null',
    ],
  }),
  ...inFile('db/signals/unplaced.ts', ['test/worker/feed/unplaced-fill.test.ts'], {
    'any order under its id opens a signal again': ['return isEntryOf(terms, order) ?', 'return terms ?'],
    'a signal that a person has stopped is opened again': [
      "\n         and decisions -> 'entry' ->> 'outcome' in ('ready', 'denied')",
      '',
    ],
    'a withdrawn signal is opened again': [
      "status = 'cancelled' and status_reason = 'EXPIRED')",
      "status = 'cancelled')",
    ],
    'the next exit of an unplaced signal bears an id that was used': [
      'exit_generation + 1 as next_exit',
      'exit_generation as next_exit',
    ],
  }),
  ...inFile(
    'domain/entry-order.ts',
    ['test/worker/feed/unplaced-fill.test.ts', 'test/activities/sent-before.test.ts'],
    {
      'an order of the other direction counts as the one that was sent': [
        'executionSide(sent.side) === executionSide(asked.side)',
        'sent.side === sent.side',
      ],
      'an order in another symbol counts as the one that was sent': ['sent.symbol === asked.symbol &&\n', ''],
    },
  ),
  ...inFile('activities/entry/decide.ts', ['test/activities/sent-before.test.ts'], {
    'the own order in the ledger is not taken for the decision': [
      "if (sent !== null && (kept === null || kept.outcome === 'held'))\n    return { prepared: await takeUpEntry(deps.em, terms, sent) }\n",
      '',
    ],
    'an entry that is held is not taken up though its order is out': [
      "(kept === null || kept.outcome === 'held'))\n    return { prepared",
      'kept === null)\n    return { prepared',
    ],
    'an entry is refused though its broker has the order': [
      'return sent === null ? keep(decision) : { prepared',
      'return sent === null || sent !== null ? keep(decision) : { prepared',
    ],
  }),
  ...inFile(
    'activities/entry/take-up.ts',
    ['test/activities/sent-before.test.ts', 'test/activities/sent-manual-order.test.ts'],
    {
      'another order under the id of the entry is taken for it': [
        'sent !== null && isEntryOf(terms, sent) ? sent : null',
        'sent !== null && terms ? sent : null',
      ],
      'another order under the id of a manual order is taken for it': [
        'found !== null && isSentAs(terms, found) ?',
        'found !== null ?',
      ],
      'a close that is taken up takes no shares': [
        'return { takes: shares.without(claimsOf(live)).allot(quantity, closer) }',
        'return {}',
      ],
      'a close that is taken up takes shares that are set apart for others': [
        'shares.without(claimsOf(live)).allot(quantity, closer)',
        'shares.allot(quantity, closer)',
      ],
      'the decision stays another than the order that is out': [
        'await correctDecision(em, identity.signalId, { quantity: report.quantity, limitPrice }, advisory)',
        '',
      ],
      'an order that the broker has changed is taken over without a word': [
        'if (!wasSentBefore) await tellOfChanges(em, accountId, report, changes, advisory)',
        '',
      ],
    },
  ),
  ...inFile('db/trades/fill-amendments.ts', ['test/db/trades/fill-amendments.test.ts'], {
    'a correction raises what is filled': [
      'const now = compare(told, before) < 0 ? told : before',
      'const now = told',
    ],
    'an order of which an execution was taken back counts as filled': [
      "status = case when status = 'FILLED' and ?::numeric < quantity then 'CANCELLED' else status end",
      'status = case when ?::numeric < 0 then status else status end',
    ],
    'a signal keeps the shares that were taken back': [
      "if (order.signal_id !== null && order.role === 'entry')",
      "if (order.signal_id !== null && order.role === 'exit')",
    ],
  }),
  ...inFile('db/signals/exit-alerts.ts', ['test/db/risk/alerts.test.ts', 'test/db/signals/ledger.test.ts'], {
    'an alert to an exit without order stays though the order is accepted': [
      "{ kind: 'unprotected_position', where: { sql: `${isWhole} and ${NONE_GIVEN_UP}`, parameters } },\n",
      '',
    ],
    'nobody is told that an exit is for a part of the shares': [
      'raises: [{ ...unprotectedByPart(generation), where: { sql: isAlerted, parameters } }],',
      'raises: [],',
    ],
  }),
  ...inFile('db/orders/reports.ts', ['test/db/orders/reports.test.ts'], {
    'the end of an entry begins anew with each report': [
      'entry_ended_at = coalesce(entry_ended_at, now())',
      'entry_ended_at = now()',
    ],
    'a report of another account’s broker changes an order': [
      'from orders where client_order_id = ? and account_id = ?`',
      'from orders where client_order_id = ? and ?::uuid is not null`',
    ],
    'what an order tells when it is first heard of is not merged': [
      'const { sql, parameters } = orderInsert(asFirstHeardOf(report)',
      'const { sql, parameters } = orderInsert(report',
    ],
  }),
  ...inFile('db/signals/cancelled-for.ts', ['test/db/signals/cancelled-for.test.ts'], {
    'an order that has ended is cancelled for another one afterwards': [
      'where client_order_id = ? and status in ${WORKING}\n',
      'where client_order_id = ?\n',
    ],
  }),
  ...inFile('db/signals/ledger.ts', ['test/db/signals/ledger.test.ts'], {
    'the trouble of an exit that ended is told of the one that ended': [
      "kind === 'ended' ? generation + 1 : generation",
      'generation',
    ],
    'an exit remains of an entry that is not placed': [
      'cancelExit: true,\n          timeline',
      'cancelExit: false,\n          timeline',
    ],
  }),
]

/** Mistakes in what is written down, and in what is read from that before an order is decided. */
export const LEDGER: readonly Mutant[] = [...SHORTS, ...MANUAL, ...STOPS, ...REOPENING]
