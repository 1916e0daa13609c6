import { measureInTurn } from '../in-turn.ts'

/** How much is measured. */
export interface StopsBenchOptions {
  /** Signals of each kind, in turn. */
  signals: number
}

/** Milliseconds from the fill of the entry, by the venue's clock, until the ledger knows that the broker has the order; of each signal. */
export interface StopsFigures {
  options: StopsBenchOptions
  /** An exit at market that leaves as soon as the entry has ended: the floor. */
  immediateExit: number[]
  /** The stop of an exit plan. */
  stop: number[]
  /** Stop and target of an exit plan, as one order at the broker. */
  oco: number[]
}

/** Sends entries with an exit of each kind in turn. */
export const runStopsBench = async (
  options: StopsBenchOptions,
  tell: (what: string) => void,
): Promise<StopsFigures> => ({
  options,
  ...(await measureInTurn(
    {
      accounts: 1,
      signals: options.signals,
      warmUp: 5,
      kinds: {
        immediateExit: () => ({ exitTriggerType: 'immediate' }),
        stop: () => ({ protection: { stop: { percent: 20 } } }),
        oco: () => ({ protection: { stop: { percent: 20 }, target: { percent: 20 } } }),
      },
      sqlOf: (symbol) =>
        `select (extract(epoch from x.acknowledged_at - e.filled_at) * 1000)::float8 as latency
         from orders e join orders x on x.signal_id = e.signal_id and x.role = 'exit'
         where e.symbol = '${symbol}' and e.role = 'entry'`,
      read: (row: { latency: number | null } | undefined) => row?.latency ?? null,
    },
    tell,
  )),
})
