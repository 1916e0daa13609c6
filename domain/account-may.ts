import { compare, type Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'
import { NoSessionForExit, resolveExitTime } from './exit-time.ts'
import type { ExitRule } from './exit.ts'
import { dollarAmount } from './figures.ts'
import type { TradingSession } from './session.ts'
import { isOpening, type Action } from './signal.ts'

/** What a broker says of an account besides its figures; null for a fact that it does not report. */
export interface AccountPermissions {
  /** Why it trades nothing at the moment, each as the end of "The broker says that …"; empty while it trades. */
  blocks: readonly string[]
  /** Whether it sells short. */
  sellsShort: boolean | null
  /** Dollars that have settled, of an account without margin; null for others. */
  settledCash: Decimal | null
}

/** The permissions at the last look. */
export interface KnownPermissions extends AccountPermissions {
  /** When the broker was asked; UTC instant. */
  at: string
}

/** What a broker says of an asset besides its figures. */
export interface AssetPermissions {
  tradable: boolean
  shortable: boolean
  easyToBorrow: boolean
}

/** The account and the asset as their broker described them last; null where it did not. */
export interface BrokerPermissions {
  account: KnownPermissions | null
  asset: AssetPermissions | null
}

/** An action of which the broker's permission is in question. */
export interface AskedAction {
  action: Action
  symbol: string
  /** Dollars that the order takes; null where they are not known. */
  cost: Decimal | null
}

/** denied: the broker would refuse it. warned: the broker takes it, and its owner may pay for it later. unknown: nothing was said. */
export type Permission =
  | { outcome: 'permitted' | 'warned' | 'unknown' | 'exempt'; message: string }
  | { outcome: 'denied'; code: DenialCode; message: string }

/**
 * Whether an account may carry out an action, by what its broker said of account and asset last. A close is never refused here:
 * whoever holds a position gets out of it as far as the broker lets them, and only the broker says how far that is.
 *
 * Cash that has not settled is a warning and no denial: the broker takes the order, brokers count such violations before they
 * restrict an account, and a multiplier of 1 also marks margin accounts that are too small for credit, which have no such rule.
 *
 * @param leavesEarly whether the position may be closed before the cash of today has settled; see {@link leavesBeforeSettlement}
 */
export function accountMay(
  { action, symbol, cost }: AskedAction,
  { account, asset }: BrokerPermissions,
  leavesEarly: boolean,
): Permission {
  if (!isOpening(action))
    return { outcome: 'exempt', message: 'Positions may be closed, whatever the broker says of the account' }
  const denied = (code: DenialCode, message: string) => ({ outcome: 'denied' as const, code, message })
  if (account !== null && account.blocks.length > 0)
    return denied('TRADING_BLOCKED', `${saysOf(account.blocks)} (asked at ${account.at})`)
  if (action === 'openShort' && account?.sellsShort === false)
    return denied('SHORTING_NOT_PERMITTED', `The broker lets the account sell nothing short`)
  if (asset?.tradable === false)
    return denied('ASSET_NOT_TRADABLE', `${symbol} is not traded at the broker at the moment`)
  if (action === 'openShort' && asset?.shortable === false)
    return denied('ASSET_NOT_SHORTABLE', `${symbol} cannot be sold short at the broker`)
  if (action === 'openShort' && asset?.easyToBorrow === false)
    return denied(
      'ASSET_NOT_SHORTABLE',
      `${symbol} is not easy to borrow at the moment, and the broker sells nothing else short`,
    )
  const settled = account?.settledCash ?? null
  if (action === 'openLong' && leavesEarly && settled !== null && cost !== null && compare(cost, settled) > 0)
    return {
      outcome: 'warned',
      message: `The order takes ${dollarAmount(cost)}, ${dollarAmount(settled)} of the cash has settled, and the exit may sell before the rest has: in a cash account that is a good-faith violation, and several of them restrict the account for 90 days. Order for at most the settled cash, or leave in a later session`,
    }
  return account === null && asset === null
    ? { outcome: 'unknown', message: 'Left to the broker, who knows its accounts and assets' }
    : { outcome: 'permitted', message: 'The broker lets the account trade it so' }
}

/** "The broker says that it has blocked trading and that …". */
export const saysOf = (blocks: readonly string[]): string =>
  `The account trades nothing at the moment: its broker says that ${blocks.join(', and that ')}`

/** What the broker does not let the account do, a sentence each; empty where it lets it do all, or said nothing. */
export const restrictionsOf = (
  account: Pick<AccountPermissions, 'blocks' | 'sellsShort'> | null,
): string[] => {
  if (account === null) return []
  return [
    ...(account.blocks.length > 0 ? [saysOf(account.blocks)] : []),
    ...(account.sellsShort === false ? ['The broker lets the account sell nothing short'] : []),
  ]
}

/** How a position that is opened now is left. */
export interface PlannedExit {
  exit: ExitRule | null
  /** A level may close it at any time, or everything is closed by the end of the session. */
  mayCloseToday: boolean
}

/**
 * Whether a position that is opened now may be closed before the cash of all sales up to now has settled, which is when the
 * session after this one opens. An exit of which the time cannot be told, because no calendar is at hand, is taken to be early.
 *
 * @param at when it is opened; milliseconds since the epoch
 * @param sessions of the broker, from before that instant on
 * @param zone IANA zone of the broker
 */
export function leavesBeforeSettlement(
  { exit, mayCloseToday }: PlannedExit,
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
