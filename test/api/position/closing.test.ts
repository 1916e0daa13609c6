import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { recordAccepted } from '#db/signal/ledger.ts'
import { recordFills } from '#db/position/fills.ts'
import { createSignal, orderReport, withFill } from '../../support/factories.ts'
import { aFill } from '../../support/fills.ts'
import { letPass } from '../../support/let-pass.ts'
import { held } from '../../support/sample-position.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('closing positions', () => {
  const api = useApi({ answerDeadline: 1_500 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
  })

  const flatten = (body: object = {}, key?: string, token = user.token) =>
    api.call('POST', '/api/v1/positions/flatten', {
      token,
      body,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
    })
  const show = (path: string) => api.call('GET', `/api/v1/positions/flatten${path}`, { token: user.token })

  it('POST /positions/flatten begins one flattening for each key, of the accounts of the mode, and shows it afterwards', async () => {
    const key = randomUUID()
    const first = await flatten({ reason: 'enough' }, key)
    assert.deepEqual([first.status, first.body.flatten.status], [202, 'working'], JSON.stringify(first.body))
    const { id } = first.body.flatten
    assert.equal(api.gateway.flattened.at(-1), id)
    const again = await flatten({}, key)
    assert.deepEqual([again.status, again.body.flatten.id], [200, id])
    assert.equal((await flatten({ symbols: ['AAPL'] }, key)).body.error, 'IDEMPOTENCY_KEY_REUSED')
    assert.equal((await flatten({}, randomUUID())).status, 202)
    assert.equal((await flatten({}, key, await user.mint())).status, 202, 'a key is that of its token')
    const sql = 'select to_json(account_ids) as ids from flattenings where id = ?'
    assert.deepEqual(await api.database.em.fork().execute(sql, [id]), [{ ids: [user.accountId] }])
    assert.equal((await show(`/${id}`)).body.flatten.reason, 'enough')
    assert.equal((await show('')).body.flattens.length, 3)
    assert.equal((await show(`/${randomUUID()}`)).body.error, 'FLATTEN_NOT_FOUND')
  })

  it('POST /positions/flatten stays stored where Temporal is away', async () => {
    api.gateway.onFlatten = () => Promise.reject(new Error('away'))
    const { status, body } = await flatten({ accountId: user.accountId })
    assert.deepEqual([status, body.flatten.status, body.flatten.lines], [202, 'working', []])
  })

  describe('that the broker does not show', () => {
    beforeEach(async () => {
      api.broker.positions = []
      const { em } = api.database
      const { userId, accountId } = user
      const signal = await createSignal(em.fork(), { userId, accountId, symbol: 'AAPL' })
      const entry = withFill(orderReport(signal, { symbol: 'AAPL' }), '10')
      await recordAccepted(em.fork(), { ...entry, filledAt: new Date().toISOString() })
      await letPass(em, 60_000)
    })

    const close = (body?: object) =>
      api.call('POST', `/api/v1/positions/${user.accountId}/AAPL/close`, { token: user.token, body })
    const placed = () => {
      const { symbol, ask, quantity } = api.gateway.placed.at(-1)!
      return [symbol, ask.side, quantity]
    }

    it('closing a position that the broker does not show answers 202 without success, and not that nothing is held', async () => {
      const { status, body } = await close({ quantity: 4 })
      assert.deepEqual([status, body.success, body.orders.length], [202, false, 1], JSON.stringify(body))
      assert.match(
        body.orders[0].order.message,
        /^Nothing is closed yet: the broker shows nothing of AAPL where LONG 10 are held by the fills\. .* once the broker shows the position/,
      )
      assert.deepEqual(placed(), ['AAPL', 'SELL', '4'])
    })

    it('closing a position that the broker shows in part is for all that our executions know of', async () => {
      api.broker.positions = [held('4', 'LONG')]
      assert.equal((await close()).status, 202)
      assert.deepEqual(placed(), ['AAPL', 'SELL', '10'])
    })

    it('closing a position that the broker does not show because it was sold elsewhere answers as ever, as soon as the executions say so', async () => {
      const sold = { side: 'SELL', quantity: '10', symbol: 'AAPL', brokerOrderId: 'elsewhere' } as const
      const fills = [aFill({ ...sold, at: new Date().toISOString().replace('Z', '000Z') })]
      await recordFills(api.database.em.fork(), user, { fills, fees: [], until: null })
      const { status, body } = await close()
      assert.deepEqual([status, body.error], [404, 'POSITION_NOT_FOUND'])
    })
  })
})
