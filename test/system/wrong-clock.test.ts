import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import type { PartName } from '#test/support/stack-parts.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue } from './sent-signal.ts'

/** Debian's package `faketime`; the tests are skipped without it. */
const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

describe('a process whose clock is wrong', function () {
  this.timeout(180_000)
  before(function () {
    if (library === undefined) this.skip()
  })
  // What a process dates by its own clock comes in another order than it happened.
  const service = useStack({}, { holdsTimelines: false })

  /** Starts a part again with a clock that differs by so much, such as `+30s`. */
  const setClock = async (part: PartName, offset: string): Promise<void> => {
    await service.stack.parts[part].restart({
      LD_PRELOAD: library!,
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
    { part: 'api', offset: '+30s', page: 'apiMetrics', metric: 'database_clock_difference_seconds' },
    { part: 'worker', offset: '-30s', page: 'metrics', metric: 'broker_clock_difference_seconds' },
  ] as const
  for (const { part, offset, page, metric } of cases)
    it(`${part} by ${offset}: its metrics tell of it, people sign in, and the exit leaves a minute after the fill`, async () => {
      const { stack } = service
      await setClock(part, offset)
      const { status, body } = await stack.api.post(
        '/signals',
        buyNow(stack, { symbol: 'CLOCK', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
      )
      assert.equal(status, 201, JSON.stringify(body))
      const found = await difference(stack.addresses[page], metric)
      assert.ok(Math.abs(found - 30) < 2, `${metric} is ${found}`)
      assert.equal((await (await stack.signIn()).get('/accounts')).status, 200)
      const { id } = body.signal
      await assertOneEntryOneExit(stack, id, { within: 100_000 })
      const [entry, exit] = ordersAtVenue(await stack.venue.ledger(), id)
      const heldFor = Date.parse(exit!.created_at) - Date.parse(entry!.filled_at!)
      assert.ok(heldFor > 58_000 && heldFor < 70_000, `the exit left after ${heldFor} ms`)
      await stack.parts[part].restart()
      await stack.untilReady()
    })

  it('worker, ahead by more than signals may be old: they end as STALE, with no order', async () => {
    const { stack } = service
    await setClock('worker', '+90s')
    const { body } = await stack.api.post('/signals', buyNow(stack, { symbol: 'AHEAD' }))
    assert.equal(body.code, 'STALE', JSON.stringify(body))
    const { signalId } = body.details[0]
    const { status, reason } = await endOf(stack, signalId, { within: 60_000 })
    assert.deepEqual([status, reason], ['error', 'STALE'])
    assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), signalId), [])
    await stack.parts.worker.restart()
    await stack.untilReady()
  })
})
