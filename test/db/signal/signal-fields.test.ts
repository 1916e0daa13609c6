import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '#db/engine/database.ts'
import { Signal } from '#db/entities/index.ts'
import { continuationOf, recordCrossed } from '#db/signal/reversal.ts'
import { findSignal } from '#db/signal/signals.ts'
import { insertSignal, type NewSignal, type WholeNewSignal } from '#db/signal/storing.ts'
import { closeFilled } from '#test/support/close-filled.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createStrategy } from '#test/support/factories.ts'

/** Every field has a value, and no two of one type have the same: a field that is left out or misplaced shows. */
type FullSignal = { [Field in keyof WholeNewSignal]: NonNullable<WholeNewSignal[Field]> }

const EXIT = {
  trigger: 'minutesBeforeClose',
  minutes: 20,
  clockTime: '15:45',
  orderType: 'stopLimit',
  limitPrice: '90.25',
  stopPrice: '91.5',
  timeInForce: 'day',
} as const

const TRAIL = {
  stop: null,
  target: null,
  trail: { percent: '2' },
  breakEven: null,
  until: 'session',
} as const

/** Fields that a continuation does not take over from the signal that it continues. */
const OF_CONTINUATION = {
  sourceId: null,
  action: 'openShort',
  quantity: '7.000000000',
  executeMode: 'immediate',
  scheduledAt: null,
  exitRule: { ...EXIT, minutes: 25 },
  protection: TRAIL,
  advisories: [],
  status: 'queued',
} satisfies Partial<Signal>

const RECEIVED = { key: 'received', kind: 'received', at: '2026-03-02T15:00:00.000Z', message: 'x' } as const

describe('every field of a signal', () => {
  let database: Database
  let full: FullSignal
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    const { id: accountId, userId } = await createAccount(database.em)
    const { id: strategyId } = await createStrategy(database.em, { userId })
    const groupId = randomUUID()
    await database.em.execute(
      `insert into signal_groups (id, user_id, symbol, summary, accounts) values (?, ?, 'ZTFIELDS', 'x', 1)`,
      [groupId, userId],
      'run',
    )
    full = {
      id: randomUUID(),
      groupId,
      userId,
      accountId,
      strategyId,
      sourceId: 'my-name',
      origin: 'hook',
      manages: 'own',
      payloadHash: 'hash',
      symbol: 'ZTFIELDS',
      action: 'closeLong',
      quantity: '12.500000000',
      quantityType: 'dollarAmount',
      executeMode: 'scheduled',
      orderType: 'stopLimit',
      limitPrice: '100.250000000',
      stopPrice: '101.500000000',
      timeInForce: 'gtd',
      expiresAt: new Date('2026-04-01T20:00:00.000Z'),
      extendedHours: true,
      scheduledAt: new Date('2026-03-02T16:00:00.000Z'),
      validUntil: new Date('2026-03-02T18:00:00.000Z'),
      timezone: 'Europe/Berlin',
      exitRule: EXIT,
      protection: {
        stop: { percent: '5', limitOffset: '0.1' },
        target: { price: '120' },
        trail: null,
        breakEven: { amount: '2' },
        until: 'closed',
      },
      metadata: { why: ['breakout'] },
      advisories: [{ code: 'code', message: 'message' }],
      status: 'scheduled',
      acceptedAt: new Date('2026-03-02T15:00:00.000Z'),
      sendBefore: new Date('2026-03-02T17:00:00.000Z'),
      target: {
        position: '-7',
        at: '2026-03-02T14:59:00.000Z',
        exit: { ...EXIT, minutes: 25 },
        protection: TRAIL,
      },
    }
  })

  const store = (signal: NewSignal) => insertSignal(database.em.fork(), signal, RECEIVED)
  async function readBack(id: string): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = { ...(await findSignal(database.em.fork(), full.userId, id)) }
    return Object.fromEntries(Object.keys(full).map((field) => [field, found[field]]))
  }

  it('every field of a signal is stored at its acceptance and read back, also after a way through JSON, which a replacement takes', async () => {
    const replacement = JSON.parse(
      JSON.stringify({ ...full, id: randomUUID(), sourceId: 'other' }),
    ) as NewSignal
    for (const [signal, id, sourceId] of [
      [full, full.id, full.sourceId],
      [replacement, replacement.id, 'other'],
    ] as const) {
      assert.equal(await store(signal), true)
      assert.deepEqual(await readBack(id), { ...full, id, sourceId })
    }
  })

  it('every field of a signal has a continuation as the signal that it continues, but for those that it has of its own', async () => {
    await store(full)
    const em = database.em.fork()
    await em.nativeUpdate(Signal, { id: full.id }, { status: 'executed', decidedBy: 'a@example.com' })
    const at = new Date().toISOString()
    await recordCrossed(em, full.id, at, closeFilled())
    const id = continuationOf(full.id)
    const { acceptedAt, sendBefore, ...continuation } = await readBack(id)
    const { acceptedAt: _, sendBefore: __, ...first } = full
    assert.deepEqual(continuation, { ...first, ...OF_CONTINUATION, id })
    assert.ok((acceptedAt as Date) > full.acceptedAt)
    assert.deepEqual(sendBefore, full.validUntil)
    const stored = await findSignal(em, full.userId, id)
    assert.deepEqual([stored!.continues, stored!.decidedBy], [full.id, 'a@example.com'])
  })
})
