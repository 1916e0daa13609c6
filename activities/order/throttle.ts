import type { EntityManager } from '#db/engine/database.ts'
import {
  giveUpOrder,
  noteHidden,
  readPermits,
  takeBackDecision,
  withdrawPermit,
  type GivenUp,
  type LeavingOrder,
  type Permits,
} from '#db/order/send-permits.ts'
import { checkThrottle, type ThrottleVerdict } from '#db/order/throttle.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { haltDenial } from '#domain/risk/halt.ts'
import type { OrderCaps } from '#domain/risk/buying-power.ts'
import { senderDenial } from '#domain/signal/sender.ts'
import { isReducing, type OrderRequest } from '#domain/order/order.ts'
import { throttleUnavailable, startStopwatch, type Stopwatch } from '../failures.ts'

export interface Denied {
  outcome: 'denied'
  code: DenialCode
  detail: string
}

/** permitted: for {@link LEAVES_WITHIN}, sized at `decidedAt`. heldBack: a closing order waits. */
type Answer =
  | { what: 'permitted'; decidedAt: string | null }
  | { what: 'denied'; denied: Denied }
  | { what: 'heldBack'; detail: string }
  | { what: 'givenUp'; givenUp: GivenUp }

type ThrottleAnswer = { permits: Permits; since: Stopwatch } & Answer

export type Permitted = Extract<ThrottleAnswer, { what: 'permitted' }>

export interface ThrottleDependencies {
  em: EntityManager
  caps: OrderCaps
  now(): number
}

/** Send gate; without the database nothing is sent. */
export interface Throttle {
  /** Throws a retryable failure when it cannot decide. */
  ask(accountId: string, request: OrderRequest): Promise<ThrottleAnswer>
  permits(request: OrderRequest): Promise<Permits>
  /** The last permitted attempt left nothing at the broker. */
  sentNothing(request: OrderRequest, permits: number): Promise<void>
  /** Returns for how many milliseconds the broker has hidden the order. */
  hidden(request: OrderRequest, permits: number): Promise<number>
  /** False when another attempt was permitted since. */
  giveUp(accountId: string, request: OrderRequest, permits: number, givenUp: GivenUp): Promise<boolean>
  /** False when another attempt was permitted since. */
  takeBack(accountId: string, request: OrderRequest, permits: number, detail: string): Promise<boolean>
}

export function createThrottle({ em, caps, now }: ThrottleDependencies): Throttle {
  const leaving = (accountId: string, { clientOrderId, quantity, side }: OrderRequest): LeavingOrder => ({
    accountId,
    clientOrderId,
    quantity,
    reducing: isReducing(side),
  })
  return {
    async ask(accountId, request) {
      const since = startStopwatch(now)
      let verdict: ThrottleVerdict
      try {
        verdict = await checkThrottle(em, leaving(accountId, request), caps)
      } catch (error) {
        throw throttleUnavailable('it cannot be decided now whether the order may be sent', error)
      }
      const { permits, before, asOf } = verdict
      return { permits: { permits, before, asOf }, since, ...answerTo(verdict, isReducing(request.side)) }
    },
    permits: ({ clientOrderId }) => readPermits(em, clientOrderId),
    sentNothing: ({ clientOrderId }, permits) => withdrawPermit(em, clientOrderId, permits),
    hidden: ({ clientOrderId }, permits) => noteHidden(em, clientOrderId, permits),
    giveUp: (accountId, request, permits, givenUp) =>
      giveUpOrder(em, leaving(accountId, request), permits, givenUp),
    takeBack: (accountId, request, permits, detail) =>
      takeBackDecision(em, leaving(accountId, request), permits, detail),
  }
}

/** Only opening orders are denied: a closing one waits. */
function answerTo(verdict: ThrottleVerdict, reducing: boolean): Answer {
  switch (verdict.verdict) {
    case 'allowed':
      return { what: 'permitted', decidedAt: verdict.decidedAt }
    case 'given_up':
      return { what: 'givenUp', givenUp: verdict.givenUp }
    case 'void':
      return { what: 'givenUp', givenUp: NO_DECISION }
    case 'halted':
    case 'barred':
    case 'over_limit':
    case 'runaway': {
      const { code, detail } = denialFor(verdict)
      if (reducing) return { what: 'heldBack', detail }
      return { what: 'denied', denied: { outcome: 'denied', code, detail } }
    }
  }
}

const NO_DECISION: GivenUp = {
  outcome: 'void',
  code: null,
  detail: 'no decision to send this order exists, or it no longer holds',
}

function denialFor(
  verdict: Extract<ThrottleVerdict, { verdict: 'halted' | 'barred' | 'over_limit' | 'runaway' }>,
): { code: DenialCode; detail: string } {
  switch (verdict.verdict) {
    case 'halted':
      return haltDenial(verdict.halt)
    case 'barred':
      return senderDenial(verdict.code)
    case 'over_limit':
      return { code: 'ORDER_RATE_EXCEEDED', detail: verdict.detail }
    case 'runaway':
      return { code: 'RUNAWAY_STOPPED', detail: verdict.detail }
  }
}
