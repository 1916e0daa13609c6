import { amount } from '../parts/amount.ts'
import type { Body } from '../trade/requests.ts'
import type { DistanceTerms, LevelTerms, ProtectionTerms } from './terms.ts'

/** Unit of a level: a price, or a distance from the average fill. */
export type By = 'price' | 'percent' | 'amount'

export interface LevelDraft {
  /** Empty for no level. */
  by: '' | By
  value: string
}

export interface ProtectionDraft {
  stop: LevelDraft
  /** Dollars a share; empty for a stop that sells at market. */
  limitOffset: string
  target: LevelDraft
  trail: LevelDraft
  /** Profit from which the stop trails; none for from the fill on. */
  trailAfter: LevelDraft
  breakEven: LevelDraft
  until: 'closed' | 'session'
}

const NONE: LevelDraft = { by: '', value: '' }

export const noProtection = (): ProtectionDraft => ({
  stop: NONE,
  limitOffset: '',
  target: NONE,
  trail: NONE,
  trailAfter: NONE,
  breakEven: NONE,
  until: 'closed',
})

type ProtectionBody = NonNullable<Body['protection']>

const levelOf = ({ by, value }: LevelDraft): Record<string, number | string> | null =>
  by === '' ? null : { [by]: amount(value) }

/** The `protection` of the body; undefined for a draft without levels. */
export function protectionBody(draft: ProtectionDraft): ProtectionBody | undefined {
  const { limitOffset, until } = draft
  const stop = levelOf(draft.stop)
  const target = levelOf(draft.target)
  const trail = levelOf(draft.trail)
  const after = levelOf(draft.trailAfter)
  const breakEven = levelOf(draft.breakEven)
  if (!stop && !target && !trail && !breakEven) return undefined
  return {
    ...(stop && {
      stop: { ...stop, ...(limitOffset.trim() !== '' && { limitOffset: amount(limitOffset) }) },
    }),
    ...(target && { target }),
    ...(trail && { trail: { ...trail, ...(after && { after }) } }),
    ...(breakEven && { breakEven }),
    ...(until === 'session' && { until }),
  }
}

export function levelDraft(terms: (DistanceTerms & LevelTerms) | null | undefined): LevelDraft {
  for (const by of ['price', 'percent', 'amount'] as const)
    if (terms?.[by] != null) return { by, value: String(terms[by]) }
  return NONE
}

export const protectionDraft = (terms: ProtectionTerms | null): ProtectionDraft => ({
  stop: levelDraft(terms?.stop),
  limitOffset: terms?.stop?.limitOffset == null ? '' : String(terms.stop.limitOffset),
  target: levelDraft(terms?.target),
  trail: levelDraft(terms?.trail),
  trailAfter: levelDraft(terms?.trail?.after),
  breakEven: levelDraft(terms?.breakEven),
  until: terms?.until ?? 'closed',
})

/** Levels in a valid body, whose figures may be texts; null without any. */
export const protectionIn = (body: string): ProtectionTerms | null =>
  (
    JSON.parse(body, (name, value: unknown) =>
      FIGURES.includes(name) && typeof value === 'string' ? Number(value) : value,
    ) as { protection?: ProtectionTerms }
  ).protection ?? null

const FIGURES = ['price', 'percent', 'amount', 'limitOffset']
