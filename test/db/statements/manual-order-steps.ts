import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { decideManualOrderOnce, readManualOrderFacts } from '#db/orders/manual-order-decisions.ts'
import { recordManualOrderAccepted } from '#db/orders/manual-order-ledger.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import {
  recordCancelRequested,
  recordClosed,
  recordNotPlaced,
  recordTransmitted,
} from '#db/signals/ledger.ts'
import { insertManualOrders } from '#db/orders/manual-orders.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import { createAccount, withFill } from '#test/support/factories.ts'
import { acceptanceOf, placedOrder, store, termsOn } from '#test/support/placed-order.ts'
import { step, type ComposedStep } from './step.ts'

const AT = '2026-03-02T15:00:02.000Z'
const BY = 'ann@example.test'

const account = (em: EntityManager): Promise<Account> => createAccount(em)
const placed = async (em: EntityManager): Promise<ManualOrderTerms> => placedOrder(em, await account(em))
async function accepted(em: EntityManager): Promise<ManualOrderTerms> {
  const terms = await placed(em)
  await recordManualOrderAccepted(em, terms.orderId, acceptanceOf(terms))
  return terms
}

/** The steps by which the ledger follows a manual order, in the order of its life. */
export const MANUAL_ORDER_STEPS: ComposedStep[] = [
  step('manual-order-received', insertManualOrders, account, (em, owner) =>
    store(em, termsOn(owner), { key: 'key', hash: 'hash' }),
  ),
  step('manual-order-facts', readManualOrderFacts, placed, (em, terms) =>
    readManualOrderFacts(em, terms, 'openLong'),
  ),
  step('manual-order-decided', decideManualOrderOnce, placed, (em, { orderId }) =>
    decideManualOrderOnce(em, orderId, { outcome: 'denied', code: 'REDUCE_ONLY', detail: 'halted' }),
  ),
  step('manual-order-accepted', recordManualOrderAccepted, placed, (em, terms) =>
    recordManualOrderAccepted(em, terms.orderId, acceptanceOf(terms)),
  ),
  step('manual-order-transmitted', recordTransmitted, placed, (em, { orderId }) =>
    recordTransmitted(em, { orderId }, AT, 'timeout'),
  ),
  step('manual-order-not-placed', recordNotPlaced, placed, (em, { orderId }) =>
    recordNotPlaced(em, { orderId }, AT, {
      outcome: 'rejected',
      code: 'BROKER_ERROR',
      detail: 'rejected',
    }),
  ),
  step('manual-order-cancelled', recordCancelled, placed, (em, { orderId }) =>
    recordCancelled(em, { orderId }, AT, { reason: 'WITHDRAWN', detail: `Cancelled by ${BY}` }),
  ),
  step('manual-order-filled', applyOrderReport, accepted, (em, terms) =>
    applyOrderReport(em, terms.accountId, withFill(acceptanceOf(terms), '10')),
  ),
  step('manual-order-cancel-requested', recordCancelRequested, accepted, (em, terms) =>
    recordCancelRequested(em, { orderId: terms.orderId }, AT, {
      clientOrderId: acceptanceOf(terms).clientOrderId,
      by: BY,
    }),
  ),
  step('manual-order-closed', recordClosed, accepted, (em, terms) =>
    recordClosed(em, { orderId: terms.orderId }, AT, {
      acknowledges: [acceptanceOf(terms)],
      message: 'over',
    }),
  ),
]
