import type { ListOrder } from '../engine/page.ts'

export const SIGNAL_EVENT_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'sequence', type: 'bigint' },
  ],
  direction: 'asc',
}
