import { isOpening } from '#domain/signal/signal.ts'
import { amount } from '../parts/amount.ts'
import { protectionBody, protectionIn } from '../exit/draft.ts'
import type { ProtectionTerms } from '../exit/terms.ts'
import { isMadeHere, type Draft } from './draft.ts'
import { exitBody } from './exit.ts'
import type { Body, TradeRequest } from './requests.ts'
import { isAsked } from './rules.ts'
import { actionOf, leavesPosition } from './scene.ts'

/** Request of a draft: a manual order, or a signal if an order cannot say it. */
export type Sent = { as: 'order'; body: TradeRequest } | { as: 'signal'; body: Body }

/** Fields with a value. */
const said = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== false)) as {
    [Name in keyof T]?: Exclude<T[Name], '' | false>
  }

/**
 * Omits fields that do not apply; unreadable values stay, to be rejected.
 *
 * @param held as in {@link sentOf}
 */
export function bodyOf(draft: Draft, held: number | null): Body {
  const { symbol, accountId, alsoIn, orderType, executeMode, timeInForce, quantityType } = draft
  const action = actionOf(draft, held)
  const isOpened = leavesPosition(draft, held)
  const others = alsoIn.filter((id) => id !== accountId)
  return {
    symbol: symbol.trim().toUpperCase(),
    action,
    ...(others.length === 0 ? { accountId } : { accountIds: [accountId, ...others] }),
    quantity: amount(draft.quantity),
    executeMode,
    ...(isOpened && exitBody(draft.exit)),
    ...said({
      quantityType: quantityType !== 'fixed' && quantityType,
      targetPosition: amount(draft.targetPosition),
      scheduledProcessAt: isAsked('scheduledProcessAt', draft) && draft.scheduledProcessAt,
      validUntil: draft.validUntil,
      expiresAt: isAsked('expiresAt', draft) && draft.expiresAt,
      timezone: isAsked('timezone', draft) && draft.timezone,
      orderType: orderType !== 'market' && orderType,
      limitPrice: isAsked('limitPrice', draft) && amount(draft.limitPrice),
      stopPrice: isAsked('stopPrice', draft) && amount(draft.stopPrice),
      timeInForce: timeInForce !== 'day' && timeInForce,
      extendedHours: draft.extendedHours,
      protection: isOpened && (protectionBody(draft.protection) ?? false),
      strategyId: draft.strategyId,
      sourceId: draft.sourceId.trim(),
      metadata: draft.metadata.trim() !== '' && metadataOf(draft.metadata),
    }),
  }
}

function metadataOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    // Invalid JSON stays: the contract says what it needs.
    return text as unknown as Record<string, unknown>
  }
}

/** Fields that a manual order has too. With any other one the draft is sent as a signal, so that no field is lost. */
const IN_AN_ORDER = new Set<string>([
  'symbol',
  'action',
  'accountId',
  'quantity',
  'executeMode',
  'orderType',
  'limitPrice',
  'stopPrice',
  'timeInForce',
  'extendedHours',
  // Key of the order.
  'sourceId',
] satisfies (keyof Body)[])

const ORDER_TYPES = { market: 'MARKET', limit: 'LIMIT', stop: 'STOP', stopLimit: 'STOP_LIMIT' } as const

/**
 * Request as which a draft is sent.
 *
 * @param held shares of its symbol, below 0 for a short position; null while unknown
 */
export function sentOf(draft: Draft, held: number | null): Sent {
  const { isSignal, effect, executeMode, accountId, side, orderType, timeInForce, extendedHours, sourceId } =
    draft
  const body = bodyOf(draft, held)
  const isOrder =
    !isSignal &&
    effect === '' &&
    executeMode === 'immediate' &&
    timeInForce !== 'gtd' &&
    isMadeHere(sourceId) &&
    Object.keys(body).every((name) => IN_AN_ORDER.has(name))
  if (!isOrder) return { as: 'signal', body }
  const { symbol, quantity, limitPrice, stopPrice } = body
  return {
    as: 'order',
    body: {
      accountId,
      symbol,
      side,
      orderType: ORDER_TYPES[orderType],
      quantity,
      ...(limitPrice != null && { limitPrice }),
      ...(stopPrice != null && { stopPrice }),
      timeInForce: timeInForce.toUpperCase(),
      extendedHours,
      reduceOnly: !isOpening(body.action),
    },
  }
}

/** Levels in the request; null for none. */
export const levelsOfSignal = (sent: Sent): ProtectionTerms | null =>
  sent.as === 'order' ? null : protectionIn(JSON.stringify(sent.body))

export const hasExit = (sent: Sent): boolean =>
  sent.as === 'signal' && (sent.body.exitTriggerType != null || sent.body.protection != null)
