import assert from 'node:assert/strict'
import { HeardFills } from '#activities/order/heard-fills.ts'
import { clientOrderIdFor, type OrderRequest } from '#domain/order/order.ts'

describe('a fill that an order at market waits for', () => {
  const ACCOUNT = 'account'
  const SIGNAL = 'a5c3b0de-0000-4000-8000-000000000001'
  const request = {
    clientOrderId: clientOrderIdFor(SIGNAL, 'entry', 1),
    orderType: 'market',
    timeInForce: 'day',
  } as OrderRequest
  let fills: HeardFills
  beforeEach(() => {
    fills = new HeardFills()
    fills.follow(ACCOUNT, true)
  })

  const waited = async (comes: Promise<void>): Promise<number> => {
    const begun = performance.now()
    await comes
    return performance.now() - begun
  }

  it('a fill that an order at market waits for ends the wait when the feed has stored it', async () => {
    const fill = fills.expect(ACCOUNT, request)!
    const comes = waited(fill.comes())
    fills.tell(request.clientOrderId)
    assert.ok((await comes) < 40)
    fill.end()
  })

  it('a fill that an order at market waits for and that came before the broker’s answer ends the wait at once', async () => {
    const fill = fills.expect(ACCOUNT, request)!
    fills.tell(request.clientOrderId)
    assert.ok((await waited(fill.comes())) < 40)
    fill.end()
  })

  it('a fill that an order at market waits for and that does not come holds it up for a moment only', async () => {
    const fill = fills.expect(ACCOUNT, request)!
    fills.tell('another order')
    const milliseconds = await waited(fill.comes())
    assert.ok(milliseconds > 40 && milliseconds < 1_000, `${milliseconds} ms`)
    fill.end()
  })

  it('a fill that an order at market waits for is expected neither of an exit, a limit or an auction, nor where another process follows the account', () => {
    assert.equal(fills.expect(ACCOUNT, { ...request, orderType: 'limit' }), null)
    assert.equal(fills.expect(ACCOUNT, { ...request, timeInForce: 'opg' }), null)
    const exit = clientOrderIdFor(SIGNAL, 'timed', 1)
    assert.equal(fills.expect(ACCOUNT, { ...request, clientOrderId: exit }), null)
    assert.equal(fills.expect('another account', request), null)
    fills.follow(ACCOUNT, false)
    assert.equal(fills.expect(ACCOUNT, request), null)
  })
})
