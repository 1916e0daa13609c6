import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Broker,
} from '#brokers/port.ts'
import { compare, type Decimal } from '#domain/decimal.ts'
import { isTerminal, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { rests } from '#domain/symbol-book.ts'
import type { ThrottleAnswer, Rejected } from './throttle.ts'
import type { SubmitOrderInput, SubmitOrderResult } from './contract.ts'
import { awaitsOpposite, busy, outcomeUnknown } from './failures.ts'

/**
 * How long a broker's look-up may lag behind its own records, in milliseconds. Within this time of a doubtful
 * attempt an order that is not found may still turn up, so nothing final is concluded.
 */
const LOOKUP_LAG = 5_000

export interface SubmitOrderDependencies {
  brokerFor(accountId: string): Promise<Broker>
  /** The account's keys were refused; read them anew next time. */
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

/**
 * Sends an order so that the broker ends up with exactly one, however often this runs: the client order id
 * never changes, an attempt whose outcome is unknown is looked up before anything is sent again, and a
 * refusal counts only when the broker knows of no such order, because the order itself, accepted by an
 * earlier attempt, may be what a second one is refused for.
 *
 * Attempts follow one another, and one that was given up for dead sends nothing any more: so whatever an
 * earlier one has brought about shows in a look-up made {@link LOOKUP_LAG} after this one began.
 *
 * Throws a retryable failure when the outcome is not known yet.
 */
export async function submitOrder(
  { brokerFor, keysRejected, throttle, requestTimeoutMs, now, pause }: SubmitOrderDependencies,
  { accountId, request, sendBefore, ...input }: SubmitOrderInput,
): Promise<SubmitOrderResult> {
  let { unknownSince } = input
  const beganAt = now()
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

  /** A refusal, once no earlier attempt can turn out to have been accepted. */
  const confirmRejection = async (rejected: Rejected): Promise<SubmitOrderResult> => {
    const found = await lookUp()
    if (found || unknownSince === null) return found ?? rejected
    // The very first try may have been given up early and still be under way.
    if (beganAt < Date.parse(unknownSince) + 2 * requestTimeoutMs)
      throw outcomeUnknown(`refused (${rejected.detail}); making sure that no earlier attempt was accepted`)
    await pause(Math.max(0, beganAt + LOOKUP_LAG - now()))
    return (await lookUp()) ?? rejected
  }

  const { rejected, before } = await throttle(accountId, request)
  // Another attempt was let out, of which the caller does not know: its worker died, and the task is done over.
  const isNews = unknownSince === null && before !== null
  unknownSince ??= before
  if (rejected) return confirmRejection(rejected)
  const found = isNews ? await lookUp() : null
  if (found) return found
  // By now the next attempt may have begun, or the order be too old, and others rely on this one to be over.
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
      // With the keys refused an earlier attempt cannot be looked up: only their renewal can tell.
      if (unknownSince !== null) throw outcomeUnknown(error.message)
      return { outcome: 'rejected', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message }
    }
    if (!(error instanceof BrokerRejection)) throw error
    if (await isAboutToEnd(broker, error.opposing)) throw awaitsOpposite(error.brokerMessage)
    const named = error.opposing === null ? '' : `: order ${error.opposing} at the broker`
    return confirmRejection({
      outcome: 'rejected',
      code: error.code,
      detail: `${error.brokerMessage}${named}`,
    })
  }
  return { outcome: 'accepted', report }
}

/** Whether the order that stands against this one has ended since, or fills or ends at once. */
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
    detail: `The broker holds another order under ${request.clientOrderId}: ${found.side} ${found.quantity} ${found.symbol}`,
  }
}

const direction = (order: { side: string }): string => (order.side.startsWith('BUY') ? 'BUY' : 'SELL')

/** Compares what a broker may be trusted to give back unchanged; it may not tell a short sale from a sale. */
function isSameOrder(report: OrderReport, request: OrderRequest): boolean {
  return (
    report.symbol === request.symbol &&
    direction(report) === direction(request) &&
    report.orderType === request.orderType &&
    sameAmount(report.quantity, request.quantity) &&
    sameAmount(report.limitPrice, request.limitPrice) &&
    sameAmount(report.stopPrice, request.stopPrice)
  )
}

const sameAmount = (a: Decimal | null, b: Decimal | null): boolean =>
  a === null || b === null ? a === b : compare(a, b) === 0
