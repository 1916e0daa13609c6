import { TriangleAlert } from 'lucide-react'
import type { Position } from '#client/types.ts'
import { Chip } from '../parts/panel.tsx'
import { number } from '../words/figures.ts'
import { bothTimes } from '../words/times.ts'
import type { Cover } from './list.ts'

/** How a position is closed again, in a few words: when, by which orders, and what has no exit. */
export function ExitCell({
  position,
  cover,
  now,
}: {
  position: Position
  cover: Cover | undefined
  now: number
}) {
  if (!cover) return <span className="waiting-shape inline-block h-3 w-16" />
  const { planned, working, uncovered, alarms } = cover
  const next = planned.find(({ exit }) => exit?.submitAt != null)?.exit?.submitAt
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      {alarms.length > 0 && (
        <Chip kind="danger">
          <TriangleAlert aria-hidden="true" /> exit failed
        </Chip>
      )}
      {next != null && <span>{bothTimes(next, now)}</span>}
      {next == null && planned.length > 0 && <span>planned, after the entry</span>}
      {working.length > 0 && (
        <span>{working.length === 1 ? 'an order works' : `${working.length} orders work`}</span>
      )}
      {uncovered > 0 && (
        <Chip kind="warn">
          <TriangleAlert aria-hidden="true" />
          {uncovered === position.quantity ? 'none planned' : `${number(uncovered)} without an exit`}
        </Chip>
      )}
    </span>
  )
}
