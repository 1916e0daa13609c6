import { believedPrice } from '#brokers/entry-market.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordWaiting } from '#db/signal/decision-ledger.ts'
import { findPendingTerms } from '#db/order/entry-facts.ts'
import { decideOnce, PRICE_BEFORE_APPROVAL } from '#db/order/decisions.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { isOpening, type SignalTerms } from '#domain/signal/signal.ts'
import type { Activities } from '../contract.ts'
import { type SessionCalendar, priceQuestion } from '../brokers.ts'

/** Both tries fit into one local activity. */
const PRICE_PATIENCE_MS = 500
const TRIES = 2

interface BeginWaitingDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  pause(milliseconds: number): Promise<unknown>
  calendar: Pick<SessionCalendar, 'sessionsFrom'>
  now(): number
}

/** Stores the first plausible price for the approval. A silent broker delays nothing. */
export async function beginWaiting(
  deps: BeginWaitingDependencies,
  { signalId, at, ...wait }: Parameters<Activities['recordWaiting']>[0],
): Promise<void> {
  if (wait.for === 'person') await keepPrice(deps, signalId)
  await recordWaiting(deps.em, signalId, at, wait)
}

async function keepPrice(deps: BeginWaitingDependencies, signalId: string): Promise<void> {
  const held = await findPendingTerms(deps.em, signalId)
  if (!held || held.priceIsKept || !isOpening(held.action)) return
  const price = await lastPrice(deps, held)
  if (price !== null) await decideOnce(deps.em, signalId, PRICE_BEFORE_APPROVAL, price)
}

async function lastPrice(
  { brokerFor, pause, calendar, now }: BeginWaitingDependencies,
  { accountId, ...held }: Pick<SignalTerms, 'accountId' | 'symbol' | 'action'>,
): Promise<Decimal | null> {
  const ask = async (): Promise<Decimal | null> =>
    believedPrice(await brokerFor(accountId), held, priceQuestion({ calendar }, accountId, now()))
  for (let tries = 1; tries <= TRIES; tries += 1) {
    // The approval reports broker trouble.
    const unanswered = pause(PRICE_PATIENCE_MS).then(() => undefined)
    const answer = await Promise.race([ask().catch(() => undefined), unanswered])
    if (answer !== undefined) return answer
  }
  return null
}
