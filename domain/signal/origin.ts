export const ORIGINS = ['sender', 'hook', 'person', 'close', 'flatten', 'adopted'] as const
/**
 * A signal of a program or hook, a person's ticket, a close, a flattening. adopted: without requester or entry; held
 * shares get an exit.
 */
export type Origin = (typeof ORIGINS)[number]

export const ASKED_SIDES = ['BUY', 'SELL'] as const

/** An order by hand: the position right before its sending decides whether it opens or closes. */
export interface Ask {
  side: (typeof ASKED_SIDES)[number]
  /** Denied with nothing left to close; never opens. */
  reducesOnly: boolean
  /** Only shares of these signals; absent for all shares. */
  owners?: string[]
}
