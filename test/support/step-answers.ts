import { ApplicationFailure } from '@temporalio/common'
import type { PreparedEntry, SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import { accepts, type Answer } from './recording-activities.ts'
import { filled, reportOf } from './sample-signal.ts'

export { accepts, sizedWhole } from './recording-activities.ts'

/** What steps may answer, for the scripts of signals and manual orders. */

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

/** The broker takes the order and has filled it by the time it answers. */
export const acceptsFilled = ({ request }: SubmitOrderInput, at: string): SubmitOrderResult => ({
  outcome: 'accepted',
  report: reportOf(request, at, { status: 'FILLED', ...filled(request.quantity, at) }),
})

/** An earlier signal comes first, for which it waits five minutes at most. */
export const waitsForEarlierSignals = (_: object, at: string): PreparedEntry => ({
  outcome: 'not_yet',
  behind: ['earlier'],
  until: addMinutes(at, 5),
})

/** The strategy of the signal has been paused since the signal was accepted. */
export const strategyPaused = (): PreparedEntry => ({
  outcome: 'denied',
  code: 'STRATEGY_PAUSED',
  detail: 'The strategy of the signal is paused',
})

/** The approval is not taken at this moment; the signal is as it was sent. */
export const refusedForNow: Answer<'prepareEntry'> = ({ orderType }, at) => ({
  outcome: 'held',
  detail: 'Entries are paused',
  refused: {
    code: 'TRADING_PAUSED',
    approvedAt: at,
    quantity: '10',
    limitPrice: orderType === 'limit' ? '187.5' : null,
  },
})

/** A rule holds the entry for a person. */
export const holds =
  (detail = 'above the limit'): Answer<'prepareEntry'> =>
  () => ({ outcome: 'held', detail })

/** A rule denies the entry. */
export const denies =
  (code: DenialCode, detail = 'why'): Answer<'prepareEntry'> =>
  () => ({ outcome: 'denied', code, detail })

/** No order was placed, and none will be. */
export const placesNothing =
  (outcome: 'denied' | 'rejected' | 'conflict' | 'stale', code: DenialCode, detail: string) =>
  (): SubmitOrderResult => ({
    outcome,
    code,
    detail,
  })

/** The decision to send the order was taken back, and nothing has left. */
export const takenBack = (detail: string) => (): SubmitOrderResult => ({ outcome: 'void', detail })

/** The step fails in a way that a retry may cure. */
export const fails = (message: string, type: string) => (): never => {
  throw ApplicationFailure.create({ message, type })
}

/** The broker gave no usable answer. */
export const unknownOutcome = fails('the broker did not answer within 5000 ms', 'OutcomeUnknown')
export const busy = fails('too many requests', 'BrokerBusy')
export const databaseDown = fails('connection refused', 'ConnectionException')

/** The broker takes the order, and the step that sent it is given up before it can say so. */
export const acceptsUnheard: Answer<'submitOrder'> = async (input, at, hang) => {
  await hang()
  return accepts(input, at)
}

/** The exit is for so many shares, which stand for so many of its entry. */
export const sized =
  (quantity: Decimal, coversQuantity: Decimal = quantity, isFraction?: true): Answer<'sizeExit'> =>
  () => ({ quantity, coversQuantity, notBefore: null, ...(isFraction && { isFraction }) })

/** The exit is not sized before that instant; at once where there is none. */
export const opensAt =
  (instant?: string): Answer<'sizeExit'> =>
  (_, at) => ({ quantity: null, coversQuantity: null, notBefore: instant ?? at })

/** The exit is not sized, because of something that may pass. */
export const blocked =
  (obstacle: string): Answer<'sizeExit'> =>
  () => ({ quantity: null, coversQuantity: null, notBefore: null, obstacle })

/** The exit is due so many minutes after the end of its entry. */
export const plans =
  (minutes: number): Answer<'scheduleExit'> =>
  ({ entryEndedAt }) => ({ submitAt: addMinutes(entryEndedAt, minutes), reason: null })

/** The order that its broker is asked to cancel stands like this afterwards. */
export const stands =
  (status: OrderReport['status'], filledQuantity: Decimal = '0'): Answer<'cancelOrder'> =>
  ({ brokerOrderId }, at) => {
    const request = {
      clientOrderId: brokerOrderId.replace('broker-', ''),
      symbol: 'AAPL',
      side: 'BUY',
      quantity: '10',
      orderType: 'limit',
      limitPrice: '187.5',
      stopPrice: null,
      timeInForce: 'gtc',
      extendedHours: false,
    } as const
    return { report: reportOf(request, at, { status, ...filled(filledQuantity, at) }) }
  }

/** The broker takes the cancel, and says nothing of the order. */
export const cancelPends: Answer<'cancelOrder'> = () => ({ report: null })
