import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { checkThrottle, type ThrottleVerdict } from '#db/order/throttle.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { currentHalt, liftHalt, listHalts, setHalt } from '#db/risk/halts.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import type { HaltLevel } from '#domain/risk/halt.ts'
import { ORDER_CAPS, type OrderCaps } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor, type OrderRole } from '#domain/order/order.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { entryIdOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { decided } from '#test/support/decided.ts'
import { useDatabase } from '#test/support/database.ts'

describe('order admission', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  beforeEach(async () => {
    account = await createAccount(em)
  })
  afterEach(() => liftHalt(em, { scope: 'global' }, 'test'))

  const signals = (count: number): Promise<Signal[]> =>
    Promise.all(Array.from({ length: count }, () => createSignal(em, { accountId: account.id })))

  const admit = async (
    signal: Pick<Signal, 'id'>,
    {
      caps = ORDER_CAPS,
      role = 'entry',
      generation = 1,
    }: { caps?: OrderCaps; role?: OrderRole; generation?: number } = {},
  ): Promise<ThrottleVerdict> => {
    const clientOrderId = clientOrderIdFor(signal.id, role === 'exit' ? 'timed' : role, generation)
    await decided(em, { clientOrderId, quantity: '10', side: role === 'exit' ? 'SELL' : 'BUY' })
    const order = { accountId: account.id, clientOrderId, quantity: '10', reducing: role === 'exit' } as const
    return checkThrottle(em, order, caps)
  }
  const check = (order: { clientOrderId: string; accountId?: string }, reducing = false) =>
    checkThrottle(em, { accountId: account.id, quantity: '10', reducing, ...order }, ORDER_CAPS)
  const verdict = async (admission: Promise<ThrottleVerdict>) => (await admission).verdict
  const few = (perMinute: number): OrderCaps => ({ ...ORDER_CAPS, perMinute })
  const ownHalt = () => ({ scope: 'account', userId: account.userId, accountId: account.id }) as const
  const halt = (level: HaltLevel) => setHalt(em, ownHalt(), { level, reason: 'drill', by: 'test' })
  const standing = () => currentHalt(em, account.id)
  const counted = async (table: 'send_permits' | 'order_rates'): Promise<number> => {
    const column = table === 'send_permits' ? 'count(*)' : 'coalesce(sum(minute_count), 0)'
    const [row] = await em.execute<{ n: number }[]>(
      `select ${column}::int as n from ${table} where account_id = ?`,
      [account.id],
    )
    return row!.n
  }
  /** The minute of the clock turns over while the test runs once in a while: then what it counts begins anew. */
  const withinOneMinute = async () => {
    const [row] = await em.execute<{ left: number }[]>(
      `select extract(epoch from date_trunc('minute', now()) + interval '1 minute' - now())::float as left`,
    )
    if (row!.left < 4) await new Promise((resolve) => setTimeout(resolve, row!.left * 1_000 + 50))
  }

  it('order admission of an entry whose signal accounts for it counts it', async () => {
    const [signal] = await signals(1)
    const { verdict: told, permits, before } = await admit(signal!)
    assert.deepEqual([told, permits, before], ['allowed', 1, null])
    assert.deepEqual([await counted('send_permits'), await counted('order_rates')], [1, 1])
  })

  it('order admission of an opening order by hand counts it, while a halt only pauses signals', async () => {
    const clientOrderId = entryIdOf(await placedByHand(em, account))
    await decided(em, { clientOrderId, quantity: '10', side: 'BUY' })
    await halt('pauseEntries')
    assert.equal(await verdict(check({ clientOrderId })), 'allowed')
    assert.equal(await verdict(admit((await signals(1))[0]!)), 'halted')
    assert.equal(await counted('send_permits'), 1)
    await halt('reduceOnly')
    assert.equal(await verdict(check({ clientOrderId })), 'halted')
  })

  it('says when an order was admitted before, whether it may leave again or not', async () => {
    const [signal] = await signals(1)
    const before = Date.now()
    await admit(signal!)
    for (const expected of ['allowed', 'halted']) {
      const again = await admit(signal!)
      assert.ok(again.verdict === expected && 'before' in again && again.before !== null)
      assert.ok(Math.abs(Date.parse(again.before) - before) < 10_000)
      await halt('reduceOnly')
    }
  })

  it('order admission asked again and again, and twenty times at once, for one order counts it once', async () => {
    const [signal] = await signals(1)
    const ask = () => verdict(admit(signal!, { caps: few(1) }))
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    for (let i = 0; i < 5; i += 1) answers.push(await ask())
    assert.deepEqual(new Set(answers), new Set(['allowed']))
    assert.deepEqual([await counted('send_permits'), await counted('order_rates')], [1, 1])
  })

  it('order admission at the cap of the minute stops exactly there, however many ask at once, and halts the account', async () => {
    await withinOneMinute()
    await saveRiskSettings(em, account.userId, account.id, { maxOrdersPerMinute: null })
    const many = await signals(40)
    const answers = await Promise.all(many.map((signal) => verdict(admit(signal, { caps: few(25) }))))
    assert.equal(answers.filter((answer) => answer === 'allowed').length, 25)
    assert.ok(answers.includes('runaway'))
    assert.equal(await counted('send_permits'), 25)
    const { level, scope } = (await standing())!
    assert.deepEqual([level, scope], ['reduceOnly', 'account'])
    assert.equal((await listHalts(em, account.userId, 50)).length, 1, 'one halt, not one for each order')
    assert.equal(await verdict(admit((await signals(1))[0]!)), 'halted')
  })

  it('order admission at the cap of the day halts the account, and no other', async () => {
    await saveRiskSettings(em, account.userId, account.id, { maxOrdersPerDay: null })
    const [first, second] = await signals(2)
    const caps = { ...ORDER_CAPS, perDay: 1 }
    assert.equal(await verdict(admit(first!, { caps })), 'allowed')
    assert.equal(await verdict(admit(second!, { caps })), 'runaway')
    assert.equal((await standing())?.scope, 'account')
    const { id, accountId } = await createSignal(em)
    const clientOrderId = clientOrderIdFor(id, 'entry', 1)
    await decided(em, { clientOrderId, quantity: '10', side: 'BUY' })
    assert.equal(await verdict(check({ accountId, clientOrderId })), 'allowed')
  })

  it("order admission at the account's own limit refuses the order and halts nothing, however many ask at once", async () => {
    await withinOneMinute()
    await saveRiskSettings(em, account.userId, account.id, { maxOrdersPerMinute: 5 })
    const answers = await Promise.all((await signals(20)).map((signal) => verdict(admit(signal))))
    assert.equal(answers.filter((answer) => answer === 'allowed').length, 5)
    assert.equal(answers.filter((answer) => answer === 'over_limit').length, 15)
    assert.equal(await standing(), null)
  })

  it('holds the account to a limit of orders a day that was lowered in between', async () => {
    const [first, second] = await signals(2)
    await admit(first!)
    await saveRiskSettings(em, account.userId, account.id, { maxOrdersPerDay: 1 })
    const answer = await admit(second!)
    assert.equal(answer.verdict, 'over_limit')
    assert.match(
      answer.verdict === 'over_limit' ? answer.detail : '',
      /^1 opening order was sent today, at most 1 is allowed/,
    )
  })

  for (const [what, decision] of [
    ['denied', { outcome: 'denied', quantity: '10' }],
    ['held', { outcome: 'held', quantity: '10' }],
    ['decided for another size', { outcome: 'ready', quantity: '7' }],
  ] as const)
    it(`order admission of an entry that is ${what} lets nothing out`, async () => {
      const [signal] = await signals(1)
      await decideOnce(em, signal!.id, 'entry', decision)
      assert.equal(await verdict(admit(signal!)), 'void')
      assert.equal(await counted('send_permits'), 0)
    })

  describe('of an entry that no signal accounts for', () => {
    type Unaccounted = () => Promise<{ clientOrderId: string; accountId?: string }>
    const unaccounted: [why: string, make: Unaccounted][] = [
      [
        'because there is no such signal',
        async () => ({ clientOrderId: clientOrderIdFor(randomUUID(), 'entry', 1) }),
      ],
      [
        "because the signal is another account's",
        async () => ({ clientOrderId: clientOrderIdFor((await createSignal(em)).id, 'entry', 1) }),
      ],
      [
        "because the order by hand of its id is another account's",
        async () => ({ clientOrderId: entryIdOf(await placedByHand(em, await createAccount(em))) }),
      ],
      [
        'because the signal has sent too many',
        async () => {
          const [signal] = await signals(1)
          return { clientOrderId: clientOrderIdFor(signal!.id, 'entry', ORDER_CAPS.entriesPerSignal + 1) }
        },
      ],
      ['because its id is none of ours', async () => ({ clientOrderId: 'by-hand' })],
    ]
    for (const [why, makeOrder] of unaccounted)
      it(`${why} halts everybody, and exits still leave`, async () => {
        assert.equal(await verdict(check(await makeOrder())), 'runaway')
        assert.equal(await counted('send_permits'), 0)
        const { level, scope } = (await standing())!
        assert.deepEqual([level, scope], ['reduceOnly', 'global'])
        const [signal] = await signals(1)
        assert.equal(await verdict(admit(signal!)), 'halted')
        assert.equal(await verdict(admit(signal!, { role: 'exit' })), 'allowed')
      })

    it('order admission of an entry that no signal accounts for never makes a sterner halt milder', async () => {
      await setHalt(em, { scope: 'global' }, { level: 'fullStop', reason: 'drill', by: 'operator' })
      await check({ clientOrderId: 'x' })
      assert.equal((await standing())?.level, 'fullStop')
    })
  })

  describe('under a halt', () => {
    for (const [level, exits] of [
      ['pauseEntries', 'allowed'],
      ['reduceOnly', 'allowed'],
      ['fullStop', 'halted'],
    ] as const)
      it(`order admission under a halt of ${level} keeps entries back, and exits are ${exits}`, async () => {
        const { userId } = account
        await setHalt(em, { scope: 'user', userId }, { level, reason: 'earnings day', by: `user:${userId}` })
        const [signal] = await signals(1)
        const { asOf: _asOf, ...told } = await admit(signal!)
        assert.deepEqual(told, {
          verdict: 'halted',
          permits: 0,
          before: null,
          halt: { level, scope: 'user', reason: 'earnings day' },
        })
        assert.equal(await verdict(admit(signal!, { role: 'exit' })), exits)
        assert.equal(await counted('send_permits'), exits === 'allowed' ? 1 : 0)
      })

    it('keeps back an order that an earlier attempt was admitted with', async () => {
      const [signal] = await signals(1)
      assert.equal(await verdict(admit(signal!)), 'allowed')
      await halt('fullStop')
      assert.equal(await verdict(admit(signal!)), 'halted')
      await liftHalt(em, ownHalt(), 'test')
      assert.equal(await verdict(admit(signal!)), 'allowed')
      assert.equal(await counted('order_rates'), 1)
    })
  })

  it('order admission of closing orders is bounded by the minute alone and leaves them out of the count of opening ones', async () => {
    await withinOneMinute()
    await saveRiskSettings(em, account.userId, account.id, { maxOrdersPerMinute: 0, maxOrdersPerDay: 0 })
    const [signal] = await signals(1)
    for (let generation = 1; generation <= 5; generation += 1)
      assert.equal(await verdict(admit(signal!, { role: 'exit', generation, caps: few(5) })), 'allowed')
    assert.equal(await verdict(admit(signal!, { role: 'exit', generation: 6, caps: few(5) })), 'runaway')
    assert.equal(await counted('send_permits'), 5)
    assert.equal((await standing())?.level, 'reduceOnly', 'closing orders go on when the minute is over')
  })

  it('begins to count again with the next minute and the next day', async () => {
    const [first, second] = await signals(2)
    await admit(first!)
    /** The rates as they are, after the windows were moved into the past. */
    const after = async (moved: string, signal: Signal) => {
      await em.execute(`update order_rates set ${moved} where account_id = ?`, [account.id])
      await admit(signal)
      return em.execute('select minute_count, day_count from order_rates where account_id = ?', [account.id])
    }
    assert.deepEqual(await after(`minute = minute - interval '1 minute'`, second!), [
      { minute_count: 1, day_count: 2 },
    ])
    const [third] = await signals(1)
    assert.deepEqual(await after(`minute = minute - interval '1 day', day = day - 1`, third!), [
      { minute_count: 1, day_count: 1 },
    ])
  })

  it('forgets the orders of the week before last on the first order of a day', async () => {
    const [old, fresh, last] = await signals(3)
    await admit(old!)
    await em.execute(
      `update send_permits set registered_at = now() - interval '8 days' where account_id = ?`,
      [account.id],
    )
    await admit(fresh!)
    assert.equal(await counted('send_permits'), 2)
    await em.execute('update order_rates set day = day - 1 where account_id = ?', [account.id])
    await admit(last!)
    assert.equal(await counted('send_permits'), 2)
  })
})
