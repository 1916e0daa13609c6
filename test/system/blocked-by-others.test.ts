import assert from 'node:assert/strict'
import { BrokerSite } from '#test/support/broker-site.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { changeRows, whileVenueStands } from './played-runbooks/venue-file.ts'
import { buyNow, endOf, ordersAtVenue, shown } from './sent-signal.ts'

describe('what is to be closed while the broker, or somebody at its site, stands in the way, on the whole service', function () {
  this.timeout(120_000)
  const service = useStack()
  let site: BrokerSite
  before(() => {
    site = new BrokerSite(service.stack.addresses.venue, service.stack.venueKeys)
  })

  const send = (changes: object = {}) => service.stack.api.post('/signals', buyNow(service.stack, changes))
  const held = async (symbol: string): Promise<string> =>
    (await service.stack.venue.ledger()).positions.find((position) => position.symbol === symbol)?.qty ?? '0'
  const untilHeld = (symbol: string, quantity: string, within = 20_000) =>
    eventually(async () => assert.equal(await held(symbol), quantity), { within })
  const pinned = async (symbol: string): Promise<string> => {
    await service.stack.venue.pin(symbol, 100)
    return symbol
  }
  const atSite = (symbol: string, side: 'buy' | 'sell', limit: string) =>
    site.place({
      client_order_id: `site-${symbol}`,
      symbol,
      side,
      qty: '10',
      type: 'limit',
      limit_price: limit,
      time_in_force: 'gtc',
    })

  it('positions that are shown as empty are closed once they are shown again, and nothing is called done before', async () => {
    const symbol = await pinned('EMPA')
    const entry = await send({ symbol })
    // Until the ledger knows of the fill, nothing is held by what anybody knows.
    await eventually(async () =>
      assert.equal((await shown(service.stack, entry.body.signal.id)).filledQuantity, 10),
    )
    await service.stack.venue.script([{ on: 'positions', mode: 'behind', lagMs: 3_600_000, symbol }])
    const person = await service.stack.signIn()
    const all = await person.post(`/positions/${service.stack.accountId}/close`, {})
    assert.deepEqual([all.status, all.body.success], [202, false], JSON.stringify(all.body))
    assert.match(all.body.orders[0].order.message, /^Nothing is closed yet: the broker shows nothing of EMPA/)
    const one = await send({ symbol, action: 'closeLong', sourceId: 'the same by a signal' })
    assert.equal(one.status, 202, JSON.stringify(one.body))
    assert.equal(await held(symbol), '10')
    await service.stack.venue.clearScript()
    await untilHeld(symbol, '0')
    // One of the two has closed it, and executions explain that to the other.
    await endOf(service.stack, one.body.signal.id, { within: 30_000 })
    const { body } = await person.get(`/orders/${all.body.orders[0].order.id}`)
    const { status, statusReason } = await shown(service.stack, one.body.signal.id)
    assert.ok(
      body.status === 'FILLED' || (status === 'executed' && statusReason === null),
      JSON.stringify(body),
    )
    assert.equal(await held(symbol), '0')
  })

  it('an exit at market goes round an order at the broker’s site on the other side at once', async () => {
    const symbol = await pinned('EMPB')
    assert.ok(await atSite(symbol, 'buy', '60'))
    const { body } = await send({ symbol, exitTriggerType: 'immediate' })
    await untilHeld(symbol, '0')
    await endOf(service.stack, body.signal.id, { within: 30_000 })
    const exit = ordersAtVenue(await service.stack.venue.ledger(), body.signal.id, 'exit').at(-1)
    assert.equal(Number(exit?.limit_price), 60.01)
    const alerts = await service.stack.api.get(`/alerts?state=all&kind=unprotected_position&limit=100`)
    const own = alerts.body.data.alerts.filter(
      ({ signalId }: { signalId: string }) => signalId === body.signal.id,
    )
    assert.deepEqual(own, [])
  })

  it('an exit whose shares an order at the broker’s site holds leaves as soon as that has ended', async () => {
    const symbol = await pinned('EMPC')
    const { body } = await send({ symbol, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 })
    await untilHeld(symbol, '10')
    assert.ok(await atSite(symbol, 'sell', '140'))
    const waits = async () => {
      const { exit } = await shown(service.stack, body.signal.id)
      assert.match(exit.reason ?? '', /not placed here hold the shares of/)
    }
    await eventually(waits, { within: 80_000 })
    // The next try by itself comes in 15 seconds, or in a minute.
    await new Promise((resolve) => void setTimeout(resolve, 8_000))
    const { orders } = await service.stack.venue.ledger()
    const blocking = orders.find(({ client_order_id: id }) => id === `site-${symbol}`)
    const before = performance.now()
    await site.cancel(blocking!.id)
    await untilHeld(symbol, '0', 10_000)
    const took = performance.now() - before
    assert.ok(took < 4_000, `the exit left ${Math.round(took)} ms after the end of what blocked it`)
  })

  it('an exit of ten shares that a split has made a hundred stops, and sells all when its owner says so', async () => {
    const { stack } = service
    const symbol = await pinned('EMPD')
    const { body } = await send({ symbol, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 })
    const { id } = body.signal
    await untilHeld(symbol, '10')
    await whileVenueStands(stack, (file) =>
      changeRows(file, (rows) =>
        rows.prepare(`update positions set qty = '100', avgEntryPrice = '10' where symbol = ?`).run(symbol),
      ),
    )
    const question = async () => {
      const { body: answer } = await stack.api.get(`/alerts?kind=unprotected_position&limit=100`)
      const alert = answer.data.alerts.find(({ signalId }: { signalId: string }) => signalId === id)
      assert.deepEqual(alert?.details.beyond, { shown: '100', own: '10' })
    }
    await eventually(question, { within: 100_000 })
    assert.equal(await held(symbol), '100')
    const person = await stack.signIn()
    const chosen = await person.post(`/signals/${id}/exit/size`, { quantity: 100 })
    assert.equal(chosen.status, 202, JSON.stringify(chosen.body))
    await untilHeld(symbol, '0', 10_000)
    const outcome = await endOf(stack, id, { within: 30_000 })
    assert.deepEqual([outcome.entryFilled, outcome.exitFilled], ['10', '100'])
    assert.equal((await shown(stack, id)).exit.status, 'filled')
    const { body: left } = await stack.api.get(`/alerts?state=open&limit=100`)
    const own = left.data.alerts.filter(({ signalId }: { signalId: string }) => signalId === id)
    assert.deepEqual(own, [])
  })
})
