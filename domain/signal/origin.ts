export const ORIGINS = ['sender', 'hook', 'person', 'close', 'flatten', 'adopted'] as const
/**
 * The requester: a program or hook by a signal, a person by a ticket, a close, a flattening. adopted: no requester and
 * no entry; held shares get an exit.
 */
export type Origin = (typeof ORIGINS)[number]

export const ASKED_SIDES = ['BUY', 'SELL'] as const

/** The side of an order by hand; the position right before its sending decides whether it opens or closes. */
export interface Ask {
  side: (typeof ASKED_SIDES)[number]
  /** Denied with nothing left to close; never opens. */
  reducesOnly: boolean
  /** Ids of the signals whose shares alone it closes; absent for all shares. */
  owners?: string[]
}
