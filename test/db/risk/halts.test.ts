import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { currentHalt, liftHalt, listHalts, raiseHalt, setHalt, type HaltTarget } from '#db/risk/halts.ts'
import { findRiskSettings, saveRiskSettings } from '#db/risk/settings.ts'
import type { Account } from '#db/entities/index.ts'
import { HALT_LEVELS, type HaltLevel } from '#domain/risk/halt.ts'
import { createAccount, createUser } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

let em: EntityManager
useDatabase((database) => {
  em = database.em
})

describe('the kill switch', () => {
  let account: Account
  beforeEach(async () => {
    account = await createAccount(em)
  })
  afterEach(() => liftHalt(em, { scope: 'global' }, 'test'))

  const forAccount = (): HaltTarget => ({ scope: 'account', userId: account.userId, accountId: account.id })
  const forUser = (): HaltTarget => ({ scope: 'user', userId: account.userId })
  const forAll: HaltTarget = { scope: 'global' }
  const at = (level: HaltLevel, reason = 'drill') => ({ level, reason, by: 'operator' })
  const history = async () =>
    (await listHalts(em, account.userId, 50)).filter(({ scope }) => scope !== 'global')
  const level = async (of: Account = account) => (await currentHalt(em, of.id))?.level ?? null

  it('the kill switch that is not set lets every order pass', async () => {
    assert.equal(await currentHalt(em, account.id), null)
  })

  it('the kill switch for an account binds that account, for a user all accounts of the user, and for everybody everybody', async () => {
    const other = await createAccount(em, { userId: account.userId })
    const stranger = await createAccount(em)
    for (const [target, binds] of [
      [forAccount(), [true, false, false]],
      [forUser(), [true, true, false]],
      [forAll, [true, true, true]],
    ] as const) {
      await setHalt(em, target, at('reduceOnly', 'too hot'))
      const found = [account, other, stranger].map(({ id }) => currentHalt(em, id))
      const { scope } = target
      assert.deepEqual(
        await Promise.all(found),
        binds.map((isBound) => (isBound ? { level: 'reduceOnly', scope, reason: 'too hot' } : null)),
      )
      await liftHalt(em, target, 'test')
    }
  })

  for (const [mine, global, expected] of [
    ['pauseEntries', 'fullStop', 'fullStop'],
    ['fullStop', 'pauseEntries', 'fullStop'],
    ['reduceOnly', 'pauseEntries', 'reduceOnly'],
  ] as const)
    it(`the kill switch at ${mine} for the account and ${global} for everybody is at ${expected}`, async () => {
      await setHalt(em, forAccount(), at(mine))
      await setHalt(em, forAll, at(global))
      assert.equal(await level(), expected)
    })

  it('set again replaces the earlier halt, and both stay in the history', async () => {
    await setHalt(em, forAccount(), at('fullStop', 'first'))
    await setHalt(em, forAccount(), { level: 'pauseEntries', reason: 'second', by: 'user:1' })
    assert.equal(await level(), 'pauseEntries')
    assert.deepEqual(
      (await history()).map(({ reason, setBy, liftedBy }) => [reason, setBy, liftedBy]),
      [
        ['second', 'user:1', null],
        ['first', 'operator', 'user:1'],
      ],
    )
  })

  it('set again to the same level changes nothing', async () => {
    const first = await setHalt(em, forUser(), at('reduceOnly', 'first'))
    assert.deepEqual(await setHalt(em, forUser(), at('reduceOnly', 'again')), first)
    assert.equal((await history()).length, 1)
  })

  it('thrown by twenty at once is set once', async () => {
    const set = (_: unknown, i: number) => setHalt(em, forAccount(), at(HALT_LEVELS[i % 3]!, `by ${i}`))
    await Promise.all(Array.from({ length: 20 }, set))
    const standing = (await history()).filter(({ liftedAt }) => liftedAt === null)
    assert.equal(standing.length, 1)
    assert.equal(await level(), standing[0]!.level)
  })

  it('the kill switch at one level raised to another is set at the more severe of the two', async () => {
    for (const stands of HALT_LEVELS)
      for (const raised of HALT_LEVELS) {
        await setHalt(em, forAccount(), at(stands))
        await raiseHalt(em, forAccount(), at(raised))
        const severest = HALT_LEVELS[Math.max(HALT_LEVELS.indexOf(stands), HALT_LEVELS.indexOf(raised))]
        assert.equal(await level(), severest, `${stands} raised to ${raised}`)
      }
  })

  it('lifted lets everything pass again and says who lifted it', async () => {
    await setHalt(em, forAccount(), at('fullStop'))
    const lifted = await liftHalt(em, forAccount(), 'user:1')
    assert.equal(lifted?.liftedBy, 'user:1')
    assert.ok(lifted.liftedAt !== null)
    assert.equal(await level(), null)
    assert.equal(await liftHalt(em, forAccount(), 'user:1'), null)
  })

  it('lifted for the account goes on binding it by a halt for the user', async () => {
    await setHalt(em, forUser(), at('reduceOnly'))
    await setHalt(em, forAccount(), at('fullStop'))
    await liftHalt(em, forAccount(), 'test')
    assert.equal(await level(), 'reduceOnly')
  })

  it('lists to a user those of the user and of all users, and no others', async () => {
    const stranger = await createAccount(em)
    await setHalt(em, { scope: 'user', userId: stranger.userId }, at('fullStop', 'not yours'))
    await setHalt(em, forAll, at('pauseEntries', 'all'))
    const reasons = (await listHalts(em, account.userId, 100)).filter(({ liftedAt }) => liftedAt === null)
    assert.deepEqual(
      reasons.map(({ reason }) => reason),
      ['all'],
    )
  })

  it("the kill switch cannot be thrown for another user's account", async () => {
    const stranger = await createUser(em)
    const target: HaltTarget = { scope: 'account', userId: stranger.id, accountId: account.id }
    await assert.rejects(setHalt(em, target, at('fullStop')))
    assert.equal(await level(), null)
  })

  it("risk settings of another user's account are neither shown nor changed", async () => {
    const { id: stranger } = await createUser(em)
    await saveRiskSettings(em, account.userId, account.id, { maxOrderShares: '5' })
    assert.equal(await saveRiskSettings(em, stranger, account.id, { maxOrderShares: null }), null)
    assert.deepEqual(await findRiskSettings(em, stranger, account.id), {})
    assert.deepEqual(await findRiskSettings(em, account.userId, account.id), { maxOrderShares: '5' })
  })
})
