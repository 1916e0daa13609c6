import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'

export interface SnapshotSchedule extends SnapshotWindow {
  brokerType: string
  past: SnapshotWindow[]
  /** Reason for the exchange's calendar in place of the broker's. */
  calendarTrouble: string | null
}

export interface DailySnapshots {
  brokerType: string
  date: string
  recorded: number
  missing: number
  filled: number
}
