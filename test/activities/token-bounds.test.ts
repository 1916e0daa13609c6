import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Signal } from '#db/entities/index.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import { createAccount } from '#test/support/factories.ts'
import { held } from '#test/support/sample-position.ts'
import { codeOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('an order of a bound token, right before it is sent', function () {
  this.timeout(60_000)
  let { desk, em, account, broker } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, account, broker } = opened))

  const accepted = async (bounds: TokenBounds, fields: Partial<Signal> = {}) =>
    desk.accepted({ tokenId: await desk.mint({ bounds }), ...fields })
  const signal = async (bounds: TokenBounds, fields: Partial<Signal> = {}) =>
    codeOf(await desk.prepare(await accepted(bounds, fields)))
  const byHand = async (bounds: TokenBounds, side: 'BUY' | 'SELL' = 'BUY') => {
    const terms = await desk.placedBy(await desk.mint({ bounds }), { side })
    return codeOf(await desk.activities.prepareEntry(terms))
  }

  const EXCEEDED = {
    'a token that opens by pending signals only': { pendingOnly: true },
    'a token of another account': { accountIds: [randomUUID()] },
    'a token of another symbol': { symbols: ['MSFT'] },
    'a token of a smaller value': { maxOrderValue: '99.99' },
  } as const satisfies Record<string, TokenBounds>
  for (const [name, bounds] of Object.entries(EXCEEDED)) {
    it(`an order of a bound token, right before it is sent is not sent when it opens a position and no person has approved it: ${name}`, async () => {
      assert.equal(await signal(bounds), 'TOKEN_BOUNDS_EXCEEDED')
      assert.equal(await byHand(bounds), 'TOKEN_BOUNDS_EXCEEDED')
    })
    it(`an order of a bound token, right before it is sent is sent once a person has approved it: ${name}`, async () => {
      const approved = { decidedBy: 'ann@example.test', decidedAt: new Date() }
      assert.equal(await signal(bounds, approved), 'ready')
    })
    it(`an order of a bound token, right before it is sent is sent when it closes a position: ${name}`, async () => {
      broker.positions = [held('100', 'LONG')]
      assert.equal(await signal(bounds, { action: 'closeLong' }), 'ready')
      assert.equal(await byHand(bounds, 'SELL'), 'ready')
    })
  }

  it('an order of a hook, right before it is sent, opens a position on a live account once it is switched to those or a person has approved it', async () => {
    await em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [account.userId])
    desk.account = await createAccount(em, { userId: account.userId, isDemo: false })
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
    await desk.setLimits({ maxOrderValue: null, maxPositionValue: null })
    broker.lastPrice = '100.01'
    assert.equal(await signal({ maxOrderValue: '1000' }), 'TOKEN_BOUNDS_EXCEEDED')
    broker.lastPrice = null
    assert.equal(await signal({ maxOrderValue: '1000' }), 'PRICE_UNKNOWN')
    assert.equal(await signal({ symbols: ['AAPL'] }), 'ready')
  })

  it('an order of a bound token, right before it is sent is held to them where it would leave by the fewest steps, too', async () => {
    // The limits of the account are known from the first one.
    assert.equal(await signal({}), 'ready')
    await desk.setLimits({ maxOrderValue: null, maxPositionValue: null })
    for (const bounds of Object.values(EXCEEDED)) {
      const { check } = await desk.attempt(await accepted(bounds))
      assert.ok(check.completed && check.result.outcome === 'denied')
      assert.equal(check.result.code, 'TOKEN_BOUNDS_EXCEEDED')
      assert.equal(broker.submissions.length, 0)
    }
  })
})
