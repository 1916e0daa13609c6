import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueForSuite, type Json, type VenueClient } from './venue-client.ts'

/** Target 110, stop 90, for ten shares bought at 100. */
const OCO = {
  qty: '10',
  side: 'sell',
  type: 'limit',
  time_in_force: 'gtc',
  order_class: 'oco',
  take_profit: { limit_price: '110' },
  stop_loss: { stop_price: '90' },
}
const BRACKET = {
  qty: '10',
  order_class: 'bracket',
  take_profit: { limit_price: '110' },
  stop_loss: { stop_price: '90', limit_price: '89' },
}

describe('orders of a class at the venue', () => {
  const venue = venueForSuite()
  let client: VenueClient
  beforeEach(async () => {
    client = await venue.otherAccount(`classes-${Math.random()}`)
    await client.pin('AAPL', '100')
  })
  afterEach(() => client.call('DELETE', '/venue/faults'))
  const order = async (id: string): Promise<Json> => await client.order(id)
  const statuses = (orders: Json[]) => Promise.all(orders.map(async ({ id }) => (await order(id)).status))
  const heldShares = async () => {
    const body = await client.get('/v2/positions/AAPL')
    return Number(body.qty) - Number(body.qty_available)
  }
  const oco = async (terms: Json = {}) => {
    await client.submitAndAwait({ qty: '10' })
    const { status, body } = await client.submit({ ...OCO, ...terms })
    assert.equal(status, 200, JSON.stringify(body))
    await client.until(body.id, 'new')
    return { parent: body, stop: body.legs[0], both: [body, body.legs[0]] }
  }

  it('answers an oco with its held stop, holds the shares once, and nests the stop when asked', async () => {
    const { parent, stop } = await oco()
    assert.deepEqual(
      [parent.type, parent.limit_price, parent.order_class, parent.legs.length],
      ['limit', '110', 'oco', 1],
    )
    assert.deepEqual(
      [stop.type, stop.stop_price, stop.limit_price, stop.order_class, stop.status, stop.side, stop.qty],
      ['stop', '90', null, 'oco', 'held', 'sell', '10'],
    )
    assert.notEqual(stop.client_order_id, parent.client_order_id)
    assert.equal(await heldShares(), 10)
    const flat = await client.get('/v2/orders')
    assert.deepEqual(
      new Map(flat.map(({ id, legs }: Json) => [id, legs])),
      new Map([parent.id, stop.id].map((id) => [id, null])),
    )
    const nested = await client.get('/v2/orders?nested=true')
    assert.deepEqual(
      nested.map(({ id, legs }: Json) => [id, legs[0].id]),
      [[parent.id, stop.id]],
    )
    const one = await client.get(`/v2/orders/${parent.id}?nested=true`)
    assert.equal(one.legs[0].id, stop.id)
    assert.equal((await client.submit({ qty: '1', side: 'sell' })).status, 403)
  })

  it('takes a partial fill of the target from the stop', async () => {
    await client.script({ on: 'fill', mode: 'partial', fraction: 0.4, clientOrderIdPrefix: 'part', times: 1 })
    const { parent, stop } = await oco({ client_order_id: 'part' })
    await client.pin('AAPL', '110')
    await client.until(parent.id, 'partially_filled')
    assert.deepEqual([(await order(stop.id)).qty, await heldShares()], ['6', 6])
    await client.pin('AAPL', '90')
    await client.until(stop.id, 'filled')
    assert.equal((await order(parent.id)).filled_qty, '4')
    assert.equal((await client.get('/v2/positions')).length, 0)
  })

  it('lets a late fill of a cancelled target be the only one', async () => {
    const { parent, stop } = await oco({ client_order_id: 'late' })
    await client.script({ on: 'cancel', mode: 'late_fill', delayMs: 50 })
    await client.call('DELETE', `/v2/orders/${parent.id}`)
    await client.pin('AAPL', '80')
    await client.until(parent.id, 'filled')
    assert.equal((await order(stop.id)).status, 'canceled')
    assert.equal((await client.get('/v2/positions')).length, 0)
  })

  it('holds the levels of a bracket until its entry has filled, and then the stop until it is reached', async () => {
    await client.script({ on: 'fill', mode: 'delay', delayMs: 300, clientOrderIdPrefix: 'b', times: 1 })
    const { body } = await client.submit({ ...BRACKET, client_order_id: 'b1' })
    assert.deepEqual(
      body.legs.map(({ type, side, status, order_class }: Json) => [type, side, status, order_class]),
      [
        ['limit', 'sell', 'held', 'bracket'],
        ['stop_limit', 'sell', 'held', 'bracket'],
      ],
    )
    await client.until(body.id, 'filled')
    assert.deepEqual(await statuses(body.legs), ['new', 'held'])
    assert.equal(await heldShares(), 10)
    const nested = await client.get('/v2/orders?nested=true')
    assert.deepEqual(
      nested.map(({ id, legs }: Json) => [id, legs.length]),
      [[body.id, 2]],
    )
    await client.pin('AAPL', '89.5')
    await client.until(body.legs[1].id, 'filled')
    assert.deepEqual(await statuses(body.legs), ['canceled', 'filled'])
  })

  it('cancels the held levels of a bracket with its entry', async () => {
    const { body } = await client.submit({ ...BRACKET, type: 'limit', limit_price: '95' })
    await client.call('DELETE', `/v2/orders/${body.id}`)
    assert.deepEqual(await statuses([body, ...body.legs]), ['canceled', 'canceled', 'canceled'])
  })

  it('lets the one level of an oto work once its entry has filled', async () => {
    const { body } = await client.submit({ qty: '3', order_class: 'oto', stop_loss: { stop_price: '90' } })
    await client.until(body.legs[0].id, 'new')
    await client.pin('AAPL', '90')
    await client.until(body.legs[0].id, 'filled')
  })

  describe('trailing stops', () => {
    const trailing = async (terms: Json) => {
      await client.submitAndAwait({ qty: '10' })
      const { status, body } = await client.submit({
        qty: '10',
        side: 'sell',
        type: 'trailing_stop',
        time_in_force: 'gtc',
        ...terms,
      })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }

    it('follow the last trade by dollars and sell when it falls back', async () => {
      const { id, hwm, stop_price, trail_price } = await trailing({ trail_price: '5' })
      assert.deepEqual([hwm, stop_price, trail_price], ['100', '95', '5'])
      await client.pin('AAPL', '120')
      await client.orderWhen(id, (report) => report.stop_price === '115')
      await client.pin('AAPL', '116')
      await sleep(300)
      assert.deepEqual([(await order(id)).status, (await order(id)).hwm], ['new', '120'])
      await client.pin('AAPL', '114')
      const filled = await client.until(id, 'filled')
      assert.equal(filled.filled_avg_price, '114')
    })

    it('follow by percent, and take another trail', async () => {
      const { id } = await trailing({ trail_percent: '10' })
      await client.until(id, 'new')
      const { body } = await client.call('PATCH', `/v2/orders/${id}`, { trail: '5' })
      assert.deepEqual([body.trail_percent, body.hwm, body.stop_price], ['5', '100', '95'])
    })
  })

  describe('replacing an order', () => {
    const replace = (id: string, body: Json) => client.call('PATCH', `/v2/orders/${id}`, body)
    const resting = async (terms: Json = {}) => {
      const { body } = await client.submit({ type: 'limit', limit_price: '90', qty: '10', ...terms })
      return client.until(body.id, 'new')
    }

    it('keeps what has filled', async () => {
      await client.script({ on: 'fill', mode: 'partial', fraction: 0.4, clientOrderIdPrefix: 'part' })
      const old = await resting({ client_order_id: 'part' })
      await client.pin('AAPL', '90')
      await client.until(old.id, 'partially_filled')
      const refused = await replace(old.id, { qty: '4' })
      assert.deepEqual([refused.status, refused.body.message], [422, 'qty must be > filled_qty'])
      const { body } = await replace(old.id, { qty: '8' })
      assert.deepEqual([body.qty, body.filled_qty], ['8', '4'])
    })

    it('fills an order that overtakes its replacement, which is rejected', async () => {
      await client.script({ on: 'replace', mode: 'overtaken', times: 1 })
      const { parent, stop, both } = await oco()
      const { body } = await replace(stop.id, { stop_price: '95' })
      await client.until(stop.id, 'filled')
      assert.deepEqual(await statuses([...both, body]), ['canceled', 'filled', 'rejected'])
      const { legs } = await client.get(`/v2/orders/${parent.id}?nested=true`)
      assert.equal(legs[0].id, stop.id)
    })

    it('refuses in words of Alpaca', async () => {
      const old = await resting()
      const refusal = async (id: string, body: Json) => {
        const answer = await replace(id, body)
        return [answer.status, answer.body.code, answer.body.message]
      }
      assert.deepEqual(await refusal(old.id, {}), [422, 42210000, 'order parameters are not changed'])
      assert.deepEqual(await refusal(old.id, { limit_price: '90.00' }), [
        422,
        42210000,
        'order parameters are not changed',
      ])
      assert.deepEqual(await refusal(old.id, { stop_price: '80' }), [
        422,
        42210000,
        'limit orders must not have stop_price',
      ])
      assert.match(String(await refusal(old.id, { limit_price: '90.001' })), /sub-penny/)
      assert.match(String(await refusal(old.id, { qty: '100000' })), /insufficient buying power/)
      assert.equal((await refusal('none', { qty: '1' }))[0], 404)
      await client.call('DELETE', '/v2/orders')
      const { both } = await oco()
      assert.deepEqual(await refusal(both[1].id, { qty: '5' }), [
        422,
        42210000,
        'qty cannot be changed for advanced orders',
      ])
      assert.match(String(await refusal(both[1].id, { stop_price: '115' })), /must be > stop_loss.stop_price/)
      await client.call('DELETE', '/v2/orders')
      assert.deepEqual(await refusal(old.id, { qty: '1' }), [
        422,
        42210000,
        'unable to replace order, order is not open',
      ])
    })
  })
})
