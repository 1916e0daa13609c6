import assert from 'node:assert/strict'
import { venueForSuite, type Json } from './venue-client.ts'

describe('the history of an account at the venue', () => {
  const venue = venueForSuite({ VENUE_FEE_PER_SHARE: 0.005, VENUE_CASH: 10_000 })
  let first: Json
  let second: Json
  before(async () => {
    await venue.client.pin('AAPL', '100')
    await venue.client.script({ on: 'fill', mode: 'partial', fraction: 0.5, holdMs: 1 })
    first = await venue.client.submitAndAwait({ qty: '4' })
    await venue.client.script()
    second = await venue.client.submitAndAwait({ qty: '4', side: 'sell' })
  })
  const list = async (query = '', path = '/v2/account/activities') =>
    await venue.client.get(`${path}?${query}`)
  const kinds = (activities: Json[]): string[] => activities.map(({ activity_type }) => activity_type)

  it('lists executions with the filled total of their order by then, each followed by its fee', async () => {
    const activities = await list('direction=asc')
    assert.deepEqual(kinds(activities), ['FILL', 'FEE', 'FILL', 'FEE', 'FILL', 'FEE'])
    const fills = activities.filter((each: Json) => each.activity_type === 'FILL')
    assert.deepEqual(
      fills.map(({ type, side, qty, cum_qty, leaves_qty, order_id }: Json) => [
        type,
        side,
        qty,
        cum_qty,
        leaves_qty,
        order_id,
      ]),
      [
        ['partial_fill', 'buy', '2', '2', '2', first.id],
        ['fill', 'buy', '2', '4', '0', first.id],
        ['fill', 'sell', '4', '4', '0', second.id],
      ],
    )
    assert.match(fills[0].id, /^\d{17}::[0-9a-f-]{36}$/)
  })

  it('takes fees from the cash at the fill, and names the execution that each is for', async () => {
    const { account, orders } = await venue.client.ledger()
    // 8 shares at half a cent.
    assert.equal(account.cash, '9999.96')
    const [fill] = orders[1].fills
    assert.equal(fill.fee, '0.02')
    const [fee] = await list('page_size=1', '/v2/account/activities/FEE')
    assert.deepEqual(
      [fee.activity_sub_type, fee.net_amount, fee.execution_id],
      ['COM', '-0.02', fill.execution_id],
    )
  })

  it('the history of an account at the venue is listed newest first by default, and goes on after the one named by a token', async () => {
    const all = await list()
    assert.deepEqual(all.toReversed(), await list('direction=asc'))
    for (const direction of ['asc', 'desc']) {
      const ids: string[] = []
      for (;;) {
        const token = ids.length > 0 ? `&page_token=${encodeURIComponent(ids.at(-1)!)}` : ''
        const page = await list(`direction=${direction}&page_size=4${token}`)
        ids.push(...page.map(({ id }: Json) => id))
        if (page.length < 4) break
      }
      const expected = (direction === 'desc' ? all : all.toReversed()).map(({ id }: Json) => id)
      assert.deepEqual(ids, expected)
    }
  })

  it('the history of an account at the venue is bounded by instants, and by kinds', async () => {
    const [{ transaction_time: last }] = await list('activity_types=FILL')
    assert.deepEqual(await list(`after=${last}`), [])
    assert.equal((await list(`until=${last}`)).length, 4)
    assert.deepEqual(kinds(await list('activity_types=FEE')), ['FEE', 'FEE', 'FEE'])
    assert.deepEqual(await list('', '/v2/account/activities/DIV'), [])
  })

  it('refuses a token that it never gave', async () => {
    const { status } = await venue.client.call('GET', '/v2/account/activities?page_token=nonsense')
    assert.equal(status, 422)
  })

  it("shows no account another account's", async () => {
    const other = await venue.otherAccount('STRANGER')
    assert.deepEqual(await other.get('/v2/account/activities'), [])
  })
})
