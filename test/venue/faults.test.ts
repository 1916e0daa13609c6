import assert from 'node:assert/strict'
import { venueForSuite, type VenueClient } from './venue-client.ts'

describe('scripted faults of the venue', () => {
  const venue = venueForSuite()
  let client: VenueClient
  beforeEach(async () => {
    client = await venue.otherAccount(`faults-${Math.random()}`)
    await client.pin('AAPL', '100')
  })
  afterEach(() => client.call('DELETE', '/venue/faults'))
  const outcomes = async () =>
    (await client.ledger()).submissions.map(({ outcome }: { outcome: string }) => outcome)
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  for (const [mode, outcome] of [
    ['500', /"status":500/],
    ['503', /"status":503/],
    ['429', /"status":429/],
    ['garbage', /JSON/],
    ['reset', /fetch failed/],
    ['hang', /fetch failed/],
  ] as const) {
    for (const when of ['before', 'after'] as const) {
      it(`answers a submission with ${mode} ${when} it took effect`, async () => {
        await client.script({ on: 'submit', mode, when, times: 1, hangMs: 50, retryAfterSeconds: 2 })
        const heard = await client.submit({ client_order_id: 'f1' }).then(
          ({ status, headers }) => JSON.stringify({ status, retryAfter: headers.get('retry-after') }),
          (error: unknown) => String(error),
        )
        assert.match(heard, outcome)
        if (mode === '429') assert.match(heard, /"retryAfter":"2"/)
        const again = await client.submit({ client_order_id: 'f1' })
        assert.equal(again.status, when === 'before' ? 200 : 422)
        assert.deepEqual(
          await outcomes(),
          when === 'before' ? ['not_received', 'accepted'] : ['accepted', 'duplicate'],
        )
      })
    }
  }

  it('handles a late submission although its sender has gone', async () => {
    await client.script({ on: 'submit', mode: 'late', hangMs: 200, times: 1 })
    const headers = { 'APCA-API-KEY-ID': 'none' }
    assert.equal((await fetch(`${client.url}/v2/orders`, { method: 'POST', headers })).status, 401)
    const late = client.submit({ client_order_id: 'late' })
    await pause(20)
    assert.deepEqual(await outcomes(), [])
    assert.equal((await late).status, 200)
    assert.deepEqual(await outcomes(), ['accepted'])
    const { orders, submissions } = await client.ledger()
    const tookMs = Date.parse(orders[0]!.created_at) - Date.parse(submissions[0]!.at)
    assert.ok(tookMs >= 150, `the request is on record ${tookMs} ms before its order`)
  })

  it('strikes only in its scope, and only as often as set', async () => {
    await client.script({ on: 'submit', mode: '500', clientOrderIdPrefix: 'bad-', symbol: 'AAPL', times: 2 })
    const statusOf = async (id: string) => (await client.submit({ client_order_id: id })).status
    assert.deepEqual(
      [await statusOf('good-1'), await statusOf('bad-1'), await statusOf('bad-2'), await statusOf('bad-3')],
      [200, 500, 500, 200],
    )
    const body = await client.get('/venue/faults')
    assert.deepEqual([body.rules[0].drawn, body.rules[0].hit], [2, 2])
  })

  it('draws the same faults for the same seed, about as often as the probability says', async () => {
    const run = async () => {
      await client.script({ on: 'lookup', mode: '500', probability: 0.3 })
      const statuses: number[] = []
      for (let attempt = 0; attempt < 100; attempt += 1) {
        statuses.push((await client.call('GET', '/v2/orders:by_client_order_id?client_order_id=x')).status)
      }
      return statuses
    }
    const first = await run()
    assert.deepEqual(await run(), first)
    const struck = first.filter((status) => status === 500).length
    assert.ok(struck > 15 && struck < 45, `${struck} of 100`)
  })

  it('fills part, holds the rest, and fills it when the hold ends', async () => {
    await client.script({ on: 'fill', mode: 'partial', fraction: 0.3, holdMs: 400 })
    const { body } = await client.submit({ qty: '10' })
    const partial = await client.until(body.id, 'partially_filled')
    assert.equal(partial.filled_qty, '3')
    await client.until(body.id, 'filled')
    const { orders } = await client.ledger()
    assert.deepEqual(
      orders[0].fills.map(({ qty }: { qty: string }) => qty),
      ['3', '7'],
    )
  })

  it('delays a fill, and cancels the rest of an ioc order', async () => {
    await client.script(
      { on: 'fill', mode: 'delay', delayMs: 400, times: 1 },
      { on: 'fill', mode: 'partial', fraction: 0.5, clientOrderIdPrefix: 'ioc' },
    )
    const { body } = await client.submit()
    await pause(150)
    assert.equal((await client.order(body.id)).status, 'new')
    await client.until(body.id, 'filled')
    const ioc = await client.submitAndAwait(
      { qty: '4', time_in_force: 'ioc', client_order_id: 'ioc' },
      'canceled',
    )
    assert.equal(ioc.filled_qty, '2')
  })

  it('rejects an order after it was accepted, with the reason', async () => {
    await client.script({ on: 'accepted', mode: 'reject', reason: 'halted' })
    const rejected = await client.submitAndAwait({}, 'rejected')
    assert.equal(rejected.reject_reason, 'halted')
    assert.ok(rejected.failed_at)
    assert.equal((await client.submit({ client_order_id: rejected.client_order_id })).status, 422)
  })

  const resting = { type: 'limit', limit_price: '90', qty: '2' }
  for (const [mode, statuses] of [
    ['pending', ['pending_cancel', 'canceled']],
    ['fill', ['pending_cancel', 'filled']],
    ['late_fill', ['canceled', 'filled']],
  ] as const) {
    it(`ends a cancel by ${statuses.join(', then ')} under cancel rule ${mode}`, async () => {
      await client.script({ on: 'cancel', mode, delayMs: 50 })
      const { body } = await client.submit(resting)
      await client.until(body.id, 'new')
      assert.equal((await client.call('DELETE', `/v2/orders/${body.id}`)).status, 204)
      assert.equal((await client.order(body.id)).status, statuses[0])
      const ended = await client.orderWhen(body.id, ({ status }) => status === statuses[1])
      assert.equal(ended.filled_qty, statuses[1] === 'filled' ? '2' : '0')
    })
  }

  for (const [mode, expected] of [
    ['mute', []],
    ['duplicate', ['new', 'new', 'fill', 'fill']],
    ['reorder', ['fill', 'new']],
  ] as const) {
    it(`reports ${expected.join(', ') || 'nothing'} for a fill under stream rule ${mode}`, async () => {
      await client.script({ on: 'stream', mode, ...(mode === 'reorder' && { times: 1 }) })
      const { socket, messages } = await client.listen()
      await client.submitAndAwait({})
      await pause(250)
      assert.deepEqual(
        messages.slice(2).map(({ data }) => data.event),
        expected,
      )
      socket.close()
    })
  }

  it('answers 422 to a script that it does not understand', async () => {
    assert.equal((await client.script({ on: 'submit', mode: 'explode' })).status, 422)
    assert.equal((await client.script({ on: 'fill', mode: 'partial', fraction: 2 })).status, 422)
    assert.equal((await client.script({ on: 'submit', mode: '500', symbl: 'AAPL' })).status, 422)
  })
})
