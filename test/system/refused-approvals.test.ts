import assert from 'node:assert/strict'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('approvals whose orders would be refused, on the whole service', function () {
  this.timeout(120_000)
  const service = useStack()
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const waiting = async (symbol: string, changes: object = {}): Promise<string> => {
    await service.stack.venue.pin(symbol, 100)
    return accepted(service.stack, { symbol, executeMode: 'pending', ...changes })
  }
  const approve = (id: string, edits: object = {}) => person.post(`/signals/${id}/process`, edits, 20_000)
  const ordersOf = async (id: string) => ordersAtVenue(await service.stack.venue.ledger(), id)

  /** Told why, it waits as it did; nothing was sent. */
  async function assertWaits(id: string, answer: Awaited<ReturnType<typeof approve>>, code: string) {
    const { status, body } = answer
    assert.deepEqual([status, body.code, body.details?.[0]?.code], [409, 'WOULD_BE_REFUSED', code])
    const { status: standing, decidedBy, statusReason, approvalRefused } = await shown(service.stack, id)
    assert.deepEqual([standing, decidedBy, statusReason, approvalRefused.code], ['pending', null, null, code])
    assert.deepEqual(await ordersOf(id), [])
  }

  it('leave their signals waiting during a halt, each of several by itself, and are taken once it is lifted', async () => {
    const ids = [await waiting('ZTREFA'), await waiting('ZTREFB')]
    await person.put('/settings/halt', { level: 'pauseEntries', reason: 'news' })
    await assertWaits(ids[0]!, await approve(ids[0]!), 'TRADING_PAUSED')
    const { body } = await person.post('/signals/process', { ids }, 20_000)
    assert.deepEqual(
      body.data.results.map(({ success, code }: { success: boolean; code: string }) => [success, code]),
      ids.map(() => [false, 'WOULD_BE_REFUSED']),
    )
    await person.delete('/settings/halt')
    for (const id of ids) {
      const { status, body: answer } = await approve(id)
      assert.deepEqual([status, answer.data?.signal.status], [200, 'executed'], JSON.stringify(answer))
      assert.equal((await ordersOf(id)).length, 1)
    }
  })

  it('leave their signals waiting beyond the collar and the drift, without the edits, and are taken when the price is back', async () => {
    const id = await waiting('ZTREFC', { orderType: 'limit', limitPrice: 101 })
    await assertWaits(id, await approve(id, { quantity: 4, limitPrice: 1_000 }), 'PRICE_OUTSIDE_COLLAR')
    const { quantity, limitPrice } = await shown(service.stack, id)
    assert.deepEqual([quantity, limitPrice], [10, 101])
    await service.stack.venue.pin('ZTREFC', 110)
    await assertWaits(id, await approve(id), 'PRICE_DRIFTED')
    await service.stack.venue.pin('ZTREFC', 100)
    assert.equal((await approve(id)).status, 200)
    assert.equal((await ordersOf(id)).length, 1)
  })

  it('wait or are decided, and nothing in between, where the worker is killed in the middle', async () => {
    const { worker } = service.stack.parts
    const ids = await Promise.all(['ZTREFD', 'ZTREFE', 'ZTREFF'].map((symbol) => waiting(symbol)))
    await person.put('/settings/halt', { level: 'pauseEntries', reason: 'news' })
    for (const [index, id] of ids.entries()) {
      const asked = approve(id).catch(() => null)
      await new Promise((resolve) => setTimeout(resolve, index * 15))
      await worker.kill()
      await worker.start()
      await asked
    }
    await eventually(
      async () => {
        for (const id of ids) {
          const { status, approvalRefused } = await shown(service.stack, id)
          // One that was lost before it reached its workflow is none.
          assert.deepEqual([status, approvalRefused?.code ?? 'TRADING_PAUSED'], ['pending', 'TRADING_PAUSED'])
        }
      },
      { within: 40_000 },
    )
    await person.delete('/settings/halt')
    for (const id of ids) {
      await approve(id)
      await eventually(async () => assert.equal((await ordersOf(id)).length, 1), { within: 20_000 })
    }
  })
})
