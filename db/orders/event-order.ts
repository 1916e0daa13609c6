import type { ListOrder } from '../engine/page.ts'

export const SIGNAL_EVENT_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'sequence', type: 'bigint' },
  ],
  direction: 'asc',
}

/** The first step of each timeline. */
const FIRST = { signal_events: ['signal_id', 'received'], order_events: ['order_id', 'placed'] } as const

/**
 * SQL with one placeholder: the instant of a step that a broker has dated. Its clock may be behind ours, and nothing is before the
 * first step; of one instant, the steps are shown as they were written.
 *
 * @param id SQL of the signal, or the order, whose timeline it is
 */
export function noEarlierThanFirst(table: keyof typeof FIRST, id: string): string {
  const [subject, key] = FIRST[table]
  return `greatest(?::timestamptz, (select at from ${table} where ${subject} = ${id} and key = '${key}'))`
}
