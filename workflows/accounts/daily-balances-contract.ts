import type { SnapshotWindow } from '#domain/balance-snapshot.ts'

/** The day of a broker type whose end comes next, or can be recorded already. */
export interface SnapshotPlan extends SnapshotWindow {
  brokerType: string
  /** Earlier days that nobody recorded. */
  past: SnapshotWindow[]
  /** Why the exchange's own calendar was used instead of the broker's. */
  calendarTrouble: string | null
}

/** In accounts. */
export interface DailySnapshots {
  brokerType: string
  date: string
  recorded: number
  /** Their brokers could not be asked in time. */
  missing: number
  /** Earlier days filled from other records. */
  filled: number
}
