export const MANAGES = ['own', 'position'] as const

/**
 * The shares that a target or a close is about. own: those that signals of the same strategy opened, without one those of the
 * same hook, else those of senders that have neither. position: all that the account holds of the symbol. Decision 7.
 */
export type Manages = (typeof MANAGES)[number]

/** Ids of the signals whose shares are managed together; null: whoever opened them. */
export type Owners = ReadonlySet<string> | null

export const isOf = (owners: Owners, signalId: string | null): boolean =>
  owners === null || (signalId !== null && owners.has(signalId))
