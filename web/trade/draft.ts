import { ENTRY_SIDE, isOpening } from '#domain/signal/signal.ts'
import { serviceNow } from '../connection/clock.ts'
import { randomHex } from '../connection/request-key.ts'
import type { NewOrderSearch } from '../order/search.ts'
import { noProtection, protectionDraft } from '../exit/draft.ts'
import { isBuying } from '../words/order.ts'
import { isRealMoney } from '../words/signal.ts'
import { exitDraft, NO_EXIT } from './exit.ts'
import type { Account, Body, OrderDetail, QuantityType, Signal } from './requests.ts'

const EXCHANGE_ZONE = 'America/New_York'

/** Defaults of the service; every figure is text, under the service's name. */
const EMPTY = {
  side: 'BUY' as 'BUY' | 'SELL',
  /** Effect on a position; empty to follow the held position. */
  effect: '' as '' | 'open' | 'close',
  symbol: '',
  accountId: '',
  /** Further accounts that trade the same, each by its own signal. */
  alsoIn: [] as readonly string[],
  strategyId: '',
  quantity: '',
  quantityType: 'fixed' as QuantityType,
  targetPosition: '',
  orderType: 'market' as NonNullable<Body['orderType']>,
  limitPrice: '',
  stopPrice: '',
  executeMode: 'immediate' as Body['executeMode'],
  scheduledProcessAt: '',
  timezone: EXCHANGE_ZONE,
  validUntil: '',
  timeInForce: 'day' as NonNullable<Body['timeInForce']>,
  expiresAt: '',
  extendedHours: false,
  exit: NO_EXIT,
  protection: noProtection(),
  /** Whether a signal is sent although an order could say the same. */
  isSignal: false,
  sourceId: '',
  metadata: '',
}

export type Draft = typeof EMPTY

const OWN_NAMES = 'web-'

/** A unique name: sent again under it, a request has the same answer and no second order. */
export const newSourceId = (): string => `${OWN_NAMES}${randomHex(8)}`

/** Whether the name was made here, so that an order may omit it. */
export const isMadeHere = (sourceId: string): boolean => sourceId.startsWith(OWN_NAMES)

export const emptyDraft = (start: Partial<Draft> = {}): Draft => ({
  ...EMPTY,
  sourceId: newSourceId(),
  ...start,
})

export const ofSearch = ({ symbol = '', account = '', side = 'BUY', shares = '', plan }: NewOrderSearch) =>
  emptyDraft({
    symbol: symbol.toUpperCase(),
    accountId: account,
    side,
    quantity: shares,
    // An exit that waits in the market until it is cancelled.
    ...(plan === 'exit' && { orderType: 'stop', timeInForce: 'gtc' }),
    // Only a limit order trades outside the session.
    ...(plan === 'extended' && { orderType: 'limit', extendedHours: true }),
  })

const ORDER_TYPES = {
  MARKET: 'market',
  LIMIT: 'limit',
  STOP: 'stop',
  STOP_LIMIT: 'stopLimit',
  // Orders of an exit, which only the exit changes; on their own they are these types.
  OCO: 'limit',
  TRAILING_STOP: 'stop',
} as const

const text = (value: number | null): string => (value === null ? '' : String(value))

/** Draft of a working order, for its remaining shares. */
export const ofOrder = (order: OrderDetail): Draft =>
  emptyDraft({
    side: isBuying(order) ? 'BUY' : 'SELL',
    quantity: String(order.quantity - order.filledQuantity),
    symbol: order.symbol,
    accountId: order.accountId,
    orderType: ORDER_TYPES[order.orderType],
    limitPrice: text(order.limitPrice),
    stopPrice: text(order.stopPrice),
    timeInForce: order.timeInForce.toLowerCase() as Draft['timeInForce'],
    extendedHours: order.extendedHours,
  })

/** Draft of an earlier signal under a new name; past times are empty. */
export function ofSignal(signal: Signal, accountId: string): Draft {
  const zone = signal.timezone ?? EXCHANGE_ZONE
  const ahead = (instant: string | null): string =>
    instant === null || Date.parse(instant) <= serviceNow() ? '' : localIn(instant, zone)
  const exit = Object.entries(signal.exitRule ?? {})
  return emptyDraft({
    isSignal: true,
    symbol: signal.symbol,
    side: isBuying({ side: ENTRY_SIDE[signal.action] }) ? 'BUY' : 'SELL',
    effect: isOpening(signal.action) ? 'open' : 'close',
    accountId,
    strategyId: signal.strategyId ?? '',
    quantity: String(signal.quantity),
    quantityType: signal.quantityType,
    targetPosition: text(signal.targetPosition),
    executeMode: signal.executeMode,
    scheduledProcessAt: ahead(signal.scheduledAt),
    timezone: zone,
    validUntil: ahead(signal.validUntil),
    orderType: signal.orderType,
    limitPrice: text(signal.limitPrice),
    stopPrice: text(signal.stopPrice),
    timeInForce: signal.timeInForce,
    expiresAt: ahead(signal.expiresAt),
    extendedHours: signal.extendedHours,
    // A signal names these fields without the prefix `exit`.
    exit: exitDraft(
      Object.fromEntries(
        exit.map(([name, value]) => [`exit${name[0]!.toUpperCase()}${name.slice(1)}`, value]),
      ),
    ),
    protection: protectionDraft(signal.protection),
    metadata: signal.metadata === null ? '' : JSON.stringify(signal.metadata),
  })
}

/** Local time of an instant in a zone: "2026-03-02T10:15:00". */
const localIn = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    .format(new Date(instant))
    .replace(' ', 'T')

type Accounts = ReadonlyMap<string, Account>

/** The primary paper account, or one of real money if there is none of paper. */
export function firstAccount(accounts: Accounts): Account | undefined {
  const active = Array.from(accounts.values()).filter(({ isActive }) => isActive)
  const paper = active.filter((account) => !isRealMoney(account))
  const offered = paper.length > 0 ? paper : active
  return offered.find(({ isPrimary }) => isPrimary) ?? offered[0]
}

/** Accounts that may trade the same: both real money, or both not. */
export function othersOf({ accountId }: Pick<Draft, 'accountId'>, accounts: Accounts): Account[] {
  const isDemo = accounts.get(accountId)?.isDemo
  return Array.from(accounts.values()).filter(
    (account) => account.isActive && account.id !== accountId && account.isDemo === isDemo,
  )
}

/** The draft with its default account, and without further accounts that do not fit it. */
export function completed(draft: Draft, accounts: Accounts, hasDefault: boolean): Draft {
  const accountId =
    draft.accountId === '' && hasDefault ? (firstAccount(accounts)?.id ?? '') : draft.accountId
  const offered = new Set(othersOf({ accountId }, accounts).map(({ id }) => id))
  return { ...draft, accountId, alsoIn: draft.alsoIn.filter((id) => offered.has(id)) }
}

/** "First, Second and Third": the accounts of a draft, its own first. */
export const accountNames = ({ accountId, alsoIn }: Draft, accounts: Accounts): string =>
  new Intl.ListFormat('en').format([accountId, ...alsoIn].map((id) => accounts.get(id)?.name ?? id))
