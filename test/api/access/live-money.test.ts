import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount } from '../../support/factories.ts'
import { held } from '../../support/sample-position.ts'
import { signalBody, startApi, type Answer, type ApiServer } from '../support/api-server.ts'
import { addPerson, letProofGrowOld, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'

describe('orders for real money', function () {
  this.timeout(60_000)
  let api: ApiServer
  let person: Person
  let accountId: string
  before(async () => {
    api = await startApi({ liveTrading: 'enabled' })
  })
  beforeEach(async () => {
    person = await addPerson(api)
    const account = await createAccount(api.database.em, { userId: person.userId, isDemo: false })
    accountId = account.id
    await api.database.em.execute(
      `insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
         unrealised_pnl, unrealised_pnl_percent)
       values (?, ?, ?, 'HELD', 'LONG', '4', '100', '100', '400', '0', '0')`,
      [randomUUID(), person.userId, accountId],
      'run',
    )
    await trade('LIVE')
    await letProofGrowOld(api, person)
    api.broker.positions = [held('4', 'LONG', { symbol: 'HELD' })]
  })
  after(() => api.stop())

  const trade = (mode: 'LIVE' | 'PAPER') =>
    api.database.em.execute('update users set trading_mode = ? where id = ?', [mode, person.userId], 'run')
  const order = (changes: object) => ({
    accountId,
    symbol: 'HELD',
    orderType: 'MARKET',
    quantity: 10,
    ...changes,
  })
  const place = (changes: object) => person.call('POST', '/orders', order(changes))
  const send = (changes: object) => person.call('POST', '/signals', { ...signalBody(accountId), ...changes })
  const codeOf = ({ body }: Answer): unknown => body.error ?? body.code
  const stored = async (table: 'signals' | 'manual_orders'): Promise<number> =>
    (await api.database.em.execute(`select 1 from ${table} where user_id = ?`, [person.userId])).length

  for (const [mode, code] of [
    ['LIVE', 'VERIFICATION_REQUIRED'],
    ['PAPER', 'MODE_MISMATCH'],
  ] as const)
    describe(`in ${mode} mode, of a person whose proof is old,`, () => {
      beforeEach(() => trade(mode))

      for (const [what, changes] of [
        ['that adds to a position', { side: 'BUY' }],
        ['that sells short what is not held', { side: 'SELL', symbol: 'OTHER' }],
        ['that buys what is not held', { side: 'BUY', symbol: 'OTHER' }],
      ] as const)
        it(`an order ${what}: ${code}, and nothing is stored`, async () => {
          assert.equal(codeOf(await place(changes)), code)
          assert.equal(await stored('manual_orders'), 0)
        })

      it('an order that sells more than is held: placed to close what is held, and nothing beyond', async () => {
        const { status, body } = await place({ side: 'SELL' })
        assert.ok(status < 300, JSON.stringify(body))
        const { side, reducesOnly } = api.gateway.placed.at(-1)!
        assert.deepEqual([side, reducesOnly], ['SELL', true])
      })

      it('the close of a position, and of all of them: placed', async () => {
        for (const path of ['/HELD', '']) {
          const { status, body } = await person.call('POST', `/positions/${accountId}${path}/close`)
          assert.ok(status < 300, JSON.stringify(body))
          assert.equal(api.gateway.placed.at(-1)!.reducesOnly, true)
        }
      })

      it(`a signal that opens: ${code}, and nothing is stored`, async () => {
        for (const action of ['openLong', 'openShort']) {
          const answer = await send({ action })
          assert.equal(answer.body.code, code, JSON.stringify(answer.body))
        }
        assert.equal(await stored('signals'), 0)
      })

      it('a signal that closes: accepted', async () => {
        for (const action of ['closeLong', 'closeShort']) {
          const { status, body } = await send({ action })
          assert.ok(status < 300, JSON.stringify(body))
        }
      })
    })

  it('of a token: placed without a proof', async () => {
    const token = await storeToken(api, person.userId, {})
    const body = order({ side: 'BUY' })
    const answer = await api.call('POST', '/api/v1/orders', { token, body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
  })
})
