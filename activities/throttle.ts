import type { EntityManager } from '#db/engine/database.ts'
import { admitOrder, type Admission } from '#db/orders/throttle.ts'
import type { DenialCode } from '#domain/denial.ts'
import { haltRefusal } from '#domain/halt.ts'
import type { OrderCaps } from '#domain/order-caps.ts'
import { isReducing, type OrderRequest } from '#domain/order.ts'
import { halted, inadmissible } from './failures.ts'

/** The order has not been sent and will not be. */
export interface Refused {
  outcome: 'refused'
  code: DenialCode
  detail: string
}

/** What the guard says of an order. */
export interface Admittance {
  /** Null when the order may leave. */
  refused: Refused | null
  /** When it was let out first, if this is not the first time: it may be out already. UTC instant. */
  before: string | null
}

/** An answer older than this tells no more how the kill switch stands, in milliseconds. */
const FRESH_FOR = 1_000

export interface AdmissionDependencies {
  em: EntityManager
  caps: OrderCaps
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Whether an order may be handed to its broker now: the kill switch lets it, and the count of orders that left
 * has room for it. Only opening orders are refused. Fails closed: when the database cannot say, nothing is sent.
 *
 * Throws a retryable failure of type `Halted` when nothing is to be sent now and may be later: a closing order
 * waits where an opening one is refused.
 */
export async function admission(
  { em, caps, now }: AdmissionDependencies,
  accountId: string,
  { clientOrderId, side }: OrderRequest,
): Promise<Admittance> {
  const reducing = isReducing(side)
  const askedAt = now()
  let answer: Admission
  try {
    answer = await admitOrder(em, { accountId, clientOrderId, reducing }, caps)
  } catch (error) {
    throw inadmissible('whether the order may leave cannot be told now', error)
  }
  if (answer.verdict === 'admitted') {
    if (now() > askedAt + FRESH_FOR)
      throw inadmissible('the answer whether the order may leave came too late to rely on')
    return { refused: null, before: answer.before }
  }
  const refused = refusal(answer)
  if (reducing) throw halted(refused.detail)
  return { refused, before: answer.verdict === 'halted' ? answer.before : null }
}

function refusal(answer: Exclude<Admission, { verdict: 'admitted' }>): Refused {
  switch (answer.verdict) {
    case 'halted':
      return { outcome: 'refused', ...haltRefusal(answer.halt) }
    case 'over_limit':
      return { outcome: 'refused', code: 'ORDER_RATE_EXCEEDED', detail: answer.detail }
    case 'runaway':
      return { outcome: 'refused', code: 'RUNAWAY_STOPPED', detail: answer.detail }
  }
}
