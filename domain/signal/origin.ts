export const ORIGINS = ['sender', 'hook', 'person', 'close', 'flatten', 'adopted'] as const
/**
 * Who asks to trade: a program or a hook by a signal, a person by a ticket, a close of a position, a flattening. adopted: nobody, for
 * shares that are held already and get an exit; it has no entry.
 */
export type Origin = (typeof ORIGINS)[number]

export const ASKED_SIDES = ['BUY', 'SELL'] as const

/** An order by hand names a side: whether it opens or closes follows from the position right before it is sent. */
export interface Ask {
  side: (typeof ASKED_SIDES)[number]
  /** With nothing left to close it is denied, and never opens. */
  reducesOnly: boolean
  /** Ids of the signals whose shares it closes, and no others; whatever is held where absent. */
  owners?: string[]
}
