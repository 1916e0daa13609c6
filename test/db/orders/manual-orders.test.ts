import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { markStarted, unstartedWork } from '#db/watch/open-work.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { OrderEvent, type Account, type Order } from '#db/entities/index.ts'
import { SignalAlreadyStopped } from '#db/orders/decisions.ts'
import { decideManualOrderOnce, readManualOrderDecision } from '#db/orders/manual-order-decisions.ts'
import { findManualOrders, findManualOrderTerms, findKeyedRequest } from '#db/orders/manual-orders.ts'
import { applyOrderReport, mergeOrderReport } from '#db/orders/reports.ts'
import { ordersToCompare } from '#db/orders/compared-orders.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import {
  recordCancelRequested,
  recordClosed,
  recordNotPlaced,
  recordTransmitted,
} from '#db/signals/ledger.ts'
import type { Decimal } from '#domain/decimal.ts'
import { manualClientOrderId, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport } from '#domain/order.ts'
import { orderIn } from '#test/support/ledger.ts'
import { createAccount, withFill } from '#test/support/factories.ts'
import { acceptanceOf, placedOrder, store, termsOn } from '#test/support/placed-order.ts'
import { useDatabase } from '#test/support/database.ts'

const READY: ManualOrderDecision = { outcome: 'ready', side: 'SELL_SHORT', quantity: '4', advisories: [] }
const AT = '2026-03-02T15:00:02.000Z'
const CANCEL = { reason: 'WITHDRAWN', detail: 'Cancelled by bob before it was sent' } as const

