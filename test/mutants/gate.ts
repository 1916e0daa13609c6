import { inFile, type Mutant } from './mutant.ts'

const SUBMITTING = inFile('activities/order/submit.ts', ['test/activities/submit-order.test.ts'], {
  'an order in doubt is sent again without a look-up': [
    'const known = unknownSince === null ? null : await lookUp()',
    'const known = null',
  ],
  'an order is sent a minute too late': [
    'since.elapsed() > sendBeforeMs',
    'since.elapsed() > sendBeforeMs + 60_000',
  ],
  'an order that is too old is stale whatever an earlier attempt has done': [
    'return confirmRefusal(stale, letOut?.passes ?? (await throttle.passes(request)), letOut !== undefined)',
    'return stale',
  ],
  'an order that was let out when it was too old waits for its own attempt': [
    'letOut?.passes ?? (await throttle.passes(request))',
    'await throttle.passes(request)',
  ],
  'an order that became too old is in doubt': [
    'if (error instanceof ApplicationFailure && isTooOld()) return confirmRefusal(stale, passes, true)',
    '',
  ],
  'a closing order that has closed its shares itself is taken back': [
    "if (found) return found.outcome === 'accepted' ? { ...found, wasSentBefore: true } : found\n    if (await throttle.takeBack",
    'if (await throttle.takeBack',
  ],
  'a refusal counts although the broker has the order': [
    'if (found) return found\n    const since',
    'const since',
  ],
  'a refusal counts while the first try may be under way': [
    'Date.parse(since) + 2 * requestTimeoutMs - Date.parse(asOf)',
    'Date.parse(since) + requestTimeoutMs - Date.parse(asOf)',
  ],
  'a refusal counts before an earlier order has to show': [
    'await pause(Math.max(0, LOOKUP_LAG - watch.elapsed()))',
    '',
  ],
  'a refusal counts without the last look-up': ['if (late) return late', ''],
  'an order is refused that another attempt is sending': [
    'if (!(await throttle.giveUp(accountId, request, passes, asGivenUp(refusal))))',
    'if (!(await throttle.giveUp(accountId, request, passes, asGivenUp(refusal))) && !request)',
  ],
  'what is refused is not given up': [
    'if (!(await throttle.giveUp(accountId, request, passes, asGivenUp(refusal))))',
    'if (!asGivenUp(refusal))',
  ],
  'an earlier attempt is not told of by the throttle': [
    'unknownSince = latest(unknownSince, passes.before)',
    '',
  ],
  'an earlier attempt that the throttle tells of is not looked up': [
    "if (isNews || answer.what !== 'letOut') {",
    "if (answer.what !== 'letOut') {",
  ],
  'an order that was given up is sent': [
    "if (answer.what === 'givenUp') return asResult(answer.givenUp)",
    '',
  ],
  'a refusal of the throttle is passed over': [
    "if (answer.what === 'denied') return confirmRefusal(answer.denied, passes, false)",
    '',
  ],
  'a refusal of the throttle counts without a look-up': [
    "if (answer.what === 'denied') return confirmRefusal(answer.denied, passes, false)",
    "if (answer.what === 'denied') return answer.denied",
  ],
  'what the throttle has let out stays let out whatever halt comes': [
    'const isFresh = letOut !== undefined && letOut.since.elapsed() <= LEAVES_WITHIN',
    'const isFresh = letOut !== undefined',
  ],
  'an attempt that stood still behind the throttle sends': ['since.elapsed() > LEAVES_WITHIN || ', ''],
  'an attempt that took too long sends all the same': ['|| now() > beganAt + requestTimeoutMs ||', '||'],
  'nobody asks again while a connection is made': [
    'await broker.submitOrder(request, assertMayLeave)',
    'await broker.submitOrder(request)',
  ],
  'a closing order that was held back keeps its size': [
    'if (passes.before === null) await throttle.takeBack(accountId, request, passes.passes, answer.detail)',
    '',
  ],
  'a closing order that may be out is decided anew': ['if (passes.before === null) await', 'await'],
  'an exit in doubt is sent again without a second look at its shares': [
    'const isOld = unknownSince !== null || isBeyond(',
    'const isOld = isBeyond(',
  ],
  'an exit that was sized long ago is sent without a second look at its shares': [
    ' || isBeyond(answer.decidedAt, passes.asOf)',
    '',
  ],
  'an exit whose shares are gone is void while an earlier one may be out': [
    'if (passes.before !== null) return confirmRefusal(withdrawal(request, detail), passes, true)',
    '',
  ],
  'an exit whose shares are gone is void though another attempt sends it': [
    "if (await throttle.takeBack(accountId, request, passes.passes, detail)) return { outcome: 'void', detail }",
    "if (!(await throttle.takeBack(accountId, request, passes.passes, detail)) || request) return { outcome: 'void', detail }",
  ],
  'an attempt that a busy broker has turned away is waited for': [
    'await throttle.sentNothing(request, passes.passes)\n      throw error instanceof',
    'throw error instanceof',
  ],
  'a busy broker is taken for one that does not answer': [
    'throw error instanceof BrokerBusy ? busy(error) : error',
    'throw error instanceof BrokerBusy ? outcomeUnknown(error.message) : error',
  ],
  'a lost answer is taken for a refusal': [
    'if (error instanceof BrokerOutcomeUnknown) throw outcomeUnknown(error.message)\n    if (error instanceof Dup',
    "if (error instanceof BrokerOutcomeUnknown) return confirmRefusal({ outcome: 'rejected', code: 'BROKER_ERROR', detail: '' }, passes, true)\n    if (error instanceof Dup",
  ],
  'an id that the broker knows is taken for a refusal': [
    'if (!isExit || hiddenFor < hiddenPatience) throw outcomeUnknown(detail)',
    '',
  ],
  'an exit that its broker hides is sent for ever': [
    'if (!isExit || hiddenFor < hiddenPatience) throw',
    'if (isExit || hiddenFor < hiddenPatience || true) throw',
  ],
  'an exit is given up though the list shows it': ['if (listed) return asFound(listed, request)', ''],
  'refused keys decide although an earlier order may be out': [
    'if (unknownSince !== null) throw outcomeUnknown(error.message)',
    '',
  ],
  'refused keys stay in use': [
    'keysRejected(accountId)\n      // With rejected keys',
    '// With rejected keys',
  ],
  'an opposite order that is about to end is taken for an obstacle': [
    'if (await isAboutToEnd(broker, error.opposing)) {',
    'if (error.opposing === undefined) {',
  ],
  'another order under the same id is adopted': ['if (isSentAs(request, found)) return', 'if (found) return'],
  'a look-up that failed has found nothing': [
    'if (error instanceof BrokerOutcomeUnknown || error instanceof BrokerCredentialsError)\n      throw outcomeUnknown(error.message)',
    'if (error instanceof BrokerOutcomeUnknown || error instanceof BrokerCredentialsError) return null',
  ],
})

