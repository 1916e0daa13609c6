import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Order } from '#db/entities/index.ts'
import { findOrderByHand, orderByHandId, showDecided } from '#db/order/by-hand.ts'
import { findKeyed } from '#db/signal/requests.ts'
import { ordersToCompare } from '#db/order/compared-orders.ts'
import { decideOnce, SignalAlreadyStopped } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import { removeUnstarted } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import { unstartedWork } from '#db/watch/open-work.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import type { OrderReport } from '#domain/order/order.ts'
import type { ByHandChanges } from '#test/support/by-hand-terms.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, withFill } from '#test/support/factories.ts'
import { orderIn, ordersOf, signalIn, timelineOf } from '#test/support/ledger.ts'
import { acceptanceOf, entryIdOf, placedByHand, store, termsOn } from '#test/support/placed-by-hand.ts'

const READY = { outcome: 'ready', action: 'openShort', quantity: '4', advisories: [] } as const
const AT = '2026-03-02T15:00:02.000Z'
const CANCEL = { reason: 'WITHDRAWN', detail: 'Cancelled by bob before it was sent' } as const

describe('orders by hand in the ledger', () => {
  let em: EntityManager
  let account: Account
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const order = (terms: ByHandTerms): Promise<Order> => orderIn(em, entryIdOf(terms))
  const signal = ({ signalId }: ByHandTerms) => signalIn(em, signalId)
  const kinds = async ({ signalId }: ByHandTerms): Promise<string[]> =>
    (await timelineOf(em, signalId)).map(({ kind }) => kind)
  const heard = (terms: ByHandTerms, changes: Partial<OrderReport> = {}) =>
    applyOrderReport(em, account.id, acceptanceOf(terms, changes))
  const shape = async (terms: ByHandTerms) => {
    const { side, quantity } = await order(terms)
    return [(await signal(terms)).action, side, Number(quantity)]
  }

  describe('when they are stored', () => {
    it('orders by hand in the ledger when they are stored have an order that is PENDING, and no turn', async () => {
      const terms = await placedByHand(em, account, { orderType: 'limit', limitPrice: '187.5' })
      const { id, status, endAcknowledgedAt, brokerOrderId, role, limitPrice, signalId } = await order(terms)
      assert.deepEqual([status, endAcknowledgedAt, brokerOrderId, role], ['PENDING', null, null, 'manual'])
      assert.deepEqual([id, signalId], [orderByHandId(terms.signalId), terms.signalId])
      assert.equal(Number(limitPrice), 187.5)
      const { origin, status: waits } = await signal(terms)
      assert.deepEqual([origin, waits], ['person', 'queued'])
      const [row] = await em.execute('select queued_at from signals where id = ?', [terms.signalId])
      assert.deepEqual(row, { queued_at: null })
      assert.deepEqual(await kinds(terms), ['placed'])
    })

    it('orders by hand in the ledger when they are stored are read with the very terms that they were stored with', async () => {
      const asked: ByHandChanges[] = [
        { orderType: 'stopLimit', limitPrice: '1.25', stopPrice: '1.2' },
        { side: 'SELL', reducesOnly: true, owners: [randomUUID()] },
      ]
      for (const changes of asked) {
        const terms = await placedByHand(em, account, changes)
        assert.deepEqual(termsOf(await signal(terms)), terms)
      }
    })

    it('fifty times at once under one key are stored once', async () => {
      const request = { key: randomUUID(), hash: 'order' }
      const asked = Array.from({ length: 50 }, () => termsOn(account))
      const stored = await Promise.all(asked.map((terms) => store(em.fork(), terms, request)))
      assert.equal(stored.filter(Boolean).length, 1)
      const { signalId } = asked[stored.indexOf(true)]!
      assert.deepEqual(await findKeyed(em, account.userId, request.key), { hash: 'order', id: signalId })
    })

    it('orders by hand in the ledger when they are stored under the key of another user are stored, and not on an account of theirs', async () => {
      const request = { key: 'the same', hash: 'order' }
      const other = await createAccount(em)
      assert.equal(await store(em, termsOn(account), request), true)
      assert.equal(await store(em, termsOn(other), request), true)
      assert.equal(await store(em, termsOn(account), request), false)
      await assert.rejects(store(em, termsOn(account, { accountId: other.id })), /foreign key/)
    })

    it('wait for the supervisor as every signal, and are taken away with their key where that was not to be', async () => {
      const request = { key: randomUUID(), hash: 'order' }
      const terms = termsOn(account)
      await store(em, terms, request)
      const waiting = await unstartedWork(em, [], 500)
      assert.ok(waiting.some(({ kind, id }) => kind === 'signal' && id === terms.signalId))
      await removeUnstarted(em.fork(), [terms.signalId])
      assert.deepEqual(await ordersOf(em, terms.signalId), [])
      assert.equal(await findKeyed(em, account.userId, request.key), null)
    })
  })

  describe('when they are decided', () => {
    const decide = (terms: ByHandTerms) => decideOnce(em.fork(), terms.signalId, 'entry', READY)

    it('orders by hand have the side and size of the decision, until their broker has them', async () => {
      const terms = await placedByHand(em, account, { side: 'SELL' })
      await decide(terms)
      await showDecided(em, terms.signalId, READY)
      assert.deepEqual(await shape(terms), ['openShort', 'SELL_SHORT', 4])
      await heard(terms, { side: 'SELL_SHORT', quantity: '4' })
      await showDecided(em, terms.signalId, { action: 'closeLong', quantity: '3' })
      assert.deepEqual((await shape(terms)).slice(1), ['SELL_SHORT', 4])
    })

    it('orders by hand have the side and size that their broker reports, where they were not', async () => {
      const terms = await placedByHand(em, account, { side: 'SELL' })
      await heard(terms, { side: 'SELL_SHORT', quantity: '6' })
      assert.deepEqual((await shape(terms)).slice(1), ['SELL_SHORT', 6])
    })

    it('orders by hand in the ledger when they are cancelled first are never decided any more', async () => {
      const terms = await placedByHand(em, account)
      for (let i = 0; i < 2; i += 1)
        assert.equal(await recordCancelled(em, terms.signalId, AT, CANCEL), 'stopped')
      await assert.rejects(decide(terms), SignalAlreadyStopped)
      const { status, reason, endAcknowledgedAt } = await order(terms)
      assert.deepEqual([status, reason, endAcknowledgedAt !== null], ['CANCELLED', CANCEL.detail, true])
      assert.equal((await signal(terms)).status, 'cancelled')
      assert.deepEqual(await kinds(terms), ['placed', 'cancelled'])
    })

    it('orders by hand in the ledger when they are decided cannot be cancelled as if nothing was sent any more', async () => {
      const terms = await placedByHand(em, account)
      await decide(terms)
      assert.equal(await recordCancelled(em, terms.signalId, AT, CANCEL), 'too_late')
      assert.equal((await order(terms)).status, 'PENDING')
    })
  })

  describe('when their broker has accepted them', () => {
    const feed = (terms: ByHandTerms, report: OrderReport) => applyOrderReport(em, terms.accountId, report)
    const workflow = (_: ByHandTerms, report: OrderReport) => recordAccepted(em, report)

    for (const [who, writers] of [
      ['the feed, then their workflow', [feed, workflow]],
      ['their workflow, then the feed', [workflow, feed]],
      ['their workflow alone, twice', [workflow, workflow]],
      ['both at once', null],
    ] as const)
      for (const status of ['OPEN', 'FILLED'] as const)
        it(`an order by hand that is ${status} is executed, and acknowledged once, which report it: ${who}`, async () => {
          const terms = await placedByHand(em, account)
          const accepted = acceptanceOf(terms)
          const report = status === 'OPEN' ? accepted : withFill(accepted, '10')
          if (writers === null) await Promise.all([feed(terms, report), workflow(terms, report)])
          else for (const write of writers) await write(terms, report)
          const { id, brokerOrderId, status: stands, filledQuantity, acknowledgedAt } = await order(terms)
          assert.deepEqual([brokerOrderId, stands], [report.brokerOrderId, status])
          assert.ok(acknowledgedAt)
          const filled = status === 'OPEN' ? 0 : 10
          const { status: now, orderId, filledQuantity: ofSignal } = await signal(terms)
          assert.deepEqual([now, orderId], ['executed', id])
          assert.deepEqual([Number(filledQuantity), Number(ofSignal)], [filled, filled])
          const progress = status === 'OPEN' ? [] : ['order_progress']
          assert.deepEqual(await kinds(terms), ['placed', 'acknowledged', ...progress])
        })

    it('events of an order by hand at a time before it was placed, as by a clock that is behind, follow that in its timeline', async () => {
      const terms = await placedByHand(em, account, { acceptedAt: new Date().toISOString() })
      await feed(terms, { ...withFill(acceptanceOf(terms), '4'), filledAt: '2026-03-02T15:00:00.000Z' })
      const told = await timelineOf(em, terms.signalId)
      assert.deepEqual(
        told.toSorted((a, b) => a.at.getTime() - b.at.getTime()).map(({ kind }) => kind),
        ['placed', 'acknowledged', 'order_progress'],
      )
    })

    it('orders by hand in the ledger when an account that is not theirs reports them are left alone, and those that were never placed ignored', async () => {
      const terms = await placedByHand(em, account)
      const other = await createAccount(em)
      assert.equal(await applyOrderReport(em, other.id, acceptanceOf(terms)), null)
      assert.equal((await order(terms)).brokerOrderId, null)
      assert.equal(await heard(termsOn(account)), null)
    })

    it('orders by hand are compared with it from then on', async () => {
      const terms = await placedByHand(em, account)
      assert.deepEqual(await ordersToCompare(em, account.id), [])
      await heard(terms)
      assert.deepEqual(
        (await ordersToCompare(em, account.id)).map(({ clientOrderId }) => clientOrderId),
        [entryIdOf(terms)],
      )
    })
  })

  describe('when none was placed', () => {
    const shown = async (terms: ByHandTerms) => {
      const { status, denialCode, reason } = (await findOrderByHand(em, account.userId, terms.signalId))!
      return [status, denialCode, reason]
    }

    for (const [outcome, code, status] of [
      ['rejected', 'INSUFFICIENT_FUNDS', 'rejected'],
      ['not_placed', 'STALE', 'error'],
    ] as const)
      it(`orders by hand in the ledger when none was placed are REJECTED, and their signal ${status}, with the code, and say why, once`, async () => {
        const terms = await placedByHand(em, account)
        for (let i = 0; i < 2; i += 1)
          await recordNotPlaced(em, terms.signalId, AT, { outcome, code, detail: 'because' })
        assert.deepEqual(await shown(terms), ['REJECTED', code, 'because'])
        assert.equal((await signal(terms)).status, status)
        assert.deepEqual(await kinds(terms), ['placed', outcome])
        assert.notEqual((await order(terms)).endAcknowledgedAt, null)
      })

    it('orders by hand in the ledger when none was placed, and the broker has one all the same, keep that order', async () => {
      const terms = await placedByHand(em, account)
      await heard(terms)
      const end = { outcome: 'rejected', code: 'INSUFFICIENT_FUNDS', detail: 'no funds' } as const
      await recordNotPlaced(em, terms.signalId, AT, end)
      const { status, endAcknowledgedAt } = await order(terms)
      assert.deepEqual([status, endAcknowledgedAt], ['OPEN', null])
    })
  })
})
