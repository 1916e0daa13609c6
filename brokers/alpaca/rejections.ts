import { decimal, isDecimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { busyUntil } from '../asked-wait.ts'
import {
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
} from '../port.ts'
import type { HttpAnswer } from '../http.ts'
import { wireError, type WireError } from './wire.ts'

/** Less than a dollar, mostly: of a rest that is to be closed no order can be. By either status. */
const isTooSmall = ({ message }: WireError): boolean => /cost basis must be >=/i.test(message)

/** 40310000 is all that an account's state forbids. The first fitting row decides; fields come before words. */
const FORBIDDEN_FOR: readonly { code: DenialCode; fits: (error: WireError) => boolean }[] = [
  { code: 'ORDER_TOO_SMALL', fits: isTooSmall },
  { code: 'INVALID_ORDER', fits: (e) => 'held_for_orders' in e || /insufficient qty/i.test(e.message) },
  {
    code: 'INSUFFICIENT_FUNDS',
    fits: (e) => 'buying_power' in e || /buying power|insufficient (balance|funds|cash)/i.test(e.message),
  },
  { code: 'OPPOSITE_ORDER', fits: (e) => e.existing_order_id !== undefined || /wash trade/i.test(e.message) },
  // An account that is blocked or may not sell short, day trading protection, a halt.
  { code: 'BROKER_ERROR', fits: () => true },
]

/** Codes 4031xxxx are a trading rule's refusal; any other 403 may mean that the keys are not accepted. */
const isTradingCode = (code: number | undefined): boolean =>
  code !== undefined && Math.floor(code / 10_000) === 4031

const ALPACA_NOT_FOUND = 40_410_000

/** Only a refusal in Alpaca's own words means that nothing was placed; every other surprise is unknown. */
export function submissionError(answer: HttpAnswer): Error {
  const general = generalError(answer, 'submission')
  const error = readError(answer)
  if (general || !error) return general ?? unusable(answer, 'submission')
  switch (answer.status) {
    case 403: {
      const { code } = FORBIDDEN_FOR.find(({ fits }) => fits(error))!
      return new BrokerRejection(code, wordsOf(error), answer.status, {
        opposing: error.existing_order_id ?? null,
        funds: code === 'INSUFFICIENT_FUNDS' ? fundsOf(error) : null,
      })
    }
    case 400:
    case 404:
    case 409:
    case 422:
      return /client_order_id/i.test(error.message) && /unique/i.test(error.message)
        ? new DuplicateClientOrderId(wordsOf(error))
        : new BrokerRejection(
            isTooSmall(error) ? 'ORDER_TOO_SMALL' : 'INVALID_ORDER',
            wordsOf(error),
            answer.status,
            {
              isAgainstPosition: /position intent mismatch/i.test(error.message),
            },
          )
    default:
      return unusable(answer, 'submission')
  }
}

/** Never a rejection: a refused look at an order says nothing about the order. */
export const requestError = (answer: HttpAnswer, what: string): Error =>
  generalError(answer, what) ?? unusable(answer, what)

function generalError(answer: HttpAnswer, what: string): Error | null {
  if (answer.status === 429) return busyUntil(answer.headers)
  const error = readError(answer)
  if (answer.status === 401 || (answer.status === 403 && error && !isTradingCode(error.code))) {
    // Not the last word: see `keys.ts`.
    return new BrokerCredentialsError(`The broker does not accept the keys (${what}: ${answer.status})`, {
      what,
      httpStatus: answer.status,
      words: error && wordsOf(error),
    })
  }
  return null
}

function unusable(answer: HttpAnswer, what: string): BrokerOutcomeUnknown {
  const error = readError(answer)
  const words = error ? ` ${wordsOf(error)}` : ''
  return new BrokerOutcomeUnknown(`The broker gave no usable answer (${what}: ${answer.status}${words})`)
}

/** In the broker's own words: a wrong address is a 404 as well. */
export const isNotFound = (answer: HttpAnswer): boolean =>
  answer.status === 404 && readError(answer)?.code === ALPACA_NOT_FOUND

export const isRuledOut = (answer: HttpAnswer): boolean =>
  answer.status === 422 || (answer.status === 403 && isTradingCode(readError(answer)?.code))

function readError(answer: HttpAnswer): WireError | null {
  try {
    return wireError.safeParse(JSON.parse(answer.body)).data ?? null
  } catch {
    return null
  }
}

const wordsOf = (error: WireError): string =>
  error.reject_reason ? `${error.message} (${error.reject_reason})` : error.message

const fundsOf = ({ buying_power: available, cost_basis: needed }: WireError): BrokerRejection['funds'] =>
  isDecimal(available) && isDecimal(needed)
    ? { needed: decimal(needed), available: decimal(available) }
    : null
