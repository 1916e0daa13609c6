import type { LiveTopic } from '#db/live/events.ts'
import { WATCHED_LISTS, type WatchedList } from '#contract/events.ts'
import type { Principal } from '../http/principal.ts'
import type { Scope } from '#domain/risk/token-bounds.ts'
import { ApiError, fault } from '#contract/errors.ts'

/** Without a topic: sent only when requested by name. */
export const WATCHABLE = {
  signals: { topic: 'signal', scope: 'trading:read' },
  groups: { topic: 'group', scope: 'trading:read' },
  orders: { topic: 'order', scope: 'trading:read' },
  positions: { topic: 'position', scope: 'trading:read' },
  accounts: { topic: 'account', scope: 'accounts:read' },
  alerts: { topic: 'alert', scope: 'trading:read' },
  trades: { topic: 'trade', scope: 'trading:read' },
  halts: { topic: 'halt', scope: 'trading:read' },
  brokers: { topic: 'broker', scope: 'accounts:read' },
  user: { topic: 'user', scope: 'trading:read' },
  quotes: { topic: null, scope: 'trading:read' },
  figures: { topic: null, scope: 'accounts:read' },
} as const satisfies Record<WatchedList, { topic: LiveTopic | null; scope: Scope }>

/** Throws INSUFFICIENT_SCOPES for an unreadable name. */
export function watchedLists(
  asked: readonly WatchedList[] | undefined,
  { scopes }: Pick<Principal, 'scopes'>,
): WatchedList[] {
  if (!asked)
    return WATCHED_LISTS.filter((list) => WATCHABLE[list].topic !== null && scopes.has(WATCHABLE[list].scope))
  const refused = asked.filter((list) => !scopes.has(WATCHABLE[list].scope))
  if (refused.length === 0) return [...new Set(asked)]
  throw new ApiError('INSUFFICIENT_SCOPES', {
    details: refused.map((list) =>
      fault(['topics'], 'missing_scope', `The scope ${WATCHABLE[list].scope} is needed for ${list}`),
    ),
  })
}
