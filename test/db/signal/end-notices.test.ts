import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Signal } from '#db/entities/index.ts'
import { recordCancelledFor } from '#db/exit/exits.ts'
import { mergeOrderReport } from '#db/order/reports.ts'
import { acknowledgeAlert } from '#db/alert/alerts.ts'
import { recordCancelled, recordDeclined, recordExitCancelled } from '#db/signal/decision-ledger.ts'
import {
  recordAccepted,
  recordCancelRequested,
  recordClosed,
  recordExitScheduled,
  recordNotPlaced,
  type SignalEnd,
} from '#db/signal/ledger.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import type { ByHandChanges } from '#test/support/by-hand-terms.ts'
import { useDatabase } from '#test/support/database.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'

const AT = '2026-03-02T15:00:00.000Z'
const AN_HOUR_AGO = () => new Date(Date.now() - 3_600_000)

describe('what the owner learns of an end', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const told = async (userId: string) =>
    (await em.fork().find(Alert, { userId }, { orderBy: { raisedAt: 1 } })).map(
      ({ kind, message }) => `${kind}: ${message}`,
    )
  const stale = { outcome: 'not_placed', code: 'STALE', detail: 'It could not be sent in time' } as const

  describe('before an order is at the broker', () => {
    for (const [what, fields, isReported] of [
      ['nothing while the sender waits for the answer, which says it', {}, false],
      ['the end of a signal that was answered as accepted', { acceptedAt: AN_HOUR_AGO() }, true],
      ['the end of a scheduled signal', { executeMode: 'scheduled', status: 'scheduled' }, true],
      [
        'the end of a pending signal that was approved a while ago',
        { executeMode: 'pending', acceptedAt: AN_HOUR_AGO(), decidedAt: AN_HOUR_AGO() },
        true,
      ],
    ] as [string, Partial<Signal>, boolean][])
      it(`what the owner learns of an end before an order is at the broker is ${what}`, async () => {
        const signal = await createSignal(em, fields)
        await recordNotPlaced(em, signal.id, AT, stale)
        const expected = ['ended_unfilled: No order was placed: It could not be sent in time']
        assert.deepEqual(await told(signal.userId), isReported ? expected : [])
      })

    it('what the owner learns of an end before an order is at the broker is reported once: a repeated step raises nothing that a person has acknowledged', async () => {
      const signal = await createSignal(em, { acceptedAt: AN_HOUR_AGO() })
      await recordNotPlaced(em, signal.id, AT, stale)
      const [alert] = await em.fork().find(Alert, { signalId: signal.id })
      await acknowledgeAlert(em.fork(), signal.userId, alert!.id, 'ann')
      await recordNotPlaced(em, signal.id, AT, stale)
      assert.equal((await told(signal.userId)).length, 1)
    })

    it('what the owner learns of an end before an order is at the broker is that a signal expired, and nothing of one that a person has declined or withdrawn', async () => {
      const [expired, declined, withdrawn] = await Promise.all(
        [1, 2, 3].map(() => createSignal(em, { executeMode: 'pending', status: 'pending' })),
      )
      await recordCancelled(em, expired!.id, AT, { reason: 'EXPIRED', detail: 'It expired' })
      await recordDeclined(em, declined!.id, AT, { by: 'ann', reason: null })
      await recordCancelled(em, withdrawn!.id, AT, { reason: 'WITHDRAWN', detail: 'Withdrawn' })
      assert.match((await told(expired!.userId))[0]!, /^ended_unfilled: It expired$/)
      assert.deepEqual(await told(declined!.userId), [])
      assert.deepEqual(await told(withdrawn!.userId), [])
    })

    it('what the owner learns of an end before an order is at the broker is the end of an order by hand that came after its answer', async () => {
      const { userId, signalId } = await placed({ acceptedAt: AN_HOUR_AGO().toISOString() })
      await recordNotPlaced(em, signalId, AT, stale)
      assert.match((await told(userId))[0]!, /^ended_unfilled: /)
      const [alert] = await em.fork().find(Alert, { userId })
      assert.equal(alert!.signalId, signalId)
    })
  })

  describe('of an order that the broker had', () => {
    const ended = (report: OrderReport, status: OrderReport['status'], reason: string | null) => ({
      ...report,
      status,
      reason,
      endedAt: '2026-03-02T15:05:00.000Z',
    })
    const asked: Pick<SignalEnd, 'exit'> = {
      exit: { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' },
    }
    const close = (signal: Pick<Signal, 'id'>, message: string, end: Partial<SignalEnd> = {}) =>
      recordClosed(em, signal.id, AT, {
        message,
        acknowledges: [],
        exit: null,
        rejected: false,
        unprotected: null,
        closing: 1,
        entryFilled: '0',
        progress: exitBegins(),
        ...end,
      })
    async function accepted(fields: Partial<Signal> = {}) {
      const signal = await createSignal(em, fields)
      const report = orderReport(signal)
      await recordAccepted(em, report)
      return { signal, report }
    }

    for (const [what, status, reason] of [
      ['the broker cancelled at the opening auction', 'CANCELLED', 'opg order not filled'],
      ['the broker rejected for a short sale restriction', 'REJECTED', 'short sale restriction'],
      ['expired at the end of its day', 'EXPIRED', null],
    ] as const)
      it(`what the owner learns of an end of an order that the broker had is the end of an entry that ${what}, with an exit or without`, async () => {
        for (const end of [{}, asked]) {
          const { signal, report } = await accepted()
          await mergeOrderReport(em, signal.accountId, ended(report, status, reason))
          const message = `The entry order ended ${status} without a fill`
          await close(signal, message, { ...end, rejected: status === 'REJECTED' })
          assert.deepEqual(await told(signal.userId), [`ended_unfilled: ${message}`])
          await close(signal, message, { ...end, rejected: status === 'REJECTED' })
          assert.equal((await told(signal.userId)).length, 1)
        }
      })

    for (const [closer, isReported] of [
      ['unknown', true],
      ['token', true],
      ['approved', false],
      ['person', false],
    ] as const)
      it(`an order that is cancelled for a close of a signal (${closer}) is ${isReported ? '' : 'not '}reported as an alert`, async () => {
        const { signal, report } = await accepted()
        const { accountId, userId } = signal
        let name: string
        if (closer === 'unknown') name = `${randomUUID()}-e1`
        else {
          const tokenId = closer === 'person' ? null : await createToken(userId)
          const decided = closer === 'approved' ? { decidedBy: 'ann', decidedAt: new Date() } : {}
          name = `${(await createSignal(em, { accountId, userId, action: 'closeLong', tokenId, ...decided })).id}-e1`
        }
        const { clientOrderId } = report
        await recordCancelledFor(em, { clientOrderId }, name, AT)
        await mergeOrderReport(em, accountId, ended(report, 'CANCELLED', null))
        await close(signal, 'The entry order ended CANCELLED without a fill')
        assert.equal((await told(userId)).length, isReported ? 1 : 0)
      })

    it('what the owner learns of an end of an order that the broker had is nothing of an entry that a person cancelled, and nothing of one that filled', async () => {
      const one = await accepted()
      const { clientOrderId } = one.report
      await recordCancelRequested(em, one.signal.id, AT, { clientOrderId, by: 'ann' })
      await mergeOrderReport(em, one.signal.accountId, ended(one.report, 'CANCELLED', null))
      await close(one.signal, 'The entry order ended CANCELLED without a fill', asked)
      assert.deepEqual(await told(one.signal.userId), [])
      const other = await accepted()
      await mergeOrderReport(em, other.signal.accountId, withFill(other.report, '10'))
      await close(other.signal, 'The entry is filled')
      assert.deepEqual(await told(other.signal.userId), [])
    })

    it('what the owner learns of an end of an order that the broker had is, of an entry that filled a part, what its exit is for, and nothing more when a person cancels that', async () => {
      const { signal, report } = await accepted()
      const entry = { ...ended(withFill(report, '4'), 'EXPIRED', null) }
      await mergeOrderReport(em, signal.accountId, entry)
      const plan = { submitAt: '2026-03-02T20:00:00.000Z', reason: null }
      await recordExitScheduled(em, signal.id, AT, { entry, plan, progress: exitBegins(1) })
      const expected = [
        'ended_unfilled: The entry order ended EXPIRED with 4 of 10 shares filled. The exit is for the shares that were filled',
      ]
      assert.deepEqual(await told(signal.userId), expected)
      await recordExitCancelled(em, signal.id, AT, { by: 'ann', generation: 1 })
      await close(signal, 'The exit was cancelled by ann; the position stays open')
      assert.deepEqual(await told(signal.userId), expected)
    })

    it('what the owner learns of an end of an order that the broker had is the end of an order by hand that no person cancelled', async () => {
      const terms = await placed()
      const report = acceptanceOf(terms)
      await recordAccepted(em, report)
      await mergeOrderReport(em, terms.accountId, ended(report, 'CANCELLED', 'unsolicited'))
      await close({ id: terms.signalId }, 'The order has ended CANCELLED')
      assert.deepEqual(await told(terms.userId), ['ended_unfilled: The order has ended CANCELLED'])
    })

    it('says of an exit that ended early what a person does about the shares', async () => {
      const { signal } = await accepted()
      const exit = { generation: 1, status: 'cancelled', reason: 'The exit order ended CANCELLED' } as const
      await close(signal, 'The exit order ended without a fill', { exit, unprotected: '10' })
      assert.deepEqual(await told(signal.userId), [
        'unprotected_position: The exit order ended without a fill. No further exit follows',
      ])
    })
  })

  async function createToken(userId: string): Promise<string> {
    const id = randomUUID()
    await em.execute(
      `insert into access_tokens (id, user_id, label, hash, prefix, scopes) values (?, ?, 'robot', ?, 'dt_', '{}')`,
      [id, userId, id],
    )
    return id
  }

  const placed = async (changes: ByHandChanges = {}) => placedByHand(em, await createAccount(em), changes)
})
