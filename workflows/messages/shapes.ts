import { isDecimal } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import { Misaddressed } from './address-contract.ts'
import { cancelOrder, orderChanged, type OrderCancel } from '../order/contract.ts'
import {
  approveSignal,
  cancelExit,
  changeProtection,
  declineSignal,
  replaceSignal,
  withdrawSignal,
  type Approval,
  type Decline,
  type ProtectionChange,
  type ReplaceRequest,
  type Withdrawal,
} from '../signal/contract.ts'

type Rule = (value: unknown) => boolean
type Shape<T> = { [K in keyof T]?: Rule }

const text: Rule = (value) => typeof value === 'string'
const number: Rule = (value) => typeof value === 'string' && isDecimal(value)
const object: Rule = (value) => typeof value === 'object' && value !== null
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value)

const SHAPES: Readonly<Record<string, Record<string, Rule>>> = {
  [orderChanged.name]: {
    clientOrderId: text,
    brokerOrderId: text,
    symbol: text,
    side: text,
    status: text,
    quantity: number,
    filledQuantity: number,
    avgFillPrice: orNull(number),
  } satisfies Shape<OrderReport>,
  [approveSignal.name]: {
    by: text,
    quantity: orNull(number),
    limitPrice: orNull(number),
    sendBefore: orNull(text),
  } satisfies Shape<Approval>,
  [declineSignal.name]: { by: text, reason: orNull(text) } satisfies Shape<Decline>,
  [withdrawSignal.name]: { by: text } satisfies Shape<Withdrawal>,
  [cancelExit.name]: { by: text } satisfies Shape<Withdrawal>,
  [changeProtection.name]: { by: text, change: object } satisfies Shape<ProtectionChange>,
  [replaceSignal.name]: { by: text, replacement: object } satisfies Shape<ReplaceRequest>,
  [cancelOrder.name]: { by: text, clientOrderId: text } satisfies Shape<OrderCancel>,
}

/** Throws {@link Misaddressed}: a message of another version could make every workflow task fail. */
export function requireShape(message: string, [argument]: readonly unknown[]): void {
  const shape = SHAPES[message]
  if (shape === undefined) return
  if (!object(argument)) throw new Misaddressed('It has no argument')
  const fields = argument as Record<string, unknown>
  const wrong = Object.entries(shape).filter(([name, isRight]) => !isRight(fields[name]))
  if (wrong.length > 0) throw new Misaddressed(`Its ${wrong.map(([name]) => name).join(', ')} cannot be used`)
}
