import { ApplicationFailure } from '@temporalio/activity'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Broker,
} from '#brokers/port.ts'
import { positionFault } from '#domain/order/broker-rules.ts'
import type { ShownPosition } from '#domain/position/closing.ts'
import { isSentAs, LEAVES_WITHIN, LOOKUP_LAG } from '#domain/order/entry-order.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { figure } from '#domain/money/decimal.ts'
import type { GivenUp, Permits } from '#db/order/send-permits.ts'
import {
  isReducing,
  isTerminal,
  parseClientOrderId,
  type OrderReport,
  type OrderRequest,
} from '#domain/order/order.ts'
import { rests } from '#domain/position/symbol-state.ts'
import type { Permitted, Throttle } from './throttle.ts'
import type { SubmitOrderInput, SubmitOrderResult } from '../contract.ts'
import { CLOSE_PATIENCE, positionMet, pauseForClose } from './refusal.ts'
import { awaitsClose, awaitsOpposite, busy, halted, outcomeUnknown, startStopwatch } from '../failures.ts'

export interface SubmitOrderDependencies {
  brokerFor(accountId: string): Promise<Broker>
  keysRejected(accountId: string): void
  /** Null where the feed received none. */
  feedReportOf(accountId: string, clientOrderId: string): Promise<OrderReport | null>
  throttle: Throttle
  isStillCovered(accountId: string, request: OrderRequest): Promise<boolean>
  explain?(
    accountId: string,
    request: OrderRequest,
    refusal: BrokerRejection,
    position: ShownPosition | null,
  ): Promise<Denied | null>
  reportHidden?(request: OrderRequest, detail: string): Promise<void>
  /** Milliseconds until a hidden exit is given up. */
  hiddenPatience?: number
  /** Milliseconds that an opening waits for the close of an opposite position. */
  closePatience?: number
  requestTimeoutMs: number
  now(): number
  pause(milliseconds: number): Promise<unknown>
}

interface Denied {
  code: DenialCode
  detail: string
}

type Refusal = Exclude<SubmitOrderResult, { outcome: 'accepted' | 'conflict' }>

/**
 * Sends an order so that the broker has exactly one, however often this runs: the client order id never changes, an
 * unknown outcome is looked up before another sending, and a rejection counts only when the broker has no such order
 * from an earlier attempt.
 * Every attempt asks the send gate, and its order leaves within {@link LEAVES_WITHIN} of that or not at all. So an
 * earlier order shows in a look-up {@link LOOKUP_LAG} after its request has ended, and a paused attempt sends nothing.
 * A closing order that is no longer fresh is sent only if its shares are still there. Throws a retryable failure while
 * the outcome is unknown.
 * @param beganAt milliseconds since the epoch
 */
