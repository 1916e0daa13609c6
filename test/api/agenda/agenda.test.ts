import assert from 'node:assert/strict'
import { liftHalt, setHalt, type HaltTarget } from '#db/risk/halts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { HALT_LEVELS, HALT_SCOPES, type HaltLevel, type HaltScope } from '#domain/risk/halt.ts'
import { createSignal, createTrade, orderReport } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

const AT = Date.parse('2026-03-02T15:00:00Z')
const minutes = (count: number) => new Date(AT + count * 60_000)
const PLANNED = { status: 'scheduled', executeMode: 'scheduled', scheduledAt: minutes(30) } as const

describe('GET /agenda', () => {
  const api = useApi()
  let user: TestUser
  before(async () => {
    user = await api.addUser()
    const store = (fields: Parameters<typeof createSignal>[1]) =>
      createSignal(api.database.em, { accountId: user.accountId, ...fields })
    await store({ status: 'pending', executeMode: 'pending', validUntil: minutes(20), symbol: 'LAPSES' })
    await store({ status: 'pending', executeMode: 'pending', symbol: 'NEVER' })
    const dollars = { quantity: '500', quantityType: 'dollarAmount' } as const
    await store({ ...PLANNED, ...dollars, scheduledAt: minutes(5), symbol: 'ENTERS' })
    const exiting = { status: 'executed', exitStatus: 'scheduled', exitSubmitAt: minutes(10) } as const
    await store({ ...exiting, filledQuantity: '26', symbol: 'EXITS' })
    for (const [symbol, filledQuantity] of [
      ['PARTLY', '12'],
      ['GONE', '10'],
    ] as const) {
      const { id } = await store({ ...exiting, exitSubmitAt: minutes(11), filledQuantity, symbol })
      await createTrade(api.database.em, { accountId: user.accountId, signalId: id, symbol })
    }
    await store({ status: 'executed', exitStatus: 'filled', exitSubmitAt: minutes(1), symbol: 'DONE' })
    const working = await store({ timeInForce: 'gtd', expiresAt: minutes(15), symbol: 'ENDS' })
    await recordAccepted(api.database.em.fork(), orderReport(working, { symbol: 'ENDS' }))
    const { accountId } = await api.addUser()
    await store({ accountId, status: 'pending', validUntil: minutes(2) })
  })

  const ask = async (query = '') =>
    (await api.call('GET', `/api/v1/agenda${query}`, { token: user.token })).body.data
  const shown = (items: { kind: string; symbol: string; quantity: number }[]) =>
    items.map(({ kind, symbol, quantity }) => `${kind} ${symbol} ${quantity}`)

  it('lists coming actions by time, the next first, with the shares that are left, and none that has ended, has nothing left or is another user’s', async () => {
    const { items, total } = await ask()
    assert.deepEqual(shown(items), [
      'schedule ENTERS 500',
      'exit EXITS 26',
      'exit PARTLY 2',
      'orderExpiry ENDS 10',
      'expiry LAPSES 10',
    ])
    assert.equal(total, 5)
    assert.deepEqual(
      [items[0].quantityType, items[0].at, items[3].side, items[3].orderId !== null],
      ['dollarAmount', minutes(5).toISOString(), 'BUY', true],
    )
  })

  it('GET /agenda is read page by page', async () => {
    const first = await ask('?limit=3')
    const second = await ask(`?limit=3&cursor=${first.nextCursor}`)
    assert.deepEqual(
      [first.items.length, shown(second.items), second.nextCursor],
      [3, ['orderExpiry ENDS 10', 'expiry LAPSES 10'], null],
    )
  })

  it('GET /agenda is that of one account or symbol where it is asked for', async () => {
    assert.deepEqual(shown((await ask('?symbol=exits')).items), ['exit EXITS 26'])
    assert.equal((await ask(`?accountId=${user.accountId}`)).total, 5)
    assert.equal((await ask('?accountId=2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e')).total, 0)
  })

  describe('under a halt', () => {
    const closes = { ...PLANNED, action: 'closeLong', symbol: 'CLOSES' } as const
    before(() => createSignal(api.database.em, { accountId: user.accountId, ...closes }))

    const targets: Record<HaltScope, () => HaltTarget> = {
      global: () => ({ scope: 'global' }),
      operator: () => ({ scope: 'operator', userId: user.userId }),
      user: () => ({ scope: 'user', userId: user.userId }),
      account: () => ({ scope: 'account', userId: user.userId, accountId: user.accountId }),
    }
    const held: Record<HaltLevel, string[]> = {
      pauseEntries: ['ENTERS'],
      reduceOnly: ['ENTERS'],
      fullStop: ['ENTERS', 'EXITS', 'PARTLY', 'CLOSES'],
    }
    it('GET /agenda names the halt of each scope at each level beside what it keeps back, and beside nothing else', async () => {
      const em = api.database.em.fork()
      for (const scope of HALT_SCOPES)
        for (const level of HALT_LEVELS) {
          const { setAt } = await setHalt(em, targets[scope](), { level, reason: null, by: 'test' })
          const { items } = await ask()
          const withHalt = items.filter(({ heldBy }: { heldBy: object | null }) => heldBy !== null)
          assert.deepEqual(pluck(withHalt, 'symbol'), held[level], `${scope} ${level}`)
          assert.deepEqual(withHalt[0].heldBy, { level, scope, since: setAt, reason: null })
          await liftHalt(em, targets[scope](), 'test')
        }
    })

    it('GET /agenda names the most severe halt of those that bind the account, and none of another account', async () => {
      const em = api.database.em.fork()
      const other = await api.addUser()
      const elsewhere = { scope: 'account', userId: other.userId, accountId: other.accountId } as const
      await setHalt(em, elsewhere, { level: 'fullStop', reason: null, by: 'test' })
      await setHalt(em, targets.user(), { level: 'fullStop', reason: 'outage', by: 'test' })
      await setHalt(em, targets.account(), { level: 'pauseEntries', reason: null, by: 'test' })
      const holds = async () => (await ask('?symbol=enters')).items[0].heldBy?.level
      assert.equal(await holds(), 'fullStop')
      await liftHalt(em, targets.user(), 'test')
      assert.equal(await holds(), 'pauseEntries')
      await liftHalt(em, targets.account(), 'test')
      assert.equal(await holds(), undefined)
    })
  })
})
