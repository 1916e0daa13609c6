import type { Broker, OrderChange } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import {
  noteChanged,
  readProtection,
  type RestingChange,
  type TrackedProtection,
} from '#db/exit/protections.ts'
import { LEAVES_WITHIN } from '#domain/order/entry-order.ts'
import type { RestingOrder } from '#domain/exit/protection.ts'
import { outcomeUnknown, startStopwatch } from '../failures.ts'
import { isDeepStrictEqual } from 'node:util'

export interface ChangingDependencies {
  em: EntityManager
  broker: Pick<Broker, 'changeOrder' | 'getOrder'>
  now?(): number
}

/** same: the order is so already. untracked: nothing is followed. refused: it cannot be changed so. */
export type ChangeOutcome = 'changed' | 'same' | 'untracked' | 'ended' | 'refused'

/** Each round follows a change by another process. */
const MOST_ROUNDS = 5

/**
 * Changes the working order of an exit, and is the only way to do so; safe to repeat. A request leaves within {@link
 * LEAVES_WITHIN} of a reading that found levels and order unchanged, so a paused process changes nothing. A later
 * change that overtakes the request is found when the request is noted, and undone.
 * @param want returns an outcome where no change is needed
 */
export async function changeResting(
  { em, broker, now = Date.now }: ChangingDependencies,
  signalId: string,
  want: (tracked: TrackedProtection) => Promise<RestingChange | ChangeOutcome>,
): Promise<ChangeOutcome> {
  let hasLeft = false
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const tracked = await readProtection(em, signalId)
    if (tracked === null) return 'untracked'
    const { noted, resting, exit, accountId, revision, restingRevision } = tracked
    const isOvertaken = hasLeft && noted !== null && revision === restingRevision
    const wanted = isOvertaken ? { to: noted, revision } : await want(tracked)
    if (typeof wanted === 'string') return wanted
    if (exit?.purpose !== 'plan') return 'ended'
    if (!hasLeft && isSame(wanted.to, resting)) {
      if (wanted.revision === restingRevision || (await noteChanged(em, tracked, wanted))) return 'same'
      continue
    }
    const permit = async () => {
      const since = startStopwatch(now)
      if (!isAsRead(tracked, await readProtection(em, signalId))) throw new Overtaken()
      return () => {
        if (since.elapsed() > LEAVES_WITHIN) throw outcomeUnknown(TOO_LATE)
        hasLeft = true
      }
    }
    try {
      const outcome = await broker.changeOrder(exit.brokerOrderId, pricesOf(wanted.to), permit)
      if (outcome === 'refused') return 'refused'
      // The order's new id is known from here, even without the feed.
      const report = await broker.getOrder(exit.brokerOrderId)
      if (report !== null) await applyOrderReport(em, accountId, report)
      if (outcome !== 'requested') return 'ended'
    } catch (error) {
      if (error instanceof Overtaken) continue
      throw error
    }
    if (await noteChanged(em, tracked, wanted)) return isOvertaken ? 'same' : 'changed'
  }
  throw outcomeUnknown('the order is being changed by others')
}

const TOO_LATE = 'it took too long to get ready; the order was not changed'

class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

const isAsRead = (then: TrackedProtection, now: TrackedProtection | null): boolean =>
  (['revision', 'restingRevision', 'noted'] as const).every((name) =>
    isDeepStrictEqual(now?.[name], then[name]),
  )

const pricesOf = ({ limitPrice, stopPrice, stopLimitPrice, trail }: RestingOrder): OrderChange => ({
  ...(stopPrice !== null && { stopPrice }),
  ...(limitPrice !== null && { limitPrice }),
  ...(stopLimitPrice !== undefined && { stopLimitPrice }),
  ...(trail && { trail }),
})

const isSame = (one: RestingOrder, other: RestingOrder | null): boolean =>
  other !== null && isDeepStrictEqual(pricesOf(one), pricesOf(other))
