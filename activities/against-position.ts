import type { Broker } from '#brokers/port.ts'
import { positionFault } from '#domain/broker-rules.ts'
import { isReducing, parseClientOrderId, type OrderRequest } from '#domain/order.ts'

/**
 * So long after the decision to send it an opening order waits for the close of a position of the other side, in milliseconds: as
 * long as a close waits for the position that its opening makes.
 */
export const CLOSE_PATIENCE = 15_000
/** Shortest and longest pause between two attempts, in milliseconds. */
const PAUSES = [500, 4_000] as const

/**
 * The position of the other side that forbids an order which opens one, in words; null where there is none, or it cannot be seen, as
 * when it has just been closed.
 */
export const heldAgainst = async (broker: Broker, request: OrderRequest): Promise<string | null> =>
  isReducing(request.side)
    ? null
    : positionFault(request, await broker.getPosition(request.symbol).catch(() => null))

/**
 * How many milliseconds an opening order of a signal pauses before it is sent again, when a position of the other side was in the way:
 * its close may be under way, or have been sent beside it and come later. Null when it waits no longer; a person who places an order
 * sees the refusal at once.
 *
 * @param elapsed milliseconds since it was decided to send it
 */
export function pauseForClose(
  { clientOrderId }: OrderRequest,
  elapsed: number,
  patience: number,
): number | null {
  const pause = Math.min(Math.max(elapsed, PAUSES[0]), PAUSES[1], patience - elapsed)
  const isOfSignal = parseClientOrderId(clientOrderId) !== null
  return isOfSignal && pause > 0 ? pause : null
}
