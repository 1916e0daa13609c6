import { LevelList } from './level-list.tsx'
import { basisWords, plannedKeepers, resolvedLines, untilWords, type Expected } from './levels.ts'
import type { ProtectionTerms } from './terms.ts'

export const ExpectedLevels = ({ terms, expected }: { terms: ProtectionTerms; expected: Expected }) => (
  <div className="grid gap-2">
    <LevelList lines={resolvedLines(terms, expected)} keepers={plannedKeepers(terms, expected)} />
    <p className="text-xs text-muted">
      {[basisWords(expected), untilWords(terms), 'Stops do not work outside the regular session.']
        .filter(Boolean)
        .join('. ')}
    </p>
  </div>
)