export async function submitOrder(
  {
    brokerFor,
    keysRejected,
    feedReportOf,
    throttle,
    isStillCovered,
    explain = async () => null,
    reportHidden = async () => {},
    hiddenPatience = HIDDEN_PATIENCE,
    closePatience = CLOSE_PATIENCE,
    requestTimeoutMs,
    now,
    pause,
  }: SubmitOrderDependencies,
  { accountId, request, sendBefore, ...input }: SubmitOrderInput,
  beganAt = now(),
  permitted?: Permitted,
): Promise<SubmitOrderResult> {
  let { unknownSince } = input
  const broker = await brokerFor(accountId)
  /** The feed's report counts too: the look-up may lag behind it. */
  const lookUp = async (): Promise<SubmitOrderResult | null> => {
    const heard = await feedReportOf(accountId, request.clientOrderId)
    return heard ? asFound(heard, request) : lookUpOrder(broker, request, () => keysRejected(accountId))
  }
  const sendBeforeMs = sendBefore === null ? Number.POSITIVE_INFINITY : Date.parse(sendBefore)

  /** Refuses once no earlier attempt was accepted and none can follow. `wasPermitted`: this one was, in vain. */
  const confirmRefusal = async (
    refusal: Refusal,
    { permits, before, asOf }: Permits,
    wasPermitted: boolean,
  ): Promise<SubmitOrderResult> => {
    const watch = startStopwatch(now)
    const found = await lookUp()
    if (found) return found
    const since = latest(unknownSince, before)
    if (since !== null) {
      // An earlier request may still be on its way.
      const uncertainFor = Date.parse(since) + 2 * requestTimeoutMs - Date.parse(asOf)
      if (uncertainFor > 0) {
        if (wasPermitted) await throttle.sentNothing(request, permits)
        throw outcomeUnknown(
          `${refusal.outcome} (${refusal.detail}); making sure that no earlier attempt was accepted`,
          uncertainFor,
        )
      }
      await pause(Math.max(0, LOOKUP_LAG - watch.elapsed()))
      const late = await lookUp()
      if (late) return late
    }
    if (!(await throttle.giveUp(accountId, request, permits, asGivenUp(refusal))))
      throw outcomeUnknown(`${refusal.outcome} (${refusal.detail}); another attempt was permitted meanwhile`)
    return refusal
  }

  /**
   * The broker has the order and does not show it. An entry is looked up until it is too old. An exit is given up after
   * a while without a sale: the next one is sized by the holdings, so a late appearance is counted.
   */
  const abandon = async ({ permits }: Permits, hidden: Promise<number>): Promise<SubmitOrderResult> => {
    const hiddenFor = await hidden
    const detail = `the broker says that it has an order ${request.clientOrderId} already, and does not show it`
    await reportHidden(request, detail)
    const isExit = parseClientOrderId(request.clientOrderId)?.role === 'exit'
    if (!isExit || hiddenFor < hiddenPatience) throw outcomeUnknown(detail)
    const listed = await listedOrder(broker, request, new Date(now() - hiddenFor - LISTED_BEFORE))
    if (listed) return asFound(listed, request)
    if (!(await isStillCovered(accountId, request)))
      throw outcomeUnknown(`${detail}; and other shares are held than it was to close`)
    const since = `${detail} for ${Math.round(hiddenFor / 1_000)} s, and nothing was sold; should it fill after all, the next one is for less`
    const refusal = { outcome: 'rejected', code: 'DUPLICATE_CLIENT_ORDER_ID', detail: since } as const
    if (await throttle.giveUp(accountId, request, permits, refusal)) return refusal
    throw outcomeUnknown(`${detail}; another attempt was permitted meanwhile`)
  }

  const stale: Refusal = {
    outcome: 'stale',
    code: 'STALE',
    detail: `It could not be sent before ${sendBefore}`,
  }
  // An earlier attempt may have sent it in time; this one sent nothing.
  if (now() > sendBeforeMs)
    return confirmRefusal(
      stale,
      permitted?.permits ?? (await throttle.permits(request)),
      permitted !== undefined,
    )
  const known = unknownSince === null ? null : await lookUp()
  if (known) return known

  const isFresh = permitted !== undefined && permitted.since.elapsed() <= LEAVES_WITHIN
  const answer = isFresh ? permitted : await throttle.ask(accountId, request)
  const { permits, since } = answer
  // The result of an earlier attempt was lost (worker crash; workflow task retried).
  const isNews = unknownSince === null && permits.before !== null
  unknownSince = latest(unknownSince, permits.before)
  if (answer.what === 'denied') return confirmRefusal(answer.denied, permits, false)
  if (isNews || answer.what !== 'permitted') {
    const found = await lookUp()
    if (found) return found
  }
  if (answer.what === 'givenUp') return asResult(answer.givenUp)
  if (answer.what === 'heldBack') {
    if (permits.before === null) await throttle.takeBack(accountId, request, permits.permits, answer.detail)
    throw halted(answer.detail)
  }
  const isOld = unknownSince !== null || isBeyond(answer.decidedAt, permits.asOf)
  if (isReducing(request.side) && isOld && !(await isStillCovered(accountId, request))) {
    const detail = `The shares that ${request.clientOrderId} was to close were closed or moved since it was decided`
    if (permits.before !== null) return confirmRefusal(withdrawal(request, detail), permits, true)
    // A rolled-back ledger lacks later attempts: this order may have closed the shares.
    const found = await lookUp().catch(async (error: unknown) => {
      await throttle.sentNothing(request, permits.permits)
      throw error
    })
    if (found) return found.outcome === 'accepted' ? { ...found, wasSentBefore: true } : found
    if (await throttle.takeBack(accountId, request, permits.permits, detail))
      return { outcome: 'void', detail }
    throw outcomeUnknown(`${detail}; another attempt was permitted meanwhile`)
  }
  const isTooOld = (): boolean => Date.parse(permits.asOf) + since.elapsed() > sendBeforeMs
  /** Throws where another attempt may have begun, or the order be given up or too old. */
  const assertMayLeave = (): void => {
    if (since.elapsed() > LEAVES_WITHIN || now() > beganAt + requestTimeoutMs || isTooOld())
      throw outcomeUnknown('it took too long to get ready; nothing was sent')
  }
  let report: OrderReport
  try {
    assertMayLeave()
    report = await broker.submitOrder(request, assertMayLeave)
  } catch (error) {
    if (error instanceof ApplicationFailure && isTooOld()) return confirmRefusal(stale, permits, true)
    if (error instanceof BrokerBusy || error instanceof ApplicationFailure) {
      await throttle.sentNothing(request, permits.permits)
      throw error instanceof BrokerBusy ? busy(error) : error
    }
    if (error instanceof BrokerOutcomeUnknown) throw outcomeUnknown(error.message)
    if (error instanceof DuplicateClientOrderId) {
      const found = await lookUp()
      if (found?.outcome === 'accepted' && unknownSince === null) return { ...found, wasSentBefore: true }
      if (found) return found
      return abandon(permits, throttle.hidden(request, permits.permits))
    }
    if (error instanceof BrokerCredentialsError) {
      keysRejected(accountId)
      // Rejected keys cannot look an earlier attempt up.
      if (unknownSince !== null) throw outcomeUnknown(error.message)
      const refusal = {
        outcome: 'rejected',
        code: 'BROKER_CREDENTIALS_INVALID',
        detail: error.message,
      } as const
      if (await throttle.giveUp(accountId, request, permits.permits, refusal)) return refusal
      throw outcomeUnknown(error.message)
    }
    if (!(error instanceof BrokerRejection)) throw error
    if (await isAboutToEnd(broker, error.opposing)) {
      await throttle.sentNothing(request, permits.permits)
      throw awaitsOpposite(error.brokerMessage)
    }
    const position = error.funds === null ? await positionMet(broker, request) : null
    const held = positionFault(request, position)
    const isAgainst =
      error.code === 'INVALID_ORDER' &&
      !isReducing(request.side) &&
      (held !== null || error.isAgainstPosition)
    if (isAgainst) {
      const decidedAt = answer.decidedAt ?? input.unknownSince ?? permits.asOf
      const elapsed = Date.parse(permits.asOf) + since.elapsed() - Date.parse(decidedAt)
      const tryIn = pauseForClose(request, elapsed, closePatience)
      if (tryIn !== null) {
        await throttle.sentNothing(request, permits.permits)
        throw awaitsClose(held ?? error.brokerMessage, tryIn)
      }
    }
    const named = error.opposing === null ? '' : `: order ${error.opposing} at the broker`
    const told = { code: error.code, detail: (isAgainst ? held : null) ?? `${error.brokerMessage}${named}` }
    const denied = await explain(accountId, request, error, position)
    return confirmRefusal({ outcome: 'rejected', ...(denied ?? told) }, permits, true)
  }
  return { outcome: 'accepted', report }
}