describe('manual orders in the ledger', () => {
  let em: EntityManager
  let account: Account
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const order = ({ orderId }: ManualOrderTerms): Promise<Order> => orderIn(em, manualClientOrderId(orderId))
  const standing = async (terms: ManualOrderTerms) =>
    (await findManualOrders(em, account.userId, [terms.orderId]))[0]!
  const received = (terms: ManualOrderTerms, changes: Partial<OrderReport> = {}) =>
    applyOrderReport(em, account.id, { ...acceptanceOf(terms), ...changes })
  const closes = (terms: ManualOrderTerms, filledQuantity: Decimal) =>
    recordClosed(em, { orderId: terms.orderId }, AT, {
      acknowledges: [{ clientOrderId: manualClientOrderId(terms.orderId), filledQuantity }],
      message: 'over',
    })
  const waiting = () => ordersToCompare(em, account.id)
  const kinds = async ({ orderId }: ManualOrderTerms): Promise<string[]> =>
    (await em.fork().find(OrderEvent, { orderId }, { orderBy: { sequence: 'asc' } })).map(({ kind }) => kind)

  describe('when they are placed', () => {
    it('manual orders in the ledger when they are placed are on record as PENDING, not settled, without an id of the broker, and their life begins', async () => {
      const terms = await placedOrder(em, account, { orderType: 'limit', limitPrice: '187.5' })
      const { status, endAcknowledgedAt, brokerOrderId, role, limitPrice } = await order(terms)
      assert.deepEqual([status, endAcknowledgedAt, brokerOrderId, role], ['PENDING', null, null, 'manual'])
      assert.equal(Number(limitPrice), 187.5)
      assert.deepEqual(await kinds(terms), ['placed'])
    })

    it('manual orders in the ledger when they are placed are found by their owner with the very terms that they were stored with', async () => {
      const prices = { limitPrice: '1.25', stopPrice: '1.2' } as const
      const terms = await placedOrder(em, account, { orderType: 'stopLimit', ...prices })
      const found = (userId: string) => findManualOrderTerms(em, userId, terms.orderId)
      assert.deepEqual(await found(account.userId), { terms, isStarted: false })
      assert.equal(await found(randomUUID()), null)
    })

    it('fifty times at once under one key are stored once', async () => {
      const request = { key: randomUUID(), hash: 'wish' }
      const wishes = Array.from({ length: 50 }, () => termsOn(account))
      const stored = await Promise.all(wishes.map((terms) => store(em.fork(), terms, request)))
      assert.equal(stored.filter(Boolean).length, 1)
      const { orderId } = wishes[stored.indexOf(true)]!
      assert.deepEqual(await findKeyedRequest(em, account.userId, request.key), {
        hash: 'wish',
        orderIds: [orderId],
      })
    })

    it('manual orders in the ledger when they are placed under the key of another user are stored, and not on an account of theirs', async () => {
      const request = { key: 'the same', hash: 'wish' }
      const other = await createAccount(em)
      assert.equal(await store(em, termsOn(account), request), true)
      assert.equal(await store(em, termsOn(other), request), true)
      assert.equal(await store(em, termsOn(account), request), false)
      await assert.rejects(store(em, termsOn(account, { accountId: other.id })), /foreign key/)
    })

    it('wait for the supervisor until they are started', async () => {
      const terms = await placedOrder(em, account, { acceptedAt: new Date(Date.now() - 5_000).toISOString() })
      const waiting = async (excluding: string[] = []) =>
        (await unstartedWork(em, excluding, 500)).filter(({ id }) => id === terms.orderId)
      assert.deepEqual(await waiting(), [
        { kind: 'order', id: terms.orderId, accountId: account.id, isOurs: false },
      ])
      assert.deepEqual(await waiting([terms.orderId]), [])
      await markStarted(em, { kind: 'order', id: terms.orderId })
      assert.deepEqual(await waiting(), [])
    })
  })

  describe('when they are decided', () => {
    it('take side and size of the decision, and keep the first one', async () => {
      const terms = await placedOrder(em, account, { side: 'SELL' })
      assert.deepEqual(await decideManualOrderOnce(em, terms.orderId, READY), READY)
      const second: ManualOrderDecision = { outcome: 'denied', code: 'REDUCE_ONLY', detail: 'later' }
      assert.deepEqual(await decideManualOrderOnce(em, terms.orderId, second), READY)
      const { side, quantity } = await order(terms)
      assert.deepEqual([side, Number(quantity)], ['SELL_SHORT', 4])
    })

    it('manual orders in the ledger when they are decided or cancelled first are never decided any more', async () => {
      const terms = await placedOrder(em, account)
      assert.equal(await recordCancelled(em, { orderId: terms.orderId }, AT, CANCEL), 'stopped')
      assert.equal(await recordCancelled(em, { orderId: terms.orderId }, AT, CANCEL), 'stopped')
      await assert.rejects(decideManualOrderOnce(em, terms.orderId, READY), SignalAlreadyStopped)
      const end = { status: 'cancelled', reason: null, detail: CANCEL.detail }
      assert.deepEqual(await readManualOrderDecision(em, terms.orderId), { end })
      const { status, endAcknowledgedAt } = await order(terms)
      assert.deepEqual([status, endAcknowledgedAt !== null], ['CANCELLED', true])
      assert.deepEqual(await kinds(terms), ['placed', 'cancelled'])
    })

    it('manual orders in the ledger when they are decided cannot be cancelled as if nothing was sent any more', async () => {
      const terms = await placedOrder(em, account)
      await decideManualOrderOnce(em, terms.orderId, READY)
      assert.equal(await recordCancelled(em, { orderId: terms.orderId }, AT, CANCEL), 'too_late')
      assert.equal((await order(terms)).status, 'PENDING')
    })

    it('manual orders in the ledger when they are decided and cancelled in the same moment are one of the two, never both', async () => {
      for (let round = 0; round < 20; round += 1) {
        const terms = await placedOrder(em, account)
        const deciding: Promise<string> = decideManualOrderOnce(em.fork(), terms.orderId, READY).then(
          () => 'decided',
          () => 'rejected',
        )
        const stopping = await recordCancelled(em.fork(), { orderId: terms.orderId }, AT, CANCEL)
        assert.equal(await deciding, stopping === 'stopped' ? 'rejected' : 'decided')
      }
    })
  })

  describe('when their broker tells of them', () => {
    it('first to the feed, carry the broker’s id, also when it is reported again', async () => {
      const terms = await placedOrder(em, account)
      const applied = await received(terms)
      assert.deepEqual([applied?.orderId, applied?.signalId], [terms.orderId, null])
      await mergeOrderReport(em, account.id, acceptanceOf(terms))
      const { brokerOrderId, status } = await order(terms)
      assert.deepEqual([brokerOrderId, status], [acceptanceOf(terms).brokerOrderId, 'OPEN'])
      assert.deepEqual(await kinds(terms), ['placed', 'acknowledged'])
    })

    it('manual orders in the ledger when their broker tells of a time before they were placed, as by a clock that is behind, stand after that in their timeline', async () => {
      const terms = await placedOrder(em, account, { acceptedAt: new Date().toISOString() })
      await received(terms, { ...withFill(acceptanceOf(terms), '4'), filledAt: '2026-03-02T15:00:00.000Z' })
      const byTime = { orderBy: { at: 'asc', sequence: 'asc' } } as const
      const told = await em.fork().find(OrderEvent, { orderId: terms.orderId }, byTime)
      const inTime = told.map(({ kind }) => kind)
      assert.deepEqual(inTime, ['placed', 'acknowledged', 'order_progress'])
    })

    it('manual orders in the ledger when an account that is not theirs tells of them are left alone, and those under an id that is not ours ignored', async () => {
      const terms = await placedOrder(em, account)
      const other = await createAccount(em)
      assert.equal(await applyOrderReport(em, other.id, acceptanceOf(terms)), null)
      assert.equal((await order(terms)).brokerOrderId, null)
      assert.equal(await received(termsOn(account)), null)
    })

    it('manual orders in the ledger when their broker tells of them are compared with it from then on until their end is settled', async () => {
      const terms = await placedOrder(em, account)
      assert.deepEqual(await waiting(), [])
      await received(terms)
      const [unsettled] = await waiting()
      assert.deepEqual([unsettled?.orderId, unsettled?.ended], [terms.orderId, false])
      await received(terms, withFill(acceptanceOf(terms), '10'))
      await closes(terms, '10')
      assert.deepEqual(await waiting(), [])
    })

    it('manual orders in the ledger when their broker tells of a fill after their end was settled are news again', async () => {
      const terms = await placedOrder(em, account)
      await received(terms, { status: 'CANCELLED' })
      await closes(terms, '0')
      assert.deepEqual(await waiting(), [])
      await received(terms, { ...withFill(acceptanceOf(terms), '3'), status: 'CANCELLED' })
      assert.equal((await waiting()).length, 1)
      // What the workflow knew then acknowledges nothing of what it did not know.
      await closes(terms, '0')
      assert.equal((await waiting()).length, 1)
    })
  })

  describe('when none was placed', () => {
    const refusal = { outcome: 'rejected', code: 'INSUFFICIENT_FUNDS', detail: 'no funds' } as const

    it('manual orders in the ledger when none was placed are rejected with the code, their end acknowledged, and tell why', async () => {
      const terms = await placedOrder(em, account)
      await recordNotPlaced(em, { orderId: terms.orderId }, AT, refusal)
      await recordNotPlaced(em, { orderId: terms.orderId }, AT, refusal)
      const { status, denialCode, reason } = await standing(terms)
      assert.deepEqual([status, denialCode, reason], ['REJECTED', 'INSUFFICIENT_FUNDS', 'no funds'])
      assert.deepEqual(await kinds(terms), ['placed', 'rejected'])
      assert.notEqual((await order(terms)).endAcknowledgedAt, null)
    })

    it('manual orders in the ledger when none was placed are not rejected when the ledger knows of the order at the broker', async () => {
      const terms = await placedOrder(em, account)
      await received(terms)
      await recordNotPlaced(em, { orderId: terms.orderId }, AT, refusal)
      const { status, denialCode } = await standing(terms)
      assert.deepEqual([status, denialCode], ['OPEN', null])
    })
  })

  it('tell of doubt and of cancels once, however often they are written', async () => {
    const terms = await placedOrder(em, account)
    const clientOrderId = manualClientOrderId(terms.orderId)
    for (let i = 0; i < 2; i += 1) {
      await recordTransmitted(em, { orderId: terms.orderId }, AT, 'timeout')
      await recordCancelRequested(em, { orderId: terms.orderId }, AT, { clientOrderId, by: 'bob' })
    }
    assert.deepEqual(await kinds(terms), ['placed', 'transmitted', 'cancel_requested'])
  })
})