const GIVEN_UP = ['test/activities/given-up.test.ts']
const GIVING_UP = ['test/db/orders/giving-up.test.ts']
const AT_THE_GATE = ['test/db/orders/throttle.test.ts', ...GIVING_UP, ...GIVEN_UP]

const THROTTLE = [
  ...inFile('activities/order/throttle.ts', ['test/activities/throttle.test.ts', ...GIVEN_UP], {
    'a closing order is refused instead of kept back': [
      "if (reducing) return { what: 'heldBack', detail }",
      '',
    ],
    'orders leave while the database does not answer': [
      "throw throttleUnavailable('it cannot be decided now whether the order may be sent', error)",
      "return { what: 'letOut', decidedAt: null, since, passes: { passes: 1, before: null, asOf: new Date(now()).toISOString() } }",
    ],
    'an old answer lets an order leave': [
      'const since = startStopwatch(now)',
      'const since = { elapsed: () => 0 }',
    ],
    'an order whose decision does not stand is let out': [
      "return { what: 'givenUp', givenUp: NO_DECISION }",
      "return { what: 'letOut', decidedAt: null }",
    ],
  }),
  ...inFile('activities/stopwatch.ts', ['test/activities/stopwatch.test.ts'], {
    'a clock that is set back makes an answer fresh': [
      'Math.max(now() - wall, Math.floor(performance.now() - monotonic))',
      'now() - wall',
    ],
    'a machine that slept takes an answer for fresh': [
      'Math.max(now() - wall, Math.floor(performance.now() - monotonic))',
      'Math.floor(performance.now() - monotonic)',
    ],
    'the clock that tells of less time counts': ['Math.max(now() - wall', 'Math.min(now() - wall'],
  }),
  ...inFile('db/orders/throttle.ts', AT_THE_GATE, {
    'a halt keeps nothing back but under a full stop': [
      '`(judged.halt is null or asked',
      "`(judged.halt ->> 'level' is distinct from 'fullStop' or asked",
    ],
    'an order leaves that nobody accounts for': [
      'where ${permitted} and judged.stands\n',
      'where ${permitted} and (judged.stands or not judged.accounted)\n',
    ],
    'an order leaves that does not stand': [
      'where ${permitted} and judged.stands\n',
      'where ${permitted} and judged.accounted\n',
    ],
    'an order leaves that was given up': [
      'passed_before = out.passed_at, passed_at = now() where out.given_up is null',
      'passed_before = out.passed_at, passed_at = now()',
    ],
    'an order leaves of another size than was decided': [
      "and (decision ->> 'quantity')::numeric = asked.quantity",
      "and (decision ->> 'quantity')::numeric is not null and asked.quantity is not null",
    ],
    'an exit leaves that was struck out': [" and decision -> 'stopped' is null) as stands", ') as stands'],
    'an order leaves that was denied': ["and coalesce(decision ->> 'outcome', 'ready') = 'ready' and", 'and'],
    'an entry leaves of a signal that has ended': [
      "asked.decision = 'entry' and s.status in ${FREED} as has_ended",
      'false as has_ended',
    ],
    'a manual order leaves that has ended': [
      'exists (select from orders o where o.id = h.order_id and o.status in ${TERMINAL}) as has_ended',
      'false as has_ended',
    ],
    'a decision is taken back while its order is let out': [
      'where not asked.is_beyond for share of s)',
      'where not asked.is_beyond)',
    ],
    'an order that is sent again is counted again': ['where registered.passes = 1\n', ''],
    'one signal may send any number of entries': [
      'where not asked.is_beyond for share of s)',
      'for share of s)',
    ],
    'a signal of another account accounts for an order': [
      'on s.id = asked.signal_id and s.account_id = asked.account_id',
      'on s.id = asked.signal_id',
    ],
    'the time of the first attempt is told instead of that of the latest': [
      'passed_before = out.passed_at, passed_at = now()',
      'passed_before = out.registered_at, passed_at = now()',
    ],
    'an earlier attempt is not told of': [
      'case when registered.passes is null then known.passed_at else registered.passed_before end as before',
      'null::timestamptz as before',
    ],
    'orders of one minute are not added up': [
      'case when rate.minute >= excluded.minute then rate.minute_count + 1 else 1 end',
      '1',
    ],
    'a limit of its own does not hold for an account': ['=> `least(${cap},', '=> `greatest(${cap},'],
  }),
  ...inFile('db/orders/giving-up.ts', GIVING_UP, {
    'an order is given up that another attempt is sending': [
      'where out.passes = ? returning client_order_id',
      'where out.passes >= ?::integer - 1000 returning client_order_id',
    ],
    'a later reason takes the place of the first': [
      'set given_up = coalesce(out.given_up, excluded.given_up)',
      'set given_up = coalesce(excluded.given_up, out.given_up)',
    ],
    'a decision is taken back that another attempt carries out': [
      'if ((await readPasses(inner, order.clientOrderId)).passes !== passes) return false',
      '',
    ],
    'a decision is taken back beside an attempt that is being let out': [
      'await inner.execute(`select from ${table} where ${key} = ? for no key update`, [id])\n',
      '',
    ],
    'an exit that is taken back is not struck out': [
      'await change(`decisions = ${STRUCK_OUT}, updated_at = now()`, [decisionKey(identity)])\n',
      '',
    ],
    'an exit that is taken back may be let out again': [
      "return giveUpOrder(inner, order, passes, { outcome: 'void', code: null, detail })",
      'return true',
    ],
    'a closing signal that is taken back keeps its decision': [
      "await change(`decisions = decisions - 'entry', updated_at = now()`)",
      'await change(`updated_at = now()`)',
    ],
    'a manual order that is taken back keeps its decision': [
      "if (identity === null) await change('decision = null')",
      "if (identity === null) await change('decision = decision')",
    ],
    'an attempt that sent nothing is waited for after another one': [
      "'update orders_out set passed_at = passed_before where client_order_id = ? and passes = ?'",
      "'update orders_out set passed_at = passed_before where client_order_id = ? and passes >= ?'",
    ],
  }),
  ...inFile('domain/halt.ts', ['test/domain/risk.test.ts', 'test/db/orders/throttle.test.ts'], {
    'a full stop lets closing orders pass': ["if (level === 'fullStop') return true", ''],
    'a pause keeps manual orders back': ["!(isManual && level === 'pauseEntries')", 'true'],
    'manual orders open while positions may only be reduced': [
      "!(isManual && level === 'pauseEntries')",
      '!isManual',
    ],
  }),
  ...inFile('activities/entry/decide.ts', ['test/activities/decide-entry.test.ts'], {
    'an entry is sent though the throttle has not let it out': [
      "if (registration.verdict !== 'allowed') return { prepared }\n",
      '',
    ],
  }),
]

