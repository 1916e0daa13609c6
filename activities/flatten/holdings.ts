import type { Broker } from '#brokers/port.ts'
import { unseenPositions } from '#db/accounts/unseen-positions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Flattening } from '#db/flatten/flattenings.ts'
import { signalsOfScope } from '#db/flatten/owners.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { add, isPositive, smaller, type Decimal } from '#domain/decimal.ts'

export interface Holding {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  held: Decimal
  owners: string[] | null
}

/** The broker's positions, and those that only our executions know. Throws as the broker does. */
export async function readHoldings(
  em: EntityManager,
  broker: Broker,
  flattening: Flattening,
  accountId: string,
): Promise<Holding[]> {
  const { symbols, scope, includeManual } = flattening
  const shown = await broker.listPositions()
  const unseen = await unseenPositions(em, accountId, null, shown)
  const names = new Set(unseen.map(({ symbol }) => symbol))
  const all = [...shown.filter(({ symbol }) => !names.has(symbol)), ...unseen]
    .filter(({ symbol }) => symbols === null || symbols.includes(symbol))
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
  const holdings: Holding[] = []
  for (const { symbol, side, quantity } of all) {
    const whole = { accountId, symbol, side, held: quantity, owners: null }
    const own =
      scope === 'account' && includeManual ? whole : await ownedPart(em, flattening, { ...whole, quantity })
    if (own !== null) holdings.push(own)
  }
  return holdings
}

async function ownedPart(
  em: EntityManager,
  flattening: Flattening,
  { quantity, ...whole }: Holding & { quantity: Decimal },
): Promise<Holding | null> {
  const { shares } = await readSymbolBook(em, whole.accountId, whole.symbol)
  if (shares.side !== whole.side) return null
  const ids = [...new Set(shares.lots.flatMap(({ owner }) => owner ?? []))]
  const owners = await signalsOfScope(em, flattening, ids)
  const owned = owners.reduce<Decimal>((sum, owner) => add(sum, shares.of(owner)), '0')
  return isPositive(owned) ? { ...whole, held: smaller(owned, quantity), owners } : null
}
