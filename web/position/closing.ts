import type { Order, Position } from '#client/types.ts'
import { orderSentence } from '../words/order.ts'
import { bothTimes } from '../words/times.ts'
import type { Cover } from './list.ts'
import { worthOf } from './worth.ts'

/** A position as it was when the question was opened: later changes do not alter the question. */
export interface Closed {
  position: Position
  /** Orders that hold its shares and are cancelled first, in words. */
  givingWay: readonly string[]
  /** Times at which its exits are sent, in words. */
  exits: readonly string[]
}

export const closedOf = (position: Position, cover: Cover | undefined, now: number): Closed => ({
  position,
  givingWay: (cover?.working ?? []).map(orderSentence),
  exits: [
    ...(cover?.planned ?? []).map(({ exit }) => exit?.submitAt),
    ...(cover?.scheduled ?? []).map(({ scheduledAt }) => scheduledAt),
  ].flatMap((at) => (at == null ? [] : [bothTimes(at, now)])),
})

/** Whether other shares are held than in the question; prices may move. */
export const isOtherwise = ({ position }: Closed, held: Position | undefined): boolean =>
  held === undefined || held.side !== position.side || held.quantity !== position.quantity

/** Dollars gained by a closing order's fills; null before a fill, or without its price. */
export function gainOf(position: Position, order: Order): number | null {
  const { filledQuantity, avgFillPrice } = order
  if (filledQuantity === 0 || avgFillPrice === null) return null
  return worthOf(position, filledQuantity, avgFillPrice).gain
}
