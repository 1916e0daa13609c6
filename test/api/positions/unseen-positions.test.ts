import assert from 'node:assert/strict'
import { recordAccepted } from '#db/signals/ledger.ts'
import { recordFills } from '#db/trades/fills.ts'
import { createSignal, orderReport, withFill } from '../../support/factories.ts'
import { aFill } from '../../support/fills.ts'
import { letPass } from '../../support/let-pass.ts'
import { held } from '../../support/sample-position.ts'
import { startApi, type ApiServer, type TestUser } from '../support/api-server.ts'

describe('closing positions that the broker does not show', () => {
  let api: ApiServer
  let user: TestUser
  before(async function () {
    this.timeout(60_000)
    api = await startApi({ answerDeadline: 1_500 })
  })
  after(() => api.stop())
  beforeEach(async () => {
    user = await api.addUser()
    api.broker.positions = []
    const { em } = api.database
    for (const symbol of ['AAPL', 'MSFT']) {
      const signal = await createSignal(em.fork(), { userId: user.userId, accountId: user.accountId, symbol })
      const entry = withFill(orderReport(signal, { symbol }), '10')
      await recordAccepted(em.fork(), user.accountId, { ...entry, filledAt: new Date().toISOString() })
    }
    await letPass(em, 60_000)
  })

  const close = (path: string, body?: object) =>
    api.call('POST', `/api/v1/positions/${user.accountId}${path}/close`, { token: user.token, body })
  const placed = () =>
    api.gateway.placed.slice(-2).map(({ symbol, side, quantity }) => [symbol, side, quantity])

  it('all of them: answers 202 without success, with an order for each that our executions know of', async () => {
    const { status, body } = await close('')
    assert.deepEqual([status, body.success], [202, false], JSON.stringify(body))
    assert.deepEqual(
      body.orders.map(({ symbol, error }: { symbol: string; error: null }) => [symbol, error]),
      [
        ['AAPL', null],
        ['MSFT', null],
      ],
    )
    assert.match(
      body.orders[0].order.message,
      /^Nothing is closed yet: the broker shows nothing of AAPL where LONG 10 are held by the fills\. .* once it shows the position/,
    )
    assert.deepEqual(placed(), [
      ['AAPL', 'SELL', '10'],
      ['MSFT', 'SELL', '10'],
    ])
  })

  it('one of them: answers 202 without success, and not that nothing is held', async () => {
    const { status, body } = await close('/AAPL', { quantity: 4 })
    assert.deepEqual([status, body.success, body.orders.length], [202, false, 1], JSON.stringify(body))
    assert.deepEqual(placed().at(-1), ['AAPL', 'SELL', '4'])
  })

  it('closing positions that the broker does not show beside one that it shows: places the order of that, and has the other wait', async () => {
    api.broker.positions = [held('10', 'LONG', { symbol: 'MSFT' })]
    const { status, body } = await close('')
    assert.deepEqual([status, body.success], [202, false])
    const [unseen, shown] = body.orders
    assert.match(unseen.order.message, /^Nothing is closed yet/)
    assert.doesNotMatch(shown.order.message, /Nothing is closed yet/)
  })

  it('closing positions that the broker does not show of a part that it shows: is for all that our executions know of', async () => {
    api.broker.positions = [held('4', 'LONG')]
    assert.equal((await close('/AAPL')).status, 202)
    assert.deepEqual(placed().at(-1), ['AAPL', 'SELL', '10'])
  })

  it('closing positions that the broker does not show because they were sold elsewhere: answers as ever, as soon as the executions say so', async () => {
    const sold = { side: 'SELL', quantity: '10', symbol: 'AAPL', brokerOrderId: 'elsewhere' } as const
    const fills = [aFill({ ...sold, at: new Date().toISOString().replace('Z', '000Z') })]
    await recordFills(api.database.em.fork(), user, { fills, fees: [], until: null })
    const { status, body } = await close('/AAPL')
    assert.deepEqual([status, body.error], [404, 'POSITION_NOT_FOUND'])
  })
})
