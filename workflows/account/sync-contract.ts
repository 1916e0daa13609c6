export interface AccountSyncInput {
  accountId: string
  /** UTC instant from which the account is compared at least. */
  since?: string
}

/** A second request joins the running sync. */
export const accountSyncIdFor = (accountId: string): string => `account-sync-${accountId}`

/** unreachable: the broker gave no usable answer. gone: not connected any more. */
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
