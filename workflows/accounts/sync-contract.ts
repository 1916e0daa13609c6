/**
 * What the outside knows of syncing accounts: copying orders, balances and positions from their brokers, on request
 * and by the clock.
 */

/** Of the workflow that syncs one account; at most one runs for each. */
export interface AccountSyncInput {
  accountId: string
}

/** One id for each account, so that a second request joins the sync that is under way. */
export const accountSyncIdFor = (accountId: string): string => `account-sync-${accountId}`

/**
 * What became of a sync. rejected_keys: the broker does not take the keys of the connection. unreachable: the broker
 * gave no usable answer. gone: the account is not connected any more.
 */
export type AccountSyncOutcome =
  | { outcome: 'synced'; syncedAt: string }
  | { outcome: 'rejected_keys' | 'unreachable'; detail: string }
  | { outcome: 'gone' }

/** The state that one run hands to the next one, where there are more accounts than one history should hold. */
export interface AllAccountsSyncInput extends AllAccountsSynced {
  /** The account after which to go on. */
  after: string
}

/** How many accounts ended how; those whose sync was under way already count as synced. */
export interface AllAccountsSynced {
  synced: number
  failed: number
}
