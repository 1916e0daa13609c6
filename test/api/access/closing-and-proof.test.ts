import assert from 'node:assert/strict'
import type { Account } from '#db/entities/index.ts'
import { createAccount } from '#test/support/factories.ts'
import { held } from '#test/support/sample-position.ts'
import { addPerson, letProofGrowOld, PASSWORD, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { useApi } from '../support/use-api.ts'

describe('orders of a live account', () => {
  const api = useApi({ answerDeadline: 500 })

  let person: Person
  let live: Account
  const meet = async (tradingMode: 'PAPER' | 'LIVE'): Promise<void> => {
    person = await addPerson(api, { tradingMode })
    live = await createAccount(api.database.em, { userId: person.userId, isDemo: false })
    api.broker.positions = [held('10', 'LONG')]
    await api.database.em.execute(
      `insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
         unrealised_pnl, unrealised_pnl_percent)
       values (gen_random_uuid(), ?, ?, 'AAPL', 'LONG', 10, 100, 100, 1000, 0, 0)`,
      [person.userId, live.id],
    )
  }
  const order = (changes: object = {}) =>
    person.call('POST', '/orders', {
      accountId: live.id,
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'MARKET',
      quantity: 1,
      ...changes,
    })
  const signal = (changes: object = {}) =>
    person.call('POST', '/signals', {
      accountId: live.id,
      symbol: 'AAPL',
      action: 'openLong',
      quantity: 1,
      executeMode: 'immediate',
      ...changes,
    })
  const stored = async (origin: 'sender' | 'person'): Promise<number> => {
    const [row] = await api.database.em.execute<{ count: number }[]>(
      `select count(*)::int as count from signals where user_id = ? and origin = ?`,
      [person.userId, origin],
    )
    return row!.count
  }

  describe('that close a position, after the mode was set to PAPER', () => {
    beforeEach(() => meet('PAPER'))

    it('orders of a live account that close a position, after the mode was set to PAPER are taken as manual orders, which then can open nothing', async () => {
      const { status } = await order({ side: 'SELL' })
      assert.equal(status, 202)
      assert.deepEqual(
        api.gateway.placed.filter(({ accountId }) => accountId === live.id).map(({ ask }) => ask.reducesOnly),
        [true],
      )
    })

    for (const [title, changes] of [
      ['adds to the position', { side: 'BUY' }],
      ['is for a symbol without a holding', { side: 'SELL', symbol: 'MSFT' }],
    ] as const)
      it(`orders of a live account that close a position, after the mode was set to PAPER are not meant by an order that ${title}: MODE_MISMATCH`, async () => {
        const { status, body } = await order(changes)
        assert.deepEqual([status, body.error], [409, 'MODE_MISMATCH'])
        assert.equal(await stored('person'), 0)
      })
  })

  describe('by a person whose proof is older than five minutes', () => {
    beforeEach(async () => {
      await meet('LIVE')
      await letProofGrowOld(api, person)
    })

    it('orders of a live account by a person whose proof is older than five minutes are refused where they open, and nothing is stored', async () => {
      const placed = await order()
      assert.deepEqual([placed.status, placed.body.error], [403, 'VERIFICATION_REQUIRED'])
      for (const changes of [
        {},
        { executeMode: 'scheduled', scheduledProcessAt: '2099-01-04T10:00:00', timezone: 'UTC' },
        { action: 'openShort' },
      ]) {
        const { status, body } = await signal(changes)
        assert.deepEqual([status, body.code], [403, 'VERIFICATION_REQUIRED'], JSON.stringify(changes))
      }
      assert.deepEqual([await stored('sender'), await stored('person')], [0, 0])
    })

    it('orders of a live account by a person whose proof is older than five minutes are refused as targets but that of nothing, also while the mode is PAPER, since they may open later', async () => {
      for (const mode of ['LIVE', 'PAPER']) {
        await api.database.em.execute('update users set trading_mode = ? where id = ?', [mode, person.userId])
        const { status, body } = await signal({ targetPosition: 5 })
        assert.deepEqual([status, body.code], [403, 'VERIFICATION_REQUIRED'], mode)
        assert.equal((await signal({ targetPosition: 0 })).status, 201, mode)
      }
      assert.equal(await stored('sender'), 2)
    })

    it('orders of a live account by a person whose proof is older than five minutes are refused in the place of a signal that waits', async () => {
      const waiting = await signal({ executeMode: 'pending', sourceId: 'one' })
      assert.equal(waiting.status, 201)
      const { status, body } = await signal({ sourceId: 'one', replaceExisting: true })
      assert.deepEqual([status, body.code], [403, 'VERIFICATION_REQUIRED'])
    })

    it('orders of a live account by a person whose proof is older than five minutes are taken where they close, where they wait for an approval, and in a dry run', async () => {
      assert.equal((await order({ side: 'SELL' })).status, 202)
      assert.equal((await signal({ action: 'closeLong' })).status, 201)
      assert.equal((await signal({ executeMode: 'pending' })).status, 201)
      assert.equal((await signal({ dryRun: true })).status, 200)
      assert.equal((await person.call('POST', `/positions/${live.id}/AAPL/close`)).status, 202)
    })

    it('orders of a live account by a person whose proof is older than five minutes are taken of a token, which proves nothing', async () => {
      const token = await storeToken(api, person.userId, {})
      const body = { accountId: live.id, symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 1 }
      assert.equal((await api.call('POST', '/api/v1/orders', { token, body })).status, 202)
    })

    it('orders of a live account by a person whose proof is older than five minutes are taken once the person has proven who they are', async () => {
      await person.call('POST', '/auth/verify', { password: PASSWORD })
      assert.equal((await order()).status, 202)
      assert.equal((await signal()).status, 201)
    })
  })
})
