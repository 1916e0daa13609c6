import type { Account } from '#client/types.ts'
import { MOST_MINUTES } from '#domain/exit/flat-by-close.ts'

/** When before the close nothing is held any more; null for no such rule. */
export type FlatByClose = Account['flatByClose']

/** "Flat by the close" as it is being written. */
export interface FlatDraft {
  isOn: boolean
  minutes: string
  /** Also what was bought by hand. */
  includeManual: boolean
}

export const flatDraft = (terms: FlatByClose): FlatDraft => ({
  isOn: terms !== null,
  minutes: String(terms?.minutes ?? 15),
  includeManual: terms?.includeManual ?? false,
})

/** What is wrong with the minutes; null for nothing. */
export function flatFault({ isOn, minutes }: FlatDraft): string | null {
  const value = Number(minutes)
  const isSound = /^\d+$/.test(minutes.trim()) && value >= 1 && value <= MOST_MINUTES
  return !isOn || isSound ? null : `Enter a whole number from 1 to ${MOST_MINUTES}`
}

export const flatTerms = ({ isOn, minutes, includeManual }: FlatDraft): FlatByClose =>
  isOn ? { minutes: Number(minutes), includeManual } : null

/** Of a strategy or a hook, which concern what their signals own alone. */
export const flatOfSignals = (draft: FlatDraft): { minutes: number } | null =>
  draft.isOn ? { minutes: Number(draft.minutes) } : null

/** "15 min before the close, including positions opened by hand"; "off". */
export const flatWords = (terms: FlatByClose): string =>
  terms === null
    ? 'off'
    : `${terms.minutes} min before the close${terms.includeManual ? ', including positions opened by hand' : ''}`
