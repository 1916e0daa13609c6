import { foreignOpenings, type ForeignOrder } from '#brokers/foreign-holders.ts'
import type { Broker } from '#brokers/port.ts'
import { unseenPositions } from '#db/position/missing-at-broker.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Flattening } from '#db/flatten/flattenings.ts'
import { signalsOfScope } from '#db/flatten/owners.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { add, isPositive, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'

export interface Holding {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  held: Decimal
  owners: string[] | null
}

interface Found {
  holdings: Holding[]
  /** Foreign orders that may open a position of the scope. */
  foreign: ForeignOrder[]
}

/** Includes positions that only our executions know. Throws as the broker does. */
export async function readHoldings(
  em: EntityManager,
  broker: Broker,
  flattening: Flattening,
  accountId: string,
): Promise<Found> {
  const { symbols, cause, createdAt } = flattening
  const isOfScope = ({ symbol }: { symbol: string }) => symbols === null || symbols.includes(symbol)
  const shown = await broker.listPositions()
  const unseen = await unseenPositions(em, accountId, null, shown)
  const names = new Set(unseen.map(({ symbol }) => symbol))
  const all = [...shown.filter(({ symbol }) => !names.has(symbol)), ...unseen]
    .filter(isOfScope)
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
  const holdings: Holding[] = []
  for (const { symbol, side, quantity } of all) {
    const own = await ownedPart(em, flattening, { accountId, symbol, side, quantity })
    if (own !== null) holdings.push(own)
  }
  const foreign = takesAll(flattening) ? await foreignOpenings(broker, shown) : []
  return {
    holdings,
    foreign: foreign.filter(
      (order) => isOfScope(order) && (cause === 'close' || order.submittedAt <= createdAt),
    ),
  }
}

const takesAll = ({ scope, includeManual }: Flattening): boolean => scope === 'account' && includeManual

async function ownedPart(
  em: EntityManager,
  flattening: Flattening,
  { quantity, ...whole }: Omit<Holding, 'held' | 'owners'> & { quantity: Decimal },
): Promise<Holding | null> {
  const isAll = takesAll(flattening)
  const all = { ...whole, held: quantity, owners: null }
  if (isAll && flattening.cause === 'close') return all
  const { shares } = await readSymbolState(em, whole.accountId, whole.symbol)
  if (shares.side !== whole.side) return isAll ? all : null
  const ids = [...new Set(shares.lots.flatMap(({ owner }) => owner ?? []))]
  const owners = await signalsOfScope(em, flattening, ids)
  const sharesOf = (signals: readonly string[]): Decimal =>
    signals.reduce<Decimal>((sum, owner) => add(sum, shares.of(owner)), '0')
  const held = isAll
    ? subtract(quantity, sharesOf(ids.filter((id) => !owners.includes(id))))
    : smaller(sharesOf(owners), quantity)
  return isPositive(held) ? { ...whole, held, owners: isAll ? null : owners } : null
}
