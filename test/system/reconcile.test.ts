import assert from 'node:assert/strict'
import { admin } from '#test/support/admin-command.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { senderOn } from '#test/service/sent-signal.ts'

describe('npm run admin -- reconcile', function () {
  this.timeout(180_000)
  const service = useStack({}, { holdsTimelines: false })

  const reconciled = (seconds: number) => admin(service.stack, 'reconcile', '--wait', String(seconds))
  const { sent } = senderOn(service)
  /** Temporal's list of what runs lags behind, and what has just started is left alone. */
  const untilAlike = () =>
    eventually(async () => assert.match((await reconciled(0)).output, /say the same/), { within: 60_000 })

  it('finds nothing where ledger, Temporal and broker say the same', async () => {
    await sent({ symbol: 'ZTHELD', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 })
    await sent({ symbol: 'ZTWAITS', executeMode: 'pending' })
    await untilAlike()
    const { code, output } = await reconciled(0)
    assert.equal(code, 0, output)
    assert.match(output, /2 workflows, 1 accounts, 1 orders and 1 executions were compared/)
  })

  it('names the differences while the service is down, and their outcome once it is back', async () => {
    const { stack } = service
    await stack.venue.pin('ZTRESTS', 100)
    const resting = await sent({ symbol: 'ZTRESTS', orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' })
    await Promise.all([stack.parts.api.stop(), stack.parts.worker.stop()])
    await stack.parts.temporal.stop()
    stack.eraseTemporal()
    await stack.parts.temporal.start()
    await stack.venue.pin('ZTRESTS', 90)
    await eventually(async () => {
      const { code, output } = await reconciled(0)
      assert.equal(code, 1, output)
      assert.equal(output.match(/LEFT {4}signal-\S+ is not over by the ledger/g)?.length, 3, output)
      assert.ok(
        output.includes(
          `order ${resting}-e1 is OPEN with 0 filled in the ledger, FILLED with 10 filled at the broker`,
        ),
        output,
      )
      assert.match(
        output,
        /LEFT {4}execution \S+ \(BUY 10 ZTRESTS at \S+\) is at the broker and not in the ledger/,
      )
      assert.match(output, /the broker holds 10 of ZTRESTS; the executions add up to 0/)
      assert.match(output, /6 differences: 0 mended, 6 left/)
    })
    await Promise.all([stack.parts.worker.start(), stack.parts.api.start()])
    await stack.untilReady()
    const { code, output } = await reconciled(60)
    assert.equal(code, 0, output)
    await untilAlike()
  })
})
