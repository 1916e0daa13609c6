import { MINUTE_MS } from './time-units.ts'

/** One regular session of an exchange: its local date and its UTC opening and closing instants. */
export interface TradingSession {
  /** YYYY-MM-DD in the exchange's zone. */
  date: string
  opensAt: string
  closesAt: string
}

/** An answer of so many days covers the longest closure of an exchange with room to spare. */
export const CALENDAR_REACH_DAYS = 14

/**
 * Orders for an auction are taken until so long before it, in milliseconds (Alpaca: 09:28; NYSE rule 7.35B and Alpaca: 15:50
 * for a close at 16:00).
 */
export const AUCTION_CUT_OFF_MS = { opg: 2 * MINUTE_MS, cls: 10 * MINUTE_MS } as const