const AFTER_A_HALT = [
  ...inFile('activities/exit/size.ts', GIVEN_UP, {
    'an exit is sized while everything is stopped': [
      "if (halt?.level === 'fullStop') throw halted(haltDenial(halt).detail)\n",
      '',
    ],
    'an exit that was given up is sent at its old size': ['if (before?.stopped) return GIVEN_UP\n', ''],
  }),
  ...inFile('activities/entry/decide.ts', GIVEN_UP, {
    'a close is decided while everything is stopped': [
      'if (isInTime(terms, facts)) throw halted(detail)\n',
      '',
    ],
    'a close waits for the end of a halt beyond its time': [
      'if (isInTime(terms, facts)) throw halted(detail)',
      'throw halted(detail)',
    ],
  }),
  ...inFile('domain/closing.ts', ['test/domain/closing.test.ts', ...GIVEN_UP], {
    'an exit is sent for more shares than are held': [
      'if (position?.side !== closes || compare(position.quantity, quantity) < 0) return false',
      'if (position?.side !== closes) return false',
    ],
    'an exit is sent against a position of the other side': [
      'position?.side !== closes || ',
      'position === null || ',
    ],
    'an exit is sent for shares that another signal has by now': [
      'return takes.every((part) => compare(held(part.owner), part.quantity) >= 0)',
      'return takes.length >= 0',
    ],
    'an exit is sent though the broker shows fewer shares than the fills': [
      'if (book.shares.side !== null && isPositive(notShown(book, position))) return false\n',
      '',
    ],
  }),
  ...inFile('db/orders/symbol-book.ts', GIVING_UP, {
    'an exit that was given up claims its shares': [
      'and sized.quantity > 0 and not sized.given_up',
      'and sized.quantity > 0',
    ],
  }),
  ...inFile('db/signals/ledger.ts', GIVEN_UP, {
    'an exit that was refused is not struck out': [
      "(kind === 'rejected' || kind === 'taken_back') && {",
      "kind === 'taken_back' && {",
    ],
  }),
  ...inFile('db/orders/decisions.ts', ['test/activities/size-exit.test.ts', ...GIVEN_UP], {
    'an exit that was given up is taken for one that a person has stopped': [
      'if (!isGivenUp(row.value)) assertNotStopped(row.value, signalId)',
      'assertNotStopped(row.value, signalId)',
    ],
  }),
  ...inFile(
    'workflows/signal/exit-order.ts',
    [
      'test/workflows/signal/any-life.test.ts',
      'test/workflows/signal/exit-ladder.test.ts',
      'test/workflows/signal/exit.test.ts',
    ],
    {
      'a refused exit is given up': [
        'run.exit = afterUnsent(exit)\n  if (placement',
        'run.exit = afterNothingToClose(exit, size)\n  if (placement',
      ],
    },
  ),
  ...inFile('workflows/order/leg.ts', ['test/workflows/signal/taken-back.test.ts'], {
    'an order whose decision was taken back has no outcome': [
      'opening.takenBack(placement.detail)\n    return false',
      'opening.takenBack(placement.detail)\n    return true',
    ],
    'an attempt that was lost is in doubt after its decision was taken back': [
      'run.lostAttempt = null\n',
      '',
    ],
  }),
]

/** Mistakes at the gate that every order has to pass, and in what is given up there. */
export const GATE: readonly Mutant[] = [...SUBMITTING, ...THROTTLE, ...AFTER_A_HALT]
