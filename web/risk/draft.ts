import type { Routes } from '#client/types.ts'
import { DEFAULT_RISK_LIMITS, riskLimits, type RiskLimits } from '#domain/risk/limits.ts'
import { loosenedLimits } from '#domain/risk/loosening.ts'
import { symbolsOf } from '../parts/symbols.ts'
import { FIGURES, type FigureName, type LimitName, type Limits, type RiskSettings } from './words.ts'

/** The body of PUT /settings/risk/:accountId. */
type Body = Routes['PUT /api/v1/settings/risk/{accountId}']['request'][0]['body']

/** A limit as it is being written: the service's default, one's own, or none at all. */
export interface FigureDraft {
  choice: 'default' | 'own' | 'off'
  /** As typed; it counts while the choice is one's own. */
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

/** What an account's owner has set, to be changed. */
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

/** What is sent: limits that have their default are left out, null is no limit. */
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

/** The default of a limit, as the service has it. */
export const defaultOf = <Name extends LimitName>(name: Name): Limits[Name] =>
  presented({ [name]: DEFAULT_RISK_LIMITS[name] })[name]!

/** One limit that a draft changes. */
export interface Change {
  name: LimitName
  before: string
  after: string
  /** It allows more than before, so that the service asks for a fresh proof. */
  loosens: boolean
}

/** Whether everything that is one's own has a figure that could be one; the service judges its size. */
export const missingOf = (draft: Draft): FigureName[] =>
  FIGURE_NAMES.filter((name) => {
    const { choice, text } = draft.figures[name]
    const value = text.trim().replaceAll(',', '')
    return choice === 'own' && !/^(\d+(\.\d+)?|\.\d+)$/.test(value)
  })

/**
 * What a draft would change of what holds now. Its figures must be ones: see {@link missingOf}.
 *
 * @param words a limit's value as people read it
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

/** Counts are numbers in the domain; amounts are decimals in text. */
const COUNTS: ReadonlySet<string> = new Set<FigureName>([
  'maxOrdersPerMinute',
  'maxOrdersPerDay',
  'duplicateWindowSeconds',
])

/** Limits as the rules of the domain take them. */
const rulesOf = (limits: Partial<Limits> | Body): Partial<RiskLimits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      if (value === null || !(name in FIGURES)) return [name, value]
      return [name, COUNTS.has(name) ? Number(value) : String(value)]
    }),
  )

/** Limits of the domain as the service shows them: every amount as a number. */
const presented = (limits: Partial<RiskLimits>): Partial<Limits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      typeof value === 'string' && name in FIGURES ? Number(value) : value,
    ]),
  )
