import { Breakdowns } from './breakdowns.tsx'
import { Calendar } from './calendar.tsx'
import { Figures } from './figures.tsx'
import { ResultCurve } from './result-curve.tsx'
import type { Statistics } from './statistics.ts'

export const Results = ({
  statistics,
  withStrategies,
}: {
  statistics: Statistics
  withStrategies?: boolean
}) => (
  <>
    <Figures statistics={statistics} />
    <div className="grid items-start gap-4 wide:grid-cols-2">
      <ResultCurve statistics={statistics} />
      <Calendar days={statistics.days} />
    </div>
    {statistics.all.trades > 0 && (
      <Breakdowns statistics={statistics} {...(withStrategies !== undefined && { withStrategies })} />
    )}
  </>
)
