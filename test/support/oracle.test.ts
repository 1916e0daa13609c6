import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Evidence, StoredSignal } from '#test/support/evidence.ts'
import type { ByHandBooks, StoredFlattening } from '#test/support/by-hand-faults.ts'
import type { StoredGroup } from '#test/support/group-faults.ts'
import { INVARIANTS, violationsOf, type Invariant } from '#test/support/oracle.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'

const A = '00000000-0000-4000-8000-00000000000a'
const B = '00000000-0000-4000-8000-00000000000b'
const C = '00000000-0000-4000-8000-00000000000c'
const D = '00000000-0000-4000-8000-00000000000d'
const CLOSE = '00000000-0000-4000-8000-0000000000c1'
const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 15, 0, second)).toISOString()

const order = (client_order_id: string, changes: Partial<LedgerOrder> = {}): LedgerOrder => ({
  id: `venue-${client_order_id}`,
  client_order_id,
  symbol: 'AAPL',
  side: client_order_id.includes('-e') ? 'buy' : 'sell',
  position_intent: '',
  type: 'market',
  qty: '10',
  limit_price: null,
  filled_qty: '10',
  status: 'filled',
  time_in_force: 'day',
  created_at: at(client_order_id.includes('-e') ? 1 : 3),
  filled_at: at(client_order_id.includes('-e') ? 2 : 4),
  canceled_at: null,
  expired_at: null,
  failed_at: null,
  fills: [{ execution_id: `fill-${client_order_id}`, qty: '10', price: '100', fee: '0.1', at: at(2) }],
  ...changes,
})

const signal = (id: string, sourceId: string, changes: Partial<StoredSignal>): StoredSignal => ({
  id,
  sourceId,
  executeMode: 'immediate',
  hasWaitedForTurn: false,
  endedAt: null,
  status: 'executed',
  acceptedAt: at(0),
  statusReason: null,
  cancelledAt: null,
  replacedUncancelled: false,
  filledQuantity: '0',
  exitStatus: null,
  ...changes,
})

/**
 * A run without a fault: A is entered and closed, B was refused and its sourceId is free, C waits for nothing
 * because it has no exit and holds its position.
 */
