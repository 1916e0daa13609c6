import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueForSuite } from './venue-client.ts'

describe('orders at the venue', () => {
  const venue = venueForSuite()

  it('buys at the ask and sells at the bid of an unpinned symbol', async () => {
    const bought = await venue.client.submitAndAwait({ symbol: 'ZTSPREAD' })
    const sold = await venue.client.submitAndAwait({ symbol: 'ZTSPREAD', side: 'sell' })
    assert.ok(Number(bought.filled_avg_price) > Number(sold.filled_avg_price) - 0.02)
    assert.equal(sold.position_intent, 'sell_to_close')
  })

  it('triggers a stop at its price and fills it like a market order', async () => {
    await venue.client.pin('ZTSTP', '100')
    const { body } = await venue.client.submit({ symbol: 'ZTSTP', type: 'stop', stop_price: '101' })
    await venue.client.until(body.id, 'new')
    await venue.client.pin('ZTSTP', '101.5')
    const filled = await venue.client.until(body.id, 'filled')
    assert.equal(filled.filled_avg_price, '101.5')
  })

  it('holds a triggered stop limit to its limit', async () => {
    await venue.client.pin('ZTSLM', '100')
    const stopLimit = { symbol: 'ZTSLM', type: 'stop_limit', stop_price: '101', limit_price: '101.2' }
    const { body } = await venue.client.submit(stopLimit)
    await venue.client.until(body.id, 'new')
    await venue.client.pin('ZTSLM', '102')
    await sleep(600)
    assert.equal((await venue.client.order(body.id)).status, 'new')
    await venue.client.pin('ZTSLM', '101.1')
    const filled = await venue.client.until(body.id, 'filled')
    assert.equal(filled.filled_avg_price, '101.1')
  })

  for (const timeInForce of ['ioc', 'fok', 'opg', 'cls']) {
    it(`fills ${timeInForce} when marketable and cancels it when not, where the market never closes`, async () => {
      await venue.client.pin('ZTIMM', '10')
      const order = { symbol: 'ZTIMM', type: 'limit', time_in_force: timeInForce }
      await venue.client.submitAndAwait({ ...order, limit_price: '10.5' }, 'filled')
      const canceled = await venue.client.submitAndAwait({ ...order, limit_price: '9.5' }, 'canceled')
      assert.equal(canceled.filled_qty, '0')
      assert.ok(canceled.canceled_at)
    })
  }

  it('fills an order in dollars with a fraction of a share', async () => {
    await venue.client.pin('ZTNTL', '30')
    const filled = await venue.client.submitAndAwait({ symbol: 'ZTNTL', qty: undefined, notional: '100' })
    assert.equal(filled.qty, null)
    assert.equal(filled.notional, '100')
    assert.equal(filled.filled_qty, '3.333333333')
  })

  it('averages the cost of two purchases and keeps it when part is sold', async () => {
    await venue.client.pin('ZTAVG', '10')
    await venue.client.submitAndAwait({ symbol: 'ZTAVG', qty: '1' })
    await venue.client.pin('ZTAVG', '13')
    await venue.client.submitAndAwait({ symbol: 'ZTAVG', qty: '2' })
    await venue.client.submitAndAwait({ symbol: 'ZTAVG', qty: '1', side: 'sell' })
    const body = await venue.client.get('/v2/positions/ZTAVG')
    assert.deepEqual([body.qty, body.avg_entry_price, body.unrealized_pl], ['2', '12', '2'])
  })

  it('closes a part of a position, which its asset id names as well', async () => {
    const client = await venue.otherAccount('part-closer')
    await client.pin('ZTCLS', '10')
    const { asset_id: id } = await client.submitAndAwait({ symbol: 'ZTCLS', qty: '8' })
    const close = (query: string) => client.call('DELETE', `/v2/positions/${id}?${query}`)
    assert.equal((await close('percentage=25')).body.qty, '2')
    assert.equal((await close('qty=1')).body.qty, '1')
    assert.equal((await client.get(`/v2/positions/${id}`)).qty, '5')
    assert.equal((await close('qty=1&percentage=5')).status, 422)
    assert.equal((await close('percentage=101')).status, 422)
  })

  it('closes every position, with the answer for each, and cancels the orders in the way when asked', async () => {
    const client = await venue.otherAccount('closer-of-all')
    for (const symbol of ['ZTALLA', 'ZTALLB']) await client.submitAndAwait({ symbol, qty: '2' })
    await client.submit({ symbol: 'ZTALLB', qty: '2', side: 'sell', type: 'limit', limit_price: '9999' })
    const held = await client.call('DELETE', '/v2/positions')
    assert.equal(held.status, 207)
    const [free, inTheWay] = held.body
    assert.deepEqual([free.symbol, free.status, free.body.qty, free.body.side], ['ZTALLA', 200, '2', 'sell'])
    assert.deepEqual(
      [inTheWay.status, inTheWay.body.code, inTheWay.body.held_for_orders],
      [403, 40310000, '2'],
    )
    const all = await client.call('DELETE', '/v2/positions?cancel_orders=true')
    assert.deepEqual(
      all.body
        .filter(({ symbol }: { symbol: string }) => symbol === 'ZTALLB')
        .map(({ status }: { status: number }) => status),
      [200],
    )
  })

  it('shows the ledger as a page, with names escaped', async () => {
    const client = await venue.otherAccount('<script>alert(1)</script>')
    await client.submitAndAwait({ client_order_id: '<img src=x>' })
    const page = await (await fetch(client.url)).text()
    assert.match(page, /&lt;script&gt;/)
    assert.match(page, /&lt;img src=x&gt;/)
    assert.doesNotMatch(page, /<script|<img/)
  })
})
