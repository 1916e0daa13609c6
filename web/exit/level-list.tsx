import { Landmark, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { PART_NAMES, type Keepers, type LevelLine } from './levels.ts'

interface Props {
  lines: readonly LevelLine[]
  keepers: Keepers
  renderEnd?: (line: LevelLine) => ReactNode
}

export const LevelList = ({ lines, keepers: { atBroker, keptHere }, renderEnd }: Props) => (
  <div className="grid gap-3">
    <ul className="grid gap-3">
      {lines.map((line) => (
        <li key={line.part} className="flex items-start gap-x-3">
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="font-medium">{PART_NAMES[line.part]}</span>
              <b className="font-bold wrap-anywhere">{line.at}</b>
            </p>
            <p className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
              <span className="wrap-anywhere">{line.note}</span>
              <span>{line.away}</span>
            </p>
          </div>
          {renderEnd?.(line)}
        </li>
      ))}
    </ul>
    <ul className="grid gap-1 text-xs text-muted">
      {atBroker !== '' && (
        <li className="flex gap-2">
          <Landmark aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          <span>
            <b className="font-medium text-text">At the broker:</b> {atBroker}. It holds while this service is
            down
          </span>
        </li>
      )}
      {keptHere !== '' && (
        <li className="flex gap-2">
          <Server aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          <span>
            <b className="font-medium text-text">Kept here:</b> {keptHere}. It needs this service and fresh
            prices
          </span>
        </li>
      )}
    </ul>
  </div>
)
