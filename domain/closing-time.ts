/** Until when a close may be sent. */
export interface ClosingTime {
  /** UTC instant; null where nothing ends it but its sender. */
  sendBefore: string | null
  /** For how many milliseconds a close is worth sending; null where its sender has named the instant. */
  worthFor: number | null
}

/** Orders of ours that are, or were, cancelled so that a close can be sent. */
export interface GivingWay {
  /** Of those that still work, in words. */
  working: readonly string[]
  /** When their broker was last asked to cancel one; UTC instant, by the database's clock. */
  askedAt: string
}

/**
 * Until when a close may be sent, UTC instant, null for no end. It does not age while it waits for our own cancel: its shares were
 * promised to it, and the exit that held them is gone or going. Once that is over it is worth sending for as long as a new one.
 */
export function closeBefore(
  { sendBefore, worthFor }: ClosingTime,
  givingWay: GivingWay | null,
): string | null {
  if (sendBefore === null || worthFor === null || givingWay === null) return sendBefore
  if (givingWay.working.length > 0) return null
  const anew = new Date(Date.parse(givingWay.askedAt) + worthFor).toISOString()
  return anew > sendBefore ? anew : sendBefore
}
