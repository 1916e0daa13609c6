/** One regular session of an exchange: its local date and its UTC opening and closing instants. */
export interface TradingSession {
  /** YYYY-MM-DD in the exchange's zone. */
  date: string
  opensAt: string
  closesAt: string
}
