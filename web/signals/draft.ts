import type { Account, Routes, Signal } from '#client/types.ts'
import { TRIGGER, type ExitTrigger, type TriggerField } from '#domain/exit.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { serviceNow } from '../connection/clock.ts'
import { randomHex } from '../connection/request-key.ts'
import { amount } from '../parts/amount.ts'
import { noProtection, protectionBody, protectionDraft, type ProtectionDraft } from '../protection/draft.ts'

/** The body of POST /signals. */
export type Body = Routes['POST /api/v1/signals']['request'][0]['body']

/** How a quantity is meant; some of them for what opens, or for what closes, alone. */
export type QuantityType = NonNullable<Body['quantityType']>

/** A signal as it is being written: every field as text, by the name that the service knows it by. */
export interface Draft extends Record<TriggerField, string> {
  symbol: string
  action: Body['action']
  accountId: string
  /** Accounts that trade the same besides, each by a signal of its own. */
  alsoIn: readonly string[]
  strategyId: string
  quantity: string
  quantityType: QuantityType
  targetPosition: string
  executeMode: Body['executeMode']
  scheduledProcessAt: string
  timezone: string
  validUntil: string
  orderType: NonNullable<Body['orderType']>
  limitPrice: string
  stopPrice: string
  timeInForce: NonNullable<Body['timeInForce']>
  expiresAt: string
  extendedHours: boolean
  exitTriggerType: '' | ExitTrigger
  exitOrderType: NonNullable<Body['exitOrderType']>
  exitLimitPrice: string
  exitStopPrice: string
  protection: ProtectionDraft
  sourceId: string
  metadata: string
}

const EXCHANGE_ZONE = 'America/New_York'

/** Nothing but the choices that the service would make itself. */
export const emptyDraft = (sourceId: string): Draft => ({
  symbol: '',
  action: 'openLong',
  accountId: '',
  alsoIn: [],
  strategyId: '',
  quantity: '',
  quantityType: 'fixed',
  targetPosition: '',
  executeMode: 'immediate',
  scheduledProcessAt: '',
  timezone: EXCHANGE_ZONE,
  validUntil: '',
  orderType: 'market',
  limitPrice: '',
  stopPrice: '',
  timeInForce: 'day',
  expiresAt: '',
  extendedHours: false,
  exitTriggerType: '',
  exitTriggerMinutes: '15',
  exitTriggerTime: '15:45',
  exitOrderType: 'market',
  exitLimitPrice: '',
  exitStopPrice: '',
  protection: noProtection(),
  sourceId,
  metadata: '',
})

/** A name that no other signal has: sent again under it, the same signal is answered and no second order goes out. */
export const newSourceId = (): string => `web-${randomHex(8)}`

/** Which of the fields that depend on others are asked for. */
export function askedFor(draft: Draft) {
  const { orderType, exitOrderType, exitTriggerType: trigger } = draft
  const exits = isOpening(draft.action)
  const hasExit = exits && trigger !== ''
  return {
    limitPrice: hasLimitPrice(orderType),
    stopPrice: hasStopPrice(orderType),
    scheduledProcessAt: draft.executeMode === 'scheduled',
    expiresAt: draft.timeInForce === 'gtd',
    exit: exits,
    exitOrder: hasExit,
    exitTriggerField: hasExit ? TRIGGER[trigger].field : null,
    exitLimitPrice: hasExit && hasLimitPrice(exitOrderType),
    exitStopPrice: hasExit && hasStopPrice(exitOrderType),
  }
}

/** The accounts that may trade the same: of the same money, real or not, as the account of the draft. */
export function othersOf(
  { accountId }: Pick<Draft, 'accountId'>,
  accounts: ReadonlyMap<string, Account>,
): Account[] {
  const isDemo = accounts.get(accountId)?.isDemo
  return [...accounts.values()].filter(
    (account) => account.isActive && account.id !== accountId && account.isDemo === isDemo,
  )
}

/** The draft without accounts that cannot be chosen beside its own. */
export const withOthers = (draft: Draft, accounts: ReadonlyMap<string, Account>): Draft => {
  const offered = new Set(othersOf(draft, accounts).map(({ id }) => id))
  return { ...draft, alsoIn: draft.alsoIn.filter((id) => offered.has(id)) }
}

/** "First, Second and Third": the accounts of a draft, its own first. */
export const accountNames = (
  { accountId, alsoIn }: Pick<Draft, 'accountId' | 'alsoIn'>,
  accounts: ReadonlyMap<string, Account>,
): string =>
  new Intl.ListFormat('en').format([accountId, ...alsoIn].map((id) => accounts.get(id)?.name ?? id))

function accountsOf({ accountId, alsoIn }: Draft): Pick<Body, 'accountId' | 'accountIds'> {
  const others = alsoIn.filter((id) => id !== accountId)
  return others.length === 0 ? { accountId } : { accountIds: [accountId, ...others] }
}

