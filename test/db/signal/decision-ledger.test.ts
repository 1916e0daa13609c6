import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { decideOnce, SignalAlreadyStopped, type SendDecision } from '#db/order/decisions.ts'
import {
  recordCancelled,
  recordDeclined,
  recordExitCancelled,
  recordReplaced,
} from '#db/signal/decision-ledger.ts'
import type { NewSignal } from '#db/signal/storing.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { signalIn } from '#test/support/ledger.ts'
import { newSignalOf } from '#test/support/new-signal.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

const AT = '2026-03-02T15:00:10.000Z'
const received = { key: 'received', kind: 'received', at: AT, message: 'received' } as const

describe('a stop and the decision to send an order', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const newer = (changes: Partial<NewSignal> = {}) => newSignalOf(account, { sourceId: 'source', ...changes })
  const replaced = (id: string, signal = newer()) =>
    recordReplaced(em, id, AT, {
      detail: 'Replaced',
      acknowledges: null,
      mayStillFill: false,
      replacement: { signal, received },
    })

  const REASONS = ['SUPERSEDED', 'WITHDRAWN', 'EXPIRED'] as const
  it('a signal that has ended keeps its reason when its workflow records another one later', async () => {
    for (const first of REASONS)
      for (const second of REASONS) {
        const { id } = await createSignal(em, { accountId: account.id, status: 'pending' })
        for (const reason of [first, second])
          assert.equal(await recordCancelled(em, id, AT, { reason, detail: `by ${reason}` }), 'stopped')
        const { status, statusReason, statusDetail } = await signalIn(em, id)
        assert.deepEqual([status, statusReason, statusDetail], ['cancelled', first, `by ${first}`])
      }
  })

  type Stop = [
    what: string,
    key: SendDecision,
    stop: (id: string) => Promise<string>,
    fields?: Partial<Signal>,
  ]
  const cancelled = (reason: 'WITHDRAWN' | 'EXPIRED' | 'STALE') => (id: string) =>
    recordCancelled(em, id, AT, { reason, detail: '' })
  const STOPS: Stop[] = [
    ['a withdrawal', 'entry', cancelled('WITHDRAWN')],
    ['an expiry', 'entry', cancelled('EXPIRED')],
    ['the end of its time, without a check', 'entry', cancelled('STALE')],
    [
      'a refusal by a person',
      'entry',
      (id) => recordDeclined(em, id, AT, { by: 'ann', reason: null }),
      { status: 'pending', executeMode: 'pending' },
    ],
    ['a newer signal', 'entry', (id) => replaced(id)],
    [
      'a cancel of the exit',
      'exit-2',
      (id) => recordExitCancelled(em, id, AT, { by: 'ann', generation: 2 }),
      { status: 'executed', exitRule: exitAtOnce, exitStatus: 'scheduled' },
    ],
  ]
  const decision = { outcome: 'ready', quantity: '10', advisories: [], coversQuantity: '10' }

  for (const [what, key, stop, fields] of STOPS)
    it(`exclude each other, whichever comes first: ${what}`, async () => {
      const signal = () => createSignal(em, { accountId: account.id, userId: account.userId, ...fields })
      const stopped = await signal()
      assert.equal(await stop(stopped.id), 'stopped')
      assert.equal(await stop(stopped.id), 'stopped', 'it may be repeated')
      await assert.rejects(decideOnce(em, stopped.id, key, decision), SignalAlreadyStopped)
      const decided = await signal()
      await decideOnce(em, decided.id, key, decision)
      assert.equal(await stop(decided.id), 'too_late')
      assert.equal((await signalIn(em, decided.id)).status, decided.status)
    })

  it('leave the newer signal as much time as it would have had without the one that it replaces', async () => {
    const acceptedAt = new Date(Date.parse(AT) - 7_000)
    const sendBefore = new Date(Date.parse(AT) + 3_000)
    const old = await createSignal(em, { accountId: account.id, userId: account.userId, sourceId: 'source' })
    const signal = newer({ acceptedAt, sendBefore })
    await replaced(old.id, signal)
    assert.equal((await signalIn(em, signal.id)).sendBefore?.getTime(), sendBefore.getTime() + 7_000)
  })
})
