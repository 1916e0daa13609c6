export interface AccountSyncInput {
  accountId: string
  /** UTC instant from which on it is compared at least with its broker; as far as the worker thinks fit unless given. */
  since?: string
}

/** One id for each account, so that a second request joins the running sync. */
export const accountSyncIdFor = (accountId: string): string => `account-sync-${accountId}`

/** rejected_keys: by the broker. unreachable: no usable answer. gone: not connected any more. */
export type AccountSyncOutcome =
  | { outcome: 'synced'; syncedAt: string }
  | { outcome: 'rejected_keys' | 'unreachable'; detail: string }
  | { outcome: 'gone' }

export interface AllAccountsSyncInput extends AllAccountsSynced {
  after: string
}

/** Running syncs count as synced. */
export interface AllAccountsSynced {
  synced: number
  failed: number
}
