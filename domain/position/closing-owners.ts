import { add, smaller, type Decimal } from '../money/decimal.ts'
import type { PositionShares } from './ownership.ts'
import { claimsOf, closings, isFrozen, type LiveOrder, type SymbolState } from './symbol-state.ts'

const isTheirs = (owners: readonly string[] | undefined, owner: string | null): boolean =>
  owners === undefined || (owner !== null && owners.includes(owner))

/** Resting exits of the owners, cancelled first in any case. */
export const restingOf = (owners: readonly string[] | undefined, symbolState: SymbolState): LiveOrder[] =>
  owners === undefined
    ? []
    : closings(symbolState.live).filter(
        ({ signalId, ...order }) =>
          signalId !== null && owners.includes(signalId) && isFrozen({ ...order, signalId }, symbolState),
      )

/** All held shares without owners, else theirs that are unreserved. */
export function mostOf(
  owners: readonly string[] | undefined,
  { shares, live }: Pick<SymbolState, 'shares' | 'live'>,
  held: Decimal,
): Decimal {
  if (owners === undefined) return held
  const free = shares.without(claimsOf(live))
  return smaller(
    held,
    owners.reduce<Decimal>((sum, owner) => add(sum, free.of(owner)), '0'),
  )
}

export const theirsOf = (owners: readonly string[] | undefined, shares: PositionShares): PositionShares =>
  shares.keeping((owner) => isTheirs(owners, owner))

export const ownedOf = (
  owners: readonly string[] | undefined,
  { shares }: Pick<SymbolState, 'shares'>,
  held: Decimal,
): Decimal => (owners === undefined ? held : smaller(held, theirsOf(owners, shares).quantity))
