import { measureInTurn } from '../in-turn.ts'

/** How much is measured. */
export interface FanOutBenchOptions {
  /** Accounts of a signal for several, at most 20. */
  accounts: number
  /** Signals for one account, and as many for several, in turn. */
  signals: number
}

/** Milliseconds from the request until its first order was let out to the broker, and its last one. */
export interface Latency {
  first: number
  last: number
}

/** What was measured, of each signal. */
export interface FanOutFigures {
  options: FanOutBenchOptions
  one: Latency[]
  several: Latency[]
}

/** Sends signals for one account and for several in turn. */
export const runFanOutBench = async (
  options: FanOutBenchOptions,
  tell: (what: string) => void,
): Promise<FanOutFigures> => ({
  options,
  ...(await measureInTurn(
    {
      accounts: options.accounts,
      signals: options.signals,
      warmUp: 15,
      kinds: {
        one: () => ({}),
        several: (accountIds) => (accountIds.length === 1 ? {} : { accountId: undefined, accountIds }),
      },
      sqlOf: (symbol) =>
        `select (extract(epoch from min(o.sent_at)) * 1000)::float8 as first,
           (extract(epoch from max(o.sent_at)) * 1000)::float8 as last, count(*)::int as orders
         from orders o where o.symbol = '${symbol}' and o.sent_at is not null`,
      read: (row: (Latency & { orders: number }) | undefined, { kind, sentAt }) =>
        row?.orders === (kind === 'one' ? 1 : options.accounts)
          ? { first: row.first - sentAt, last: row.last - sentAt }
          : null,
    },
    tell,
  )),
})
