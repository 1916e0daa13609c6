import type { Routes } from '#client/types.ts'
import { DEFAULT_RISK_LIMITS, riskLimits, type RiskLimits } from '#domain/risk/limits.ts'
import { loosenedLimits } from '#domain/risk/loosening.ts'
import { symbolsOf } from '../parts/symbols.ts'
import { FIGURES, type FigureName, type LimitName, type Limits, type RiskSettings } from './words.ts'

type Body = Routes['PUT /api/v1/settings/risk/{accountId}']['request'][0]['body']

export interface FigureDraft {
  choice: 'default' | 'own' | 'off'
  /** As typed; counts only for a value of its own. */
  text: string
}

export interface Draft {
  figures: Record<FigureName, FigureDraft>
  duplicatePolicy: '' | Limits['duplicatePolicy']
  marketHours: '' | Limits['marketHours']
  /** Symbols separated by spaces or commas; null allows all. */
  allowedSymbols: string | null
  forbiddenSymbols: string
}

const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[]

export function draftOf({ set }: Pick<RiskSettings, 'set'>): Draft {
  const figure = (name: FigureName): FigureDraft => {
    const value = set[name]
    if (value === undefined) return { choice: 'default', text: '' }
    return value === null ? { choice: 'off', text: '' } : { choice: 'own', text: String(value) }
  }
  return {
    figures: Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure(name)])) as Draft['figures'],
    duplicatePolicy: set.duplicatePolicy ?? '',
    marketHours: set.marketHours ?? '',
    allowedSymbols: set.allowedSymbols?.join(' ') ?? null,
    forbiddenSymbols: (set.forbiddenSymbols ?? []).join(' '),
  }
}

/** Body to send; a default limit is omitted, and null is no limit. */
export function bodyOf(draft: Draft): Body {
  const figures = FIGURE_NAMES.flatMap((name) => {
    const { choice, text } = draft.figures[name]
    if (choice === 'default') return []
    return [[name, choice === 'off' ? null : text.trim().replaceAll(',', '')] as const]
  })
  const forbidden = symbolsOf(draft.forbiddenSymbols)
  return {
    ...Object.fromEntries(figures),
    ...(draft.duplicatePolicy !== '' && { duplicatePolicy: draft.duplicatePolicy }),
    ...(draft.marketHours !== '' && { marketHours: draft.marketHours }),
    ...(draft.allowedSymbols !== null && { allowedSymbols: symbolsOf(draft.allowedSymbols) }),
    ...(forbidden.length > 0 && { forbiddenSymbols: forbidden }),
  }
}

export const defaultOf = <Name extends LimitName>(name: Name): Limits[Name] =>
  presented({ [name]: DEFAULT_RISK_LIMITS[name] })[name]!

export interface Change {
  name: LimitName
  before: string
  after: string
  /** Allows more than before, so that the service requires a fresh proof. */
  loosens: boolean
}

/** Limits with a value that is no number; the service checks its size. */
export const missingOf = (draft: Draft): FigureName[] =>
  FIGURE_NAMES.filter((name) => {
    const { choice, text } = draft.figures[name]
    const value = text.trim().replaceAll(',', '')
    return choice === 'own' && !/^(\d+(\.\d+)?|\.\d+)$/.test(value)
  })

/**
 * Changes of a draft against the present limits; its values must be numbers, see {@link missingOf}.
 *
 * @param words formats a limit's value
 */
export function changesOf(
  draft: Draft,
  { limits }: Pick<RiskSettings, 'limits'>,
  words: <Name extends LimitName>(name: Name, value: Limits[Name]) => string,
): Change[] {
  const before = rulesOf(limits)
  const after = riskLimits(rulesOf(bodyOf(draft)))
  const loosened = new Set<string>(loosenedLimits(before as RiskLimits, after))
  const shown = presented(after)
  return (Object.keys(limits) as LimitName[]).flatMap((name) => {
    const [was, is] = [words(name, limits[name]), words(name, shown[name]!)]
    return was === is ? [] : [{ name, before: was, after: is, loosens: loosened.has(name) }]
  })
}

const COUNTS: ReadonlySet<string> = new Set<FigureName>([
  'maxOrdersPerMinute',
  'maxOrdersPerDay',
  'duplicateWindowSeconds',
])

/** Limits as the domain's rules take them: counts are numbers, amounts decimal texts. */
const rulesOf = (limits: Partial<Limits> | Body): Partial<RiskLimits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      if (value === null || !(name in FIGURES)) return [name, value]
      return [name, COUNTS.has(name) ? Number(value) : String(value)]
    }),
  )

/** Limits as the service shows them: amounts are numbers. */
const presented = (limits: Partial<RiskLimits>): Partial<Limits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      typeof value === 'string' && name in FIGURES ? Number(value) : value,
    ]),
  )
