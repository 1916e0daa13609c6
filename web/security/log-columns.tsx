import { TriangleAlert } from 'lucide-react'
import { bothTimes } from '../parts/format.ts'
import type { Column } from '../parts/table.tsx'
import { eventDetails, eventWords, isSuspicious, type AuditEvent } from './words.ts'

/** Columns of the audit log: what happened, when, where, and what else is known of it. */
export const logColumns = <Event extends AuditEvent>(
  now: number,
  ...more: readonly Column<Event>[]
): readonly Column<Event>[] => [
  {
    name: 'What',
    place: 'first',
    of: (event) => (
      <span className="inline-flex items-center gap-1.5">
        {isSuspicious(event) && <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-warn" />}
        {eventWords(event)}
      </span>
    ),
  },
  { name: 'When', place: 'lead', of: ({ at }) => bothTimes(at, now) },
  ...more,
  { name: 'From', place: 'second', of: ({ ip }) => ip ?? 'the service' },
  { name: 'Details', of: (event) => eventDetails(event) },
]
