/** The last wall against a runaway, whatever workflows ask for: far beyond an account's own limits. */
export interface OrderCaps {
  /** Of one account in one minute of the clock; opening and closing ones are counted apart. */
  perMinute: number
  /** Opening orders of one account in one day of the exchange. */
  perDay: number
  /** A second entry order needs a definitive end of the first. */
  entriesPerSignal: number
}

export const ORDER_CAPS: OrderCaps = { perMinute: 1_000, perDay: 20_000, entriesPerSignal: 3 }
