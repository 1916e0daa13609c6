import { isDecimal } from '#domain/decimal.ts'
import { Misaddressed } from './address-contract.ts'
import {
  APPROVE_SIGNAL,
  CANCEL_EXIT,
  CANCEL_SIGNAL_ORDER,
  DECLINE_SIGNAL,
  ORDER_CHANGED,
  REPLACE_SIGNAL,
  WITHDRAW_SIGNAL,
  type Approval,
  type Decline,
  type OrderChanged,
  type SignalOrderCancel,
  type ReplaceRequest,
  type Withdrawal,
} from '../signal/contract.ts'
import type { CANCEL_ORDER, OrderCancel } from '../manual-order/contract.ts'

type Rule = (value: unknown) => boolean
type Shape<T> = { [K in keyof T]?: Rule }

const text: Rule = (value) => typeof value === 'string'
const number: Rule = (value) => typeof value === 'string' && isDecimal(value)
const object: Rule = (value) => typeof value === 'object' && value !== null
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value)

/** Of every message that has an argument, the fields that handlers rely on. */
const SHAPES: Readonly<Record<string, Record<string, Rule>>> = {
  [ORDER_CHANGED]: {
    clientOrderId: text,
    brokerOrderId: text,
    symbol: text,
    side: text,
    status: text,
    quantity: number,
    filledQuantity: number,
    avgFillPrice: orNull(number),
  } satisfies Shape<OrderChanged>,
  [APPROVE_SIGNAL]: {
    by: text,
    quantity: orNull(number),
    limitPrice: orNull(number),
    sendBefore: orNull(text),
  } satisfies Shape<Approval>,
  [DECLINE_SIGNAL]: { by: text, reason: orNull(text) } satisfies Shape<Decline>,
  [WITHDRAW_SIGNAL]: { by: text } satisfies Shape<Withdrawal>,
  [CANCEL_EXIT]: { by: text } satisfies Shape<Withdrawal>,
  [REPLACE_SIGNAL]: { by: text, replacement: object } satisfies Shape<ReplaceRequest>,
  // The same name for a signal, which names the order, and for a manual order, which needs not.
  [CANCEL_SIGNAL_ORDER satisfies typeof CANCEL_ORDER]: {
    by: text,
    clientOrderId: (value) => value === undefined || text(value),
  } satisfies Shape<SignalOrderCancel & OrderCancel>,
}

/**
 * Throws {@link Misaddressed} when the argument of a message has not the fields that its handler relies on. What an
 * API or a feed of another version sends could otherwise break a handler, and with it the task, again and again.
 */
export function requireShape(message: string, [argument]: readonly unknown[]): void {
  const shape = SHAPES[message]
  if (shape === undefined) return
  if (!object(argument)) throw new Misaddressed('It has no argument')
  const fields = argument as Record<string, unknown>
  const wrong = Object.entries(shape).filter(([name, isRight]) => !isRight(fields[name]))
  if (wrong.length > 0) throw new Misaddressed(`Its ${wrong.map(([name]) => name).join(', ')} cannot be used`)
}
