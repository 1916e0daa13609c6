import assert from 'node:assert/strict'
import { recordAccepted } from '#db/signals/ledger.ts'
import { recordFills } from '#db/trades/fills.ts'
import { createSignal, orderReport, withFill } from '../../support/factories.ts'
import { aFill } from '../../support/fills.ts'
import { letPass } from '../../support/let-pass.ts'
import { held } from '../../support/sample-position.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('closing a position that the broker does not show', () => {
  const api = useApi({ answerDeadline: 1_500 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.broker.positions = []
    const { em } = api.database
    const { userId, accountId } = user
    const signal = await createSignal(em.fork(), { userId, accountId, symbol: 'AAPL' })
    const entry = withFill(orderReport(signal, { symbol: 'AAPL' }), '10')
    await recordAccepted(em.fork(), accountId, { ...entry, filledAt: new Date().toISOString() })
    await letPass(em, 60_000)
  })

  const close = (body?: object) =>
    api.call('POST', `/api/v1/positions/${user.accountId}/AAPL/close`, { token: user.token, body })
  const placed = () => {
    const { symbol, side, quantity } = api.gateway.placed.at(-1)!
    return [symbol, side, quantity]
  }

  it('closing a position that the broker does not show answers 202 without success, and not that nothing is held', async () => {
    const { status, body } = await close({ quantity: 4 })
    assert.deepEqual([status, body.success, body.orders.length], [202, false, 1], JSON.stringify(body))
    assert.match(
      body.orders[0].order.message,
      /^Nothing is closed yet: the broker shows nothing of AAPL where LONG 10 are held by the fills\. .* once it shows the position/,
    )
    assert.deepEqual(placed(), ['AAPL', 'SELL', '4'])
  })

  it('closing a position of which the broker shows a part is for all that our executions know of', async () => {
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
