import assert from 'node:assert/strict'
import type { PreparedEntry } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import { createAccount } from '#test/support/factories.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import { statementsOf } from '#test/support/statements.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const at = (second: number): string => `2026-03-02T15:00:${String(second).padStart(2, '0')}.000Z`

describe('a target that comes after a newer one, or finds its position held', () => {
  let { em, broker, accepted, prepare } = {} as ActivityDesk
  useDesk((desk) => {
    ;({ em, broker, accepted, prepare } = desk)
    broker.lastPrice = '150'
  })

  /** Stored in this order: its place among the signals of its symbol is behind those before it. */
  const target = (position: number, meantAt: string | null, fields: Partial<Signal> = {}): Promise<Signal> =>
    accepted({
      quantity: '10',
      action: position === 0 ? 'closeLong' : 'openLong',
      target: { position: `${position}`, exit: null, at: meantAt },
      ...fields,
    })
  const ofPrepared = (prepared: PreparedEntry): string =>
    prepared.outcome === 'ended'
      ? String(prepared.reason)
      : prepared.outcome === 'ready'
        ? `orders ${prepared.quantity}`
        : prepared.outcome
  const becomes = async (signal: Signal, expected: string): Promise<void> =>
    assert.equal(ofPrepared(await prepare(signal)), expected)

  it('trades nothing where the newer one found its position held, and names it', async () => {
    const stop = await target(0, at(2))
    await becomes(stop, 'AT_TARGET')
    const entry = await target(10, at(1))
    const first = await prepare(entry)
    assert.deepEqual(first, {
      outcome: 'ended',
      status: 'cancelled',
      reason: 'TARGET_SUPERSEDED',
      detail: `The target of 10 AAPL was meant at ${at(1)}; signal ${stop.id}, which came before, says 0 and was meant later, at ${at(2)}. Nothing was sent`,
    })
    assert.deepEqual(await prepare(entry), first, 'again, after a death of the worker')
    const { status, statusReason } = await signalIn(em, entry.id)
    assert.deepEqual([status, statusReason], ['cancelled', 'TARGET_SUPERSEDED'])
    assert.equal((await timelineOf(em, entry.id)).length, 1)
  })

  it('takes the lock of account and symbol once where its position is held', async () => {
    const signal = await target(0, at(1))
    const sent = await statementsOf(() => becomes(signal, 'AT_TARGET'))
    assert.equal(sent.filter(({ text }) => text.includes('pg_advisory_xact_lock')).length, 1)
  })

  it('trades nothing where an order is under way for the newer one, or was refused', async () => {
    await becomes(await target(10, at(2)), 'orders 10')
    await em.execute(`update signals set status = 'rejected', status_reason = 'REDUCE_ONLY'`)
    await becomes(await target(0, at(1)), 'TARGET_SUPERSEDED')
  })

  it('trades nothing as a repetition of one that had found its position held', async () => {
    await becomes(await target(0, at(1)), 'AT_TARGET')
    await becomes(await target(10, at(2)), 'orders 10')
    await em.execute(`update signals set status = 'executed' where status = 'queued'`)
    broker.positions = [held('10', 'LONG')]
    await becomes(await target(0, at(1)), 'TARGET_SUPERSEDED')
  })

  it('names the newest of several', async () => {
    await becomes(await target(0, at(2)), 'AT_TARGET')
    const newest = await target(0, at(4))
    await becomes(newest, 'AT_TARGET')
    await becomes(await target(0, at(3)), 'TARGET_SUPERSEDED')
    const prepared = await prepare(await target(10, at(1)))
    assert.ok(prepared.outcome === 'ended')
    assert.match(prepared.detail!, new RegExp(newest.id))
  })

  for (const [what, meantAt] of [
    ['of the same instant', at(2)],
    ['of a later instant', at(3)],
    ['that does not say when it was meant', null],
  ] as const)
    it(`a target that comes after a newer one, or finds its position held differs from one ${what}, which trades`, async () => {
      await becomes(await target(0, at(2)), 'AT_TARGET')
      await becomes(await target(10, meantAt), 'orders 10')
    })

  it('a target that comes after a newer one, or finds its position held differs from one before it in the order of the symbol, which trades as ever', async () => {
    const entry = await target(10, at(1))
    await target(0, at(2))
    await becomes(entry, 'orders 10')
  })

  it('a target that comes after a newer one, or finds its position held is of the same account and symbol', async () => {
    const others = [await target(0, at(2), { symbol: 'MSFT' })]
    others.push(await target(0, at(2), { accountId: (await createAccount(em)).id }))
    for (const other of others) await becomes(other, 'AT_TARGET')
    await becomes(await target(10, at(1)), 'orders 10')
  })

  it('trades where a person took the newer one back, or has not let it go', async () => {
    await target(0, at(2), { status: 'cancelled', statusReason: 'WITHDRAWN' })
    await target(0, at(2), { status: 'cancelled', statusReason: 'SUPERSEDED' })
    await target(0, at(2), { status: 'rejected', statusReason: 'DECLINED' })
    await target(0, at(2), { status: 'pending', executeMode: 'pending' })
    await becomes(await target(10, at(1)), 'orders 10')
  })
})
