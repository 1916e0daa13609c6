import assert from 'node:assert/strict'
import { workflowIdFor } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { copyLedger, markedUpTo, restoreIntoEmptyTemporal } from '#test/support/ledger-copy.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, heldAtVenue, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

const LATER = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }
const PENDING = { executeMode: 'pending', ...LATER }
/** A local time in UTC, as a sender writes it. */
const inSeconds = (seconds: number): string =>
  new Date(Date.now() + seconds * 1_000).toISOString().replace('Z', '')
/** Milliseconds after which the broker fills an order that was cancelled. */
const LATE = 30_000

/**
 * The decisions of an hour are lost with the ledger, and their orders are at the broker. Whatever has changed since, each order is
 * taken up as it was sent, none is sent a second time, and each exit follows.
 */
describe('signals whose orders went out after the copy from which the ledger was restored', function () {
  this.timeout(400_000)
  const service = useStack({}, { holdsTimelines: false })

  const send = async (changes: { symbol: string }) => {
    await service.stack.venue.pin(changes.symbol, 100)
    return accepted(service.stack, changes)
  }
  const statusIs = (id: string, status: string) =>
    eventually(async () => assert.equal((await shown(service.stack, id)).status, status), { within: 30_000 })
  const exitIs = (id: string, status: string, within = 30_000) =>
    eventually(async () => assert.equal((await shown(service.stack, id)).exit?.status, status), { within })
  const atVenue = async (id: string, role: 'entry' | 'exit') =>
    ordersAtVenue(await service.stack.venue.ledger(), id, role)

  /** Signals that wait for a person: what they ask for, and the edits with which they are approved before the loss. */
  const WAITING: Record<string, { asks?: object; edits?: object; sent: string }> = {
    'its price moves on': { sent: '10' },
    'approved with another quantity': { edits: { quantity: 5 }, sent: '5' },
    'approved with another limit': {
      asks: { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' },
      edits: { limitPrice: 105 },
      sent: '10',
    },
    'a percentage of the equity': { asks: { quantityType: 'percentEquity', quantity: 0.01 }, sent: '' },
    'an amount of dollars': { asks: { quantityType: 'dollarAmount', quantity: 1_000 }, sent: '10' },
    'its own shares fill the limit': { sent: '10' },
    'expires once its order is out': { sent: '10' },
  }
  const names = Object.keys(WAITING)
  const symbolOf = (name: string) => `ZTLOST${String.fromCharCode(65 + names.indexOf(name))}`

  it('signals whose orders went out after the copy from which the ledger was restored are taken up as they were sent, with nobody asked a second time, and every exit follows once', async () => {
    const { stack } = service
    const ids: Record<string, string> = {}
    for (const name of names) {
      const validity = name.startsWith('expires') ? { validUntil: inSeconds(100), timezone: 'UTC' } : {}
      ids[name] = await send({ symbol: symbolOf(name), ...PENDING, ...WAITING[name]!.asks, ...validity })
    }
    const holder = await send({ symbol: 'ZTCLOSED' })
    const closing = await send({
      symbol: 'ZTCLOSED',
      action: 'closeLong',
      quantity: 4,
      orderType: 'limit',
      limitPrice: 140,
      timeInForce: 'gtc',
      executeMode: 'pending',
    } as { symbol: string })
    const yielding = await send({
      symbol: 'ZTYIELDS',
      exitTriggerType: 'immediate',
      exitOrderType: 'limit',
      exitLimitPrice: 110,
    } as { symbol: string })
    await eventually(async () => assert.equal((await atVenue(yielding, 'exit')).length, 1), {
      within: 30_000,
    })
    const yieldedTo = await send({
      symbol: 'ZTYIELDS',
      action: 'closeLong',
      quantity: 4,
      orderType: 'limit',
      limitPrice: 140,
      timeInForce: 'gtc',
    } as { symbol: string })
    await stack.venue.script([{ on: 'cancel', mode: 'late_fill', delayMs: LATE, symbol: 'ZTLATEFILL' }])
    const late = await send({
      symbol: 'ZTLATEFILL',
      orderType: 'limit',
      limitPrice: 60,
      timeInForce: 'gtc',
      exitTriggerType: 'immediate',
    } as { symbol: string })
    await Promise.all([holder, yielding, yieldedTo, late].map((id) => statusIs(id, 'executed')))
    await Promise.all([...Object.values(ids), closing].map((id) => statusIs(id, 'pending')))
    let person = await stack.signIn()
    await person.delete(`/orders/${(await shown(stack, late)).orderId}`)
    await exitIs(late, 'cancelled')
    await eventually(async () => assert.ok((await markedUpTo(stack)) >= 1), { within: 20_000 })
    await copyLedger(stack)
    const copied = await markedUpTo(stack)

    person = await stack.signIn()
    for (const name of names) {
      const answer = await person.post(`/signals/${ids[name]}/process`, WAITING[name]!.edits ?? {})
      assert.ok(answer.status < 300, `${name}: ${JSON.stringify(answer.body)}`)
      await exitIs(ids[name]!, 'scheduled')
    }
    assert.ok((await person.post(`/signals/${closing}/process`, {})).status < 300)
    await statusIs(closing, 'executed')
    await eventually(async () => assert.ok((await markedUpTo(stack)) > copied), { within: 60_000 })
    const before = await stack.venue.ledger()
    for (const name of names) {
      const [order] = ordersAtVenue(before, ids[name]!, 'entry')
      assert.equal(order?.filled_qty, WAITING[name]!.sent || order?.qty, name)
      // Drift, equity and value of every one.
      await stack.venue.pin(symbolOf(name), 108)
    }

    await restoreIntoEmptyTemporal(stack)
    const alert = await eventually(
      async () => {
        const [found] = (await stack.api.get('/alerts?kind=set_back')).body.data.alerts
        assert.ok(found)
        return found
      },
      { within: 120_000, every: 500 },
    )
    const mended = alert.details.differences.flatMap((each: { isMended: boolean; message: string }) =>
      each.isMended ? [each.message] : [],
    )
    for (const id of [...Object.values(ids), closing])
      assert.ok(mended.includes(`signal ${id} waits by the ledger, and its order is at the broker`), mended)
    person = await stack.signIn()
    await stack.query(
      `update trading_halts set lifted_at = now(), lifted_by = 'operator' where lifted_at is null`,
    )
    const limited = await person.put(`/settings/risk/${stack.accountId}`, { maxPositionShares: 15 })
    assert.equal(limited.status, 200, JSON.stringify(limited.body))

    for (const name of names) await exitIs(ids[name]!, 'scheduled')
    await statusIs(closing, 'executed')
    const { quantity, advisories } = await shown(stack, ids['approved with another quantity']!)
    assert.equal(quantity, 5)
    assert.match(JSON.stringify(advisories), /sent_before.*Its order was sent before, for 5 shares/)

    // It filled before the loss, after it, or between: sold it is once.
    await eventually(
      async () => {
        const exits = (await atVenue(late, 'exit')).map(({ filled_qty: filled }) => filled)
        assert.deepEqual([await heldAtVenue(stack, 'ZTLATEFILL'), exits], ['0', ['10']])
      },
      { within: 60_000 },
    )
    // What gave way waits for the close, and is sent again when that is called off.
    const client = await stack.temporal()
    const { status } = await client.workflow.getHandle(workflowIdFor(yielding)).describe()
    assert.equal(status.name, 'RUNNING')
    const { body } = await person.delete(`/orders/${(await shown(stack, yieldedTo)).orderId}`)
    assert.ok(body, 'the close is called off')
    await eventually(
      async () => {
        const exits = (await atVenue(yielding, 'exit')).filter((order) => order.status !== 'canceled')
        assert.deepEqual(
          exits.map(({ qty }) => qty),
          ['10'],
        )
      },
      { within: 90_000, every: 500 },
    )

    const after = await stack.venue.ledger()
    for (const id of [...Object.values(ids), closing]) {
      assert.equal(ordersAtVenue(after, id, 'entry').length, 1, 'no order is sent a second time')
      assert.equal((await shown(stack, id)).status, 'executed')
    }
  })
})
