import assert from 'node:assert/strict'
import { useApi } from '../support/use-api.ts'
import { addHook } from './support/hook.ts'

const alert = { ticker: 'NFLX', action: 'buy', market_position: 'long', market_position_size: 5 }

describe('the wait of a hook for approval', () => {
  const api = useApi()

  /** Minutes from the receipt of the message to the end of the wait; null for no end. */
  async function waitOf(changes: Record<string, unknown>, message: object = alert): Promise<number | null> {
    const hook = await addHook(api, { executeMode: 'pending', ...changes })
    const { status, body } = await hook.send(message)
    assert.equal(status, 200, JSON.stringify(body))
    const [request] = await hook.requests()
    const [signal] = await hook.signals()
    if (signal.valid_until === null) return null
    return (new Date(signal.valid_until).getTime() - Date.parse(request.receivedAt)) / 60_000
  }

  for (const [what, changes, minutes] of [
    ['ten minutes where nothing is chosen', {}, 10],
    ['as chosen', { approvalMinutes: 45 }, 45],
    ['as chosen in text', { approvalMinutes: '7' }, 7],
    ['without an end where that is chosen', { approvalMinutes: null }, null],
    ['at most a week', { approvalMinutes: 10_080 }, 10_080],
    ['of signals that are sent at once has no end', { executeMode: 'immediate' }, null],
  ] as const)
    it(`the wait of a hook for approval lasts ${what}`, async () => {
      assert.equal(await waitOf(changes), minutes)
    })

  for (const approvalMinutes of [0, -1, 10_081, 1.5, 'ten', '', true, [10]])
    it(`the wait of a hook for approval is refused as ${JSON.stringify(approvalMinutes)}`, async () => {
      const { owner, id } = await addHook(api)
      const { status, body } = await owner.call('PATCH', `/hooks/${id}`, { approvalMinutes })
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(JSON.stringify(body), /approvalMinutes/)
    })

  it('the wait of a hook for approval ends by the message where that says an earlier end, and by the hook where it says a later one', async () => {
    const inMinutes = (minutes: number): string =>
      new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19)
    const step = (validUntil: string) => ({
      symbol: 'NFLX',
      action: 'openLong',
      quantity: 1,
      timezone: 'UTC',
      validUntil,
    })
    const earlier = await waitOf({ kind: 'json' }, step(inMinutes(3)))
    assert.ok(earlier !== null && earlier > 2 && earlier <= 3, String(earlier))
    assert.equal(await waitOf({ kind: 'json' }, step(inMinutes(30))), 10)
  })

  it('the wait of a hook for approval is ten minutes for a hook that was stored without a choice', async () => {
    const hook = await addHook(api, { executeMode: 'pending' })
    await api.database.em
      .fork()
      .execute(`update hooks set settings = settings - 'approvalMinutes' where id = ?`, [hook.id])
    const { body } = await hook.owner.call('GET', `/hooks/${hook.id}`)
    assert.equal(body.data.hook.approvalMinutes, 10)
    const { status } = await hook.send(alert)
    assert.equal(status, 200)
    const [signal] = await hook.signals()
    assert.ok(new Date(signal.valid_until).getTime() > Date.now())
  })
})