const sound = (): Evidence => {
  const desired = {
    notBefore: null,
    sendBefore: null,
    exitNotBefore: null,
    exitAfterMs: 0,
    quantity: '10',
    action: 'openLong',
  } as const
  const attempt = { sentAt: at(0), tookMs: 20 }
  return {
    wishes: [
      { ...desired, key: 'a', symbol: 'AAPL', wantsExit: true },
      { ...desired, key: 'b', symbol: 'XXNONE', wantsExit: true },
      { ...desired, key: 'c', symbol: 'MSFT', wantsExit: false },
      { ...desired, key: 'unanswered', symbol: 'AAPL', wantsExit: false },
    ],
    attempts: [
      { ...attempt, key: 'a', status: 201, signalId: A },
      { ...attempt, key: 'a', status: 200, signalId: A },
      { ...attempt, key: 'b', status: 400, signalId: B },
      { ...attempt, key: 'c', status: null, signalId: null },
      { ...attempt, key: 'c', status: 202, signalId: C },
      { ...attempt, key: 'unanswered', status: null, signalId: null },
    ],
    withdrawals: [],
    ledger: {
      // 30 shares were traded for a cent each, and 10 bought at 100 dollars are still there.
      account: { cash: '998999.7', openingCash: '1000000' },
      orders: [order(`${A}-e1`), order(`${A}-x1`), order(`${C}-e1`, { symbol: 'MSFT' })],
      positions: [{ symbol: 'MSFT', qty: '10' }],
      submissions: [
        { client_order_id: `${A}-e1`, outcome: 'accepted', message: null, order_id: 'venue', at: at(1) },
      ],
    },
    signals: [
      signal(A, 'a', { status: 'executed', filledQuantity: '10', exitStatus: 'filled' }),
      signal(B, 'b', { status: 'rejected', filledQuantity: '0', exitStatus: 'cancelled' }),
      signal(C, 'c', { status: 'executed', filledQuantity: '10', exitStatus: null }),
    ],
    orders: [
      { clientOrderId: `${A}-e1`, isByHand: false, status: 'FILLED', filledQuantity: '10' },
      { clientOrderId: `${A}-x1`, isByHand: false, status: 'FILLED', filledQuantity: '10' },
      { clientOrderId: `${C}-e1`, isByHand: false, status: 'FILLED', filledQuantity: '10' },
    ],
    positions: [{ symbol: 'MSFT', quantity: '10' }],
    fills: [`${A}-e1`, `${A}-x1`, `${C}-e1`].map((id) => ({
      executionId: `fill-${id}`,
      quantity: '10.000000000',
      price: '100.000000000',
    })),
    trades: [
      { symbol: 'AAPL', side: 'LONG', quantity: '10', entryPrice: '100', fees: '0.2', realisedPnl: '-0.2' },
      { symbol: 'MSFT', side: 'LONG', quantity: '10', entryPrice: '100', fees: '0.1', realisedPnl: null },
    ],
    workflows: [
      {
        signalId: A,
        status: 'COMPLETED',
        outcome: { status: 'executed', reason: null, entryFilled: '10', exitFilled: '10' },
      },
      {
        signalId: B,
        status: 'COMPLETED',
        outcome: { status: 'rejected', reason: 'INVALID_ORDER', entryFilled: '0', exitFilled: '0' },
      },
      {
        signalId: C,
        status: 'COMPLETED',
        outcome: { status: 'executed', reason: null, entryFilled: '10', exitFilled: '0' },
      },
    ],
    drain: { tookMs: 1_000, limitMs: 90_000 },
  }
}

const drop = <T>(list: T[], doomed: (item: T) => boolean): void => {
  const place = list.findIndex(doomed)
  assert.ok(place >= 0, 'what is to be dropped is there')
  list.splice(place, 1)
}
const ledgerOrder = ({ ledger }: Evidence, id: string): LedgerOrder =>
  ledger.orders.find(({ client_order_id }) => client_order_id === id)!

/** A gave way to B. */
function replacedAt({ signals, attempts }: Evidence, cancelledAt: string): void {
  Object.assign(signals[0]!, { status: 'cancelled', statusReason: 'SUPERSEDED', cancelledAt })
  Object.assign(signals[1]!, { sourceId: 'a', status: 'executed', acceptedAt: at(3) })
  attempts[2]!.key = 'a'
}

/** Another signal has closed the shares of A, and D has bought as many since, which asked for no exit. */
function closedAndBoughtAgain(evidence: Evidence): void {
  const { wishes, signals, ledger } = evidence
  const desired = { ...wishes[2]!, symbol: 'AAPL' }
  wishes.push({ ...desired, key: 'close', action: 'closeLong' }, { ...desired, key: 'd' })
  signals.push({ ...signals[2]!, id: CLOSE, sourceId: 'close' }, { ...signals[2]!, id: D, sourceId: 'd' })
  const fill = (id: string, second: number): LedgerOrder['fills'] => [
    { execution_id: `fill-${id}`, qty: '10', price: '100', fee: '0.1', at: at(second) },
  ]
  Object.assign(ledgerOrder(evidence, `${A}-e1`), { fills: fill('a', 1) })
  Object.assign(ledgerOrder(evidence, `${A}-x1`), { fills: fill('ax', 9) })
  ledger.orders.push(
    order(`${CLOSE}-e1`, { side: 'sell', fills: fill('close', 2) }),
    order(`${D}-e1`, { fills: fill('d', 3) }),
  )
}

