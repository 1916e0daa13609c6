import type { Broker } from '#brokers/port.ts'
import { compare, smaller, type Decimal } from '#domain/decimal.ts'
import type { SizeExitInput } from './contract.ts'
import { unsettled } from './failures.ts'

/** How long after a fill the broker's positions may not show it yet, in milliseconds. */
const POSITION_LAG = 5_000

/**
 * Shares to close: what the entry filled, never more than is still held, so that an exit cannot flip a
 * position that a person has reduced or closed by hand. "0" when nothing is left.
 */
export async function sizeExit(
  { brokerFor, now }: { brokerFor(accountId: string): Promise<Broker>; now(): number },
  { accountId, symbol, side, filledQuantity, entryEndedAt }: SizeExitInput,
): Promise<{ quantity: Decimal }> {
  const broker = await brokerFor(accountId)
  const position = await broker.getPosition(symbol)
  const holds = position !== null && position.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const held = holds ? position.quantity : '0'
  if (compare(held, filledQuantity) < 0 && now() < Date.parse(entryEndedAt) + POSITION_LAG)
    throw unsettled(`the broker shows ${held} ${symbol} where ${filledQuantity} were filled a moment ago`)
  return { quantity: smaller(held, filledQuantity) }
}
