/**
 * The most orders that may leave, whatever workflows ask for: the last wall against a runaway, far beyond what
 * an account's own limits allow.
 */
export interface OrderCaps {
  /** Orders of one account in one minute of the clock; opening and closing ones are counted apart. */
  perMinute: number
  /** Opening orders of one account in one day of the exchange. */
  perDay: number
  /** Entry orders of one signal: a second one needs a definitive end of the first. */
  entriesPerSignal: number
}

export const ORDER_CAPS: OrderCaps = { perMinute: 1_000, perDay: 20_000, entriesPerSignal: 3 }