/** The body that the draft is: what it does not ask for is left out, and what cannot be read is left to the service to refuse. */
export function bodyOf(draft: Draft): Body {
  const asked = askedFor(draft)
  const protection = asked.exit ? protectionBody(draft.protection) : undefined
  const local = [
    asked.scheduledProcessAt && draft.scheduledProcessAt,
    draft.validUntil,
    asked.expiresAt && draft.expiresAt,
  ]
  return {
    symbol: draft.symbol.trim().toUpperCase(),
    action: draft.action,
    ...accountsOf(draft),
    quantity: amount(draft.quantity),
    ...(draft.quantityType !== 'fixed' && {
      quantityType: draft.quantityType,
    }),
    ...(draft.targetPosition.trim() !== '' && { targetPosition: amount(draft.targetPosition) }),
    executeMode: draft.executeMode,
    ...(asked.scheduledProcessAt &&
      draft.scheduledProcessAt !== '' && { scheduledProcessAt: draft.scheduledProcessAt }),
    ...(draft.validUntil !== '' && { validUntil: draft.validUntil }),
    ...(draft.orderType !== 'market' && { orderType: draft.orderType }),
    ...(asked.limitPrice && draft.limitPrice !== '' && { limitPrice: amount(draft.limitPrice) }),
    ...(asked.stopPrice && draft.stopPrice !== '' && { stopPrice: amount(draft.stopPrice) }),
    ...(draft.timeInForce !== 'day' && { timeInForce: draft.timeInForce }),
    ...(asked.expiresAt && draft.expiresAt !== '' && { expiresAt: draft.expiresAt }),
    ...(local.some(Boolean) && { timezone: draft.timezone }),
    ...(draft.extendedHours && { extendedHours: true }),
    ...exitOf(draft),
    ...(protection && { protection }),
    ...(draft.strategyId !== '' && { strategyId: draft.strategyId }),
    ...(draft.sourceId !== '' && { sourceId: draft.sourceId }),
    ...(draft.metadata.trim() !== '' && { metadata: metadataOf(draft.metadata) }),
  }
}

/** The fields of the exit that the draft asks for; none without one. */
export function exitOf(draft: Draft): Partial<Body> {
  const asked = askedFor(draft)
  if (!asked.exitOrder || draft.exitTriggerType === '') return {}
  return {
    exitTriggerType: draft.exitTriggerType,
    ...(asked.exitTriggerField && { [asked.exitTriggerField]: amount(draft[asked.exitTriggerField]) }),
    ...(draft.exitOrderType !== 'market' && { exitOrderType: draft.exitOrderType }),
    ...(asked.exitLimitPrice &&
      draft.exitLimitPrice !== '' && { exitLimitPrice: amount(draft.exitLimitPrice) }),
    ...(asked.exitStopPrice && draft.exitStopPrice !== '' && { exitStopPrice: amount(draft.exitStopPrice) }),
  }
}

/** An exit by the fields of its body, as it is being written. */
export function draftOfExit(exit: Readonly<Record<string, unknown>>): Draft {
  const empty = emptyDraft('')
  const fields = Object.entries(exit).filter(([name, value]) => name in empty && value !== null)
  return { ...empty, ...Object.fromEntries(fields.map(([name, value]) => [name, String(value)])) }
}

function metadataOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    // No JSON: the service tells what it wants instead.
    return text as unknown as Record<string, unknown>
  }
}

/** A signal that was sent before, to be sent again under a name of its own; times that are over are left open. */
export function draftOf(signal: Signal, accountId: string, sourceId: string): Draft {
  const zone = signal.timezone ?? EXCHANGE_ZONE
  const ahead = (instant: string | null): string =>
    instant === null || Date.parse(instant) <= serviceNow() ? '' : localIn(instant, zone)
  const text = (value: number | null): string => (value === null ? '' : String(value))
  const exit = signal.exitRule
  const empty = emptyDraft(sourceId)
  return {
    ...empty,
    symbol: signal.symbol,
    action: signal.action,
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
    ...(exit && {
      exitTriggerType: exit.triggerType,
      exitTriggerMinutes: text(exit.triggerMinutes) || empty.exitTriggerMinutes,
      exitTriggerTime: exit.triggerTime ?? empty.exitTriggerTime,
      exitOrderType: exit.orderType,
      exitLimitPrice: text(exit.limitPrice),
      exitStopPrice: text(exit.stopPrice),
    }),
    protection: protectionDraft(signal.protection),
    metadata: signal.metadata === null ? '' : JSON.stringify(signal.metadata),
  }
}

/** An instant as clocks in the zone show it: "2026-03-02T10:15:00". */
const localIn = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
    .format(new Date(instant))
    .replace(' ', 'T')
