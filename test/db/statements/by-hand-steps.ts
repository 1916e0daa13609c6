import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertOrderByHand, noteAction, showDecided } from '#db/order/by-hand.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { createAccount, withFill } from '#test/support/factories.ts'
import { acceptanceOf, placedByHand, store, termsOn } from '#test/support/placed-by-hand.ts'
import { step, type ComposedStep } from './step.ts'

const AT = '2026-03-02T15:00:01.000Z'
const BY = 'ann@example.test'

const account = (em: EntityManager): Promise<Account> => createAccount(em)
const placed = async (em: EntityManager): Promise<ByHandTerms> => placedByHand(em, await account(em))
async function decided(em: EntityManager): Promise<ByHandTerms> {
  const terms = await placed(em)
  await decideOnce(em, terms.signalId, 'entry', { outcome: 'ready', quantity: '10', advisories: [] })
  return terms
}
async function accepted(em: EntityManager): Promise<ByHandTerms> {
  const terms = await decided(em)
  await recordAccepted(em, acceptanceOf(terms))
  return terms
}

/** The steps of an order by hand that differ from those of a signal, in the order of its life. */
export const BY_HAND_STEPS: ComposedStep[] = [
  step('by-hand-received', insertOrderByHand, account, (em, owner) =>
    store(em, termsOn(owner), { key: 'key', hash: 'hash' }),
  ),
  step('by-hand-resolved', noteAction, placed, (em, terms) =>
    noteAction(em, { ...terms, action: 'closeShort' }),
  ),
  step('by-hand-decided', showDecided, placed, (em, { signalId }) =>
    showDecided(em, signalId, { action: 'openLong', quantity: '4' }),
  ),
  step('by-hand-accepted', recordAccepted, decided, (em, terms) => recordAccepted(em, acceptanceOf(terms))),
  step('by-hand-not-placed', recordNotPlaced, placed, (em, { signalId }) =>
    recordNotPlaced(em, signalId, AT, { outcome: 'rejected', code: 'BROKER_ERROR', detail: 'rejected' }),
  ),
  step('by-hand-cancelled', recordCancelled, placed, (em, { signalId }) =>
    recordCancelled(em, signalId, AT, { reason: 'WITHDRAWN', detail: `Cancelled by ${BY}` }),
  ),
  step('by-hand-filled', applyOrderReport, accepted, (em, terms) =>
    applyOrderReport(em, terms.accountId, withFill(acceptanceOf(terms), '10')),
  ),
]
