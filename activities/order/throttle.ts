import type { EntityManager } from '#db/engine/database.ts'
import {
  giveUpOrder,
  noteHidden,
  readPasses,
  takeBackDecision,
  withdrawPass,
  type GivenUp,
  type LeavingOrder,
  type Passes,
} from '#db/orders/giving-up.ts'
import { checkThrottle, type ThrottleVerdict } from '#db/orders/throttle.ts'
import type { DenialCode } from '#domain/denial.ts'
import { haltDenial } from '#domain/halt.ts'
import type { OrderCaps } from '#domain/order-caps.ts'
import { senderDenial } from '#domain/sender.ts'
import { isReducing, type OrderRequest } from '#domain/order.ts'
import { throttleUnavailable } from '../failures.ts'
import { startStopwatch, type Stopwatch } from '../stopwatch.ts'

/** One of our rules forbids the order: it has not been sent and will not be. */
export interface Denied {
  outcome: 'denied'
  code: DenialCode
  detail: string
}

/**
 * letOut: the order may be sent within {@link LEAVES_WITHIN}; its size was decided at `decidedAt`, a UTC instant. denied: a rule
 * forbids it for good. heldBack: a closing order, which may not be sent now and may later. givenUp: it was given up before, or
 * its decision does not stand any more.
 */
type Answer =
  | { what: 'letOut'; decidedAt: string | null }
  | { what: 'denied'; denied: Denied }
  | { what: 'heldBack'; detail: string }
  | { what: 'givenUp'; givenUp: GivenUp }

/** Answer of the throttle about an order, and since when it holds. */
type ThrottleAnswer = { passes: Passes; since: Stopwatch } & Answer

/** The throttle has let an order out already, together with the decision to send it, for the first time. */
export type LetOut = Extract<ThrottleAnswer, { what: 'letOut' }>

export interface ThrottleDependencies {
  em: EntityManager
  caps: OrderCaps
  /** Milliseconds since the epoch. */
  now(): number
}

/** The gate in front of the brokers, see `db/orders/throttle.ts`. Fails closed: when the database cannot say, nothing is sent. */
export interface Throttle {
  /** Whether an order may be handed to its broker now. Throws a retryable failure of type `Halted` when it cannot be said. */
  ask(accountId: string, request: OrderRequest): Promise<ThrottleAnswer>
  /** The knowledge of the attempts to send it, without an attempt. */
  passes(request: OrderRequest): Promise<Passes>
  /** The attempt that was let out as the last of so many has sent nothing, or knows that nothing is at the broker: nobody waits for it. */
  sentNothing(request: OrderRequest, passes: number): Promise<void>
  /**
   * The attempt that was let out as the last of so many was refused, because the broker has an order under this id, and does not show
   * it; tells since how many milliseconds that is so.
   */
  hidden(request: OrderRequest, passes: number): Promise<number>
  /** Gives it up, unless somebody was let out since there were so many passes; tells whether it did. */
  giveUp(accountId: string, request: OrderRequest, passes: number, givenUp: GivenUp): Promise<boolean>
  /** Takes the decision to send it back, unless somebody was let out since there were so many passes; tells whether it did. */
  takeBack(accountId: string, request: OrderRequest, passes: number, detail: string): Promise<boolean>
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
      const { passes, before, asOf } = verdict
      return { passes: { passes, before, asOf }, since, ...answerTo(verdict, isReducing(request.side)) }
    },
    passes: ({ clientOrderId }) => readPasses(em, clientOrderId),
    sentNothing: ({ clientOrderId }, passes) => withdrawPass(em, clientOrderId, passes),
    hidden: ({ clientOrderId }, passes) => noteHidden(em, clientOrderId, passes),
    giveUp: (accountId, request, passes, givenUp) =>
      giveUpOrder(em, leaving(accountId, request), passes, givenUp),
    takeBack: (accountId, request, passes, detail) =>
      takeBackDecision(em, leaving(accountId, request), passes, detail),
  }
}

/** Only opening orders are denied: a closing one waits. */
function answerTo(verdict: ThrottleVerdict, reducing: boolean): Answer {
  switch (verdict.verdict) {
    case 'allowed':
      return { what: 'letOut', decidedAt: verdict.decidedAt }
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
  detail: 'it is not decided, or not any more, that this order is to be sent',
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
