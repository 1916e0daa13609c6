import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { openEntries, type EntryScope } from '#db/flatten/entries.ts'
import { recordCrossed, stopCrossing } from '#db/signal/reversal.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { mayOpen } from '#domain/risk/may-open.ts'
import { ENTRY_SIDE, SIGNAL_STATUSES } from '#domain/signal/signal.ts'
import { closeFilled } from '#test/support/close-filled.ts'
import { useDatabase } from '#test/support/database.ts'
import { ENTRY_KINDS, type EntryKind } from '#test/support/entry-kinds.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { placedByHand } from '#test/support/placed-by-hand.ts'

const ORDERS = { none: null, works: 'OPEN', ended: 'FILLED' } as const

describe('what may still open a position', () => {
  let em: EntityManager
  let account: Account
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const listed = (changes: Partial<EntryScope> = {}) =>
    openEntries(em, {
      scope: 'account',
      scopeId: null,
      userId: account.userId,
      accountIds: [account.id],
      entriesOf: null,
      symbols: null,
      withManual: true,
      before: new Date(Date.now() + 1_000).toISOString(),
      ...changes,
    })
  const signalOf = (kind: EntryKind, fields: Partial<Signal> = {}) =>
    createSignal(em, { accountId: account.id, ...ENTRY_KINDS[kind], ...fields })
  const order = (signal: Signal, status: 'OPEN' | 'FILLED') =>
    recordAccepted(em, {
      ...orderReport(signal, { side: ENTRY_SIDE[signal.action] }),
      status,
    })

  for (const kind of Object.keys(ENTRY_KINDS) as EntryKind[])
    it(`what may still open a position is asked of every status of a signal that ${kind}, by its decision and order`, async () => {
      const expected = new Map<string | null, string>()
      for (const status of SIGNAL_STATUSES)
        for (const isDecided of [false, true])
          for (const [works, report] of Object.entries(ORDERS)) {
            const signal = await signalOf(kind)
            if (report !== null) await order(signal, report)
            const decisions = isDecided ? { entry: { outcome: 'ready' } } : {}
            await em.execute('update signals set status = ?, decisions = ?::jsonb where id = ?', [
              status,
              JSON.stringify(decisions),
              signal.id,
            ])
            const standing = { ...ENTRY_KINDS[kind], status, isDecided, works: works === 'works' }
            const how = mayOpen({ ...standing, hasEnded: false })
            if (how !== null) expected.set(signal.id, how)
          }
      const found = await listed()
      assert.deepEqual(new Map(found.map(({ signalId, how }) => [signalId, how])), expected)
      const decided = [...expected].filter(([, how]) => how !== 'undecided').map(([id]) => id)
      assert.deepEqual(
        new Set((await listed({ before: null })).map(({ signalId }) => signalId)),
        new Set(decided),
        'before a close those that are not decided are denied',
      )
    })

  const reversal = async (): Promise<Signal> => {
    const signal = await signalOf('reverses', { acceptedAt: new Date(Date.now() - 60_000) })
    await order(signal, 'FILLED')
    return signal
  }
  const cross = ({ id }: Signal) => recordCrossed(em, id, new Date().toISOString(), closeFilled())
  const continued = async ({ id }: Signal): Promise<string | null> =>
    (await em.execute<{ id: string }[]>('select id from signals where continues = ?', [id]))[0]?.id ?? null

  it('a continuation came when the signal came that it continues', async () => {
    const signal = await reversal()
    await cross(signal)
    const before = new Date(Date.now() - 30_000).toISOString()
    assert.deepEqual(
      (await listed({ before })).map(({ signalId }) => signalId),
      [await continued(signal)],
    )
    const earlier = new Date(Date.now() - 90_000).toISOString()
    assert.deepEqual(await listed({ before: earlier }), [])
  })

  it('a reversal that is stopped between its orders opens nothing, and says so once', async () => {
    const signal = await reversal()
    const at = new Date().toISOString()
    const stopped = [
      await stopCrossing(em, signal.id, at, 'ann'),
      await stopCrossing(em, signal.id, at, 'bob'),
    ]
    assert.deepEqual([stopped, await listed()], [[true, false], []])
    await cross(signal)
    assert.equal(await continued(signal), null)
    const told = await em.execute<{ message: string }[]>(
      `select message from signal_events where signal_id = ? and key = 'crossing-stopped'`,
      [signal.id],
    )
    assert.match(told[0]!.message, /^ann stopped the signal/)
  })

  it('a reversal that has crossed is not stopped any more', async () => {
    const signal = await reversal()
    await cross(signal)
    assert.equal(await stopCrossing(em, signal.id, new Date().toISOString(), 'ann'), false)
  })

  it('an order by hand is listed before it is decided, unless it may only reduce', async () => {
    const terms = await placedByHand(em, account, { side: 'SELL' })
    await placedByHand(em, account, { reducesOnly: true })
    const [found, ...others] = await listed()
    assert.deepEqual([found?.signalId, found?.isStarted, others], [terms.signalId, false, []])
    assert.deepEqual(await listed({ before: null }), [])
  })
})