/** A is closed by a stop that was moved once, beside a target; of both parts so many shares have filled. */
function closedByPlan({ ledger, orders }: Evidence, filled: { target: Decimal; stop: Decimal }): void {
  const exit = ledger.orders.findIndex(({ client_order_id: id }) => id === `${A}-x1`)
  const [id, [fill]] = [`${A}-p1`, ledger.orders[exit]!.fills]
  const none = { filled_qty: '0', filled_at: null, fills: [] } as const
  const part = (name: string, type: string, changes: Partial<LedgerOrder>): LedgerOrder =>
    order(name, { side: 'sell', created_at: at(3), type, ...changes })
  const filling = (qty: Decimal, changes: object): Partial<LedgerOrder> =>
    qty === '0'
      ? { ...none, fills: [], status: 'canceled', canceled_at: at(4) }
      : { filled_qty: qty, fills: [{ ...fill!, qty, ...changes }] }
  ledger.orders.splice(
    exit,
    1,
    part(id, 'limit', filling(filled.target, { execution_id: 'fill-target' })),
    part('made-up', 'stop', { ...none, fills: [], sender_order_id: id, status: 'replaced' }),
    part(`${id}.a1`, 'stop', { ...filling(filled.stop, {}), sender_order_id: id, created_at: at(4) }),
  )
  orders[1]!.clientOrderId = id
}

/** The market falls through the stop of A's plan, whose shares are sold so many seconds later. */
function falls(evidence: Evidence, soldAfter: number): void {
  evidence.wishes[0]!.levels = { stop: 3, target: null }
  evidence.market = [
    { symbol: 'AAPL', price: 100, at: at(0) },
    { symbol: 'AAPL', price: 94, at: at(5) },
  ]
  evidence.collectedAt = at(400)
  ledgerOrder(evidence, `${A}-x1`).fills[0]!.at = at(5 + soldAfter)
}

