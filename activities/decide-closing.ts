import type { Broker, BrokerPosition } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { decideUnderLock } from '#db/orders/symbol-book.ts'
import { POSITION_HELD } from '#domain/advisory.ts'
import { compare, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { EntryDecision, EntryTerms } from '#domain/entry-check.ts'
import type { Closer, OwnedShares } from '#domain/ownership.ts'
import { oppositeOrderAction } from '#domain/opposite-orders.ts'
import { ENTRY_SIDE } from '#domain/signal.ts'
import {
  claimsOf,
  closings,
  blockingOrders,
  nameOfOrder,
  notShown,
  standsStill,
  unseenBy,
  type LiveOrder,
  type SymbolBook,
} from '#domain/symbol-book.ts'
import { outcomeUnknown } from './failures.ts'
import { foreignHolders } from './foreign-holders.ts'

/** How long after a fill a close waits for a position that the broker does not show, in milliseconds. */
export const POSITION_LAG = 15_000
/** How often orders are made to give way within one try. */
const ROUNDS = 4

export interface DecideClosingDependencies {
  em: EntityManager
  /** Has orders of ours cancelled that are in the way; throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  /** Milliseconds since the epoch. */
  now(): number
}

/** An order that closes a position, be it a signal's or placed by hand. */
export interface Closing {
  accountId: string
  clientOrderId: string
  terms: EntryTerms
  closer: Closer
  /** The instant before which the broker was asked for the position for the first time; UTC, by the database's clock. */
  asOf: string
  /** Judges the order, given the shares that it may close; in the transaction that holds the turn. */
  judge(inner: EntityManager, closable: Decimal): Promise<EntryDecision>
}

/** A decision, and whose shares the order is to take. */
export type ClosingDecision = EntryDecision & { takes?: OwnedShares[] }

/** A decision; or what has to be done or asked first, which takes too long for others to wait for it. */
type Look =
  | { decided: ClosingDecision }
  | { blockingOrders: LiveOrder[]; asOf: string }
  | { asks: 'holders'; asOf: string }

/**
 * Decides on an order that closes a position, one after the other for each account and symbol, so that two at once are
 * not for the same shares. Whoever closes wants out: resting orders of ours that hold the shares, or because of which the
 * broker would refuse this one, are cancelled first. What orders from elsewhere hold cannot be had, and is said.
 *
 * Throws a retryable failure while the broker does not show what was filled a moment ago, and while an order that has to
 * give way has not ended.
 *
 * @param keep keeps the decision that is taken; returns the one that counts
 */
export async function decideClosing<D>(
  deps: DecideClosingDependencies,
  broker: Broker,
  closing: Closing,
  keep: (inner: EntityManager, decision: ClosingDecision) => Promise<D>,
): Promise<D> {
  const { em, cancelBlockingOrders } = deps
  const { accountId, clientOrderId, terms } = closing
  let { asOf } = closing
  let holders: string | null = null
  for (let round = 1; ; round += 1) {
    const position = await broker.getPosition(terms.symbol)
    const look = await decideUnderLock<{ kept: D } | Exclude<Look, { decided: unknown }>>(
      em,
      accountId,
      terms.symbol,
      async (book, inner) => {
        const found = await lookAt(deps, { ...closing, asOf }, { holders, position, book }, inner)
        return 'decided' in found ? { kept: await keep(inner, found.decided) } : found
      },
    )
    if ('kept' in look) return look.kept
    if (round === ROUNDS) throw outcomeUnknown('orders in the way end, and others take their place')
    if ('asks' in look) holders = await foreignHolders(broker, terms.symbol, ENTRY_SIDE[terms.action])
    else await cancelBlockingOrders(accountId, clientOrderId, look.blockingOrders)
    asOf = look.asOf
  }
}

async function lookAt(
  { now }: DecideClosingDependencies,
  { terms, closer, asOf, judge }: Closing,
  { holders, position, book }: { holders: string | null; position: BrokerPosition | null; book: SymbolBook },
  inner: EntityManager,
): Promise<Look> {
  const side = ENTRY_SIDE[terms.action]
  const closes = side === 'SELL' ? 'LONG' : 'SHORT'
  const missing = book.shares.side === closes ? notShown(book, position) : '0'
  if (isPositive(missing) && book.changedAt !== null && now() < Date.parse(book.changedAt) + POSITION_LAG)
    throw outcomeUnknown(
      `the broker does not show yet that ${book.shares.quantity} ${terms.symbol} are held since a moment ago`,
    )
  const held = position?.side === closes ? position.quantity : '0'
  const wanted = await judge(inner, held)
  if (wanted.outcome === 'denied') return { decided: wanted }

  const unseen = unseenBy(book.live, asOf)
  const free = subtract(position!.availableQuantity, unseen)
  const short = subtract(wanted.quantity, free)
  const resting = closings(book.live).filter((order) => standsStill(order, book))
  const movable = blockingOrders(resting, short)
  if (movable.length > 0) return { blockingOrders: movable, asOf: book.asOf }
  const atAnyPrice = {
    side,
    timeInForce: terms.timeInForce,
    limitPrice: terms.limitPrice,
    orderType: terms.orderType,
  }
  if (isPositive(free) && terms.stopPrice === null) {
    const opposite = oppositeOrderAction(atAnyPrice, book, null)
    if (opposite.what === 'wait')
      throw outcomeUnknown(`${nameOfOrder(opposite.order)} is on the other side and about to end`)
    if (opposite.what === 'cancel') return { blockingOrders: opposite.orders, asOf: book.asOf }
  }

  if (isPositive(short)) {
    const ours = closings(book.live)
    if (ours.length === 0 && holders === null) return { asks: 'holders', asOf: book.asOf }
    const by = ours.length > 0 ? `orders of ours close them: ${ours.map(nameOfOrder).join(', ')}` : holders
    if (!isPositive(free))
      return {
        decided: {
          outcome: 'denied',
          code: ours.length > 0 ? 'NO_POSITION_TO_CLOSE' : 'POSITION_HELD',
          detail: `None of the ${held} ${terms.symbol} held can be closed: ${by}`,
        },
      }
    const decision = await judge(inner, free)
    if (decision.outcome === 'denied') return { decided: decision }
    const advisories =
      ours.length > 0
        ? decision.advisories
        : [
            ...decision.advisories,
            { code: POSITION_HELD, message: `${short} shares could not be closed: ${by}` },
          ]
    return { decided: withTakes({ ...decision, advisories }, book, closer) }
  }
  return { decided: withTakes(wanted, book, closer) }
}

function withTakes(
  decision: Extract<EntryDecision, { outcome: 'ready' }>,
  { shares, live }: SymbolBook,
  closer: Closer,
): ClosingDecision {
  const takes = shares.without(claimsOf(live)).allot(decision.quantity, closer)
  return takes.length === 0 || compare(decision.quantity, '0') === 0 ? decision : { ...decision, takes }
}
