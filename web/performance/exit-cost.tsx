import type { Column } from '../parts/table.tsx'
import type { Statistics } from './statistics.ts'
import { costWords } from './words.ts'

export const EXIT_COST: Column<Statistics['exits'][number]> = {
  name: 'Cost',
  isFigure: true,
  of: (group) => {
    const { sum, parts } = costWords(group)
    return (
      <>
        {sum} <span className="text-xs text-muted desk:block">{parts}</span>
      </>
    )
  },
}
