import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Broker,
} from '#brokers/port.ts'
import { compare, type Decimal } from '#domain/decimal.ts'
import { figure } from '#domain/figures.ts'
import { executionSide, isTerminal, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { rests } from '#domain/symbol-book.ts'
import { stillLetOut, type LetOut, type ThrottleAnswer } from './throttle.ts'
import type { SubmitOrderInput, SubmitOrderResult } from './contract.ts'
import { awaitsOpposite, busy, outcomeUnknown } from './failures.ts'

/**
 * How long a broker's look-up may lag behind its own records, in milliseconds. Within this time after an attempt with an
 * unknown outcome, an order that is not found may still appear, so no final conclusion is drawn.
 */
const LOOKUP_LAG = 5_000

export interface SubmitOrderDependencies {
  brokerFor(accountId: string): Promise<Broker>
  /** The broker rejected the account's keys; read them anew next time. */
  keysRejected(accountId: string): void
  /**
   * Asked right before every submission, whether the order may leave. Throws a retryable failure when it may not
   * now and may later. See `throttle.ts`.
   */
  throttle(accountId: string, request: OrderRequest): Promise<ThrottleAnswer>
  /** Bound on one broker request, in milliseconds. */
  requestTimeoutMs: number
  /** Milliseconds since the epoch. */
  now(): number
  /** Waits for that many milliseconds. */
  pause(milliseconds: number): Promise<unknown>
}

type Refusal = Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/**
 * Sends an order so that the broker ends up with exactly one, however often this runs: the client order id never changes,
 * an attempt with an unknown outcome is looked up before anything is sent again, and a rejection counts only when the
 * broker has no such order: an order that an earlier attempt placed may be the reason why the second one is rejected.
 *
 * Attempts follow one another, and an attempt that was given up sends nothing any more: the order of an earlier attempt
 * shows in a look-up made {@link LOOKUP_LAG} after this one began.
 *
 * Throws a retryable failure when the outcome is not known yet.
 *
 * @param beganAt when the attempt began that this submission is a part of; milliseconds since the epoch
 * @param letOut that the throttle has let the order out in this attempt; otherwise it is asked
 */
export async function submitOrder(
  { brokerFor, keysRejected, throttle, requestTimeoutMs, now, pause }: SubmitOrderDependencies,
  { accountId, request, sendBefore, ...input }: SubmitOrderInput,
  beganAt = now(),
  letOut: LetOut | null = null,
): Promise<SubmitOrderResult> {
  let { unknownSince } = input
  const broker = await brokerFor(accountId)
  const lookUp = () => lookUpOrder(broker, request, () => keysRejected(accountId))
  const sendBeforeMs = sendBefore === null ? Number.POSITIVE_INFINITY : Date.parse(sendBefore)

  // An order that is too old now may have been sent in time by an earlier attempt.
  const lookedUpAt = now()
  if (unknownSince !== null || lookedUpAt > sendBeforeMs) {
    const found = await lookUp()
    if (found) return found
  }
  if (now() > sendBeforeMs) {
    if (lookedUpAt < sendBeforeMs + requestTimeoutMs + LOOKUP_LAG)
      throw outcomeUnknown('too old to be sent; making sure that it was not')
    return { outcome: 'stale', code: 'STALE', detail: `It could not be sent before ${sendBefore}` }
  }

  /** The denial or rejection, when it is certain that no earlier attempt was accepted. */
  const confirmRefusal = async (refusal: Refusal): Promise<SubmitOrderResult> => {
    const found = await lookUp()
    if (found || unknownSince === null) return found ?? refusal
    // The first attempt may have been given up early and still run.
    if (beganAt < Date.parse(unknownSince) + 2 * requestTimeoutMs)
      throw outcomeUnknown(
        `${refusal.outcome} (${refusal.detail}); making sure that no earlier attempt was accepted`,
      )
    await pause(Math.max(0, beganAt + LOOKUP_LAG - now()))
    return (await lookUp()) ?? refusal
  }

  const { denied, before } = (letOut && stillLetOut(letOut, now())) ?? (await throttle(accountId, request))
  // An earlier attempt passed the throttle, but its result was lost (worker crash; workflow task retried).
  const isNews = unknownSince === null && before !== null
  unknownSince ??= before
  if (denied) return confirmRefusal(denied)
  const found = isNews ? await lookUp() : null
  if (found) return found
  // The next attempt may have begun by now, or the order be too old: this attempt must not send any more.
  if (now() > Math.min(beganAt + requestTimeoutMs, sendBeforeMs))
    throw outcomeUnknown('it took too long to get ready; nothing was sent')
  let report: OrderReport
  try {
    report = await broker.submitOrder(request)
  } catch (error) {
    if (error instanceof BrokerBusy) throw busy(error)
    if (error instanceof BrokerOutcomeUnknown) throw outcomeUnknown(error.message)
    if (error instanceof DuplicateClientOrderId) {
      const found = await lookUp()
      if (found) return found
      throw outcomeUnknown('the broker knows the client order id and does not show the order yet')
    }
    if (error instanceof BrokerCredentialsError) {
      keysRejected(accountId)
      // With rejected keys an earlier attempt cannot be looked up: that needs new keys.
      if (unknownSince !== null) throw outcomeUnknown(error.message)
      return { outcome: 'rejected', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message }
    }
    if (!(error instanceof BrokerRejection)) throw error
    if (await isAboutToEnd(broker, error.opposing)) throw awaitsOpposite(error.brokerMessage)
    const named = error.opposing === null ? '' : `: order ${error.opposing} at the broker`
    return confirmRefusal({
      outcome: 'rejected',
      code: error.code,
      detail: `${error.brokerMessage}${named}`,
    })
  }
  return { outcome: 'accepted', report }
}

/** Whether the order on the other side has ended since, or will fill or end at once. */
async function isAboutToEnd(broker: Broker, brokerOrderId: string | null): Promise<boolean> {
  if (brokerOrderId === null) return false
  const order = await broker.getOrder(brokerOrderId)
  return order === null || isTerminal(order.status) || !rests(order)
}

async function lookUpOrder(
  broker: Broker,
  request: OrderRequest,
  keysRejected: () => void,
): Promise<SubmitOrderResult | null> {
  let found: OrderReport | null
  try {
    found = await broker.findOrder(request.clientOrderId)
  } catch (error) {
    if (error instanceof BrokerCredentialsError) keysRejected()
    if (error instanceof BrokerBusy) throw busy(error)
    if (error instanceof BrokerOutcomeUnknown || error instanceof BrokerCredentialsError)
      throw outcomeUnknown(error.message)
    throw error
  }
  if (!found) return null
  if (isSameOrder(found, request)) return { outcome: 'accepted', report: found }
  return {
    outcome: 'conflict',
    code: 'DUPLICATE_CLIENT_ORDER_ID',
    detail: `The broker holds another order under ${request.clientOrderId}: ${found.side} ${figure(found.quantity)} ${found.symbol}`,
  }
}

/** Compares the fields that brokers return unchanged; a broker may not distinguish a short sale from a sale. */
function isSameOrder(report: OrderReport, request: OrderRequest): boolean {
  return (
    report.symbol === request.symbol &&
    executionSide(report.side) === executionSide(request.side) &&
    report.orderType === request.orderType &&
    sameAmount(report.quantity, request.quantity) &&
    sameAmount(report.limitPrice, request.limitPrice) &&
    sameAmount(report.stopPrice, request.stopPrice)
  )
}

const sameAmount = (a: Decimal | null, b: Decimal | null): boolean =>
  a === null || b === null ? a === b : compare(a, b) === 0
