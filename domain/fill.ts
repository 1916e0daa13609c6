import { compare, type Decimal } from './decimal.ts'

/** Shares that changed hands at a price, as the broker lists it. Never changes. */
export interface Execution {
  /** The broker's name of the execution; unique within an account. */
  executionId: string
  /** The broker's id of the order that was executed; null for shares that were held before anybody looked. */
  brokerOrderId: string | null
  symbol: string
  side: 'BUY' | 'SELL'
  /** Shares, above zero. */
  quantity: Decimal
  /** Dollars a share. */
  price: Decimal
  /** UTC instant with microseconds: brokers execute several times within a millisecond. */
  at: string
  /** Shares of its order that were filled once this one was: tells executions of one instant apart. */
  orderFilled: Decimal
}

/** An execution, and what it has cost. */
export interface Fill extends Execution {
  /** Dollars that the broker charged, as far as it has told by now; negative when it gave some back. */
  fees: Decimal
}

/**
 * The order in which fills happened. Total, so that it never depends on how they arrived: brokers list those of one
 * instant in any order.
 */
export function byExecution(a: Execution, b: Execution): number {
  return (
    byText(a.at, b.at) ||
    byText(a.brokerOrderId ?? '', b.brokerOrderId ?? '') ||
    compare(a.orderFilled, b.orderFilled) ||
    byText(a.executionId, b.executionId)
  )
}

/** Not localeCompare: the order must be the same on every machine, and that of the database's instants. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A fee as a broker books it, often a day late. */
export interface Fee {
  feeId: string
  /** The execution that it was charged for; null for the sum of a day. */
  executionId: string | null
  /** The day of trading that it was charged for, a date of the exchange such as 2026-03-02. */
  day: string
  /** Dollars; negative for money that was given back. */
  amount: Decimal
  kind: FeeKind
}

/**
 * What a fee is charged on: sales of shares (FINRA's TAF, the SEC's section 31 fee), trades of shares either way
 * (commissions, the audit trail), or something that is no trade of ours, such as options or a subscription.
 */
export type FeeKind = 'sales' | 'trades' | 'other'
