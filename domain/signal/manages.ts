export const MANAGES = ['own', 'position'] as const

/**
 * own: shares opened by signals of the same strategy, without one of the same hook, else of senders with neither.
 * position: all of the symbol in the account. Decision 7.
 */
export type Manages = (typeof MANAGES)[number]

/** Ids of signals that share their shares; null for all shares. */
export type Owners = ReadonlySet<string> | null

export const isOf = (owners: Owners, signalId: string | null): boolean =>
  owners === null || (signalId !== null && owners.has(signalId))
