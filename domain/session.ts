import { MINUTE_MS } from './time-units.ts'

/** One regular session; UTC instants. */
export interface TradingSession {
  date: string
  opensAt: string
  closesAt: string
}

/** Days of calendar that cover the longest closure of an exchange. */
export const CALENDAR_REACH_DAYS = 14

/** Milliseconds before an auction (Alpaca: 09:28; NYSE rule 7.35B and Alpaca: 15:50 for a close at 16:00). */
export const AUCTION_CUT_OFF_MS = { opg: 2 * MINUTE_MS, cls: 10 * MINUTE_MS } as const
