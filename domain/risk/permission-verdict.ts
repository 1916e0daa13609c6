import {
  accountMay,
  leavesBeforeSettlement,
  type BrokerPermissions,
  type KnownPermissions,
} from './permissions.ts'
import { costOfShare } from './buying-power.ts'
import { multiply, type Decimal } from '../money/decimal.ts'
import type { EntryMarket, EntryTerms, EntryVerdict } from './entry-verdict.ts'
import { binding, type FlatSettings } from '../exit/flat-by-close.ts'
import { ENTRY_SIDE } from '../signal/signal.ts'

const PERMISSION_VERDICT = {
  permitted: 'passed',
  exempt: 'skipped',
  unknown: 'skipped',
  warned: 'warned',
} as const

export function accountMayVerdict(
  {
    action,
    symbol,
    limitPrice,
    stopPrice,
  }: Pick<EntryTerms, 'action' | 'symbol' | 'limitPrice' | 'stopPrice'>,
  quantity: Decimal | null,
  permissions: BrokerPermissions,
  {
    orderCosts,
    buyAt,
    leavesEarly,
  }: Pick<EntryMarket, 'orderCosts'> & {
    buyAt: Decimal | null
    leavesEarly: boolean
  },
): EntryVerdict {
  const rule = 'accountMay'
  const share = costOfShare({ side: ENTRY_SIDE[action], limitPrice, stopPrice }, buyAt, orderCosts)
  const cost = quantity === null || share === null ? null : multiply(quantity, share)
  const permission = accountMay({ action, symbol, cost }, permissions, leavesEarly)
  const { outcome, message } = permission
  return outcome === 'denied'
    ? { rule, outcome, code: permission.code, message }
    : { rule, outcome: PERMISSION_VERDICT[outcome], message }
}

/** An account's permission by the broker's present answer, else the last sync. */
export function permissionVerdict(
  terms: EntryTerms,
  {
    accountPermissions,
    flatByClose,
    isManual,
  }: {
    accountPermissions: KnownPermissions | null
    flatByClose: FlatSettings
    isManual: boolean
  },
  market: EntryMarket,
  { quantity, buyAt }: { quantity: Decimal; buyAt: Decimal | null },
): EntryVerdict {
  const account = market.accountPermissions ?? accountPermissions
  const permissions = { account, asset: market.assetPermissions }
  const exit = { exit: terms.exit, mayCloseToday: mayCloseToday(terms, flatByClose, isManual) }
  const leavesEarly = leavesBeforeSettlement(exit, market)
  const { orderCosts } = market
  return accountMayVerdict(terms, quantity, permissions, { orderCosts, buyAt, leavesEarly })
}

export const isDeniedAt = (
  { action, symbol }: Pick<EntryTerms, 'action' | 'symbol'>,
  account: KnownPermissions | null,
): boolean => accountMay({ action, symbol, cost: null }, { account, asset: null }, false).outcome === 'denied'

export const mayCloseToday = (
  { protection }: Pick<EntryTerms, 'protection'>,
  flatByClose: FlatSettings,
  isManual: boolean,
): boolean => protection !== undefined || binding(flatByClose, isManual).length > 0
