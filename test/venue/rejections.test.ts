import assert from 'node:assert/strict'
import { venueForSuite, type VenueClient } from './venue-client.ts'

const UNPROCESSABLE = 42210000
const INVALID = 40010001
const FORBIDDEN = 40310000

const BRACKET = {
  order_class: 'bracket',
  take_profit: { limit_price: '110' },
  stop_loss: { stop_price: '90' },
}

const OCO = { ...BRACKET, order_class: 'oco', side: 'sell' }
const LIMIT = { type: 'limit', limit_price: '1' }
const TRAIL = { type: 'trailing_stop', trail_price: '1' }

describe('refusals of the venue', () => {
  const venue = venueForSuite()
  let client: VenueClient
  beforeEach(async () => {
    client = await venue.otherAccount(`refused-${Math.random()}`)
    await client.pin('AAPL', '100')
  })

  type Row = [order: string, fields: Record<string, unknown>, message: RegExp]
  const invalid: Row[] = [
    ['no size', { qty: undefined }, /^qty or notional is required$/],
    ['two sizes', { notional: '5' }, /^only one of qty or notional is accepted$/],
    ['a size of zero', { qty: '0' }, /^qty must be > 0$/],
    ['a size in words', { qty: 'one' }, /^qty is invalid$/],
    ['ten decimals', { qty: '1.0123456789' }, /9 decimal places/],
    ['no side', { side: undefined }, /^side is required$/],
    ['an unknown side', { side: 'hold' }, /^invalid side$/],
    ['gtd', { time_in_force: 'gtd' }, /^invalid time_in_force$/],
    ['a trailing stop without a trail', { type: 'trailing_stop' }, /trail_price or trail_percent/],
    ['a trailing stop with two trails', { ...TRAIL, trail_percent: '1' }, /only one of/],
    ['a limit order with a trail', { ...LIMIT, trail_price: '1' }, /no trail/],
    ['an unknown class', { order_class: 'mleg' }, /^invalid order_class$/],
    ['a level without a class', { stop_loss: { stop_price: '90' } }, /^simple orders require no/],
    [
      'a bracket without a target',
      { order_class: 'bracket', stop_loss: BRACKET.stop_loss },
      /^bracket orders require take_profit.limit_price$/,
    ],
    [
      'a bracket without a stop',
      { order_class: 'bracket', take_profit: BRACKET.take_profit },
      /^bracket orders require stop_loss.stop_price$/,
    ],
    [
      'an oto without a level',
      { order_class: 'oto' },
      /^oto orders require take_profit.limit_price or stop_loss.stop_price$/,
    ],
    ['a limit order without a limit', { type: 'limit' }, /limit price/],
    ['a market order with a limit', { limit_price: '1' }, /no limit price/],
    ['a stop order without a stop', { type: 'stop' }, /stop price/],
    ['a client order id of 129 characters', { client_order_id: 'x'.repeat(129) }, /128 characters/],
    ['an intent against the side', { position_intent: 'sell_to_open' }, /does not go with/],
  ]
  const unprocessable: Row[] = [
    ['a trailing stop for an auction', { ...TRAIL, time_in_force: 'cls' }, /market or limit/],
    ['a fractional trailing stop', { ...TRAIL, qty: '0.5' }, /fractional/],
    ['a fractional bracket', { ...BRACKET, qty: '0.5' }, /^fractional orders must be simple/],
    [
      'a bracket in dollars',
      { ...BRACKET, qty: undefined, notional: '100' },
      /^fractional orders must be simple/,
    ],
    ['an ioc bracket', { ...BRACKET, time_in_force: 'ioc' }, /must be DAY or GTC/],
    [
      'a bracket for extended hours',
      { ...BRACKET, type: 'limit', limit_price: '100', extended_hours: true },
      /^extended hours/,
    ],
    [
      'a bracket with a sub-penny level',
      { ...BRACKET, take_profit: { limit_price: '110.001' } },
      /sub-penny/,
    ],
    [
      'a bracket with its levels the wrong way round',
      { ...BRACKET, side: 'sell' },
      /^take_profit.limit_price must be < stop_loss.stop_price$/,
    ],
    [
      'a bracket with its stop at the price',
      { ...BRACKET, stop_loss: { stop_price: '100' } },
      /^stop_loss.stop_price must be <= base_price - 0.01$/,
    ],
    [
      'a bracket with its target at the limit',
      { ...BRACKET, type: 'limit', limit_price: '110' },
      /^take_profit.limit_price must be >= base_price \+ 0.01$/,
    ],
    ['an oco at market', { ...OCO }, /^oco orders must be limit/],
    ['an oco without a position', { ...OCO, type: 'limit' }, /^oco orders must be exit orders$/],
    ['an unknown asset', { symbol: 'XXNONE' }, /^asset "XXNONE" not found$/],
    ['a malformed symbol', { symbol: 'aapl' }, /not found$/],
    ['a halted asset', { symbol: 'HALTED' }, /not tradable/],
    ['three decimals from a dollar on', { type: 'limit', limit_price: '1.001' }, /sub-penny/],
    ['five decimals under a dollar', { type: 'limit', limit_price: '0.12345' }, /sub-penny/],
    ['a market order for extended hours', { extended_hours: true }, /extended hours/],
    [
      'an ioc order for extended hours',
      { ...LIMIT, time_in_force: 'ioc', extended_hours: true },
      /extended hours/,
    ],
    [
      'a stop order for an auction',
      { type: 'stop', stop_price: '1', time_in_force: 'cls' },
      /market or limit/,
    ],
    ['a fraction that is not a day order', { qty: '0.5', time_in_force: 'gtc' }, /fractional/],
    ['a fraction of an indivisible asset', { qty: '0.5', symbol: 'NOFRAC' }, /fractionable/],
    ['a fraction worth less than a dollar', { qty: '0.0000001' }, /minimal amount of order 1/],
    ['a fraction sold short', { qty: '0.5', side: 'sell' }, /sold short/],
    ['a short of what cannot be borrowed', { symbol: 'NOSHORT', side: 'sell' }, /sold short/],
    ['less than a dollar', { qty: undefined, notional: '0.99' }, /minimal amount/],
    ['closing what is not held', { side: 'sell', position_intent: 'sell_to_close' }, /mismatch/],
  ]
  const refused = [
    [INVALID, invalid],
    [UNPROCESSABLE, unprocessable],
  ] as const
  for (const [code, rows] of refused)
    for (const [condition, order, message] of rows)
      it(`answers 422 with code ${code} to ${condition}`, async () => {
        const { status, body } = await client.submit(order)
        assert.deepEqual([status, body.code], [422, code])
        assert.match(body.message, message)
        const { submissions, orders } = await client.ledger()
        assert.deepEqual([submissions.length, submissions[0].outcome, orders.length], [1, 'rejected', 0])
      })

  it('accepts four decimals under a dollar and 128 characters of client order id', async () => {
    const { status } = await client.submit({
      type: 'limit',
      limit_price: '0.1234',
      client_order_id: 'x'.repeat(128),
    })
    assert.equal(status, 200)
  })

  it('answers 400 to a body that is not JSON, 413 to a huge one, 404 to an unknown path', async () => {
    assert.equal((await client.call('POST', '/v2/orders', '{"qty":')).body.code, 40010000)
    assert.equal((await client.call('POST', '/v2/orders', `"${'x'.repeat(70_000)}"`)).status, 413)
    assert.equal((await client.get('/v2/nothing')).code, 40410000)
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

  describe('of wash trades', () => {
    const rest = { type: 'limit', limit_price: '90' }

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
