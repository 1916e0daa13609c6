import assert from 'node:assert/strict'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { copyLedger, markedUpTo, restoreLedger } from '#test/support/ledger-copy.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

describe('a ledger that was restored from an older copy', function () {
  this.timeout(300_000)
  const service = useStack({}, { holdsTimelines: false })

  const { sent } = senderOn(service)

  it('a ledger that was restored from an older copy is found out at the start: an alert names what differs and what was done, and exits are placed once', async () => {
    const { stack } = service
    await stack.venue.pin('ZTRESTS', 100)
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 2 }
    const resting = await sent({
      symbol: 'ZTRESTS',
      orderType: 'limit',
      limitPrice: 95,
      timeInForce: 'gtc',
      ...exit,
    })
    await eventually(async () => assert.ok((await markedUpTo(stack)) >= 1), { within: 20_000 })
    await copyLedger(stack)
    const copied = await markedUpTo(stack)

    await stack.venue.pin('ZTRESTS', 90)
    await eventually(async () => assert.equal((await shown(stack, resting)).exit.status, 'scheduled'), {
      within: 20_000,
    })
    const later = await sent({
      symbol: 'ZTLATER',
      exitTriggerType: 'minutesAfterEntry',
      exitTriggerMinutes: 60,
    })
    await eventually(async () => assert.equal((await shown(stack, later)).exit.status, 'scheduled'), {
      within: 20_000,
    })
    await eventually(async () => assert.ok((await markedUpTo(stack)) > copied), { within: 60_000 })

    const began = performance.now()
    await restoreLedger(stack)
    const alert = await eventually(
      async () => {
        const [found] = (await stack.api.get('/alerts?kind=set_back')).body.data.alerts
        assert.ok(found)
        return found
      },
      { within: 120_000, every: 500 },
    )
    console.log(`    ${Math.round((performance.now() - began) / 1_000)} s after the stop: ${alert.message}`)
    assert.match(alert.message, /^The ledger was rolled back to an earlier state of 20/)
    assert.ok(
      alert.message.includes(
        `left: ${workflowIdFor(later)} runs in Temporal, and the ledger does not know it`,
      ),
    )
    assert.ok(
      alert.message.includes(
        `order ${later}-e1 (BUY 10 ZTLATER, FILLED with 10 filled) is at the broker and not in the ledger`,
      ),
    )

    await eventually(
      async () => {
        const { status, exit: planned } = await shown(stack, resting)
        assert.deepEqual([status, planned.status], ['executed', 'filled'])
      },
      { within: 150_000, every: 500 },
    )
    const [halt] = await stack.query<{ level: string; by: string }>(
      `select level, set_by as by from trading_halts where scope = 'global' and lifted_at is null`,
    )
    assert.equal(halt?.level, 'reduceOnly')
    assert.match(halt.by, /^restoration of 20/)
    const ledger = await stack.venue.ledger()
    for (const role of ['entry', 'exit'] as const)
      assert.equal(ordersAtVenue(ledger, resting, role).length, 1, role)
    assert.equal(ordersAtVenue(ledger, later, 'entry').length, 1)
    assert.deepEqual(
      (await stack.api.get(`/alerts?signalId=${resting}`)).body.data.alerts.map(
        ({ kind }: { kind: string }) => kind,
      ),
      [],
    )
  })
})
