import { decimal, isZero, multiply } from '#domain/decimal.ts'
import type { Balances } from '../exchange/margin.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { VenuePosition } from '../ledger/executions.ts'
import type { VenueParts } from './context.ts'

/** The account's positions as the venue shows them, which may lag behind its fills when the fault script says so. */
export function shownPositions(parts: VenueParts, account: VenueAccount): VenuePosition[] {
  const { exchange, faults } = parts
  const positions = exchange.positions(account.id)
  if (faults.isEmpty) return positions
  const traded = new Set(exchange.executions.fillsOf(account.id).map(({ symbol }) => symbol))
  return [...traded].toSorted().flatMap((symbol) => shownPosition(parts, account, symbol) ?? [])
}

/** The position in one symbol as the venue shows it; null for none. */
export function shownPosition(
  { exchange, faults, now }: VenueParts,
  { id, keyId }: VenueAccount,
  symbol: string,
): VenuePosition | null {
  const position = exchange.executions.position(id, symbol)
  const rule = faults.drawConduct(['behind'], { account: keyId, symbol, clientOrderId: null })
  if (!rule) return position
  const until = now() - rule.lagMs
  const last = exchange.executions.fillsOf(id).findLast((fill) => fill.symbol === symbol && fill.at <= until)
  if (!last || isZero(last.positionQty)) return null
  const avgEntryPrice = position?.avgEntryPrice ?? last.price
  return { accountId: id, symbol, qty: last.positionQty, avgEntryPrice }
}

/** The account's balances as the venue shows them; its equity may be multiplied when the fault script says so. */
export function shownBalances({ exchange, faults }: VenueParts, account: VenueAccount): Balances {
  const balances = exchange.balances(account)
  const target = { account: account.keyId, symbol: null, clientOrderId: null }
  const rule = faults.drawConduct(['equity'], target)
  return rule ? { ...balances, equity: multiply(balances.equity, decimal(rule.factor)) } : balances
}
