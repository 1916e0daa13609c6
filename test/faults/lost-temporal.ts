import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

/** Milliseconds in which everything has to go on. */
const WITHIN = 60_000

describe('Temporal, whose data is lost under signals in all phases,', function () {
  this.timeout(400_000)
  const service = useStack()

  /** Symbols of a phase, such as WAITA, WAITB, ... */
  const symbols = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${name}${String.fromCharCode(65 + index)}`)
  const { sent: send } = senderOn(service)
  const sendAll = (changes: (symbol: string) => object, of: readonly string[]) =>
    Promise.all(of.map((symbol) => send({ symbol, ...changes(symbol) })))
  const statusIs = (ids: readonly string[], status: string, exit?: string) =>
    eventually(
      async () => {
        const all = await Promise.all(ids.map((id) => shown(service.stack, id)))
        for (const signal of all) {
          assert.equal(signal.status, status, signal.symbol)
          if (exit !== undefined) assert.equal(signal.exit?.status, exit, signal.symbol)
        }
      },
      { within: 60_000, every: 500 },
    )
  async function loseTemporal(): Promise<void> {
    const { stack } = service
    await stack.parts.temporal.kill()
    stack.eraseTemporal()
    await stack.parts.temporal.start()
  }
  const unfinished = async (): Promise<{ id: string }[]> =>
    service.stack.query(
      `select 'signal-' || id as id from signals where status in ('pending', 'scheduled', 'queued', 'transmitted')
         or (order_id is not null and closings = 0)
       union all select 'order-' || id from orders where role = 'manual' and end_acknowledged_at is null`,
    )

  it('goes on with all of them within a minute, exits on time, and doubles no order', async () => {
    const { stack } = service
    const person = await stack.signIn()
    const names = {
      pending: symbols('ZTPEND', 12),
      scheduled: symbols('ZTSCHED', 12),
      queued: symbols('ZTQUEUE', 5),
      transmitted: symbols('ZTTRANS', 8),
      resting: symbols('ZTREST', 16),
      waiting: symbols('ZTWAIT', 16),
      exiting: symbols('ZTEXIT', 16),
      gaveWay: symbols('ZTWAY', 6),
      manual: symbols('ZTHAND', 10),
    }
    for (const symbol of Object.values(names).flat()) await stack.venue.pin(symbol, 100)
    const faults = names.transmitted.flatMap((symbol) => [
      { on: 'submit', mode: 'reset', when: 'after', symbol },
      { on: 'lookup', mode: '500', symbol },
    ])
    await stack.venue.script(faults)

    const entryAt = new Date(Date.now() + 100_000)
    const pending = await sendAll(() => ({ executeMode: 'pending' }), names.pending)
    const scheduled = await sendAll(
      () => ({
        executeMode: 'scheduled',
        scheduledProcessAt: entryAt.toISOString().slice(0, 19),
        timezone: 'UTC',
      }),
      names.scheduled,
    )
    const valid = { validUntil: new Date(Date.now() + 600_000).toISOString().slice(0, 19), timezone: 'UTC' }
    const transmitted = await sendAll(() => valid, names.transmitted)
    const resting = await sendAll(
      () => ({ orderType: 'limit', limitPrice: 60, timeInForce: 'gtc', exitTriggerType: 'immediate' }),
      names.resting,
    )
    const exiting = await sendAll(
      () => ({ exitTriggerType: 'immediate', exitOrderType: 'stop', exitStopPrice: 50 }),
      names.exiting,
    )
    await statusIs(await sendAll(() => ({}), names.queued), 'executed')
    const closing = await sendAll(
      () => ({ action: 'closeLong', orderType: 'limit', limitPrice: 140, timeInForce: 'gtc' }),
      names.queued,
    )
    await statusIs(closing, 'executed')
    const queued = await sendAll(() => ({ action: 'openShort', ...valid }), names.queued)
    const manual = await Promise.all(
      names.manual.map(async (symbol) => {
        const order = {
          symbol,
          side: 'BUY',
          orderType: 'LIMIT',
          limitPrice: 60,
          quantity: 10,
          timeInForce: 'GTC',
        }
        const { status, body } = await person.post('/orders', { accountId: stack.accountId, ...order })
        assert.equal(status, 201, JSON.stringify(body))
        return body.order.id as string
      }),
    )
    const stopped = { exitTriggerType: 'immediate', exitOrderType: 'stop', exitStopPrice: 50 }
    const gaveWay = await sendAll(() => stopped, names.gaveWay)
    await statusIs(gaveWay, 'executed', 'submitted')
    const partial = {
      action: 'closeLong',
      quantity: 4,
      orderType: 'limit',
      limitPrice: 140,
      timeInForce: 'gtc',
    }
    const parts = await sendAll(() => partial, names.gaveWay)
    await statusIs(parts, 'executed')
    await statusIs(gaveWay, 'executed', 'scheduled')
    const waiting = await sendAll(
      () => ({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
      names.waiting,
    )
    await statusIs(transmitted, 'transmitted')
    await statusIs(queued, 'queued')
    await statusIs(resting, 'executed')
    await statusIs(exiting, 'executed', 'submitted')
    await statusIs(waiting, 'executed', 'scheduled')
    const expected = await unfinished()
    assert.ok(expected.length >= 100, `${expected.length} are under way`)

    await loseTemporal()
    const client = await stack.temporal()
    await eventually(
      async () => {
        for (const { id } of await unfinished())
          assert.equal((await client.workflow.getHandle(id).describe()).status.name, 'RUNNING', id)
      },
      { within: WITHIN, every: 1_000 },
    )

    await eventually(
      async () => {
        const ledger = await stack.venue.ledger()
        for (const id of waiting) {
          const [exit] = ordersAtVenue(ledger, id, 'exit')
          const { exit: planned } = await shown(stack, id)
          assert.ok(exit, 'the exit is out')
          const late = Date.parse(exit.created_at) - Date.parse(planned.submitAt)
          assert.ok(late < 30_000, `the exit is ${late} ms late`)
        }
      },
      { within: 120_000, every: 1_000 },
    )
    await stack.venue.clearScript()
    for (const id of pending) {
      const { status, body } = await person.post(`/signals/${id}/process`, {})
      assert.equal(status, 200, JSON.stringify(body))
    }
    for (const symbol of [...names.resting, ...names.manual]) await stack.venue.pin(symbol, 50)
    for (const symbol of names.exiting) await stack.venue.pin(symbol, 45)
    for (const symbol of [...names.queued, ...names.gaveWay]) await stack.venue.pin(symbol, 145)
    await statusIs(gaveWay, 'executed', 'submitted')
    for (const symbol of names.gaveWay) await stack.venue.pin(symbol, 45)
    await statusIs([...pending, ...scheduled, ...transmitted, ...queued], 'executed')
    await statusIs([...resting, ...exiting, ...waiting, ...gaveWay], 'executed', 'filled')
    const ledger = await stack.venue.ledger()
    const withExit = new Set([...resting, ...exiting, ...waiting])
    for (const id of [...pending, ...scheduled, ...transmitted, ...queued, ...closing, ...withExit]) {
      assert.equal(ordersAtVenue(ledger, id, 'entry').length, 1, `entries of ${id}`)
      assert.equal(ordersAtVenue(ledger, id, 'exit').length, withExit.has(id) ? 1 : 0, `exits of ${id}`)
    }
    for (const id of gaveWay) {
      const sent = ordersAtVenue(ledger, id, 'exit').map(({ filled_qty }) => Number(filled_qty))
      assert.deepEqual(
        sent.toSorted((a, b) => a - b),
        [0, 6],
        `exits of ${id} that gave way to a close of four`,
      )
    }
    await eventually(
      async () => {
        for (const id of manual) assert.equal((await stack.api.get(`/orders/${id}`)).body.status, 'FILLED')
        assert.deepEqual(await unfinished(), [])
      },
      { within: 60_000, every: 500 },
    )
    assert.equal(ledger.orders.filter(({ symbol }) => names.manual.includes(symbol)).length, manual.length)
    for (const { created_at } of scheduled.flatMap((id) => ordersAtVenue(ledger, id)))
      assert.ok(Date.parse(created_at) >= entryAt.getTime() - 1_000, 'no scheduled entry is early')
    const { body } = await stack.api.get('/alerts')
    assert.deepEqual(body.data.alerts, [], 'every alert has ended')
  })
})
