import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { keepHandDecision, readHandOrderStanding } from '#db/orders/manual-order-decisions.ts'
import {
  recordHandAccepted,
  recordHandCancelAsked,
  recordHandCancelled,
  recordHandClosed,
  recordHandNotPlaced,
  recordHandTransmitted,
} from '#db/orders/manual-order-ledger.ts'
import { insertHandOrders } from '#db/orders/manual-orders.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import type { HandOrderTerms } from '#domain/manual-order.ts'
import { createAccount, withFill } from '#test/support/factories.ts'
import { acceptanceOf, placedOrder, store, termsOn } from '#test/support/placed-order.ts'
import { step, type ComposedStep } from './step.ts'

const AT = '2026-03-02T15:00:02.000Z'
const BY = 'ann@example.test'

const account = (em: EntityManager): Promise<Account> => createAccount(em)
const placed = async (em: EntityManager): Promise<HandOrderTerms> => placedOrder(em, await account(em))
async function accepted(em: EntityManager): Promise<HandOrderTerms> {
  const terms = await placed(em)
  await recordHandAccepted(em, terms.orderId, acceptanceOf(terms))
  return terms
}

/** The steps by which the ledger follows a manual order, in the order of its life. */
export const MANUAL_ORDER_STEPS: ComposedStep[] = [
  step('manual-order-received', insertHandOrders, account, (em, owner) =>
    store(em, termsOn(owner), { key: 'key', hash: 'hash' }),
  ),
  step('manual-order-facts', readHandOrderStanding, placed, (em, terms) =>
    readHandOrderStanding(em, terms, 'openLong'),
  ),
  step('manual-order-decided', keepHandDecision, placed, (em, { orderId }) =>
    keepHandDecision(em, orderId, { outcome: 'denied', code: 'REDUCE_ONLY', detail: 'halted' }),
  ),
  step('manual-order-accepted', recordHandAccepted, placed, (em, terms) =>
    recordHandAccepted(em, terms.orderId, acceptanceOf(terms)),
  ),
  step('manual-order-transmitted', recordHandTransmitted, placed, (em, { orderId }) =>
    recordHandTransmitted(em, orderId, AT, 'timeout'),
  ),
  step('manual-order-not-placed', recordHandNotPlaced, placed, (em, { orderId }) =>
    recordHandNotPlaced(em, orderId, AT, { outcome: 'refused', code: 'BROKER_ERROR', detail: 'refused' }),
  ),
  step('manual-order-cancelled', recordHandCancelled, placed, (em, { orderId }) =>
    recordHandCancelled(em, orderId, AT, BY),
  ),
  step('manual-order-filled', applyOrderReport, accepted, (em, terms) =>
    applyOrderReport(em, terms.accountId, withFill(acceptanceOf(terms), '10')),
  ),
  step('manual-order-cancel-asked', recordHandCancelAsked, accepted, (em, terms) =>
    recordHandCancelAsked(em, terms.orderId, AT, {
      clientOrderId: acceptanceOf(terms).clientOrderId,
      by: BY,
    }),
  ),
  step('manual-order-closed', recordHandClosed, accepted, (em, terms) =>
    recordHandClosed(em, terms.orderId, AT, { settles: acceptanceOf(terms), message: 'over' }),
  ),
]
