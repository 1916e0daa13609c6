import type { EntityManager } from '#db/engine/database.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntryFacts } from '#db/order/entry-facts.ts'
import { decideUnderLock, readSymbolState } from '#db/position/symbol-state.ts'
import {
  readTarget,
  recordLeg,
  recordNothingTraded,
  recordTarget,
  type NothingTraded,
} from '#db/signal/reversal.ts'
import { newerTarget } from '#db/signal/newer-target.ts'
import { ownersFor } from '#db/position/owners.ts'
import { notifySenderDiffers } from '#db/signal/sender-differs.ts'
import { entryIdFor } from '#domain/order/order.ts'
import type { ProjectedPosition } from '#domain/position/projected-position.ts'
import { differenceToSender } from '#domain/signal/sender-position.ts'
import type { LiveOrder, SymbolState } from '#domain/position/symbol-state.ts'
import type { Leg, SignalTerms, Target } from '#domain/signal/signal.ts'
import {
  AT_TARGET,
  crossingIn,
  isSameLeg,
  lookAtTarget,
  supersededDetail,
  TARGET_SUPERSEDED,
  tradedForTarget,
  type TargetLook,
} from '#domain/signal/target.ts'
import type { Advisory, PreparedEntry } from '../contract.ts'
import { CANCEL_ROUNDS, givingWayTo } from '../order/cancel.ts'
import { halted, outcomeUnknown } from '../failures.ts'
import { sentByBroker, adoptEntry } from './opening.ts'

const TARGET_LOOK_EVERY_MS = 500

export interface ResolveTargetDependencies {
  em: EntityManager
  /** Throws a retryable failure until all have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  now(): number
}

const notCancelled = (): Promise<never> =>
  Promise.reject(outcomeUnknown('orders in the way have not been cancelled', TARGET_LOOK_EVERY_MS))

export interface ResolvedTarget {
  leg: Leg
  /** Throws a retryable failure where another order would be sent by now. */
  keep(inner: EntityManager): Promise<{ leg: Leg; advisories: Advisory[] }>
}

type Look =
  Exclude<TargetLook, { what: 'nothing' }> | ({ what: 'end'; held: ProjectedPosition | null } & NothingTraded)

const isSettled = ({ move, senderHolds }: Target): boolean => move === undefined && senderHolds === undefined

/**
 * Resolves a target to its order, to a denial that is not stored yet, or to the recorded end, where nothing has to be
 * traded or a newer target came first. Throws a retryable failure while the holdings are unknown, or orders lead away.
 */
export async function resolveTarget(
  { em, cancelBlockingOrders, now }: ResolveTargetDependencies,
  broker: Broker,
  asked: SignalTerms & { target: Target },
  { earlier, risk, dueSince }: Pick<EntryFacts, 'earlier' | 'risk' | 'dueSince'>,
  isDenied: (leg: Leg) => boolean,
): Promise<ResolvedTarget | PreparedEntry> {
  const { accountId, signalId, symbol } = asked
  let target = isSettled(asked.target) ? asked.target : await readTarget(em, signalId)
  const closer = entryIdFor(signalId)
  const crossing = crossingIn(earlier)
  await givingWayTo(em, { accountId, symbol }, closer)
  for (let round = 1; ; round += 1) {
    const position = await broker.getPosition(symbol)
    const scene = { position, crossing, dueSince }
    const terms = { ...asked, target }
    const lookAt = async (symbolState: SymbolState, inner: EntityManager): Promise<Look> => {
      const newer = await newerTarget(inner, terms, signalId)
      if (newer !== null) {
        const detail = supersededDetail(symbol, terms.target, newer)
        return { what: 'end', reason: TARGET_SUPERSEDED, detail, held: null }
      }
      const owners = await ownersFor(inner, terms, symbolState, earlier)
      const found = lookAtTarget(terms, { ...scene, symbolState, owners })
      return found.what === 'nothing' ? { ...found, what: 'end', reason: AT_TARGET } : found
    }
    // An order and an end are checked again under the lock.
    let look = await lookAt(await readSymbolState(em, accountId, symbol), em)
    if (look.what === 'end') {
      const sent = await sentByBroker(broker, terms)
      if (sent !== null) return adoptEntry(em, terms, sent)
    }
    const { senderHolds } = target
    if (senderHolds && 'held' in look && look.held !== null) {
      const difference = differenceToSender(symbol, senderHolds, look.held)
      if (difference !== null) await notifySenderDiffers(em, terms, difference)
    }
    if (look.what === 'end')
      look = await decideUnderLock(em, accountId, symbol, async (symbolState, inner) => {
        const found = await lookAt(symbolState, inner)
        if (found.what === 'end')
          await recordNothingTraded(inner, signalId, new Date(now()).toISOString(), found)
        return found
      })
    switch (look.what) {
      case 'end':
        return { outcome: 'ended', status: 'cancelled', reason: look.reason, detail: look.detail }
      case 'wait':
        throw outcomeUnknown(`waits until it is known what is held: ${look.why}`, TARGET_LOOK_EVERY_MS)
      case 'refused':
        return { outcome: 'denied', code: look.code, detail: look.detail }
      case 'order': {
        const { leg, held } = look
        const advisory = tradedForTarget(symbol, terms.target, leg, held)
        return {
          leg,
          async keep(inner) {
            const symbolState = await readSymbolState(inner, accountId, symbol)
            const again = await lookAt(symbolState, inner)
            if (again.what !== 'order' || !isSameLeg(again.leg, leg))
              throw outcomeUnknown(`${symbol} was traded while it was decided on`, TARGET_LOOK_EVERY_MS)
            return { leg: await recordLeg(inner, signalId, leg), advisories: [advisory] }
          },
        }
      }
      case 'cancel':
        if (look.leg !== null && isDenied(look.leg)) return { leg: look.leg, keep: notCancelled }
        if (risk.halt?.level === 'fullStop')
          throw halted(`Trading is stopped, and ${symbol} must change its position`)
        if (round === CANCEL_ROUNDS)
          throw outcomeUnknown('orders in the way have ended, and new ones have come')
        // A move counts the orders in the way: without them it would result in another order.
        if (!isSettled(target)) {
          const known = await decideUnderLock(em, accountId, symbol, async (symbolState, inner) => {
            const found = await lookAt(symbolState, inner)
            if (found.what === 'cancel') await recordTarget(inner, signalId, found.target)
            return found
          })
          if (known.what !== 'cancel') continue
          target = known.target
        }
        await cancelBlockingOrders(accountId, closer, look.orders)
    }
  }
}
