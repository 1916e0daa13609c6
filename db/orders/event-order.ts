import type { ListOrder } from '../engine/page.ts'

export const SIGNAL_EVENT_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'sequence', type: 'bigint' },
  ],
  direction: 'asc',
}

const FIRST = { signal_events: ['signal_id', 'received'], order_events: ['order_id', 'placed'] } as const

/** SQL with one placeholder, the broker's instant: its clock may be behind, and nothing precedes the first step. */
export function noEarlierThanFirst(table: keyof typeof FIRST, id: string): string {
  const [subject, key] = FIRST[table]
  return `greatest(?::timestamptz, (select at from ${table} where ${subject} = ${id} and key = '${key}'))`
}
