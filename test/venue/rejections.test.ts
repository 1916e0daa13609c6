import assert from 'node:assert/strict'
import { VenueClient, venueForSuite } from './venue-client.ts'

const UNPROCESSABLE = 42210000
const INVALID = 40010001
const FORBIDDEN = 40310000

const BRACKET = {
  order_class: 'bracket',
  take_profit: { limit_price: '110' },
  stop_loss: { stop_price: '90' },
}

describe('refusals of the venue', () => {
  const venue = venueForSuite()
  let client: VenueClient
  beforeEach(async () => {
    client = await venue.otherAccount(`refused-${Math.random()}`)
    await client.pin('AAPL', '100')
  })

  const static_: [string, Record<string, unknown>, number, RegExp][] = [
    ['no size', { qty: undefined }, INVALID, /^qty or notional is required$/],
    ['two sizes', { notional: '5' }, INVALID, /^only one of qty or notional is accepted$/],
    ['a size of zero', { qty: '0' }, INVALID, /^qty must be > 0$/],
    ['a size in words', { qty: 'one' }, INVALID, /^qty is invalid$/],
    ['ten decimals', { qty: '1.0123456789' }, INVALID, /9 decimal places/],
    ['no side', { side: undefined }, INVALID, /^side is required$/],
    ['an unknown side', { side: 'hold' }, INVALID, /^invalid side$/],
    ['gtd', { time_in_force: 'gtd' }, INVALID, /^invalid time_in_force$/],
    ['a trailing stop without a trail', { type: 'trailing_stop' }, INVALID, /trail_price or trail_percent/],
    [
      'a trailing stop with two trails',
      { type: 'trailing_stop', trail_price: '1', trail_percent: '1' },
      INVALID,
      /only one of/,
    ],
    [
      'a trailing stop for an auction',
      { type: 'trailing_stop', trail_price: '1', time_in_force: 'cls' },
      UNPROCESSABLE,
      /market or limit/,
    ],
    [
      'a fractional trailing stop',
      { type: 'trailing_stop', trail_price: '1', qty: '0.5' },
      UNPROCESSABLE,
      /fractional/,
    ],
    [
      'a limit order with a trail',
      { type: 'limit', limit_price: '1', trail_price: '1' },
      INVALID,
      /no trail/,
    ],
    ['an unknown class', { order_class: 'mleg' }, INVALID, /^invalid order_class$/],
    ['a level without a class', { stop_loss: { stop_price: '90' } }, INVALID, /^simple orders require no/],
    [
      'a bracket without a target',
      { order_class: 'bracket', stop_loss: { stop_price: '90' } },
      INVALID,
      /^bracket orders require take_profit.limit_price$/,
    ],
    [
      'a bracket without a stop',
      { order_class: 'bracket', take_profit: { limit_price: '110' } },
      INVALID,
      /^bracket orders require stop_loss.stop_price$/,
    ],
    [
      'an oto without a level',
      { order_class: 'oto' },
      INVALID,
      /^oto orders require take_profit.limit_price or stop_loss.stop_price$/,
    ],
    ['a fractional bracket', { ...BRACKET, qty: '0.5' }, UNPROCESSABLE, /^fractional orders must be simple/],
    [
      'a bracket in dollars',
      { ...BRACKET, qty: undefined, notional: '100' },
      UNPROCESSABLE,
      /^fractional orders must be simple/,
    ],
    ['an ioc bracket', { ...BRACKET, time_in_force: 'ioc' }, UNPROCESSABLE, /must be DAY or GTC/],
    [
      'a bracket for extended hours',
      { ...BRACKET, type: 'limit', limit_price: '100', extended_hours: true },
      UNPROCESSABLE,
      /^extended hours/,
    ],
    [
      'a bracket with a sub-penny level',
      { ...BRACKET, take_profit: { limit_price: '110.001' } },
      UNPROCESSABLE,
      /sub-penny/,
    ],
    [
      'a bracket with its levels the wrong way round',
      { ...BRACKET, side: 'sell' },
      UNPROCESSABLE,
      /^take_profit.limit_price must be < stop_loss.stop_price$/,
    ],
    [
      'a bracket with its stop at the price',
      { ...BRACKET, stop_loss: { stop_price: '100' } },
      UNPROCESSABLE,
      /^stop_loss.stop_price must be <= base_price - 0.01$/,
    ],
    [
      'a bracket with its target at the limit',
      { ...BRACKET, type: 'limit', limit_price: '110' },
      UNPROCESSABLE,
      /^take_profit.limit_price must be >= base_price \+ 0.01$/,
    ],
    [
      'an oco at market',
      { ...BRACKET, order_class: 'oco', side: 'sell' },
      UNPROCESSABLE,
      /^oco orders must be limit/,
    ],
    [
      'an oco without a position',
      { ...BRACKET, order_class: 'oco', side: 'sell', type: 'limit' },
      UNPROCESSABLE,
      /^oco orders must be exit orders$/,
    ],
    ['a limit order without a limit', { type: 'limit' }, INVALID, /limit price/],
    ['a market order with a limit', { limit_price: '1' }, INVALID, /no limit price/],
    ['a stop order without a stop', { type: 'stop' }, INVALID, /stop price/],
    ['a client order id of 129 characters', { client_order_id: 'x'.repeat(129) }, INVALID, /128 characters/],
    ['an intent against the side', { position_intent: 'sell_to_open' }, INVALID, /does not go with/],
    ['an unknown asset', { symbol: 'XXNONE' }, UNPROCESSABLE, /^asset "XXNONE" not found$/],
    ['a malformed symbol', { symbol: 'aapl' }, UNPROCESSABLE, /not found$/],
    ['a halted asset', { symbol: 'HALTED' }, UNPROCESSABLE, /not tradable/],
    ['three decimals from a dollar on', { type: 'limit', limit_price: '1.001' }, UNPROCESSABLE, /sub-penny/],
    ['five decimals under a dollar', { type: 'limit', limit_price: '0.12345' }, UNPROCESSABLE, /sub-penny/],
    ['a market order for extended hours', { extended_hours: true }, UNPROCESSABLE, /extended hours/],
    [
      'an ioc order for extended hours',
      { type: 'limit', limit_price: '1', time_in_force: 'ioc', extended_hours: true },
      UNPROCESSABLE,
      /extended hours/,
    ],
    [
      'a stop order for an auction',
      { type: 'stop', stop_price: '1', time_in_force: 'cls' },
      UNPROCESSABLE,
      /market or limit/,
    ],
    ['a fraction that is not a day order', { qty: '0.5', time_in_force: 'gtc' }, UNPROCESSABLE, /fractional/],
    ['a fraction of an indivisible asset', { qty: '0.5', symbol: 'NOFRAC' }, UNPROCESSABLE, /fractionable/],
    ['a fraction worth less than a dollar', { qty: '0.0000001' }, UNPROCESSABLE, /minimal amount of order 1/],
    ['a fraction sold short', { qty: '0.5', side: 'sell' }, UNPROCESSABLE, /sold short/],
    ['a short of what cannot be borrowed', { symbol: 'NOSHORT', side: 'sell' }, UNPROCESSABLE, /sold short/],
    ['less than a dollar', { qty: undefined, notional: '0.99' }, UNPROCESSABLE, /minimal amount/],
    [
      'closing what is not held',
      { side: 'sell', position_intent: 'sell_to_close' },
      UNPROCESSABLE,
      /mismatch/,
    ],
  ]
  for (const [condition, order, code, message] of static_) {
    it(`answers 422 with code ${code} to ${condition}`, async () => {
      const { status, body } = await client.submit(order)
      assert.deepEqual([status, body.code], [422, code])
      assert.match(body.message, message)
      const { submissions, orders } = await client.ledger()
      assert.deepEqual([submissions.length, submissions[0].outcome, orders.length], [1, 'rejected', 0])
    })
  }

  it('accepts four decimals under a dollar and 128 characters of client order id', async () => {
    const { status } = await client.submit({
      type: 'limit',
      limit_price: '0.1234',
      client_order_id: 'x'.repeat(128),
    })
    assert.equal(status, 200)
  })

  it('answers 401 to wrong, absent and foreign keys', async () => {
    for (const keys of [
      { keyId: 'PAPER-DEMO-KEY', secretKey: 'wrong' },
      { keyId: '', secretKey: '' },
      { keyId: 'nobody', secretKey: 'paper-demo-secret' },
    ]) {
      const { status, body } = await new VenueClient(client.url, keys).call('GET', '/v2/account')
      assert.deepEqual([status, body.code, body.message], [401, 40110000, 'request is not authorized'])
    }
  })

  it('answers 400 to a body that is not JSON, 413 to a huge one, 404 to an unknown path', async () => {
    assert.equal((await client.call('POST', '/v2/orders', '{"qty":')).body.code, 40010000)
    assert.equal((await client.call('POST', '/v2/orders', `"${'x'.repeat(70_000)}"`)).status, 413)
    assert.equal((await client.call('GET', '/v2/nothing')).body.code, 40410000)
  })

  it('answers 422 to a client order id that was used, also by an order that has ended', async () => {
    await client.submitAndAwait({ client_order_id: 'once' })
    const { status, body } = await client.submit({ client_order_id: 'once', qty: '2' })
    assert.deepEqual([status, body], [422, { code: INVALID, message: 'client_order_id must be unique' }])
    const { submissions, orders } = await client.ledger()
    assert.deepEqual(
      submissions.map(({ outcome, order_id }: { outcome: string; order_id: string }) => [outcome, order_id]),
      [
        ['accepted', orders[0].id],
        ['duplicate', orders[0].id],
      ],
    )
  })

  it('answers 403 with the buying power to an order that costs more, open orders counted', async () => {
    await client.submit({ type: 'limit', limit_price: '90', qty: '100' })
    const { status, body } = await client.submit({ qty: '111' })
    assert.deepEqual(
      [status, body],
      [
        403,
        { code: FORBIDDEN, message: 'insufficient buying power', buying_power: '11000', cost_basis: '11100' },
      ],
    )
  })

  it('charges a short at 1.03 times the ask', async () => {
    const { body } = await client.submit({ qty: '195', side: 'sell' })
    assert.deepEqual([body.code, body.cost_basis], [FORBIDDEN, '20085'])
    assert.equal((await client.submit({ qty: '194', side: 'sell' })).status, 200)
  })

  it('lets a cash account neither borrow nor sell short', async () => {
    const cash = await venue.otherAccount(`cash-${Math.random()}`, 'cash')
    assert.equal((await cash.submit({ qty: '101' })).body.message, 'insufficient buying power')
    assert.equal((await cash.submit({ side: 'sell' })).body.message, 'account is not allowed to short')
    assert.equal((await cash.submit({ qty: '100' })).status, 200)
  })

  it('answers 403 to a sale of more than is held: no order goes through zero', async () => {
    await client.submitAndAwait({ qty: '2' })
    const { status, body } = await client.submit({ qty: '3', side: 'sell' })
    assert.equal(status, 403)
    assert.deepEqual(body, {
      code: FORBIDDEN,
      message: 'insufficient qty available for order (requested: 3, available: 2)',
      available: '2',
      existing_qty: '2',
      held_for_orders: '0',
      symbol: 'AAPL',
    })
  })

  it('answers 403 to a sale of shares that an open order holds, and shows them as held', async () => {
    await client.submitAndAwait({ qty: '5' })
    const { body: holding } = await client.submit({
      qty: '4',
      side: 'sell',
      type: 'limit',
      limit_price: '200',
    })
    const { status, body } = await client.submit({ qty: '2', side: 'sell' })
    assert.deepEqual([status, body.held_for_orders, body.available], [403, '4', '1'])
    assert.deepEqual(body.related_orders, [holding.id])
    assert.equal((await client.call('GET', '/v2/positions/AAPL')).body.qty_available, '1')
  })

  describe('of wash trades', () => {
    const rest = { type: 'limit', limit_price: '90' }

    it('answers 403 with the existing order to a market order against an open opposite one', async () => {
      await client.submitAndAwait({ qty: '5' })
      const { body: existing } = await client.submit(rest)
      const { status, body } = await client.submit({ side: 'sell' })
      assert.deepEqual([status, body.code, body.existing_order_id], [403, FORBIDDEN, existing.id])
      assert.match(body.message, /wash trade/)
    })

    it('refuses a limit order only when it would cross', async () => {
      await client.submitAndAwait({ qty: '5' })
      await client.submit(rest)
      assert.equal((await client.submit({ ...rest, side: 'sell' })).status, 403)
      assert.equal((await client.submit({ ...rest, side: 'sell', limit_price: '90.01' })).status, 200)
    })

    it('refusals of the venue of wash trades does not mind the other account or the other symbol', async () => {
      await client.submit(rest)
      assert.equal((await client.submit({ symbol: 'MSFT', side: 'sell' })).status, 200)
      const other = await venue.otherAccount(`other-${Math.random()}`)
      assert.equal((await other.submit({ side: 'sell' })).status, 200)
    })
  })
})
