import type { SnapshotWindow } from '#domain/balance-snapshot.ts'

/**
 * What the outside knows of recording the balances with which each day of the exchange ends, for the dashboard's
 * history and performance.
 */

/** The day whose end comes next for the accounts at a kind of broker, or can be recorded already. */
export interface SnapshotPlan extends SnapshotWindow {
  brokerType: string
  /** Days before it, of which something may be known that nobody recorded. */
  past: SnapshotWindow[]
  /** Why the exchange's own calendar had to do for the broker's; null where the broker was asked. */
  calendarTrouble: string | null
}

/** The outcome of one day at one kind of broker, in accounts. */
export interface DailySnapshots {
  brokerType: string
  date: string
  recorded: number
  /** Their brokers could not be asked in time. The day stays absent unless something of it becomes known. */
  missing: number
  /** Earlier days that were filled from what was known of them. */
  filled: number
}
