import { instantAfter } from '#domain/time/instants.ts'
import { foreignHolders } from '#brokers/foreign-holders.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { decideUnderLock } from '#db/position/symbol-state.ts'
import {
  lookAtClosing,
  type Closing,
  type ClosingDecision,
  type ClosingLook,
} from '#domain/position/closing.ts'
import { POSITION_LOOK_EVERY_MS } from '#domain/time/broker-clock.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import { closeBefore, type ClosingTime } from '#domain/exit/flat-by-close.ts'
import { nameOfOrder, type LiveOrder, type SymbolState } from '#domain/position/symbol-state.ts'
import { CANCEL_ROUNDS, givingWayTo } from '../order/cancel.ts'
import { outcomeUnknown } from '../failures.ts'

export interface DecideClosingDependencies {
  em: EntityManager
  /** Throws a retryable failure until all have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
}

export interface PlacedClosing extends Omit<Closing, 'owners'>, ClosingTime {
  accountId: string
  clientOrderId: string
  ownersIn(inner: EntityManager, symbolState: SymbolState): Promise<readonly string[] | undefined>
}

/**
 * Decides on a closing order under the lock of account and symbol, so that two at once are not for the same shares
 * (`domain/position/closing.ts`). Throws a retryable failure while the position is unknown or a blocking order works;
 * the last look in time denies with STALE, unless our own cancel is not done.
 * @param keep returns the stored decision
 */
export async function decideClosing<D>(
  { em, cancelBlockingOrders }: DecideClosingDependencies,
  broker: Broker,
  closing: PlacedClosing,
  keep: (inner: EntityManager, decision: ClosingDecision) => Promise<D>,
): Promise<D> {
  const { accountId, clientOrderId, terms } = closing
  let { asOf } = closing
  let holders: string | null = null
  const givingWay = await givingWayTo(em, { accountId, symbol: terms.symbol }, clientOrderId)
  const before = closeBefore(closing, givingWay)
  for (let round = 1; ; round += 1) {
    const position = await broker.getPosition(terms.symbol)
    const { look, readAt } = await decideUnderLock<{
      look: { kept: D } | Undecided
      readAt: string
    }>(em, accountId, terms.symbol, async (symbolState, inner) => {
      const owners = await closing.ownersIn(inner, symbolState)
      const found = lookAtClosing({ ...closing, owners, asOf }, { holders, position, symbolState })
      const decided = decisionIn(found, { before, readAt: symbolState.asOf })
      const sent = decided && givingWay ? inTimeAgain(decided, closing, symbolState.asOf) : decided
      const taken = sent === null ? (found as Undecided) : { kept: await keep(inner, sent) }
      return { look: taken, readAt: symbolState.asOf }
    })
    if ('kept' in look) return look.kept
    if ('waits' in look)
      throw outcomeUnknown(look.waits, 'isOld' in look ? POSITION_LOOK_EVERY_MS : undefined)
    if (round === CANCEL_ROUNDS) throw outcomeUnknown('blocking orders have ended, and new ones have come')
    if ('asks' in look) holders = await foreignHolders(broker, terms.symbol, ENTRY_SIDE[terms.action])
    else await cancelBlockingOrders(accountId, clientOrderId, look.blockingOrders)
    asOf = readAt
  }
}

type Undecided = Exclude<ClosingLook, { decided: unknown }>

/** Null while another step comes first. */
function decisionIn(
  look: ClosingLook,
  { before, readAt }: { before: string | null; readAt: string },
): ClosingDecision | null {
  if ('decided' in look) return look.decided
  if ('asks' in look || before === null || Date.parse(readAt) + POSITION_LOOK_EVERY_MS <= Date.parse(before))
    return null
  if ('otherwise' in look && look.otherwise.outcome === 'denied') return look.otherwise
  const why =
    'waits' in look
      ? look.waits
      : `it waited for the end of ${look.blockingOrders.map(nameOfOrder).join(' and of ')}`
  return { outcome: 'denied', code: 'STALE', detail: `It could not be sent before ${before}: ${why}` }
}

function inTimeAgain(
  decision: ClosingDecision,
  { sendBefore, worthFor }: ClosingTime,
  readAt: string,
): ClosingDecision {
  if (decision.outcome !== 'ready' || sendBefore === null || worthFor === null) return decision
  const anew = instantAfter(readAt, worthFor)
  return anew > sendBefore ? { ...decision, sendBefore: anew } : decision
}
