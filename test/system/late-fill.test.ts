import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, endOf, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('a fill that comes after the cancel of its order, while no worker runs', function () {
  this.timeout(180_000)
  const service = useStack()

  it('a fill that comes after the cancel of its order, while no worker runs is found when the worker is back: the signal is opened again, and its exit closes the filled shares', async () => {
    const { stack } = service
    const symbol = 'ZTLATEFILL'
    await stack.venue.pin(symbol, 100)
    await stack.venue.script([{ on: 'cancel', mode: 'late_fill', delayMs: 15_000, symbol }])
    const { body } = await stack.api.post(
      '/signals',
      buyNow(stack, {
        symbol,
        orderType: 'limit',
        limitPrice: 60,
        timeInForce: 'gtc',
        exitTriggerType: 'immediate',
      }),
      10_000,
    )
    const { id } = body.signal
    await eventually(async () => assert.equal((await shown(stack, id)).status, 'executed'), {
      within: 30_000,
    })
    const { orderId } = await shown(stack, id)
    const person = await stack.signIn()
    await person.delete(`/orders/${orderId}`)
    await endOf(stack, id, { within: 30_000 })
    await stack.parts.worker.kill()
    const held = async () =>
      (await stack.venue.ledger()).positions.find((position) => position.symbol === symbol)?.qty ?? '0'
    await eventually(async () => assert.equal(await held(), '10'), { within: 30_000 })
    await stack.parts.worker.start()
    await eventually(async () => assert.equal((await shown(stack, id)).exit?.status, 'filled'), {
      within: 60_000,
    })
    assert.equal(await held(), '0')
    assert.equal(ordersAtVenue(await stack.venue.ledger(), id, 'exit').length, 1)
    const { filledQuantity } = await shown(stack, id)
    assert.equal(filledQuantity, 10)
  })
})
