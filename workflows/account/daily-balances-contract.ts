import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'

export interface SnapshotSchedule extends SnapshotWindow {
  brokerType: string
  past: SnapshotWindow[]
  /** Why the exchange's own calendar was used instead of the broker's. */
  calendarTrouble: string | null
}

export interface DailySnapshots {
  brokerType: string
  date: string
  recorded: number
  /** Their brokers could not be asked in time. */
  missing: number
  /** Earlier days filled from other records. */
  filled: number
}
