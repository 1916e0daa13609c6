import type { EntityManager } from '#db/engine/database.ts'
import { checkThrottle, type ThrottleVerdict } from '#db/orders/throttle.ts'
import type { DenialCode } from '#domain/denial.ts'
import { haltDenial } from '#domain/halt.ts'
import type { OrderCaps } from '#domain/order-caps.ts'
import { senderDenial } from '#domain/sender.ts'
import { isReducing, type OrderRequest } from '#domain/order.ts'
import { halted, throttleUnavailable } from './failures.ts'

/** One of our rules forbids the order: it has not been sent and will not be. */
export interface Denied {
  outcome: 'denied'
  code: DenialCode
  detail: string
}

/** Answer of the throttle about an order. */
export interface ThrottleAnswer {
  /** Null when the order may be sent. */
  denied: Denied | null
  /** When an earlier attempt passed the throttle: it may have sent the order. UTC instant; null for the first attempt. */
  before: string | null
}

/** The throttle has let an order out already, together with the decision to send it. */
export interface LetOut extends Pick<ThrottleAnswer, 'before'> {
  /** Milliseconds since the epoch. */
  askedAt: number
}

/** An older answer no longer shows the state of the kill switch; milliseconds. */
const FRESH_FOR = 1_000

/** What the throttle said of an order that it has let out; null when that is too long ago, and it has to be asked again. */
export const stillLetOut = ({ before, askedAt }: LetOut, now: number): ThrottleAnswer | null =>
  now > askedAt + FRESH_FOR ? null : { denied: null, before }

export interface ThrottleDependencies {
  em: EntityManager
  caps: OrderCaps
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Whether an order may be handed to its broker now: the kill switch lets it, its sender may
 * still open positions, and the count of orders that left
 * has room for it. Only opening orders are denied. Fails closed: when the database cannot say, nothing is sent.
 *
 * Throws a retryable failure of type `Halted` when nothing is to be sent now and may be later: a closing order
 * waits where an opening one is denied.
 */
export async function throttleOrder(
  { em, caps, now }: ThrottleDependencies,
  accountId: string,
  { clientOrderId, side }: OrderRequest,
): Promise<ThrottleAnswer> {
  const reducing = isReducing(side)
  const askedAt = now()
  let answer: ThrottleVerdict
  try {
    answer = await checkThrottle(em, { accountId, clientOrderId, reducing }, caps)
  } catch (error) {
    throw throttleUnavailable('it cannot be decided now whether the order may be sent', error)
  }
  if (answer.verdict === 'allowed') {
    if (now() > askedAt + FRESH_FOR)
      throw throttleUnavailable('the answer of the throttle came too late to rely on')
    return { denied: null, before: answer.before }
  }
  const denied = denialFor(answer)
  if (reducing) throw halted(denied.detail)
  return { denied, before: 'before' in answer ? answer.before : null }
}

function denialFor(answer: Exclude<ThrottleVerdict, { verdict: 'allowed' }>): Denied {
  switch (answer.verdict) {
    case 'halted':
      return { outcome: 'denied', ...haltDenial(answer.halt) }
    case 'barred':
      return { outcome: 'denied', ...senderDenial(answer.code) }
    case 'over_limit':
      return { outcome: 'denied', code: 'ORDER_RATE_EXCEEDED', detail: answer.detail }
    case 'runaway':
      return { outcome: 'denied', code: 'RUNAWAY_STOPPED', detail: answer.detail }
  }
}
