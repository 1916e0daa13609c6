import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import { Alert, type Account, type Signal } from '#db/entities/index.ts'
import { amendFill, type FillAmendment } from '#db/position/fill-amendments.ts'
import { recordFills } from '#db/position/fills.ts'
import { recordAccepted, acknowledgeEnds } from '#db/signal/ledger.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import type { Execution } from '#domain/order/fill.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn, signalIn, timelineOf } from '#test/support/ledger.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { aFill, second, tradesIn } from '#test/support/fills.ts'
import { useDatabase } from '#test/support/database.ts'

describe('an execution that the broker takes back or corrects', function () {
  this.timeout(30_000)
  let database: Database
  let account: Account
  let signal: Signal
  let filled: OrderReport
  let fill: Execution
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em)
    signal = await createSignal(database.em, { accountId: account.id })
    const report = orderReport(signal)
    filled = withFill(report, '10')
    await recordAccepted(database.em, report)
    await applyOrderReport(database.em, account.id, filled)
    const { brokerOrderId } = report
    fill = aFill({ brokerOrderId, quantity: '6', orderFilled: '10', at: second(1) })
    await record([aFill({ brokerOrderId, quantity: '4', orderFilled: '4' }), fill])
  })

  const owner = () => ({ accountId: account.id, userId: account.userId })
  const record = (fills: Execution[]) => recordFills(database.em, owner(), { fills, fees: [], until: null })
  const amend = (report: OrderReport, corrected: FillAmendment['corrected'] = null) =>
    amendFill(database.em, owner(), report, { executionId: fill.executionId, corrected })
  const alerts = async () =>
    (await database.em.fork().find(Alert, { accountId: account.id })).map(({ kind, message }) => [
      kind,
      message,
    ])
  const isCancelledAtFour = async () => {
    const order = await orderIn(database.em, filled.clientOrderId)
    assert.deepEqual([order.status, Number(order.filledQuantity)], ['CANCELLED', 4])
    assert.equal(Number((await signalIn(database.em, signal.id)).filledQuantity), 4)
  }
  const busted = (): OrderReport => ({ ...filled, filledQuantity: '4' })

  it('lowers the order, its signal and the trade, and notifies the owner', async () => {
    assert.equal(await amend(busted()), true)
    await isCancelledAtFour()
    assert.deepEqual(await tradesIn(database.em, account.id), ['OPEN LONG 4 AAPL 100> fees 0 pnl '])
    assert.match((await timelineOf(database.em, signal.id)).at(-1)!.message, /4 instead of 10 shares/)
    const [[kind, message] = []] = await alerts()
    assert.equal(kind, 'fill_amended')
    assert.match(message!, /taken back .* AAPL: the order had filled 10 and has filled 4/)
    assert.match(message!, /The account holds 4 AAPL now$/)
  })

  for (const [sold, held] of [
    ['10', 'is short 6 AAPL'],
    ['4', 'holds nothing of AAPL'],
  ] as const)
    it(`says that the account ${held} after its exit has sold ${sold}`, async () => {
      await record([aFill({ side: 'SELL', quantity: sold, at: second(2) })])
      await amend(busted())
      const [[, message] = []] = await alerts()
      assert.ok(message!.endsWith(`The account ${held} now`), message)
    })

  it('lets the end of its order be acknowledged by a workflow that knows of more', async () => {
    await amend(busted())
    assert.equal((await orderIn(database.em, filled.clientOrderId)).endAcknowledgedAt, null)
    await acknowledgeEnds(database.em, signal.id, [filled])
    assert.notEqual((await orderIn(database.em, filled.clientOrderId)).endAcknowledgedAt, null)
  })

  it('an execution that the broker takes back or corrects of an order by hand lowers what its signal has filled', async () => {
    const terms = await placedByHand(database.em, account)
    const bought = withFill(acceptanceOf(terms), '10')
    await applyOrderReport(database.em, account.id, bought)
    await amend({ ...bought, filledQuantity: '4' })
    assert.equal(Number((await signalIn(database.em, terms.signalId)).filledQuantity), 4)
  })

  it('leaves the shares that the rest of a close has sold with the signal for which they were set apart', async () => {
    const owners = async () => {
      const { shares } = await readSymbolState(database.em, account.id, 'AAPL')
      return [shares.of(signal.id), shares.of(other.id)]
    }
    const other = await createSignal(database.em, { accountId: account.id })
    await recordAccepted(database.em, withFill(orderReport(other), '10'))
    const close = await createSignal(database.em, { accountId: account.id, action: 'closeLong' })
    const reservedLots = [
      { owner: signal.id, quantity: '10' },
      { owner: other.id, quantity: '5' },
    ]
    await decideOnce(database.em, close.id, 'entry', { outcome: 'ready', quantity: '15', reservedLots })
    const sale = withFill(orderReport(close, { side: 'SELL', quantity: '15' }), '15')
    await recordAccepted(database.em, sale)
    const { brokerOrderId } = sale
    const first = aFill({ brokerOrderId, side: 'SELL', quantity: '8', at: second(3) })
    await record([
      first,
      aFill({ brokerOrderId, side: 'SELL', quantity: '7', orderFilled: '15', at: second(4) }),
    ])
    assert.deepEqual(await owners(), ['0', '5'])
    fill = first
    await amend({ ...sale, filledQuantity: '7' })
    assert.deepEqual(await owners(), ['3', '10'])
  })

  it('counts as news of the position, which its broker may show a moment later', async () => {
    const since = new Date().toISOString()
    await amend(busted())
    const { changedAt } = await readSymbolState(database.em, account.id, 'AAPL')
    assert.ok(changedAt! >= since)
  })

  it('an execution that the broker takes back or corrects is amended once, however often that is reported, and not stored again by an older list', async () => {
    await amend(busted())
    assert.equal(await amend(busted()), false)
    assert.equal(await record([fill]), 0)
    assert.deepEqual(await tradesIn(database.em, account.id), ['OPEN LONG 4 AAPL 100> fees 0 pnl '])
    assert.equal((await alerts()).length, 1)
  })

  it('an execution that the broker takes back or corrects never raises what is filled, by a report that is older than the ledger', async () => {
    await amend(busted())
    const { brokerOrderId } = filled
    fill = aFill({ brokerOrderId, quantity: '4', orderFilled: '4' })
    await record([fill])
    await amend(filled, { executionId: 'corrected', quantity: '4', price: '90' })
    await isCancelledAtFour()
  })

  it('counts with its corrected price', async () => {
    const corrected = { executionId: 'corrected', quantity: '6', price: '90' } as const
    await amend({ ...filled, avgFillPrice: '94' }, corrected)
    const { status, filledQuantity, avgFillPrice } = await orderIn(database.em, filled.clientOrderId)
    assert.deepEqual([status, Number(filledQuantity), Number(avgFillPrice)], ['FILLED', 10, 94])
    assert.deepEqual(await tradesIn(database.em, account.id), ['OPEN LONG 10 AAPL 94> fees 0 pnl '])
  })

  it('an execution that the broker takes back or corrects of an order from elsewhere changes the trades and no order', async () => {
    const foreign = aFill({ symbol: 'MSFT', quantity: '3' })
    await record([foreign])
    const report = { ...filled, clientOrderId: 'by-hand', symbol: 'MSFT' }
    await amendFill(database.em, owner(), report, { executionId: foreign.executionId, corrected: null })
    assert.deepEqual(await tradesIn(database.em, account.id), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
    assert.deepEqual(await alerts(), [])
  })
})
