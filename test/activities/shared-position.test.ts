import assert from 'node:assert/strict'
import type { Activities, PreparedEntry, SizedExit } from '#activities/contract.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { changeStrategy } from '#db/signal/strategies.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { amendFill } from '#db/position/fill-amendments.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { isTooLarge } from '#domain/position/symbol-state.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn, timelineOf } from '#test/support/ledger.ts'
import { createStrategy, orderReport as buyReport, withFill } from '#test/support/factories.ts'
import { letPass } from '#test/support/let-pass.ts'
import { byHandTerms, type ByHandChanges } from '#test/support/by-hand-terms.ts'
import { acceptanceOf, entryIdOf, store, termsOn } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import {
  allDaySessions,
  codeOf,
  executionTime,
  filledNow,
  shownOf,
  useDesk,
  type ActivityDesk,
} from '#test/support/activity-desk.ts'

describe('signals and people who share a position', function () {
  this.timeout(60_000)
  let { desk, em, account, broker, activities, accepted: acceptedOn, lists } = {} as ActivityDesk
  /** Milliseconds that pass before each decision: long enough for the broker to show every fill, unless a test says otherwise. */
  let passing: number
  useDesk((given) => {
    ;({ desk, em, account, broker, activities, accepted: acceptedOn, lists } = given)
    broker.sessions = allDaySessions()
    passing = 60_000
  })

  const orderReport = (signal: Pick<Signal, 'id'>, fields: Parameters<typeof buyReport>[1] = {}) =>
    buyReport(signal, { side: fields.role === 'exit' ? 'SELL' : 'BUY', ...fields })
  const accepted = (fields: Partial<Signal> = {}): Promise<Signal> =>
    acceptedOn({ action: 'openLong', ...fields })
  const later = async (): Promise<void> => {
    if (passing > 0) await letPass(em, passing)
  }
  const prepare = async (signal: Signal): Promise<PreparedEntry> => {
    await later()
    return desk.prepare(signal)
  }
  const prepareByHand = async (terms: ByHandTerms): ReturnType<Activities['prepareEntry']> => {
    await later()
    return activities.prepareEntry(terms)
  }
  const forLong = () => ({ sendBefore: new Date(Date.now() + 600_000).toISOString() })
  /** An order by hand that may be sent for longer than the tests let pass. */
  const placed = (changes: ByHandChanges = {}): Promise<ByHandTerms> =>
    desk.placed({ ...forLong(), ...changes })
  const isUnsettled = { type: 'OutcomeUnknown' }
  const after = (at: string, milliseconds: number): string =>
    new Date(Date.parse(at) + milliseconds).toISOString()
  /** A signal whose entry of ten shares has been filled. */
  async function opened(fields: Partial<Signal> = {}): Promise<Signal> {
    const signal = await accepted(fields)
    await recordAccepted(em, filledNow(orderReport(signal)))
    return signal
  }
  /** The signal's exit order, working at the broker and holding the shares. */
  async function exitAtBroker(signal: Signal, changes: Partial<OrderReport> = {}): Promise<OrderReport> {
    const report = orderReport(signal, {
      role: 'exit',
      orderType: 'limit',
      limitPrice: '110',
      ...changes,
    })
    broker.put(report)
    await recordAccepted(em, report)
    return report
  }
  const sizing = async (signal: Signal, changes: object = {}): Promise<SizedExit> => {
    await later()
    return desk.size(signal, { side: 'SELL', ...changes })
  }
  /** The close is at the broker and fills, all of it unless told otherwise. */
  const closed = (close: Signal, quantity: Decimal = '10') =>
    recordAccepted(em, filledNow(orderReport(close, { side: 'SELL', quantity })))
  /** The order is recorded as refused by the broker. */
  const refused = ({ signalId }: { signalId: string }) =>
    recordNotPlaced(em, signalId, new Date().toISOString(), {
      outcome: 'rejected',
      code: 'BROKER_ERROR',
      detail: 'no',
    })
  const sharesNow = async (): Promise<Record<string, string>> => {
    const { shares } = await readSymbolState(em, account.id, 'AAPL')
    const owners = new Set(shares.lots.map(({ owner }) => owner))
    return Object.fromEntries([...owners].map((owner) => [owner ?? 'nobody', shares.of(owner)]))
  }
  const holding = (quantity: Decimal, available = quantity): BrokerPosition =>
    held(quantity, 'LONG', { availableQuantity: available })

  describe('an exit', () => {
    it('closes nothing when another signal has closed its shares, though a third has opened since', async () => {
      const a = await opened({ exitRule: exitAtOnce })
      broker.positions = [holding('10')]
      const close = await accepted({ action: 'closeLong' })
      assert.equal(shownOf(await prepare(close)), '10')
      await closed(close)
      const b = await opened()
      assert.deepEqual(await sharesNow(), { [b.id]: '10' })
      assert.equal((await sizing(a)).quantity, '0')
    })

    it('an exit has the order of another signal cancelled whose shares were sold at the broker’s own site, and which would sell its own', async () => {
      const [a, b] = [await opened(), await opened({ exitRule: exitAtOnce })]
      const stop = { orderType: 'stop', limitPrice: null, stopPrice: '90' } as const
      const { clientOrderId } = await exitAtBroker(a, stop)
      await lists({ side: 'SELL', quantity: '10', orderFilled: '10' })
      broker.positions = [holding('10', '0')]
      broker.onCancelled = () => (broker.positions = [holding('10')])
      assert.deepEqual(await sharesNow(), { [b.id]: '10' })
      assert.equal((await sizing(b)).quantity, '10')
      const { cancelledFor } = await activities.readCancelMarks({ clientOrderId })
      assert.equal(cancelledFor, `${b.id}-x1`)
      assert.equal((await sizing(a, { generation: 2 })).quantity, '0')
    })

    it('an exit is too large at the broker once an execution of its entry was taken back', async () => {
      const a = await opened()
      const entry = orderReport(a)
      const { brokerOrderId } = entry
      await lists(
        { quantity: '6', orderFilled: '6', brokerOrderId },
        { quantity: '4', orderFilled: '10', brokerOrderId, executionId: 'busted' },
      )
      await exitAtBroker(a)
      const areTooLarge = async () => {
        const symbolState = await readSymbolState(em, account.id, 'AAPL')
        return symbolState.live.map((order) => isTooLarge(order, symbolState))
      }
      assert.deepEqual(await areTooLarge(), [false])
      await amendFill(em, desk.owner, withFill(entry, '6'), { executionId: 'busted', corrected: null })
      assert.deepEqual(await areTooLarge(), [true])
    })

    it('an exit of a reversal waits until the close before it is known, and then closes the shares of its own signal', async () => {
      await opened()
      broker.positions = [holding('10')]
      const close = await accepted({ action: 'closeLong' })
      assert.equal(shownOf(await prepare(close)), '10')
      const closedAt = new Date().toISOString()
      const short = await accepted({ action: 'openShort', exitRule: exitAtOnce })
      const sale = orderReport(short, { side: 'SELL_SHORT' })
      await recordAccepted(em, { ...filledNow(sale), filledAt: after(closedAt, 1_000) })
      broker.positions = [held('10', 'SHORT')]
      const sizingShort = () => sizing(short, { side: 'BUY_TO_COVER' })
      passing = 0
      await assert.rejects(sizingShort(), isUnsettled)
      passing = 60_000
      assert.match(
        JSON.stringify(await sizingShort()),
        new RegExp(`"obstacle":"[^"]*shows SHORT 10 of AAPL where nothing is held`),
      )
      await recordAccepted(em, {
        ...withFill(orderReport(close, { side: 'SELL' }), '10'),
        filledAt: closedAt,
      })
      assert.equal((await sizingShort()).quantity, '10')
    })

    it('keeps its shares when another exit of ours has filled and its acceptance is not recorded yet', async () => {
      const a = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      const b = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [holding('20')]
      assert.equal((await sizing(b)).quantity, '10')
      const sold = orderReport(b, { role: 'exit' })
      await lists({ side: 'SELL', quantity: '10', brokerOrderId: sold.brokerOrderId })
      broker.positions = [holding('10')]
      passing = 0
      await assert.rejects(sizing(a), isUnsettled)
      passing = 60_000
      assert.match(
        JSON.stringify(await sizing(a)),
        new RegExp(`"obstacle":"SELL 10 AAPL at market \\([^"]*-x1\\)`),
      )
      await recordAccepted(em, filledNow(sold))
      assert.deepEqual(await sharesNow(), { [a.id]: '10' })
      assert.equal((await sizing(a)).quantity, '10')
    })

    it('waits for ten seconds for the fill of another exit that was sized, and then names what the broker shows', async () => {
      const a = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      const b = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [holding('20')]
      assert.equal((await sizing(b)).quantity, '10')
      broker.positions = [holding('10')]
      // The fills of the entries explain nothing any more.
      passing = 60_000
      await assert.rejects(sizing(a), isUnsettled)
      await em.execute(
        `update signals set decisions = jsonb_set(decisions, '{exit-1,sizedAt}', to_jsonb(?::text)) where id = ?`,
        [new Date(Date.now() - 11_000).toISOString(), b.id],
        'run',
      )
      assert.match(
        JSON.stringify(await sizing(a)),
        new RegExp(`"obstacle":"the broker shows LONG 10 of AAPL`),
      )
    })

    it('gives up shares that a foreign order has closed, though an order of ours on the other side is not recorded yet', async () => {
      const a = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [holding('10')]
      assert.equal(shownOf(await prepare(await accepted())), '10')
      await lists({ side: 'SELL', quantity: '6' })
      broker.positions = [holding('4')]
      assert.equal((await sizing(a)).quantity, '4')
    })

    it('knows executions before and after the broker lists them, and their orders', async () => {
      const a = await opened()
      assert.deepEqual(await sharesNow(), { [a.id]: '10' })
      const { brokerOrderId } = orderReport(a)
      await lists(
        { side: 'BUY', brokerOrderId, quantity: '6', orderFilled: '6' },
        { side: 'BUY', quantity: '5', at: executionTime(1) },
      )
      assert.deepEqual(await sharesNow(), { [a.id]: '10', nobody: '5' })
      await lists(
        { side: 'BUY', brokerOrderId, quantity: '4', orderFilled: '10', at: executionTime(2) },
        { side: 'SELL', quantity: '7', at: executionTime(3) },
      )
      assert.deepEqual(await sharesNow(), { [a.id]: '8' })
    })

    it('begins again once nothing was held', async () => {
      const order = { brokerOrderId: 'before', quantity: '10' } as const
      await lists(
        { ...order, side: 'BUY', at: '2026-03-02T15:00:00.000000Z' },
        { ...order, side: 'SELL', at: '2026-03-02T15:00:01.000000Z', orderFilled: '20' },
      )
      const a = await opened()
      assert.deepEqual(await sharesNow(), { [a.id]: '10' })
    })

    it('an exit does not end by one answer of the broker that shows no position', async () => {
      const a = await opened({ exitRule: exitAtOnce })
      broker.positions = []
      const sized = await sizing(a)
      assert.match('obstacle' in sized ? sized.obstacle : '', /shows nothing of AAPL/)
      broker.positions = [holding('10')]
      assert.equal((await sizing(a, { failures: 1 })).quantity, '10')
    })
  })

  describe('a close', () => {
    it('a close has the exits cancelled that hold the shares, and says for whom', async () => {
      const a = await opened({ exitRule: exitAtOnce })
      const exit = await exitAtBroker(a)
      broker.positions = [holding('10', '0')]
      broker.onCancelled = () => (broker.positions = [holding('10')])
      const close = await accepted({ action: 'closeLong' })
      const prepared = await prepare(close)
      assert.ok(prepared.outcome === 'ready')
      assert.deepEqual([prepared.quantity, prepared.reservedLots], ['10', [{ owner: a.id, quantity: '10' }]])
      const order = await orderIn(em, exit.clientOrderId)
      assert.equal(order.status, 'CANCELLED')
      const { cancelledFor } = await activities.readCancelMarks({ clientOrderId: exit.clientOrderId })
      assert.equal(cancelledFor, `${close.id}-e1`)
      assert.ok((await timelineOf(em, a.id)).some(({ kind }) => kind === 'cancel_requested'))
    })

    it('waits until the broker has confirmed the end of the order that holds the shares', async () => {
      const a = await opened({ exitRule: exitAtOnce })
      const exit = await exitAtBroker(a)
      broker.positions = [holding('10', '0')]
      broker.cancels = 'pending'
      const close = await accepted({ action: 'closeLong' })
      await assert.rejects(prepare(close), isUnsettled)
      await assert.rejects(prepare(close), isUnsettled)
      assert.equal(broker.requests.get('cancelOrder'), 2, 'it is asked once in each try')
      // The cancel came too late: the exit has closed the position.
      broker.put(filledNow(exit))
      broker.positions = []
      await applyOrderReport(em, account.id, filledNow(exit))
      assert.equal(shownOf(await prepare(close)), 'NO_POSITION_TO_CLOSE')
    })

    it('a close is not for the shares that are set apart for another one', async () => {
      const signals = [await opened(), await opened()]
      broker.positions = [holding('20')]
      const reservedLots = []
      const reports: OrderReport[] = []
      for (const sourceId of ['first', 'second']) {
        const close = await accepted({ action: 'closeLong', sourceId })
        const prepared = await prepare(close)
        assert.ok(prepared.outcome === 'ready', JSON.stringify(prepared))
        const { live } = await readSymbolState(em, account.id, 'AAPL')
        assert.ok(live.every(({ side }) => side === 'SELL'))
        reservedLots.push(prepared.reservedLots)
        reports.push(orderReport(close, { side: 'SELL' }))
        await recordAccepted(em, reports.at(-1)!)
        broker.positions = [holding('20', '10')]
      }
      assert.deepEqual(
        reservedLots,
        signals.map(({ id }) => [{ owner: id, quantity: '10' }]),
      )
      // The second one fills first.
      await applyOrderReport(em, account.id, filledNow(reports[1]!))
      assert.deepEqual(await sharesNow(), { [signals[0]!.id]: '10' })
    })

    it('a close is for shares that a close before it has left, when the execution of that one is listed before it is reported', async () => {
      const exiting = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [holding('10')]
      assert.equal((await sizing(exiting)).quantity, '10')
      const a = await opened()
      broker.positions = [holding('20')]
      const first = await accepted({ action: 'closeLong', quantity: '6', sourceId: 'first' })
      assert.equal(shownOf(await prepare(first)), '6')
      const report = orderReport(first, { side: 'SELL', quantity: '6' })
      await recordAccepted(em, report)
      await lists({ side: 'SELL', quantity: '6', brokerOrderId: report.brokerOrderId })
      broker.positions = [holding('14')]
      const second = await accepted({ action: 'closeLong', quantity: '4', sourceId: 'second' })
      const prepared = await prepare(second)
      assert.ok(prepared.outcome === 'ready')
      assert.deepEqual(prepared.reservedLots, [{ owner: a.id, quantity: '4' }])
      await closed(second, '4')
      assert.deepEqual(await sharesNow(), { [exiting.id]: '10' })
    })

    it('a close of a person takes the shares set apart for it, though more were opened since', async () => {
      const a = await opened()
      const buy = (quantity: Decimal) => lists({ side: 'BUY', quantity })
      await buy('5')
      broker.positions = [holding('15')]
      const sale = await placed({ side: 'SELL' })
      assert.equal(shownOf(await prepareByHand(sale)), `SELL 10`)
      await buy('5')
      await applyOrderReport(em, account.id, filledNow(acceptanceOf(sale)))
      assert.deepEqual(await sharesNow(), { [a.id]: '5', nobody: '5' })
    })

    it('a close of a person does the same, and leaves alone orders that it does not need', async () => {
      const a = await opened({ exitRule: exitAtOnce })
      const b = await opened({ exitRule: exitAtOnce })
      const exits = [await exitAtBroker(a), await exitAtBroker(b)]
      broker.positions = [holding('20', '0')]
      broker.onCancelled = ({ quantity }) => (broker.positions = [holding('20', quantity)])
      const sale = await placed({ side: 'SELL' })
      assert.equal(shownOf(await prepareByHand(sale)), `SELL 10`)
      const statuses = await Promise.all(
        exits.map(async (exit) => (await orderIn(em, exit.clientOrderId)).status),
      )
      assert.deepEqual(statuses, ['OPEN', 'CANCELLED'])
    })

    it('a close has a resting entry of ours on the other side cancelled', async () => {
      const resting = await accepted({ orderType: 'limit', limitPrice: '60', timeInForce: 'gtc' })
      const report = orderReport(resting, {
        orderType: 'limit',
        limitPrice: '60',
        timeInForce: 'gtc',
      })
      broker.put(report)
      await recordAccepted(em, report)
      await opened()
      broker.positions = [holding('10')]
      assert.equal(shownOf(await prepare(await accepted({ action: 'closeLong' }))), '10')
      assert.equal((await orderIn(em, report.clientOrderId)).status, 'CANCELLED')
    })

    it('names the orders from elsewhere that hold the shares, and does not claim to have closed them', async () => {
      await opened()
      broker.put({
        ...acceptanceOf(elsewhere()),
        brokerOrderId: 'stop-at-the-broker',
      })
      broker.positions = [holding('10', '0')]
      const first = await accepted({ action: 'closeLong' })
      const denied = await prepare(first)
      assert.ok(denied.outcome === 'denied')
      assert.equal(denied.code, 'POSITION_HELD')
      await refused({ signalId: first.id })
      assert.match(denied.detail, /stop-at-the-broker/)
      broker.positions = [holding('10', '4')]
      const part = await prepare(await accepted({ action: 'closeLong' }))
      assert.ok(part.outcome === 'ready')
      assert.equal(part.quantity, '4')
      assert.ok(
        part.advisories.some(
          ({ code, message }) => code === 'position_held' && /stop-at-the-broker/.test(message),
        ),
      )
    })

    it('waits for a position that the broker does not show for as long as it is in time, and is then STALE with the reason', async () => {
      passing = 0
      await opened()
      broker.positions = []
      const close = await accepted({ action: 'closeLong' })
      await assert.rejects(prepare(close), isUnsettled)
      broker.positions = [holding('10')]
      assert.equal(shownOf(await prepare(close)), '10')
      await refused({ signalId: close.id })
      broker.positions = []
      passing = 60_000
      const unseen = await accepted({ action: 'closeLong', sendBefore: new Date(Date.now() + 600_000) })
      await assert.rejects(prepare(unseen), {
        ...isUnsettled,
        message: `the broker shows nothing of AAPL where LONG 10 are held by the fills`,
      })
      const sendBefore = new Date().toISOString()
      const late = await prepare({ ...unseen, sendBefore: new Date(sendBefore) })
      assert.deepEqual(late, {
        outcome: 'denied',
        code: 'STALE',
        detail: `It could not be sent before ${sendBefore}: the broker shows nothing of AAPL where LONG 10 are held by the fills`,
      })
    })

    it('waits for an order of ours that takes all shares at this moment, and closes the rest', async () => {
      passing = 0
      await opened()
      broker.positions = [holding('10')]
      const sale = await placed({ side: 'SELL' })
      await prepareByHand(sale)
      const close = await accepted({ action: 'closeLong' })
      await assert.rejects(prepare(close), isUnsettled)
      await refused(sale)
      assert.equal(shownOf(await prepare(close)), '10')
    })

    it('a close is shown which orders of ours hold all shares when they are not placed for long', async () => {
      await opened()
      broker.positions = [holding('10')]
      const sale = await placed({ side: 'SELL' })
      await prepareByHand(sale)
      const denied = await prepare(await accepted({ action: 'closeLong' }))
      assert.ok(denied.outcome === 'denied')
      assert.equal(denied.code, 'POSITION_HELD')
      assert.match(denied.detail, new RegExp(entryIdOf(sale)))
    })

    it('a close of a paused strategy is let through, and its open is not', async () => {
      const strategy = await createStrategy(em, { userId: account.userId })
      await changeStrategy(em, account.userId, strategy.id, { status: 'paused' })
      broker.positions = [holding('10')]
      const close = await accepted({ action: 'closeLong', strategyId: strategy.id })
      assert.equal(shownOf(await prepare(close)), '10')
      assert.equal(shownOf(await prepare(await accepted({ strategyId: strategy.id }))), 'STRATEGY_PAUSED')
    })
  })

  describe('an order by hand against the position', () => {
    const keyed = async (key: string): Promise<ByHandTerms> => {
      const terms = termsOn(account, { side: 'SELL', ...forLong() })
      await store(em, terms, { key, hash: key })
      return terms
    }

    it('sent twice does not turn the position round', async () => {
      await opened()
      broker.positions = [holding('10')]
      const first = await placed({ side: 'SELL' })
      assert.equal(shownOf(await prepareByHand(first)), `SELL 10`)
      await applyOrderReport(em, account.id, filledNow(acceptanceOf(first)))
      broker.positions = []
      passing = 0
      const again = async () => prepareByHand(await placed({ side: 'SELL' }))
      assert.equal(shownOf(await again()), 'NO_POSITION_TO_CLOSE')
      // The one before carries none.
      assert.equal(shownOf(await prepareByHand(await keyed('a key'))), 'NO_POSITION_TO_CLOSE')
      passing = 60_000
      await em.execute(`update orders set filled_at = filled_at - interval '1 minute'`)
      assert.equal(shownOf(await again()), `SELL_SHORT 10`)
    })

    it('an order by hand against the position within a minute of a close adds to a position on the other side that shows', async () => {
      await opened()
      broker.positions = [holding('10')]
      const close = await accepted({ action: 'closeLong' })
      await prepare(close)
      await closed(close)
      const short = await accepted({ action: 'openShort' })
      await recordAccepted(em, filledNow(orderReport(short, { side: 'SELL_SHORT' })))
      assert.deepEqual(await sharesNow(), { [short.id]: '10' })
      broker.positions = [held('10', 'SHORT')]
      passing = 0
      assert.equal(shownOf(await prepareByHand(await placed({ side: 'SELL' }))), `SELL_SHORT 10`)
    })

    it('an order by hand against the position under another key than the order before it is no repetition, and opens a position on the other side', async () => {
      await opened()
      broker.positions = [holding('10')]
      const first = await keyed('first')
      assert.equal(shownOf(await prepareByHand(first)), `SELL 10`)
      await applyOrderReport(em, account.id, filledNow(acceptanceOf(first)))
      broker.positions = []
      passing = 0
      assert.equal(shownOf(await prepareByHand(await keyed('second'))), `SELL_SHORT 10`)
      assert.equal(shownOf(await prepareByHand(await placed({ side: 'SELL' }))), 'NO_POSITION_TO_CLOSE')
    })

    it('right after an entry waits for a position that lags', async () => {
      passing = 0
      await opened()
      broker.positions = []
      const sale = await placed({ side: 'SELL' })
      await assert.rejects(prepareByHand(sale), isUnsettled)
      broker.positions = [holding('10')]
      assert.equal(shownOf(await prepareByHand(sale)), `SELL 10`)
    })
  })

  describe('a close beside an entry that is not recorded', () => {
    /**
     * An exit is sized to ten shares, ten older ones are free, and one more is bought while the close asks its broker: the
     * worker dies after that entry has filled and before its acceptance is recorded.
     */
    async function boughtUnrecorded({
      quantity,
      isListed = false,
    }: {
      quantity: Decimal
      isListed?: boolean
    }) {
      const free = await opened()
      const exiting = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [holding('20')]
      assert.equal((await sizing(exiting)).quantity, '10')
      const newest = await accepted({ quantity: '1', exitRule: exitAtOnce, status: 'scheduled' })
      const close = await accepted({ action: 'closeLong', quantity })
      // It has waited for the end of the entry as long as it may.
      await em.execute('update signals set sequencing_until = now() where id = ?', [close.id])
      const filledAt = new Date().toISOString()
      const bought = { ...withFill(orderReport(newest, { quantity: '1' }), '1'), filledAt }
      broker.latency = async () => {
        broker.latency = () => {}
        await em.execute(`update signals set status = 'queued' where id = ?`, [newest.id])
        assert.equal(shownOf(await prepare(newest)), '1')
        if (isListed) await lists({ side: 'BUY', brokerOrderId: bought.brokerOrderId })
        broker.positions = [holding('21')]
      }
      return { free, exiting, newest, close, bought }
    }
    for (const [which, isListed] of [
      ['', false],
      [', though the broker has listed its execution', true],
    ] as const) {
      it(`waits for an entry whose shares the broker shows and which is not recorded yet, and takes those${which}`, async () => {
        passing = 0
        const { free, exiting, newest, close, bought } = await boughtUnrecorded({ quantity: '11', isListed })
        await assert.rejects(prepare(close), isUnsettled)
        await recordAccepted(em, bought)
        const prepared = await prepare(close)
        assert.ok(prepared.outcome === 'ready')
        const reservedLots = [
          { owner: free.id, quantity: '10' },
          { owner: newest.id, quantity: '1' },
        ]
        assert.deepEqual([prepared.quantity, prepared.reservedLots], ['11', reservedLots])
        await closed(close, '11')
        assert.deepEqual(await sharesNow(), { [exiting.id]: '10' })
      })

      it(`takes the shares of an entry that is still not recorded after 15 seconds, and none that an exit is sized to${which}`, async () => {
        const { exiting, newest, close, bought } = await boughtUnrecorded({ quantity: '11', isListed })
        assert.equal(shownOf(await prepare(close)), '11')
        await recordAccepted(em, bought)
        await closed(close, '11')
        assert.deepEqual(await sharesNow(), { [exiting.id]: '10' })
        broker.positions = [holding('10')]
        assert.equal((await sizing(newest, { filledQuantity: '1' })).quantity, '0')
      })
    }

    it('a close does not wait for an entry that is not recorded yet when others have left it enough', async () => {
      passing = 0
      const { close } = await boughtUnrecorded({ quantity: '10' })
      assert.equal(shownOf(await prepare(close)), '10')
    })
  })

  describe('an exit that gave way to a close', () => {
    async function exitCancelledForClose() {
      const a = await opened({ exitRule: exitAtOnce })
      await exitAtBroker(a)
      broker.positions = [holding('10', '0')]
      broker.onCancelled = () => (broker.positions = [holding('10')])
      const close = await accepted({ action: 'closeLong' })
      await prepare(close)
      return { a, close }
    }

    it('waits for the close, and is sent again for all of its shares when that comes to nothing', async () => {
      const { a, close } = await exitCancelledForClose()
      await assert.rejects(sizing(a, { generation: 2 }), isUnsettled)
      await refused({ signalId: close.id })
      assert.equal((await sizing(a, { generation: 2 })).quantity, '10')
    })

    it('an exit that gave way to a close is sent again for the rest that the close has left', async () => {
      const { a, close } = await exitCancelledForClose()
      const report = orderReport(close, { side: 'SELL' })
      await recordAccepted(em, filledNow(report, '6'))
      broker.positions = [holding('4', '0')]
      await assert.rejects(sizing(a, { generation: 2 }), isUnsettled)
      await applyOrderReport(em, account.id, { ...filledNow(report, '6'), status: 'CANCELLED' })
      broker.positions = [holding('4')]
      assert.equal((await sizing(a, { generation: 2 })).quantity, '4')
    })

    it('an exit that gave way to a close has nothing left to do when the close has taken all', async () => {
      const { a, close } = await exitCancelledForClose()
      await closed(close)
      broker.positions = []
      assert.equal((await sizing(a, { generation: 2 })).quantity, '0')
    })

    it('names the resting close as the reason of its wait', async () => {
      const { a, close } = await exitCancelledForClose()
      const resting = { orderType: 'limit', limitPrice: '120', timeInForce: 'gtc' } as const
      await recordAccepted(em, orderReport(close, { side: 'SELL', ...resting }))
      const sized = await sizing(a, { generation: 2 })
      assert.match('obstacle' in sized ? sized.obstacle : '', new RegExp(`SELL 10 AAPL limit 120`))
    })
  })

  describe('of a short position', () => {
    const cover = { side: 'BUY_TO_COVER' } as const
    async function openedShort(fields: Partial<Signal> = {}): Promise<Signal> {
      const signal = await accepted({ action: 'openShort', ...fields })
      await recordAccepted(em, filledNow(orderReport(signal, { side: 'SELL_SHORT' })))
      return signal
    }

    it('an exit of a short position keeps its shares when another exit of ours has filled and its acceptance is not recorded yet', async () => {
      const exiting = { exitRule: exitAtOnce, exitStatus: 'waiting' } as const
      const [a, b] = [await openedShort(exiting), await openedShort(exiting)]
      broker.positions = [held('20', 'SHORT')]
      assert.equal((await sizing(b, cover)).quantity, '10')
      const bought = orderReport(b, { role: 'exit', ...cover })
      await lists({ side: 'BUY', quantity: '10', brokerOrderId: bought.brokerOrderId })
      broker.positions = [held('10', 'SHORT')]
      assert.match(JSON.stringify(await sizing(a, cover)), /"obstacle":"BUY_TO_COVER 10 AAPL at market/)
      await recordAccepted(em, filledNow(bought))
      assert.deepEqual(await sharesNow(), { [a.id]: '10' })
    })

    it('a close of a short position holds its shares while it is decided, and so does a purchase of a person', async () => {
      await openedShort()
      broker.positions = [held('10', 'SHORT')]
      const close = await accepted({ action: 'closeShort' })
      assert.equal(shownOf(await prepare(close)), '10')
      const denied = await prepareByHand(await placed({ side: 'BUY' }))
      assert.equal(shownOf(denied), 'POSITION_HELD')
      assert.match(JSON.stringify(denied), new RegExp(`BUY_TO_COVER 10 AAPL[^"]*${close.id}-e1`))
      await refused({ signalId: close.id })
      assert.equal(shownOf(await prepareByHand(await placed({ side: 'BUY' }))), 'BUY_TO_COVER 10')
      assert.equal(shownOf(await prepare(await accepted({ action: 'closeShort' }))), 'POSITION_HELD')
    })
  })

  describe('a limit of the position', () => {
    beforeEach(async () => {
      // Many decide at once, of things that have just come.
      passing = 0
      await desk.setLimits({ maxPositionShares: '10' })
    })

    for (const [signals, orders] of [
      [12, 0],
      [0, 12],
      [6, 6],
    ] as const)
      it(`a limit of the position is kept by ${signals} signals and ${orders} orders by hand that are decided at once`, async () => {
        const of = <Made>(many: number, make: (one: number) => Promise<Made>) =>
          Promise.all(Array.from({ length: many }, (_, one) => make(one)))
        const asked = await of(signals, (one) => accepted({ sourceId: `at once ${one}` }))
        const placedByHand = await of(orders, () => placed({ side: 'BUY' }))
        const decided = await Promise.all([...placedByHand.map(prepareByHand), ...asked.map(prepare)])
        const codes = decided.map(codeOf).toSorted()
        assert.deepEqual(codes, [...Array<string>(11).fill('POSITION_TOO_LARGE'), 'ready'])
      })

    it('counts decided orders that are not recorded yet, until they have failed', async () => {
      const first = await accepted({ sourceId: 'first' })
      assert.equal(shownOf(await prepare(first)), '10')
      assert.equal(shownOf(await prepare(await accepted({ sourceId: 'second' }))), 'POSITION_TOO_LARGE')
      assert.equal(shownOf(await prepareByHand(await placed({ side: 'BUY' }))), 'POSITION_TOO_LARGE')
      await refused({ signalId: first.id })
      assert.equal(shownOf(await prepare(await accepted({ sourceId: 'third' }))), '10')
    })
  })
})

/** Terms of an order that nobody has placed here. */
const elsewhere = (): ByHandTerms =>
  byHandTerms({ side: 'SELL', orderType: 'limit', limitPrice: '130', timeInForce: 'gtc' })
