import assert from 'node:assert/strict'
import { createLimits, type Limits } from '#api/access/limits.ts'
import { TIERS, type TierName } from '#api/access/policy.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'

/** More at once wait so long for each other that they are counted in memory. */
const MOST_AT_ONCE = 150

describe('limits', function () {
  this.timeout(60_000)
  let database: TestDatabase
  /** Two replicas. */
  let stores: CountStore[]
  let limits: Limits[]

  before(async () => {
    database = await createTestDatabase()
    stores = [openCountStore(database.url), openCountStore(database.url)]
    limits = stores.map(createLimits)
  })
  after(async () => {
    await Promise.all(stores.map((store) => store.end()))
    await database.drop()
  })

  const specified: Record<TierName, [limit: number, seconds: number, by: string]> = {
    auth: [10, 900, 'ip'],
    password: [3, 3_600, 'ip'],
    secondFactor: [10, 900, 'ip'],
    refresh: [100, 900, 'ip'],
    desktopSync: [60, 60, 'device'],
    default: [200, 60, 'principal'],
    // Beside the specification.
    hooks: [600, 60, 'principal'],
    hooksOfPerson: [600, 60, 'principal'],
  }
  for (const [name, [limit, seconds, by]] of Object.entries(specified) as [
    TierName,
    [number, number, string],
  ][]) {
    it(`limits of tier ${name} let exactly ${limit} of three times that number pass, over two replicas at once`, async () => {
      assert.deepEqual(TIERS[name], { limit, seconds, by })
      const states: Awaited<ReturnType<Limits['count']>>[] = []
      for (let sent = 0; sent < limit * 3; sent += MOST_AT_ONCE) {
        const wave = Math.min(MOST_AT_ONCE, limit * 3 - sent)
        const burst = Array.from({ length: wave }, (_, n) => limits[n % 2]!.count(name, 'burst'))
        states.push(...(await Promise.all(burst)))
      }
      const allowed = states.filter(({ isAllowed }) => isAllowed)
      assert.equal(allowed.length, limit)
      assert.deepEqual(
        allowed.map(({ remaining }) => remaining).toSorted((a, b) => a - b),
        [...Array(limit).keys()],
      )
      for (const state of states) {
        assert.equal(state.limit, limit)
        assert.ok(state.resetSeconds > 0 && state.resetSeconds <= seconds)
      }
      assert.ok((await limits[0]!.count(name, 'somebody else')).isAllowed)
    })
  }

  it('limits that are counted in memory keep the reserve whole, however much was refused', async () => {
    const ask = (reserve: boolean) => limits[0]!.countHere('default', 'user:1', { reserve })
    const allowed = async (count: number, reserve: boolean) =>
      (await Promise.all(Array.from({ length: count }, () => ask(reserve)))).filter(
        ({ isAllowed }) => isAllowed,
      ).length
    assert.deepEqual([await allowed(300, false), await allowed(70, true)], [200, 60])
  })

  it('limits of attempts bear a hundred in a row, however slowly they come, and begin again after one that ended well', async () => {
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 25; n++) {
        const { isAllowed } = await limits[n % 2]!.countAttempt('password', 'joe')
        assert.equal(isAllowed, n < 20, `attempt ${n} of round ${round}`)
      }
      // As if a quarter of an hour had gone by.
      await stores[0]!.query(`delete from sign_in_counts where key like 'password-attempts-900:%'`)
    }
    const { isAllowed, limit, resetSeconds } = await limits[0]!.countAttempt('password', 'joe')
    assert.deepEqual([isAllowed, limit], [false, 100])
    assert.ok(resetSeconds > 29 * 86_400)
    assert.ok((await limits[0]!.countAttempt('password', 'jane')).isAllowed)
    await limits[0]!.forgive('password', 'joe')
    assert.ok((await limits[1]!.countAttempt('password', 'joe')).isAllowed)
  })

  it('limits of sign-in refuse when they cannot be counted; the others go on counting in memory', async () => {
    const nowhere = openCountStore('postgresql://nobody@127.0.0.1:1/nothing')
    const blind = createLimits(nowhere)
    await assert.rejects(blind.count('auth', 'x'))
    await assert.rejects(blind.countAttempt('password', 'x'))
    const states = await Promise.all(Array.from({ length: 250 }, () => blind.count('default', 'x')))
    assert.equal(states.filter(({ isAllowed }) => isAllowed).length, 200)
    await nowhere.end()
  })
})
