import { TriangleAlert } from 'lucide-react'
import { ListTime } from '../parts/list-time.tsx'
import type { Column } from '../parts/table.tsx'
import { eventDetails, eventWords, isSuspicious, type AuditEvent } from './words.ts'

export const logColumns = <Event extends AuditEvent>(
  now: number,
  ...more: readonly Column<Event>[]
): readonly Column<Event>[] => [
  {
    name: 'What',
    place: 'first',
    of: (event) => (
      <>
        <span className="inline-flex items-center gap-1.5">
          {isSuspicious(event) && <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-warn" />}
          {eventWords(event)}
        </span>
        <span className="block text-xs font-normal text-muted empty:hidden">{eventDetails(event)}</span>
      </>
    ),
  },
  { name: 'When', place: 'second', line: 'whole', of: ({ at }) => <ListTime at={at} now={now} /> },
  ...more,
  { name: 'From', place: 'tail', of: ({ ip }) => ip ?? 'the service' },
]
