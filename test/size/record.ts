import { AREAS, figureOf } from './words.ts'

/** Name of a figure -> its value, in the order in which they are shown; null: not measured. */
export type Figures = Readonly<Record<string, number | null>>

/** The figures that rise only with a reason: they say how much a person has to read before a first change. */
export const BOUNDED = [
  'files of the walk',
  'lines of the walk',
  'words of docs',
  'words of comments',
  'words of comments of web',
]

/** The figures that never rise, whatever the reason: uses of words that the glossary replaces. */
export const FALLING = AREAS.map(figureOf)

/** The figures that were recorded last, and why bounded figures rose then: figure -> one line. */
export interface SizeRecord {
  readonly figures: Figures
  readonly why: Readonly<Record<string, string>>
}

/** The bounded and falling figures that are higher than recorded. */
export const raisedIn = ({ figures }: SizeRecord, now: Figures): string[] =>
  [...BOUNDED, ...FALLING].filter((name) => (now[name] ?? 0) > (figures[name] ?? Infinity))

/**
 * The record of the present figures; null where a bounded figure rises without a reason, or a falling figure at all. The record has
 * the reason for each bounded figure that rises, and drops earlier reasons. A figure that was not measured keeps its value.
 */
export function nextRecord(record: SizeRecord, now: Figures, why: string): SizeRecord | null {
  const raised = raisedIn(record, now)
  if (raised.length > 0 && why.trim() === '') return null
  if (raised.some((name) => FALLING.includes(name))) return null
  const figures = Object.entries(now).map(([name, value]) => [name, value ?? record.figures[name] ?? null])
  return { figures: Object.fromEntries(figures), why: Object.fromEntries(raised.map((name) => [name, why])) }
}

/** `before → now (difference)`, or the value alone where it is the same. */
export function changeOf(before: number | null | undefined, now: number | null): string {
  if (now === null) return 'not measured'
  const shown = now.toLocaleString('en')
  if (before === undefined || before === null || before === now) return shown
  const difference = Math.abs(now - before).toLocaleString('en')
  return `${before.toLocaleString('en')} → ${shown} (${now > before ? '+' : '−'}${difference})`
}
