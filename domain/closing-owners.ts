import { add, smaller, type Decimal } from './decimal.ts'
import type { OwnedShares } from './ownership.ts'
import { claimsOf, closings, standsStill, type LiveOrder, type SymbolBook } from './symbol-book.ts'

/** A close of what some signals own: of nobody else's shares it takes any. */

/** Whether the shares are theirs; without owners everybody's are. */
const isTheirs = (owners: readonly string[] | undefined, owner: string | null): boolean =>
  owners === undefined || (owner !== null && owners.includes(owner))

/** Orders of the owners that rest and hold the shares: their exits, which are cancelled first, however many shares are free. */
export const restingOf = (owners: readonly string[] | undefined, book: SymbolBook): LiveOrder[] =>
  owners === undefined
    ? []
    : closings(book.live).filter(
        ({ signalId, ...order }) =>
          signalId !== null && owners.includes(signalId) && standsStill({ ...order, signalId }, book),
      )

/** The most that the close may take of `held` shares: without owners all of them, else what theirs is and no live order takes. */
export function mostOf(
  owners: readonly string[] | undefined,
  { shares, live }: Pick<SymbolBook, 'shares' | 'live'>,
  held: Decimal,
): Decimal {
  if (owners === undefined) return held
  const free = shares.without(claimsOf(live))
  return smaller(
    held,
    owners.reduce<Decimal>((sum, owner) => add(sum, free.of(owner)), '0'),
  )
}

/** Their lots. */
export const lotsOf = (
  owners: readonly string[] | undefined,
  lots: readonly OwnedShares[],
): readonly OwnedShares[] => lots.filter(({ owner }) => isTheirs(owners, owner))
