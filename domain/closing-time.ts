import { instantAfter } from './instants.ts'

export interface ClosingTime {
  sendBefore: string | null
  /** Milliseconds for which a close is worth sending; null where its sender has named the instant. */
  worthFor: number | null
}

export interface GivingWay {
  working: readonly string[]
  /** Of the last cancel; UTC instant, by the database's clock. */
  askedAt: string
}

/** Null for no end. A close does not age while it waits for our own cancel; afterwards it counts as a new one. */
export function closeBefore(
  { sendBefore, worthFor }: ClosingTime,
  givingWay: GivingWay | null,
): string | null {
  if (sendBefore === null || worthFor === null || givingWay === null) return sendBefore
  if (givingWay.working.length > 0) return null
  const anew = instantAfter(givingWay.askedAt, worthFor)
  return anew > sendBefore ? anew : sendBefore
}