const latest = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a

/** Milliseconds. */
const HIDDEN_PATIENCE = 60_000
/** Milliseconds before the broker first said that it has the order. */
const LISTED_BEFORE = 3_600_000

/** Milliseconds after which a size is checked again. */
const SIZE_HOLDS_FOR = 5_000

const isBeyond = (decidedAt: string | null, asOf: string): boolean =>
  decidedAt === null || Date.parse(asOf) > Date.parse(decidedAt) + SIZE_HOLDS_FOR

/** A signal's next exit is sized again; a closing order has only one id. */
const withdrawal = ({ clientOrderId }: OrderRequest, detail: string): Refusal =>
  parseClientOrderId(clientOrderId)?.role === 'exit'
    ? { outcome: 'void', detail }
    : { outcome: 'denied', code: 'NO_POSITION_TO_CLOSE', detail }

const asGivenUp = (refusal: Refusal): GivenUp =>
  refusal.outcome === 'void' ? { ...refusal, code: null } : refusal

const asResult = ({ outcome, code, detail }: GivenUp): Refusal =>
  outcome === 'void' || code === null ? { outcome: 'void', detail } : { outcome, code, detail }

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
  return found && asFound(found, request)
}

/** The list may have an order that a look-up lacks. */
async function listedOrder(broker: Broker, request: OrderRequest, after: Date): Promise<OrderReport | null> {
  const listed = await broker.listOrders({ status: 'all', after: after.toISOString() })
  return listed.find(({ clientOrderId }) => clientOrderId === request.clientOrderId) ?? null
}

function asFound(found: OrderReport, request: OrderRequest): SubmitOrderResult {
  if (isSentAs(request, found)) return { outcome: 'accepted', report: found }
  return {
    outcome: 'conflict',
    code: 'DUPLICATE_CLIENT_ORDER_ID',
    detail: `The broker holds another order under ${request.clientOrderId}: ${found.side} ${figure(found.quantity)} ${found.symbol}`,
  }
}