/** Each plants one violation into a sound run; others may follow from it. */
const PLANTED: Record<Invariant, Record<string, (evidence: Evidence) => void>> = {
  I1: {
    'an acknowledged signal is not on record': ({ signals }) => drop(signals, ({ id }) => id === A),
    'an acknowledgement names no signal': ({ attempts }) => void (attempts[4]!.signalId = null),
    'a stored signal was never started': ({ workflows }) => drop(workflows, ({ signalId }) => signalId === C),
    'a workflow still runs': ({ workflows }) =>
      void Object.assign(workflows[0]!, { status: 'RUNNING', outcome: null }),
    'a workflow has failed': ({ workflows }) =>
      void Object.assign(workflows[0]!, { status: 'FAILED', outcome: null }),
    'a signal is still transmitted': ({ signals }) => void (signals[2]!.status = 'transmitted'),
    'an executed signal has no order': ({ ledger }) =>
      drop(ledger.orders, ({ client_order_id }) => client_order_id === `${C}-e1`),
    'a filled entry has no exit': ({ ledger }) =>
      drop(ledger.orders, ({ client_order_id }) => client_order_id === `${A}-x1`),
  },
  I2: {
    'an order is there twice under one id': ({ ledger }) => void ledger.orders.push(order(`${A}-e1`)),
    'a second generation was sent while the first is alive': ({ ledger }) =>
      void ledger.orders.push(
        order(`${A}-e2`, { status: 'new', filled_qty: '0', filled_at: null, created_at: at(0) }),
      ),
    'more is bought than was asked for': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${C}-e1`), { qty: '11', filled_qty: '11' }),
  },
  I3: {
    'an exit closes more than was filled': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${A}-x1`), { qty: '15', filled_qty: '15' }),
    'an exit closes less than was filled': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${A}-x1`), { filled_qty: '4', status: 'canceled' }),
    'there are two exits': ({ ledger }) => void ledger.orders.push(order(`${A}-x2`)),
    'an exit was sent without a request': ({ ledger }) =>
      void ledger.orders.push(order(`${C}-x1`, { symbol: 'MSFT' })),
    'both parts of an order of a plan have filled': (evidence) =>
      closedByPlan(evidence, { target: '10', stop: '10' }),
  },
  I4: {
    'an order has an id that is not ours': ({ ledger }) => void ledger.orders.push(order('random')),
    'an order belongs to a signal that is not on record': ({ ledger }) =>
      void ledger.orders.push(order('00000000-0000-4000-8000-00000000000d-e1')),
    'an order is in another symbol': (evidence) => void (ledgerOrder(evidence, `${A}-e1`).symbol = 'TSLA'),
    'an exit is on the side of the entry': (evidence) => void (ledgerOrder(evidence, `${A}-x1`).side = 'buy'),
  },
  I5: {
    'an order came before its time': ({ wishes }) => void (wishes[0]!.notBefore = at(30)),
    'an order came after its time': ({ wishes }) => void (wishes[0]!.sendBefore = at(0)),
    'an exit came before the entry had ended': (evidence) =>
      void (ledgerOrder(evidence, `${A}-x1`).created_at = at(1)),
    'an exit came while the entry still works': (evidence) =>
      void (ledgerOrder(evidence, `${A}-e1`).status = 'partially_filled'),
    'an exit came before its own time': ({ wishes }) => void (wishes[0]!.exitNotBefore = at(30)),
    'an exit came too soon after its entry': ({ wishes }) => void (wishes[0]!.exitAfterMs = 60_000),
  },
  I6: {
    'a signal that has an order is on record as withdrawn': ({ signals }) =>
      void Object.assign(signals[0]!, { status: 'cancelled', statusReason: 'WITHDRAWN' }),
    'an order was sent after its signal was withdrawn': ({ withdrawals }) =>
      void withdrawals.push({ signalId: A, acknowledgedAt: at(0) }),
    'an order had been sent when its signal was withdrawn': ({ withdrawals }) =>
      void withdrawals.push({ signalId: A, acknowledgedAt: at(30) }),
    'a withdrawn signal has not ended as such': (evidence) => {
      evidence.ledger.submissions = []
      evidence.withdrawals.push({ signalId: A, acknowledgedAt: at(30) })
    },
  },
  I7: {
    'a signal was replaced after it had filled': (evidence) => replacedAt(evidence, at(3)),
    'a signal was replaced whose order was not cancelled': (evidence) => replacedAt(evidence, at(1)),
    'a signal was replaced and nothing took its place': ({ signals }) =>
      void Object.assign(signals[1]!, { statusReason: 'SUPERSEDED', cancelledAt: at(3) }),
    'a sourceId went to a second signal while the first held it': ({ signals }) =>
      void signals.push({ ...signals[1]!, sourceId: 'a', acceptedAt: at(9) }),
    'a sender was shown the signal of another': ({ attempts }) => void (attempts[0]!.signalId = C),
  },
  I8: {
    'the broker’s order is not on record': ({ orders }) =>
      drop(orders, ({ clientOrderId }) => clientOrderId === `${A}-x1`),
    'an order on record is not at the broker': ({ orders }) =>
      void orders.push({ clientOrderId: `${B}-e1`, isByHand: false, status: 'OPEN', filledQuantity: '0' }),
    'an order shows another status than the broker’s': ({ orders }) => void (orders[0]!.status = 'OPEN'),
    'an order shows another fill than the broker’s': ({ orders }) => void (orders[0]!.filledQuantity = '9'),
    'a signal shows another fill than the broker’s': ({ signals }) => void (signals[0]!.filledQuantity = '9'),
    'a signal shows its exit filled that is not': ({ signals }) => void (signals[2]!.exitStatus = 'filled'),
    'a signal hides that its exit is filled': ({ signals }) => void (signals[0]!.exitStatus = 'cancelled'),
    'the workflow ended otherwise than the record says': ({ workflows }) =>
      void (workflows[1]!.outcome!.status = 'error'),
    'the workflow missed a fill': ({ workflows }) => void (workflows[0]!.outcome!.exitFilled = '0'),
    'the broker holds a position that no signal explains': ({ ledger }) =>
      void ledger.positions.push({ symbol: 'AAPL', qty: '-10' }),
    'the service shows a position that is not there': ({ positions }) =>
      void positions.push({ symbol: 'AAPL', quantity: '10' }),
  },
  I9: {
    'it took too long to settle': ({ drain }) => void (drain.tookMs = 90_001),
  },
  I10: {
    'one request was carried out by two signals': (evidence) => {
      evidence.signals.push({ ...evidence.signals[0]!, id: B })
      evidence.ledger.orders.push(order(`${B}-e1`))
    },
    'a filled signal and the one that replaced it were both carried out': (evidence) => {
      replacedAt(evidence, at(3))
      evidence.ledger.orders.push(order(`${B}-e1`))
    },
    'there is a signal without a sender': ({ signals }) => void (signals[2]!.sourceId = 'invented'),
  },
  I11: {
    'an execution is not on record': ({ fills }) => void fills.pop(),
    'an execution is on record twice': ({ fills }) => void fills.push(fills[0]!),
    'an execution is on record at another price': ({ fills }) => void (fills[0]!.price = '101'),
    'an execution on record is not at the broker': ({ fills }) =>
      void fills.push({ executionId: 'invented', quantity: '1', price: '1' }),
    'a trade shows a profit without a payer': ({ trades }) => void (trades[0]!.realisedPnl = '5'),
    'an open trade is missing': ({ trades }) => void trades.pop(),
  },
  I12: {
    'an exit has sold what another signal bought after a close took its own': closedAndBoughtAgain,
    'an exit has opened a position on the other side': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${A}-x1`), {
        fills: [{ execution_id: 'more', qty: '12', price: '100', fee: '0.1', at: at(9) }],
      }),
    'an exit has sold what none of ours bought': ({ ledger, signals }) => {
      const [bought] = ledger.orders
      Object.assign(bought!, { client_order_id: 'bought-at-the-broker' })
      drop(signals, ({ id }) => id === B)
    },
  },
  I13: {
    'more could be held than the account allows': (evidence) => {
      const resting: Partial<LedgerOrder> = {
        filled_qty: '0',
        status: 'new',
        filled_at: null,
        fills: [],
        position_intent: 'buy_to_open',
      }
      evidence.maxPositionShares = '15'
      evidence.ledger.orders.push(
        order(`${B}-e1`, resting),
        order(`${D}-e1`, { ...resting, created_at: at(2) }),
      )
    },
  },
  I14: {
    'an exit came late without an alert': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${A}-x1`), { created_at: at(50) }),
    'an exit that is due is not sent yet without an alert': (evidence) => {
      drop(evidence.ledger.orders, ({ client_order_id }) => client_order_id === `${A}-x1`)
      evidence.signals[0]!.exitStatus = 'scheduled'
      evidence.collectedAt = at(59)
    },
    'an entry came late without an alert': (evidence) =>
      void Object.assign(ledgerOrder(evidence, `${C}-e1`), { created_at: at(40) }),
  },
  I15: {
    'an exit that was given up is at the broker': (evidence) => void (evidence.givenUp = [`${A}-x1`]),
    'the entry of a rejected signal is at the broker'(evidence) {
      evidence.givenUp = [`${B}-e1`]
      evidence.ledger.orders.push(order(`${B}-e1`, { symbol: 'XXNONE' }))
    },
  },
  I16: {
    'a second exit was sent while the first one worked'(evidence) {
      Object.assign(ledgerOrder(evidence, `${A}-x1`), { canceled_at: at(20), filled_qty: '4' })
      evidence.ledger.orders.push(order(`${A}-x2`, { created_at: at(10), filled_qty: '6', qty: '6' }))
    },
    'an order at a target was sent for the rest beside the order of the plan'(evidence) {
      const plan = { client_order_id: `${A}-p1`, qty: '4', filled_qty: '4', filled_at: at(20) } as const
      Object.assign(ledgerOrder(evidence, `${A}-x1`), plan)
      evidence.ledger.orders.push(order(`${A}-t2`, { created_at: at(10), filled_qty: '6', qty: '6' }))
    },
    'an exit came for more than was filled by then': (evidence) =>
      void (ledgerOrder(evidence, `${A}-e1`).fills[0]!.at = at(9)),
    'the parts of an order of a plan have filled more than its shares': (evidence) =>
      closedByPlan(evidence, { target: '10', stop: '4' }),
  },
  I17: {
    'an exit was sent while all trading was stopped': (evidence) =>
      void (evidence.fullStops = [{ from: at(1), to: at(5) }]),
  },
  I18: {
    'an order went with a ledger that was rolled back, and its owner was not notified': (evidence) =>
      void (evidence.rollback = { lost: [`${D}-e1`], orders: [], told: `${A}-e1` }),
  },
  I19: {
    'a group has neither a signal nor a refusal for one of its accounts': (evidence) =>
      void (evidence.groups = [group({ accounts: 3 })]),
    'a group has two signals for one of its accounts': (evidence) =>
      void (evidence.groups = [group({ signalled: [A, A] })]),
    'two groups have one name': (evidence) => void (evidence.groups = [group(), group({ id: B })]),
  },
  I20: {
    'shares are held on while the market stays beyond their stop': (evidence) => falls(evidence, 200),
  },
  I21: {
    'one key has placed two orders'(evidence) {
      const { orders } = byHand(evidence)
      orders.push({ ...orders[0]!, signalId: D, orderId: D })
    },
    'one key was answered with two orders': (evidence) =>
      void byHand(evidence).tickets[0]!.told.push({ orderId: D, at: at(2) }),
    'an order by hand that was acknowledged is not on record': (evidence) =>
      void byHand(evidence, { orders: [] }),
    'an order by hand is on record without a request': (evidence) => void byHand(evidence, { tickets: [] }),
    'an order by hand is for more than was asked for': (evidence) =>
      void (byHand(evidence).tickets[0]!.quantity = '9'),
    'an order by hand is on the wrong side': (evidence) => void (byHand(evidence).tickets[0]!.side = 'sell'),
    'an order by hand was neither sent nor refused'(evidence) {
      byHand(evidence)
      drop(evidence.ledger.orders, ({ client_order_id }) => client_order_id === `${TICKET}-e1`)
    },
    'one key has begun two flattenings'(evidence) {
      const { flattenings } = byHand(evidence)
      flattenings.push({ ...flattenings[0]!, id: B })
    },
    'a flattening that was acknowledged is not on record': (evidence) =>
      void byHand(evidence, { flattenings: [] }),
  },
  I22: {
    'a flattening has not ended': (evidence) =>
      void Object.assign(byHand(evidence).flattenings[0]!, { status: 'working', endedAt: null }),
    'shares of an earlier signal are held after everything was closed': (evidence) =>
      void byHand(evidence, { flattenings: [flat(['MSFT'], 20)] }),
    'an earlier signal has filled after everything was closed'(evidence) {
      byHand(evidence, { flattenings: [flat(['MSFT'], 5)] })
      ledgerOrder(evidence, `${C}-e1`).fills[0]!.at = at(9)
    },
    'an earlier order by hand has filled after everything was closed': (evidence) =>
      void byHand(evidence, { flattenings: [flat(['AAPL'], 20)] }),
  },
  I23: {
    'a strategy is to close shares of another': (evidence) => void (evidence.orders[0]!.takesOfOthers = [B]),
  },
}

const TICKET = '00000000-0000-4000-8000-0000000000b1'
/** C was bought before everything was closed, by an order by hand as well: after the ticket of the key `t` for 10 AAPL. */
function byHand(evidence: Evidence, changes: Partial<ByHandBooks> = {}): ByHandBooks {
  evidence.ledger.orders.push(
    order(`${TICKET}-e1`, {
      position_intent: 'buy_to_open',
      fills: [{ execution_id: 't', qty: '10', price: '100', fee: '0.1', at: at(30) }],
    }),
  )
  evidence.orders.push({
    clientOrderId: `${TICKET}-e1`,
    isByHand: true,
    status: 'FILLED',
    filledQuantity: '10',
  })
  evidence.fills.push({ executionId: 't', quantity: '10', price: '100' })
  evidence.trades.push({
    symbol: 'AAPL',
    side: 'LONG',
    quantity: '10',
    entryPrice: '100',
    fees: '0.1',
    realisedPnl: null,
  })
  evidence.ledger.account.cash = '997999.6'
  evidence.ledger.positions.push({ symbol: 'AAPL', qty: '10' })
  evidence.positions.push({ symbol: 'AAPL', quantity: '10' })
  const told = [{ orderId: TICKET, at: at(1) }]
  const stored = { signalId: TICKET, orderId: TICKET, key: 't', origin: 'person' } as const
  evidence.byHand = {
    tickets: [{ key: 't', symbol: 'AAPL', side: 'buy', quantity: '10', told }],
    orders: [{ ...stored, acceptedAt: at(1), status: 'FILLED' }],
    notifiedFlattenings: [{ key: 'f', id: A }],
    flattenings: [flat(['TSLA'], 20)],
    ...changes,
  }
  return evidence.byHand
}
const flat = (symbols: string[], second: number): StoredFlattening => ({
  id: A,
  key: 'f',
  symbols,
  status: 'done',
  createdAt: at(second),
  endedAt: at(second + 1),
})

/** A group of two accounts, of which one refuses. */
const group = (changes: Partial<StoredGroup> = {}): StoredGroup => ({
  id: A,
  sender: C,
  identity: 'alert',
  accounts: 2,
  refused: [D],
  signalled: [A],
  ...changes,
})

const namesOf = (evidence: Evidence): Invariant[] => violationsOf(evidence).map(({ invariant }) => invariant)

describe('the oracle', () => {
  it('the oracle has nothing against a run without a fault', () => {
    assert.deepEqual(violationsOf({ ...sound(), groups: [group()] }), [])
  })

  it('the oracle has nothing against an order by hand, and what was bought after everything was closed', () => {
    const evidence = sound()
    byHand(evidence, { flattenings: [flat(['MSFT', 'AAPL'], 0)] })
    assert.deepEqual(violationsOf(evidence), [])
  })

  it('accepts that no person is notified of an order that went with the ledger and was rejected without a fill', () => {
    const evidence = sound()
    const id = `${D}-e1`
    evidence.ledger.orders.push(
      order(id, { status: 'rejected', filled_qty: '0', filled_at: null, fills: [] }),
    )
    Object.assign(evidence, { bySite: [id], rollback: { lost: [id], orders: [], told: '' } })
    assert.deepEqual(violationsOf(evidence), [])
  })

  it('accepts an expired rest of an auction that the broker calls cancelled, and no other difference', () => {
    const evidence = sound()
    Object.assign(ledgerOrder(evidence, `${A}-x1`), { status: 'canceled', time_in_force: 'cls' })
    evidence.orders[1]!.status = 'EXPIRED'
    assert.deepEqual(violationsOf(evidence), [])
    ledgerOrder(evidence, `${A}-x1`).time_in_force = 'day'
    assert.deepEqual(namesOf(evidence), ['I8'])
  })

  for (const [invariant, plants] of Object.entries(PLANTED))
    for (const [what, plant] of Object.entries(plants))
      it(`finds a violation of ${invariant} when ${what}`, () => {
        const evidence = sound()
        plant(evidence)
        const found = namesOf(evidence)
        assert.ok(found.includes(invariant as Invariant), `found ${found.join()}`)
      })

  it('the oracle has a planted violation for every invariant', () => {
    assert.deepEqual(
      INVARIANTS.filter((invariant) => Object.keys(PLANTED[invariant] ?? {}).length === 0),
      [],
    )
  })
})
