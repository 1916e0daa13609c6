import {
  compare,
  type Decimal,
  add,
  divideDown,
  multiply,
  subtract,
  LEDGER_PLACES,
} from '../money/decimal.ts'
import type { TimeInForce } from './order.ts'
import type { TradingSession } from '../time/session.ts'

export interface Execution {
  executionId: string
  /** Null for shares held before the first sync. */
  brokerOrderId: string | null
  symbol: string
  side: 'BUY' | 'SELL'
  quantity: Decimal
  price: Decimal
  /** UTC with microseconds: brokers execute several times within a millisecond. */
  at: string
  /** Filled shares of its order by then; orders executions of one instant. */
  orderFilled: Decimal
}

export interface Fill extends Execution {
  /** Dollars, as far as known; negative for a rebate. */
  fees: Decimal
}

/** A total order of executions: brokers list those of one instant in any order. */
export function byExecution(a: Execution, b: Execution): number {
  return (
    byText(a.at, b.at) ||
    byText(a.brokerOrderId ?? '', b.brokerOrderId ?? '') ||
    compare(a.orderFilled, b.orderFilled) ||
    byText(a.executionId, b.executionId)
  )
}

/** Not localeCompare: the order must equal the database's everywhere. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The broker's fee, often a day late. */
export interface Fee {
  feeId: string
  executionId: string | null
  day: string
  /** Dollars; negative for a rebate. */
  amount: Decimal
  kind: FeeKind
}

/** sales: FINRA's TAF, the SEC's section 31 fee. trades: commissions, the audit trail. other: no trade of ours. */
export type FeeKind = 'sales' | 'trades' | 'other'

export interface FillAllocatorState {
  of: Fill
  taken: Decimal
}

export interface PricedPart {
  value: Decimal
  fees: Decimal
}

/** A fill used in parts; fees follow the shares exactly. */
export class FillAllocator {
  readonly of: Fill
  #taken: Decimal
  #left: Decimal

  constructor({ of, taken }: FillAllocatorState) {
    this.of = of
    this.#taken = taken
    this.#left = taken === '0' ? of.quantity : subtract(of.quantity, taken)
  }

  get state(): FillAllocatorState {
    return { of: this.of, taken: this.#taken }
  }

  get left(): Decimal {
    return this.#left
  }

  part(quantity: Decimal): PricedPart {
    const before = this.#feesOf(this.#taken)
    this.#taken = add(this.#taken, quantity)
    this.#left = subtract(this.#left, quantity)
    return { value: multiply(quantity, this.of.price), fees: subtract(this.#feesOf(this.#taken), before) }
  }

  rest(): PricedPart {
    const { price, fees } = this.of
    return { value: multiply(this.left, price), fees: subtract(fees, this.#feesOf(this.#taken)) }
  }

  #feesOf(quantity: Decimal): Decimal {
    const { fees, quantity: whole } = this.of
    if (compare(quantity, whole) === 0) return fees
    return divideDown(multiply(fees, quantity), whole, LEDGER_PLACES)
  }
}

/** The next opening outside a session, an auction order's auction, or at once. */
export function earliestFill(
  { timeInForce, extendedHours }: { timeInForce: TimeInForce; extendedHours: boolean },
  sentAt: string,
  sessions: readonly TradingSession[],
): string {
  if (extendedHours) return sentAt
  const sent = Date.parse(sentAt)
  const isLate = ({ opensAt, closesAt }: TradingSession) =>
    sent >= Date.parse(timeInForce === 'opg' ? opensAt : closesAt)
  const session = sessions.find((candidate) => !isLate(candidate))
  if (!session) return sentAt
  if (timeInForce === 'cls') return session.closesAt
  return sent < Date.parse(session.opensAt) ? session.opensAt : sentAt
}
