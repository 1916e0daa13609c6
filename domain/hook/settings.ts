import type { Decimal } from '../money/decimal.ts'
import type { FlatByClose } from '../exit/flat-by-close.ts'
import type { AccountSize } from '../account/size.ts'
import type { Manages } from '../signal/manages.ts'
import type { ExecuteMode, QuantityType } from '../signal/signal.ts'

export const HOOK_KINDS = [
  'json',
  'tradingview',
  'traderspost',
  'trade-relay',
  'signalstack',
  'openalgo',
  'template',
] as const
export type HookKind = (typeof HOOK_KINDS)[number]

export interface HookAccount extends AccountSize {
  accountId: string
}

export const HOOK_QUANTITY_TYPES = [
  'fixed',
  'percentEquity',
  'dollarAmount',
  'riskPercent',
  'riskDollars',
] as const satisfies QuantityType[]

/** Defaults; a message's fields override them. */
export interface HookSettings {
  accounts: HookAccount[]
  executeMode: Exclude<ExecuteMode, 'scheduled'>
  /** Most minutes of waiting; null for no limit. */
  approvalMinutes: number | null
  strategyId: string | null
  quantity: Decimal | null
  quantityType: (typeof HOOK_QUANTITY_TYPES)[number]
  exit: Record<string, unknown> | null
  /** For a stop or target that cannot be kept. */
  protection: 'refuse' | 'ignore'
  /** Our symbols by the sender's names, upper case. */
  symbols: Record<string, string>
  /** For targets and closes; a message may narrow it. */
  manages: Manages
  mayShort: boolean
  whenSame: 'nothing' | 'add'
  whenOpposite: 'reverse' | 'close'
  template: HookTemplate | null
  flatByClose: FlatByClose | null
}

export const APPROVAL_MINUTES = 10

/** Stored settings may lack them. */
export const approvalMinutesOf = ({
  approvalMinutes = APPROVAL_MINUTES,
}: Partial<Pick<HookSettings, 'approvalMinutes'>>): number | null => approvalMinutes

/** Paths in another sender's JSON such as `data.ticker`, or a fixed value in quotes. */
export interface HookTemplate {
  symbol: string
  word: string
  /** In lower case; for example `{"long": "buy", "flat": "close"}`. */
  words: Record<string, 'buy' | 'sell' | 'close'>
  quantity: string | null
  orderType: string | null
  limitPrice: string | null
  id: string | null
}

const FIXED = /^(?:"([^"]+)"|'([^']+)')$/

export function fixedValue(place: string): string | null {
  const [, double, single] = FIXED.exec(place) ?? []
  return double ?? single ?? null
}
