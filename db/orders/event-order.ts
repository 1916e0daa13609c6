import type { ListOrder } from '../engine/page.ts'

export const SIGNAL_EVENT_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'sequence', type: 'bigint' },
  ],
  direction: 'asc',
}

/** SQL with one placeholder, the broker's instant: its clock may be behind, and nothing precedes the first step. */
export const noEarlierThanFirst = (signal: string): string =>
  `greatest(?::timestamptz, (select at from signal_events where signal_id = ${signal} and key in ('received', 'placed')))`
