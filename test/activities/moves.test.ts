import assert from 'node:assert/strict'
import { exitBegins } from '#domain/exit/progress.ts'
import type { Signal } from '#db/entities/index.ts'
import { continuationOf, recordCrossed } from '#db/signal/reversal.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { Trade } from '#domain/signal/move.ts'
import type { Size, Target } from '#domain/signal/signal.ts'
import { createSignal, orderReport } from '#test/support/factories.ts'
import { signalIn } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import { shownOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const SELL: Trade & Size = {
  kind: 'trade',
  direction: 'sell',
  whenFlat: 'open',
  whenOpposite: 'reverse',
  whenSame: 'nothing',
  quantity: '10',
  quantityType: 'fixed',
}
const NO_SHORT = { ...SELL, whenFlat: 'refuse', whenOpposite: 'close' } as const

describe('a signal with a move', () => {
  let { em, account, broker, accepted, prepare, setLimits } = {} as ActivityDesk
  useDesk((desk) => {
    ;({ em, account, broker, accepted, prepare, setLimits } = desk)
    broker.lastPrice = '150'
  })

  const signalWith = (target: Partial<Target>, fields: Partial<Signal> = {}): Promise<Signal> =>
    accepted({
      action: 'openShort',
      quantity: '10',
      orderType: 'market',
      limitPrice: null,
      timeInForce: 'day',
      target: { position: '-1', exit: null, at: null, ...target },
      ...fields,
    })
  /** So many shares that were bought an hour ago, by a signal of ours. */
  async function bought(quantity: `${number}`): Promise<void> {
    const owner = await createSignal(em, { accountId: account.id, status: 'queued' })
    const at = '2026-03-02T14:00:00.000Z'
    const filled = { status: 'FILLED', filledQuantity: quantity, avgFillPrice: '100', filledAt: at } as const
    await recordAccepted(em, orderReport(owner, { quantity, submittedAt: at, ...filled }))
    await em.execute(`update signals set entry_ended_at = now() where id = ?`, [owner.id])
    broker.positions = [held(quantity, 'LONG')]
  }
  const alerts = () =>
    em.execute<{ symbol: string; data: object }[]>(
      `select symbol, data from alerts where kind = 'sender_position_differs' and account_id = ?`,
      [account.id],
    )

  it('a move is worked out once: its order and its target are kept with the decision to send it', async () => {
    await bought('10')
    const signal = await signalWith({ move: SELL })
    const first = await prepare(signal)
    assert.ok(first.outcome === 'ready')
    assert.deepEqual(first.leg, {
      action: 'closeLong',
      quantity: '10',
      quantityType: 'fixed',
      exit: null,
      target: { position: '-10', exit: null, at: null },
    })
    assert.equal(first.advisories[0]?.code, 'order_by_position')
    broker.positions = []
    assert.deepEqual(await prepare(signal), first)
    const { action, target } = await signalIn(em, signal.id)
    assert.deepEqual([action, target], ['closeLong', first.leg.target])
  })

  it('goes on to the other side with the amount for which it opens', async () => {
    await bought('10')
    const move = { ...SELL, quantity: '5', quantityType: 'percentEquity' } as const
    const signal = await signalWith({ move }, { quantity: '5', quantityType: 'percentEquity' })
    const prepared = await prepare(signal)
    assert.ok(prepared.outcome === 'ready')
    assert.equal(prepared.quantity, '10')
    const { quantityType } = await signalIn(em, signal.id)
    assert.equal(quantityType, 'fixed')
    await em.execute(`update signals set status = 'executed' where id = ?`, [signal.id])
    await recordCrossed(em, signal.id, new Date().toISOString(), {
      message: 'Filled',
      acknowledges: [],
      exit: null,
      rejected: false,
      unprotected: null,
      closing: 1,
      entryFilled: '0',
      progress: exitBegins(),
    })
    const next = await signalIn(em, continuationOf(signal.id))
    assert.deepEqual(
      [next.action, Number(next.quantity), next.quantityType, next.continues],
      ['openShort', 5, 'percentEquity', signal.id],
    )
    assert.deepEqual(next.target, prepared.leg!.target)
  })

  it('a move is refused by what is held, with the code of that', async () => {
    const denied = await prepare(await signalWith({ move: NO_SHORT, position: '0' }, { action: 'closeLong' }))
    assert.ok(denied.outcome === 'denied')
    assert.equal(denied.code, 'SHORT_NOT_ALLOWED')
  })

  it('comes to what it came to before the order in its way was cancelled', async () => {
    const entry = await createSignal(em, { accountId: account.id })
    const at = '2026-03-02T14:00:00.000Z'
    const resting = orderReport(entry, {
      orderType: 'limit',
      limitPrice: '90',
      quantity: '10',
      submittedAt: at,
    })
    await recordAccepted(em, resting)
    broker.put(resting)
    const signal = await signalWith({ move: NO_SHORT, position: '0' }, { action: 'closeLong' })
    const prepared = await prepare(signal)
    assert.ok(prepared.outcome === 'ended', JSON.stringify(prepared))
    assert.equal(prepared.reason, 'AT_TARGET')
    assert.equal(broker.accepted.get(resting.clientOrderId)?.report.status, 'CANCELLED')
    assert.equal((await signalIn(em, signal.id)).target?.move, undefined)
  })

  const at10 = { position: '10' } as const
  const toTen = () => signalWith(at10, { action: 'openLong' })
  /** Something happens while the broker is asked for prices, which is after the first look at what is held. */
  const whileAsked = (happens: () => Promise<unknown>): void => {
    const quotes = broker.getQuotes.bind(broker)
    broker.getQuotes = async (symbols) => {
      broker.getQuotes = quotes
      await happens()
      return quotes(symbols)
    }
  }

  for (const [title, holds, limits, expected] of [
    ['asked of the order, and not of the target', '8', { maxOrderShares: '5' }, '2'],
    ['kept by an order for all of the target', '0', { maxOrderShares: '5' }, 'ORDER_TOO_LARGE'],
    ['kept with what is held', '8', { maxPositionShares: '9' }, 'POSITION_TOO_LARGE'],
  ] as const)
    it(`a limit is ${title}, of a signal with a target`, async () => {
      if (holds !== '0') await bought(holds)
      await setLimits(limits)
      assert.equal(shownOf(await prepare(await toTen())), expected)
    })

  it('a limit is asked again when the order for a target is decided, as it may have been set since', async () => {
    const signal = await toTen()
    whileAsked(() => setLimits({ maxOrderShares: '5' }))
    assert.equal(shownOf(await prepare(signal)), 'ORDER_TOO_LARGE')
  })

  it('a target counts the shares of an order that works, decided or resting, once', async () => {
    const first = await accepted({ orderType: 'limit', limitPrice: '90', timeInForce: 'gtc' })
    assert.equal(shownOf(await prepare(first)), '10')
    const limit = { orderType: 'limit', limitPrice: '90', timeInForce: 'gtc' } as const
    await recordAccepted(em, orderReport(first, limit))
    const same = await prepare(await toTen())
    assert.equal(same.outcome === 'ended' && same.reason, 'AT_TARGET')
    const more = await signalWith({ position: '15' }, { action: 'openLong', sourceId: 'more' })
    assert.equal(shownOf(await prepare(more)), '5')
  })

  it('a target is not ordered twice where its shares are bought while it is decided on', async () => {
    const signal = await toTen()
    whileAsked(() => bought('10'))
    await assert.rejects(prepare(signal), { type: 'OutcomeUnknown' })
    const again = await prepare(signal)
    assert.equal(again.outcome === 'ended' && again.reason, 'AT_TARGET')
  })

  describe('whose sender takes another position for held,', () => {
    const senderHolds = { side: 'LONG', shares: '10' } as const

    it('reports that once, also where it is refused', async () => {
      const signal = await signalWith({ move: NO_SHORT, position: '0', senderHolds }, { action: 'closeLong' })
      for (let times = 0; times < 2; times += 1) assert.equal((await prepare(signal)).outcome, 'denied')
      assert.deepEqual(await alerts(), [{ symbol: 'AAPL', data: { signalId: signal.id } }])
      const { advisories } = await signalIn(em, signal.id)
      assert.deepEqual(
        advisories.map(({ code }) => code),
        ['position_differs'],
      )
    })

    it('reports nothing where both are at one', async () => {
      await bought('10')
      assert.equal((await prepare(await signalWith({ move: SELL, senderHolds }))).outcome, 'ready')
      assert.deepEqual(await alerts(), [])
    })

    it('reports it for a target too', async () => {
      await prepare(await signalWith({ position: '-10', senderHolds }))
      assert.equal((await alerts()).length, 1)
    })
  })
})
