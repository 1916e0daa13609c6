import type { Broker, BrokerRejection } from '#brokers/port.ts'
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
 * Why the broker refused an opening order, where that was a position of the other side: in our words, or in the broker's where the
 * position cannot be seen, as when it has just been closed. Null of any other refusal.
 */
export async function againstPosition(
  broker: Broker,
  request: OrderRequest,
  refusal: BrokerRejection,
): Promise<string | null> {
  if (refusal.code !== 'INVALID_ORDER' || isReducing(request.side)) return null
  const position = await broker.getPosition(request.symbol).catch(() => null)
  return positionFault(request, position) ?? (refusal.isAgainstPosition ? refusal.brokerMessage : null)
}

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
