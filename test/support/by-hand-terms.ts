import { randomUUID } from 'node:crypto'
import { termsByHand, type ByHandTerms } from '#domain/signal/by-hand.ts'
import type { Ask } from '#domain/signal/origin.ts'

export type ByHandChanges = Partial<ByHandTerms & Ask>

/** Terms of an order by hand, "buy 10 AAPL at market" unless told otherwise. */
export function byHandTerms({
  side = 'BUY',
  reducesOnly = false,
  owners,
  ...changes
}: ByHandChanges = {}): ByHandTerms {
  const terms = termsByHand(
    {
      accountId: '7f1b2c34-0000-4000-8000-000000000002',
      symbol: 'AAPL',
      side,
      quantity: '10',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
      reducesOnly,
      ...(owners && { owners }),
    },
    {
      signalId: randomUUID(),
      userId: '7f1b2c34-0000-4000-8000-000000000001',
      origin: 'person',
      acceptedAt: '2026-03-02T15:00:00.000Z',
      sendBefore: '2026-03-02T15:01:00.000Z',
    },
  )
  return { ...terms, ...changes }
}
