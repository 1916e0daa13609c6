import { BrokerCredentialsError, type Broker, type BrokerPosition } from '#brokers/port.ts'
import { readEntryMarket } from '#brokers/entry-market.ts'
import {
  decideClosing,
  keepHandDecision,
  readHandDecision,
  readHandOrderStanding,
} from '#db/hand-order-decisions.ts'
import { isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import {
  checkStanding,
  denialOf,
  judgeEntry,
  marketNeeds,
  type EntryMarket,
  type EntryStanding,
  type EntryTerms,
} from '#domain/entry-check.ts'
import { actionByHand, entryTermsOf, type HandDecision, type HandOrderTerms } from '#domain/hand-order.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal.ts'
import type { PrepareEntryDependencies } from './prepare-entry.ts'

/**
 * Decides, right before an order placed by hand is sent, whether it may be, whether it opens or closes a position, and
 * how large it is: never larger than the position that it closes. The first answer is kept and given again. Throws
 * CancelledFirst once somebody has cancelled the order, even for a try that was given up for dead meanwhile.
 */
export async function prepareHandOrder(
  deps: PrepareEntryDependencies,
  terms: HandOrderTerms,
): Promise<HandDecision> {
  const { em, now } = deps
  const { orderId } = terms
  const { decision, asOf } = await readHandDecision(em, orderId)
  if (decision !== null) return decision
  const keep = (decided: HandDecision) => keepHandDecision(em, orderId, decided)
  if (now() > Date.parse(terms.staleAfter))
    return keep({
      outcome: 'denied',
      code: 'STALE',
      detail: `It could not be sent before ${terms.staleAfter}`,
    })
  try {
    const broker = await deps.brokerFor(terms.accountId)
    const position = await broker.getPosition(terms.symbol)
    const action = actionByHand(terms, position?.side ?? null)
    const entry = entryTermsOf(terms, action)
    const booked = await readHandOrderStanding(em, terms, action)
    const standing = { ...booked, liveTrading: deps.liveTrading }
    const denied = denialOf(checkStanding(standing))
    if (denied) return await keep(denied)
    const market = await readMarket(deps, broker, terms.accountId, entry, standing)
    const judge = (closableQuantity: Decimal): HandDecision =>
      decide(entry, standing, { ...market, closableQuantity })
    if (isOpening(action)) return await keep(judge('0'))
    const available = availableTo(position, action)
    return await decideClosing(em, terms, asOf, (claimed) => judge(atLeastZero(subtract(available, claimed))))
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    // Asking again cannot help, and nothing has been sent.
    deps.keysRefused(terms.accountId)
    return keep({ outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message })
  }
}

function readMarket(
  { calendar, now }: PrepareEntryDependencies,
  broker: Broker,
  accountId: string,
  entry: EntryTerms,
  standing: EntryStanding,
): Promise<EntryMarket> {
  const at = now()
  // The position is known already, and what of it can be closed is worked out with the books.
  return readEntryMarket(
    broker,
    entry,
    { ...marketNeeds(entry, standing), position: false },
    {
      sessions: () => calendar.sessionsFrom(accountId, new Date(at).toISOString()),
      now: at,
    },
  )
}

function decide(entry: EntryTerms, standing: EntryStanding, market: EntryMarket): HandDecision {
  const { decision } = judgeEntry(entry, standing, market)
  if (decision.outcome === 'denied') return decision
  const { quantity, advisories } = decision
  return { outcome: 'ready', side: ENTRY_SIDE[entry.action], quantity, advisories }
}

/** Shares of the position that the action closes and that no open order holds. */
const availableTo = (position: BrokerPosition | null, action: 'closeLong' | 'closeShort'): Decimal =>
  position?.side === (action === 'closeLong' ? 'LONG' : 'SHORT') ? position.availableQuantity : '0'

const atLeastZero = (quantity: Decimal): Decimal => (isPositive(quantity) ? quantity : '0')
