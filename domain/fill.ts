import { compare, type Decimal } from './decimal.ts'

/** An execution as the broker lists it. Never changes. */
export interface Execution {
  executionId: string
  /** Null for shares held before the first sync. */
  brokerOrderId: string | null
  symbol: string
  side: 'BUY' | 'SELL'
  quantity: Decimal
  price: Decimal
  /** UTC instant with microseconds: brokers execute several times within a millisecond. */
  at: string
  /** Filled shares of its order by then: the order of executions of one instant. */
  orderFilled: Decimal
}

export interface Fill extends Execution {
  /** Dollars, as far as known; negative for a rebate. */
  fees: Decimal
}

/** Total, so that it never depends on the order of arrival: brokers list those of one instant in any order. */
export function byExecution(a: Execution, b: Execution): number {
  return (
    byText(a.at, b.at) ||
    byText(a.brokerOrderId ?? '', b.brokerOrderId ?? '') ||
    compare(a.orderFilled, b.orderFilled) ||
    byText(a.executionId, b.executionId)
  )
}

/** Not localeCompare: the order must be that of the database, on every machine. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A fee as a broker books it, often a day late. */
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
