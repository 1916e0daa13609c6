import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertToken } from '#db/identity/token-management.ts'
import { insertManualOrders } from '#db/orders/manual-orders.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { termsOf } from '#db/signals/terms.ts'
import type { TokenBounds } from '#domain/token-bounds.ts'
import { createAccount, createSignal, createUser } from '#test/support/factories.ts'
import { received, termsOn } from '#test/support/placed-order.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { useDatabase } from '#test/support/database.ts'

describe('an order of a bound token, right before it is sent', function () {
  this.timeout(60_000)
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  let broker: ScriptedBroker
  let activities: Activities
  beforeEach(async () => {
    const { id: userId } = await createUser(em, { plan: 'PRO' })
    account = await createAccount(em, { userId })
    broker = new ScriptedBroker()
    activities = createActivities({ em, secretKeys, connectBroker: () => broker, requestTimeoutMs: 4_000 })
  })

  const mint = (bounds: TokenBounds): Promise<string> =>
    insertToken(em, {
      userId: account.userId,
      kind: 'access',
      label: 'alerts',
      hash: randomUUID(),
      prefix: 'dt_',
      scopes: ['signals:write', 'orders:write'],
      bounds,
      expiresAt: new Date(Date.now() + 3_600_000),
    })
  const signal = async (bounds: TokenBounds, fields: Partial<Parameters<typeof createSignal>[1]> = {}) => {
    const tokenId = await mint(bounds)
    const stored = await createSignal(em, { accountId: account.id, quantity: '10', tokenId, ...fields })
    const prepared = await activities.prepareEntry(termsOf(stored))
    return prepared.outcome === 'denied' ? prepared.code : prepared.outcome
  }
  const manualOrder = async (bounds: TokenBounds, side: 'BUY' | 'SELL' = 'BUY') => {
    const terms = termsOn(account, { side })
    const first = received(terms)
    const tokenId = await mint(bounds)
    await insertManualOrders(
      em,
      account.userId,
      [{ terms, received: { ...first, data: { ...first.data, tokenId } } }],
      null,
    )
    const prepared = await activities.prepareManualOrder(terms)
    return prepared.outcome === 'denied' ? prepared.code : prepared.outcome
  }

  const EXCEEDED = {
    'a token that opens by pending signals only': { pendingOnly: true },
    'a token of another account': { accountIds: [randomUUID()] },
    'a token of another symbol': { symbols: ['MSFT'] },
    'a token of a smaller value': { maxOrderValue: '99.99' },
  } as const satisfies Record<string, TokenBounds>
  for (const [name, bounds] of Object.entries(EXCEEDED)) {
    it(`an order of a bound token, right before it is sent is not sent when it opens a position and nobody has approved it: ${name}`, async () => {
      assert.equal(await signal(bounds), 'TOKEN_BOUNDS_EXCEEDED')
      assert.equal(await manualOrder(bounds), 'TOKEN_BOUNDS_EXCEEDED')
    })
    it(`an order of a bound token, right before it is sent is sent once a person has approved it: ${name}`, async () => {
      const approved = { decidedBy: 'ann@example.test', decidedAt: new Date() }
      assert.equal(await signal(bounds, approved), 'ready')
    })
    it(`an order of a bound token, right before it is sent is sent when it closes a position: ${name}`, async () => {
      broker.positions = [held('100', 'LONG')]
      assert.equal(await signal(bounds, { action: 'closeLong' }), 'ready')
      assert.equal(await manualOrder(bounds, 'SELL'), 'ready')
    })
  }

  it('an order of a hook, right before it is sent, opens a position on a live account once it is switched to those or a person has approved it', async () => {
    await em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [account.userId])
    account = await createAccount(em, { userId: account.userId, isDemo: false })
    activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 4_000,
      liveTrading: true,
    })
    assert.equal(await signal({ demoOnly: true }), 'TOKEN_BOUNDS_EXCEEDED')
    assert.equal(await signal({}), 'ready')
    const approved = { symbol: 'MSFT', decidedBy: 'ann@example.test', decidedAt: new Date() }
    assert.equal(await signal({ demoOnly: true }, approved), 'ready')
    broker.positions = [{ ...held('100', 'LONG'), symbol: 'NVDA' }]
    assert.equal(await signal({ demoOnly: true }, { symbol: 'NVDA', action: 'closeLong' }), 'ready')
  })

  it('an order of a bound token, right before it is sent is sent within its bounds', async () => {
    const bounds = {
      accountIds: [account.id],
      symbols: ['AAPL'],
      maxOrderValue: '1000',
      ownSignalsOnly: true,
    } as const
    assert.equal(await signal(bounds), 'ready')
    assert.equal(await signal({}), 'ready')
  })

  it('an order of a bound token, right before it is sent is held to its value by the last price of that moment', async () => {
    await saveRiskSettings(em, account.userId, account.id, { maxOrderValue: null, maxPositionValue: null })
    broker.lastPrice = '100.01'
    assert.equal(await signal({ maxOrderValue: '1000' }), 'TOKEN_BOUNDS_EXCEEDED')
    broker.lastPrice = null
    assert.equal(await signal({ maxOrderValue: '1000' }), 'PRICE_UNKNOWN')
    assert.equal(await signal({ symbols: ['AAPL'] }), 'ready')
  })

  it('an order of a bound token, right before it is sent is held to them where it would leave by the fewest steps, too', async () => {
    // The limits of the account are known from the first one.
    assert.equal(await signal({}), 'ready')
    await saveRiskSettings(em, account.userId, account.id, { maxOrderValue: null, maxPositionValue: null })
    for (const bounds of Object.values(EXCEEDED)) {
      const tokenId = await mint(bounds)
      const stored = await createSignal(em, { accountId: account.id, quantity: '10', tokenId })
      const { check } = await activities.attemptEntry(termsOf(stored))
      assert.ok(check.completed && check.result.outcome === 'denied')
      assert.equal(check.result.code, 'TOKEN_BOUNDS_EXCEEDED')
      assert.equal(broker.submissions.length, 0)
    }
  })
})
