import { distanceWords, money } from '../words/figures.ts'
import { PART_NAMES } from './levels.ts'
import type { LevelTerms } from './terms.ts'

type Data = Readonly<Record<string, unknown>>

const figure = (value: unknown): string => money(Number(value))

/** Words for a level in the data of a step, whose figures are texts. */
function levelWords(level: unknown): string {
  const { price, percent, amount } = level as Record<keyof LevelTerms, string | undefined>
  if (price !== undefined) return `at ${figure(price)}`
  return percent === undefined
    ? distanceWords({ amount: Number(amount) })
    : distanceWords({ percent: Number(percent) })
}

/** Words for a timeline step about the exit; null for other steps. */
export function protectionStep(kind: string, data: Data): string | null {
  if (kind === 'protection_changed') {
    const by = typeof data['by'] === 'string' ? data['by'] : 'A person'
    const plan = data['protection'] as Data | null | undefined
    if (plan == null) return `${by} removed the protection; the position stays open`
    const parts = (Object.keys(PART_NAMES) as (keyof typeof PART_NAMES)[]).flatMap((part) =>
      plan[part] == null ? [] : [`${PART_NAMES[part].toLowerCase()} ${levelWords(plan[part])}`],
    )
    return `${by} changed the protection: ${parts.join(', ')}`
  }
  if (kind !== 'protection_moved' || data['to'] === undefined) return null
  const { by, from, to, best } = data
  const why =
    by === 'trail'
      ? `, behind the best price of ${figure(best)}`
      : by === 'breakEven'
        ? ': it is at break-even'
        : ''
  return `${by === 'trail' ? PART_NAMES.trail : PART_NAMES.stop} moved from ${figure(from)} to ${figure(to)}${why}`
}
