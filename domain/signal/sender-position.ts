import type { AlertNotice } from '../alert/alert.ts'
import { compare, magnitude, type Decimal, figure } from '../money/decimal.ts'
import { heldInWords, sideOf, type ProjectedPosition } from '../position/projected-position.ts'

/** The sender's position before its message; null shares if only the side is known. */
export type SenderHolds = { side: 'LONG' | 'SHORT'; shares: Decimal | null } | { side: 'FLAT' }

export const POSITION_DIFFERS = 'position_differs'

export function differenceToSender(
  symbol: string,
  sender: SenderHolds,
  held: ProjectedPosition,
): string | null {
  const { from, isBySide } = held
  const shares = sender.side === 'FLAT' ? '0' : sender.shares
  const isSameSide = sideOf(from) === (sender.side === 'FLAT' ? null : sender.side)
  if (isSameSide && (isBySide || shares === null || compare(magnitude(from), shares) === 0)) return null
  return `its strategy expects ${takenFor(symbol, sender)}, but ${heldInWords(symbol, held)}: an earlier alert was missed or refused, or another sender traded`
}

function takenFor(symbol: string, sender: SenderHolds): string {
  if (sender.side === 'FLAT') return `no position in ${symbol}`
  const shares = sender.shares === null ? `a position in ${symbol}` : `${figure(sender.shares)} ${symbol}`
  return `${shares} ${sender.side.toLowerCase()}`
}

export const senderDiffers = (signalId: string, difference: string): AlertNotice => ({
  kind: 'sender_position_differs',
  message: `Signal ${signalId} was processed by the position here, but ${difference}`,
  data: { signalId },
})
