import assert from 'node:assert/strict'
import { applyOrderReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn } from '#test/support/ledger.ts'
import { acceptanceOf, entryIdOf } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { filledNow, shownOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

/** As after the ledger was restored to a time before it was decided. */
describe('an order by hand that is at its broker, and whose decision the ledger lacks,', () => {
  let { desk, em, account, broker, activities, placed } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, account, broker, activities, placed } = opened))

  /** An attempt on a slow machine may decide and leave the rest to the next one. */
  async function attempted(terms: ByHandTerms): Promise<string> {
    for (;;) {
      const { check, submission } = await activities.attemptEntry(terms)
      assert.ok(check.completed && check.result.outcome === 'ready')
      if (submission !== null) return submission.completed ? submission.result.outcome : 'in doubt'
    }
  }
  function sent(terms: ByHandTerms, changes: Partial<OrderReport> = {}): OrderReport {
    const report = acceptanceOf(terms, changes)
    broker.put(report)
    return report
  }
  const rowOf = (terms: ByHandTerms) => orderIn(em, entryIdOf(terms))

  for (const isKnown of [true, false]) {
    const where = isKnown ? '' : ', and the feed has not received it yet'
    const report = async (terms: ByHandTerms, changes: Partial<OrderReport>) => {
      const order = sent(terms, changes)
      if (isKnown) assert.ok(await applyOrderReport(em, account.id, order))
    }

    it(`too old to be sent by now${where}: is adopted with the side and size with which it was sent`, async () => {
      const terms = await placed({ side: 'SELL', sendBefore: '2026-03-02T15:00:00.000Z' })
      await report(terms, { side: 'SELL_SHORT', quantity: '6' })
      assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL_SHORT 6')
      const { side, quantity } = await rowOf(terms)
      assert.deepEqual([side, Number(quantity)], ['SELL_SHORT', 6])
      assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL_SHORT 6')
    })

    it(`an order by hand that is at its broker, and whose decision the ledger lacks, beyond a limit of today${where}: is accepted, followed, and not sent again`, async () => {
      await saveRiskSettings(em, account.userId, account.id, { maxOrderShares: '1' })
      const terms = await placed()
      await report(terms, {})
      assert.equal(await attempted(terms), 'accepted')
      assert.equal(broker.accepted.size, 1)
      assert.equal((await rowOf(terms)).status, 'OPEN')
    })

    it(`an order by hand that is at its broker, and whose decision the ledger lacks, that closed a whole position${where}: is adopted`, async () => {
      const terms = await placed({ side: 'SELL', reducesOnly: true })
      const order = acceptanceOf(terms, { side: 'SELL', quantity: '4' })
      await report(terms, filledNow(order))
      assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL 4')
    })
  }

  it('an order by hand that is at its broker, and whose decision the ledger lacks, is denied as ever where the order that its broker has under its id is another one', async () => {
    await saveRiskSettings(em, account.userId, account.id, { maxOrderShares: '1' })
    for (const other of [{ symbol: 'MSFT' }, { side: 'SELL' }] as const) {
      const terms = await placed()
      sent(terms, other)
      assert.equal(shownOf(await activities.prepareEntry(terms)), 'ORDER_TOO_LARGE', JSON.stringify(other))
    }
  })

  it('takes the shares that it was sent for, so that no exit takes them too', async () => {
    const signal = await desk.opened()
    broker.positions = [held('10', 'LONG', { availableQuantity: '6' })]
    const terms = await placed({
      side: 'SELL',
      orderType: 'limit',
      limitPrice: '140',
      timeInForce: 'gtc',
    })
    assert.ok(await applyOrderReport(em, account.id, sent(terms, { quantity: '4' })))
    assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL 4')
    const { live } = await readSymbolState(em, account.id, 'AAPL')
    assert.deepEqual(
      live.map(({ reservedLots }) => reservedLots),
      [[{ owner: signal.id, quantity: '4' }]],
    )
  })

  it('sized again to the position of now, is accepted in the size with which it was sent', async () => {
    broker.positions = [held('6', 'LONG')]
    const terms = await placed({ side: 'SELL' })
    sent(terms, { quantity: '4', side: 'SELL' })
    assert.equal(await attempted(terms), 'accepted')
    assert.equal(Number((await rowOf(terms)).quantity), 4)
  })

  it('sized again before the feed has reported it, has the size with which it was sent', async () => {
    broker.positions = [held('6', 'LONG')]
    const terms = await placed({ side: 'SELL' })
    assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL 6')
    assert.ok(await applyOrderReport(em, account.id, sent(terms, { quantity: '4', side: 'SELL' })))
    assert.equal(await attempted(terms), 'accepted')
    assert.equal(Number((await rowOf(terms)).quantity), 4)
  })

  it('an order by hand that is at its broker, and whose decision the ledger lacks, is cancelled at its broker: to call it off before it is sent is too late', async () => {
    const terms = await placed()
    assert.ok(await applyOrderReport(em, account.id, sent(terms)))
    const cancel = { reason: 'WITHDRAWN', detail: 'Cancelled by bob' } as const
    assert.equal(await recordCancelled(em, terms.signalId, terms.acceptedAt, cancel), 'too_late')
  })
})
