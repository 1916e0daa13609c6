import assert from 'node:assert/strict'
import type { PreparedEntry } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Target } from '#domain/signal/signal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'
import { createStrategy } from '#test/support/factories.ts'
import { signalIn } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'

describe('shares that a strategy or a hook manages', function () {
  this.timeout(60_000)
  let { desk, em, account, broker, accepted, lists } = {} as ActivityDesk
  let [reversing, adding] = ['', '']
  useDesk((given) => {
    ;({ desk, em, account, broker, accepted, lists } = given)
    broker.lastPrice = '100'
  })
  beforeEach(async () => {
    const strategies = await Promise.all([1, 2].map(() => createStrategy(em, { userId: account.userId })))
    ;[reversing, adding] = strategies.map(({ id }) => id) as [string, string]
  })

  const target = (
    position: number,
    fields: Partial<Signal> = {},
    more: Partial<Target> = {},
  ): Promise<Signal> =>
    accepted({
      action: position === 0 ? 'closeLong' : position > 0 ? 'openLong' : 'openShort',
      quantity: `${Math.abs(position) || 10}`,
      manages: 'own',
      target: { position: `${position}`, exit: null, at: null, ...more },
      ...fields,
    })
  const shows = (quantity: Decimal): unknown => (broker.positions = [held(quantity, 'LONG')])
  const opened = (fields: Partial<Signal>): Promise<Signal> => desk.opened({ action: 'openLong', ...fields })
  /** After the time in which the broker may not show a fill. */
  const prepare = async (signal: Signal): Promise<PreparedEntry> => {
    await letPass(em, 60_000)
    return desk.prepare(signal)
  }
  const orderOf = async (signal: Signal): Promise<string> => {
    const prepared = await prepare(signal)
    if (prepared.outcome === 'denied') return prepared.code
    if (prepared.outcome === 'ended') return prepared.reason!
    assert.ok(prepared.outcome === 'ready', JSON.stringify(prepared))
    const { action, decisions } = await signalWithTakes(signal.id)
    // Later signals of the symbol do not wait for it.
    await em.execute(`update signals set status = 'rejected', entry_ended_at = now() where id = ?`, [
      signal.id,
    ])
    const reservedLots = decisions.map(({ owner, quantity }) => `${quantity} of ${owner}`)
    return [`${action} ${prepared.quantity}`, ...reservedLots].join(', ')
  }
  const signalWithTakes = async (id: string) => {
    const [row] = await em.execute<
      { action: string; decisions: { owner: string | null; quantity: Decimal }[] }[]
    >(
      `select action, coalesce(decisions -> 'entry' -> 'reservedLots', '[]') as decisions from signals where id = ?`,
      [id],
    )
    return row!
  }

  it('shares that a strategy or a hook manages are all that its target counts and sells', async () => {
    const other = await opened({ quantity: '10', strategyId: adding })
    shows('10')
    assert.equal(await orderOf(await target(0, { strategyId: reversing })), 'AT_TARGET')
    assert.equal(await orderOf(await target(6, { strategyId: reversing })), 'openLong 6')
    assert.equal(await orderOf(await target(4, { strategyId: adding })), `closeLong 6, 6 of ${other.id}`)
  })

  it('shares that a strategy or a hook manages are not those without an owner, nor those of a hook or a strategy for senders with neither', async () => {
    await lists({ side: 'BUY', quantity: '7', orderFilled: '7' })
    await opened({ strategyId: adding })
    shows('17')
    assert.equal(await orderOf(await target(0)), 'AT_TARGET')
    assert.equal(await orderOf(await target(17, { manages: 'position' })), 'AT_TARGET')
    const hook = await desk.mint()
    const own = await opened({ origin: 'hook', tokenId: hook })
    shows('27')
    assert.equal(
      await orderOf(await target(0, { origin: 'hook', tokenId: hook })),
      `closeLong 10, 10 of ${own.id}`,
    )
  })

  it('shares that a strategy or a hook manages are closed by a hook that says close, and none beside them', async () => {
    const hook = await desk.mint()
    const [own] = [await opened({ origin: 'hook', tokenId: hook }), await opened({}), await opened({})]
    shows('30')
    const close = { action: 'closeLong', quantity: '25', origin: 'hook', tokenId: hook } as const
    assert.equal(await orderOf(await accepted({ ...close, manages: 'own' })), `closeLong 10, 10 of ${own.id}`)
    const half = { ...close, quantity: '50', quantityType: 'percentPosition', manages: 'own' } as const
    assert.equal(await orderOf(await accepted(half)), `closeLong 5, 5 of ${own.id}`)
  })

  it('shares that a strategy or a hook manages are closed on the way across zero, and the other side is not opened against others', async () => {
    const own = await opened({ strategyId: reversing })
    await opened({ strategyId: adding })
    shows('20')
    assert.equal(await orderOf(await target(-5, { strategyId: reversing })), `closeLong 10, 10 of ${own.id}`)
    assert.equal(await orderOf(await target(-5)), 'HELD_BY_OTHERS')
  })

  it('shares that a strategy or a hook manages are asked for by the newest target of their own strategy, not by that of another', async () => {
    const at = (second: number) => `2026-03-02T15:00:0${second}.000Z`
    assert.equal(await orderOf(await target(0, { strategyId: reversing }, { at: at(5) })), 'AT_TARGET')
    assert.equal(await orderOf(await target(3, { strategyId: adding }, { at: at(1) })), 'openLong 3')
    assert.equal(
      await orderOf(await target(3, { strategyId: reversing }, { at: at(1) })),
      'TARGET_SUPERSEDED',
    )
  })

  it('shares that a strategy or a hook manages are what its sender’s own picture is compared with', async () => {
    await opened({ strategyId: adding })
    await opened({ strategyId: reversing })
    shows('20')
    const agreed = await target(12, { strategyId: adding }, { senderHolds: { side: 'LONG', shares: '10' } })
    assert.equal(await orderOf(agreed), 'openLong 2')
    assert.deepEqual(await advicesOf(agreed.id), [])
    const differing = await target(
      12,
      { strategyId: reversing },
      { senderHolds: { side: 'LONG', shares: '20' } },
    )
    await orderOf(differing)
    assert.deepEqual(await advicesOf(differing.id), ['position_differs'])
  })
  const advicesOf = async (id: string): Promise<string[]> =>
    (await signalIn(em, id)).advisories.map(({ code }) => code).filter((code) => code === 'position_differs')
})
