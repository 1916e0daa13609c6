import { compare, type Decimal, dollarAmount } from '../money/decimal.ts'
import type { DenialCode } from './denial.ts'
import { NoSessionForExit, resolveExitTime } from '../exit/schedule.ts'
import type { ExitRule } from '../exit/exit.ts'
import type { TradingSession } from '../time/session.ts'
import { isOpening, type Action } from '../signal/signal.ts'

/** Null for an unreported fact. */
export interface AccountPermissions {
  /** Each ends "The broker says that …"; empty while the account trades. */
  blocks: readonly string[]
  sellsShort: boolean | null
  /** Dollars, without margin. */
  settledCash: Decimal | null
}

export interface KnownPermissions extends AccountPermissions {
  at: string
}

export interface AssetPermissions {
  tradable: boolean
  shortable: boolean
  easyToBorrow: boolean
}

export interface BrokerPermissions {
  account: KnownPermissions | null
  asset: AssetPermissions | null
}

export interface AskedAction {
  action: Action
  symbol: string
  cost: Decimal | null
}

/** warned: the broker takes it, and its owner may pay later. */
export type Permission =
  | { outcome: 'permitted' | 'warned' | 'unknown' | 'exempt'; message: string }
  | { outcome: 'denied'; code: DenialCode; message: string }

/**
 * The broker's permission for an action. A close is never denied. Unsettled cash only warns: the broker counts
 * violations before a restriction, and a multiplier of 1 also marks small margin accounts, which have no such rule.
 * @param leavesEarly see {@link leavesBeforeSettlement}
 */
export function accountMay(
  { action, symbol, cost }: AskedAction,
  { account, asset }: BrokerPermissions,
  leavesEarly: boolean,
): Permission {
  if (!isOpening(action))
    return { outcome: 'exempt', message: 'Positions may be closed despite blocks of the account' }
  const denied = (code: DenialCode, message: string) => ({ outcome: 'denied' as const, code, message })
  if (account !== null && account.blocks.length > 0)
    return denied('TRADING_BLOCKED', `${saysOf(account.blocks)} (asked at ${account.at})`)
  if (action === 'openShort' && account?.sellsShort === false)
    return denied('SHORTING_NOT_PERMITTED', `The account may not sell short at its broker`)
  if (asset?.tradable === false)
    return denied('ASSET_NOT_TRADABLE', `${symbol} is not traded at the broker at the moment`)
  if (action === 'openShort' && asset?.shortable === false)
    return denied('ASSET_NOT_SHORTABLE', `${symbol} cannot be sold short at the broker`)
  if (action === 'openShort' && asset?.easyToBorrow === false)
    return denied(
      'ASSET_NOT_SHORTABLE',
      `${symbol} is not easy to borrow at the moment, and the broker permits no other short sales`,
    )
  const settled = account?.settledCash ?? null
  if (action === 'openLong' && leavesEarly && settled !== null && cost !== null && compare(cost, settled) > 0)
    return {
      outcome: 'warned',
      message: `The order takes ${dollarAmount(cost)}, ${dollarAmount(settled)} of the cash has settled, and the exit may sell before the rest has: in a cash account that is a good-faith violation, and several of them restrict the account for 90 days. Order for at most the settled cash, or exit in a later session`,
    }
  return account === null && asset === null
    ? { outcome: 'unknown', message: 'Left to the broker, who knows its accounts and assets' }
    : { outcome: 'permitted', message: 'The account may trade it at its broker' }
}

export const saysOf = (blocks: readonly string[]): string =>
  `The account cannot trade at the moment: its broker says that ${blocks.join(', and that ')}`

export const restrictionsOf = (
  account: Pick<AccountPermissions, 'blocks' | 'sellsShort'> | null,
): string[] => {
  if (account === null) return []
  return [
    ...(account.blocks.length > 0 ? [saysOf(account.blocks)] : []),
    ...(account.sellsShort === false ? ['The account may not sell short at its broker'] : []),
  ]
}

export interface ScheduledExit {
  exit: ExitRule | null
  mayCloseToday: boolean
}

/** True for a possible close before cash settles at the next opening, or without a calendar. */
export function leavesBeforeSettlement(
  { exit, mayCloseToday }: ScheduledExit,
  { at, sessions, zone }: { at: number; sessions: readonly TradingSession[]; zone: string },
): boolean {
  if (mayCloseToday) return true
  if (exit === null) return false
  const [, next] = sessions.filter(({ closesAt }) => Date.parse(closesAt) > at)
  if (next === undefined) return true
  const filledAt = new Date(at).toISOString()
  try {
    const { submitAt } = resolveExitTime(exit, { endedAt: filledAt, filledAt }, sessions, zone)
    return submitAt < next.opensAt
  } catch (error) {
    if (error instanceof NoSessionForExit) return false
    throw error
  }
}
