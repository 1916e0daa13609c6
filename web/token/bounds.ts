import type { AccessToken, Account } from '#client/types.ts'
import { symbolsOf } from '../parts/symbols.ts'
import { money } from '../words/figures.ts'

/** Bounds of a token; those not set are absent. */
type Bounds = AccessToken['bounds']

/** Bounds in the form; empty ones are not set. */
export interface BoundsDraft {
  pendingOnly: boolean
  accountIds: ReadonlySet<string>
  /** Symbols separated by spaces or commas. */
  symbols: string
  /** Dollars, as typed. */
  maxOrderValue: string
  ownSignalsOnly: boolean
}

export const NO_BOUNDS: BoundsDraft = {
  pendingOnly: false,
  accountIds: new Set(),
  symbols: '',
  maxOrderValue: '',
  ownSignalsOnly: false,
}

/** Bounds of the request, which the service checks; undefined for none. */
export function boundsOf(draft: BoundsDraft) {
  const symbols = symbolsOf(draft.symbols)
  const maxOrderValue = draft.maxOrderValue.trim().replaceAll(',', '')
  const bounds = {
    ...(draft.pendingOnly && { pendingOnly: true }),
    ...(draft.accountIds.size > 0 && { accountIds: [...draft.accountIds] }),
    ...(symbols.length > 0 && { symbols }),
    ...(maxOrderValue !== '' && { maxOrderValue }),
    ...(draft.ownSignalsOnly && { ownSignalsOnly: true }),
  }
  return Object.keys(bounds).length === 0 ? undefined : bounds
}

/** Words for the bounds of a token, a line each: "only signals that wait for approval". */
export function boundsWords(bounds: Bounds, accounts: ReadonlyMap<string, Account>): string[] {
  const { pendingOnly, accountIds, symbols, maxOrderValue, ownSignalsOnly } = bounds
  return [
    pendingOnly && 'only signals that wait for approval',
    accountIds && `only ${accountIds.map((id) => accounts.get(id)?.name ?? 'a removed account').join(', ')}`,
    symbols && `opens only ${symbols.join(', ')}`,
    maxOrderValue !== undefined && `opens at most ${money(maxOrderValue)} an order`,
    ownSignalsOnly && 'cancels only what it has sent',
  ].filter((words) => typeof words === 'string')
}
