import type { Account } from '#client/types.ts'
import { MOST_MINUTES } from '#domain/exit/flat-by-close.ts'

export type FlatByClose = Account['flatByClose']

export interface FlatDraft {
  isOn: boolean
  minutes: string
  includeManual: boolean
}

export const flatDraft = (terms: FlatByClose): FlatDraft => ({
  isOn: terms !== null,
  minutes: String(terms?.minutes ?? 15),
  includeManual: terms?.includeManual ?? false,
})

/** Fault of the minutes; null for none. */
export function flatFault({ isOn, minutes }: FlatDraft): string | null {
  const value = Number(minutes)
  const isSound = /^\d+$/.test(minutes.trim()) && value >= 1 && value <= MOST_MINUTES
  return !isOn || isSound ? null : `Enter a whole number from 1 to ${MOST_MINUTES}`
}

export const flatTerms = ({ isOn, minutes, includeManual }: FlatDraft): FlatByClose =>
  isOn ? { minutes: Number(minutes), includeManual } : null

/** Rule of a strategy or a hook, only for shares of their signals. */
export const flatOfSignals = (draft: FlatDraft): { minutes: number } | null =>
  draft.isOn ? { minutes: Number(draft.minutes) } : null

/** "15 min before the close, including positions opened by hand"; "off". */
export const flatWords = (terms: FlatByClose): string =>
  terms === null
    ? 'off'
    : `${terms.minutes} min before the close${terms.includeManual ? ', including positions opened by hand' : ''}`
