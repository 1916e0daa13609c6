import type { Decimal } from '../decimal.ts'
import type { FlatByClose } from '../flat-by-close.ts'
import type { AccountSize } from '../account-size.ts'
import type { ExecuteMode, QuantityType } from '../signal.ts'

/** The senders whose messages a hook understands. template: any other JSON, by a table of where each field stands. */
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

/** An account for which a hook trades. */
export interface HookAccount extends AccountSize {
  accountId: string
}

/** How the size of a message may be said that says none itself: it is that of what opens. */
export const HOOK_QUANTITY_TYPES = [
  'fixed',
  'percentEquity',
  'dollarAmount',
  'riskPercent',
  'riskDollars',
] as const satisfies QuantityType[]

/** The choices of a hook's owner. Everything that a message says itself goes before a default. */
export interface HookSettings {
  /** At least one. */
  accounts: HookAccount[]
  executeMode: Exclude<ExecuteMode, 'scheduled'>
  /** Minutes for which a signal waits for approval, unless its message says an earlier end; null for no end. */
  approvalMinutes: number | null
  strategyId: string | null
  /** The size of a message that says none; null: such a message is refused. */
  quantity: Decimal | null
  quantityType: (typeof HOOK_QUANTITY_TYPES)[number]
  /** The exit fields of POST /signals for what is opened, as a body has them; null for none. */
  exit: Record<string, unknown> | null
  /** What becomes of a stop or a profit target in a message that cannot be kept. */
  protection: 'refuse' | 'ignore'
  /** Our symbols by the sender's names of them, which are in upper case. */
  symbols: Record<string, string>
  /** A sale may open a short position. */
  mayShort: boolean
  /** A purchase while long, or a sale while short. */
  whenSame: 'nothing' | 'add'
  /** A purchase while short, or a sale while long. */
  whenOpposite: 'reverse' | 'close'
  /** Of kind template alone; null for every other. */
  template: HookTemplate | null
  /** From when on before the close its signals hold nothing; null for no such rule. */
  flatByClose: FlatByClose | null
}

/** Minutes for which a signal waits for approval, where the owner of its hook has chosen nothing. */
export const APPROVAL_MINUTES = 10

/** The minutes of a hook; also of settings that were stored without them. */
export const approvalMinutesOf = ({
  approvalMinutes = APPROVAL_MINUTES,
}: Partial<Pick<HookSettings, 'approvalMinutes'>>): number | null => approvalMinutes

/** Where the fields of another sender's JSON stand: paths such as `data.ticker`, or a fixed value in quotes. */
export interface HookTemplate {
  symbol: string
  word: string
  /** Its words for ours, in lower case; for example `{"long": "buy", "flat": "close"}`. */
  words: Record<string, 'buy' | 'sell' | 'close'>
  quantity: string | null
  orderType: string | null
  limitPrice: string | null
  /** The sender's own name of an alert. */
  id: string | null
}

const FIXED = /^(?:"([^"]+)"|'([^']+)')$/

/** The fixed value that stands in a place of a template in quotes; null for a path. */
export function fixedValue(place: string): string | null {
  const [, double, single] = FIXED.exec(place) ?? []
  return double ?? single ?? null
}
