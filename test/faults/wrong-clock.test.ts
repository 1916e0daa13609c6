import assert from 'node:assert/strict'
import type { PartName } from '#test/support/stack-parts.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { tool } from '#test/support/tools.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue } from '#test/service/sent-signal.ts'

describe('a process whose clock is wrong', function () {
  this.timeout(180_000)
  let library: string
  before(async () => {
    library = await tool('faketime')
  })
  // What a process dates by its own clock comes in another order than it happened.
  const service = useStack({}, { holdsTimelines: false })

  /** Starts a part again with a clock that differs by so much, such as `+30s`. */
  const setClock = async (part: PartName, offset: string): Promise<void> => {
    await service.stack.parts[part].restart({
      LD_PRELOAD: library,
      FAKETIME: offset,
      DONT_FAKE_MONOTONIC: '1',
    })
    await service.stack.untilReady()
  }
  const difference = async (page: string, metric: string): Promise<number> => {
    const text = await (await fetch(`${page}/metrics`)).text()
    return Number(new RegExp(`^durable_trader_${metric}\\S* (.+)$`, 'm').exec(text)?.[1])
  }

  const cases = [
    { part: 'api', seconds: 30, page: 'apiMetrics', metric: 'database_clock_difference_seconds' },
    { part: 'worker', seconds: -30, page: 'metrics', metric: 'broker_clock_difference_seconds' },
  ] as const
  for (const { part, seconds, page, metric } of cases) {
    const offset = `${seconds > 0 ? '+' : ''}${seconds}s`
    it(`${part} by ${offset}: its metrics show it, people sign in, and the exit leaves a minute after the fill`, async () => {
      const { stack } = service
      await setClock(part, offset)
      const { status, body } = await stack.api.post(
        '/signals',
        buyNow(stack, { symbol: 'ZTCLOCK', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
      )
      assert.equal(status, 201, JSON.stringify(body))
      const found = await difference(stack.addresses[page], metric)
      assert.ok(Math.abs(found - Math.abs(seconds)) < 2, `${metric} is ${found}`)
      assert.equal((await (await stack.signIn()).get('/accounts')).status, 200)
      const { id } = body.signal
      await assertOneEntryOneExit(stack, id, { within: 100_000 })
      const [entry, exit] = ordersAtVenue(await stack.venue.ledger(), id)
      const heldFor = Date.parse(exit!.created_at) - Date.parse(entry!.filled_at!)
      assert.ok(heldFor > 58_000 && heldFor < 70_000, `the exit left after ${heldFor} ms`)
      await stack.parts[part].restart()
      await stack.untilReady()
    })
  }

  it('worker, ahead by 15 seconds: closes what is held, by a signal, by hand and by an exit', async () => {
    const { stack } = service
    await setClock('worker', '+15s')
    const { body } = await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTSHARED' }))
    assert.equal(body.success, true, JSON.stringify(body))
    const half = { symbol: 'ZTSHARED', quantity: 5 }
    const closed = await stack.api.post('/signals', buyNow(stack, { ...half, action: 'closeLong' }))
    assert.equal(closed.status, 201, JSON.stringify(closed.body))
    const sale = { ...half, accountId: stack.accountId, side: 'SELL', orderType: 'MARKET' }
    const placed = await stack.api.post('/orders', sale)
    assert.equal(placed.status, 201, JSON.stringify(placed.body))
    const last = await stack.api.post('/signals', buyNow(stack, { ...half, exitTriggerType: 'immediate' }))
    await assertOneEntryOneExit(stack, last.body.signal.id, { within: 60_000 })
    await stack.parts.worker.restart()
    await stack.untilReady()
  })

  it('worker, ahead by more than signals may be old: they end as STALE, with no order', async () => {
    const { stack } = service
    await setClock('worker', '+90s')
    const { body } = await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTAHEAD' }))
    assert.equal(body.code, 'STALE', JSON.stringify(body))
    const { signalId } = body.details[0]
    const { status, reason } = await endOf(stack, signalId, { within: 60_000 })
    assert.deepEqual([status, reason], ['error', 'STALE'])
    assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), signalId), [])
    await stack.parts.worker.restart()
    await stack.untilReady()
  })
})
