import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { Signal } from '../entities/index.ts'
import type { NewSignal } from './storing.ts'

/** Terms are the same from every process and in a running workflow. */
export function termsOf(signal: NewSignal & Partial<Pick<Signal, 'decidedAt' | 'ask'>>): SignalTerms {
  return {
    signalId: signal.id,
    userId: signal.userId,
    accountId: signal.accountId,
    origin: signal.origin,
    strategyId: signal.strategyId ?? null,
    symbol: signal.symbol,
    action: signal.action,
    quantity: decimal(signal.quantity),
    quantityType: signal.quantityType,
    executeMode: signal.executeMode,
    orderType: signal.orderType,
    limitPrice: decimalOrNull(signal.limitPrice),
    stopPrice: decimalOrNull(signal.stopPrice),
    timeInForce: signal.timeInForce,
    expiresAt: instantOrNull(signal.expiresAt),
    extendedHours: signal.extendedHours,
    acceptedAt: signal.acceptedAt.toISOString(),
    scheduledAt: instantOrNull(signal.scheduledAt),
    validUntil: instantOrNull(signal.validUntil),
    sendBefore: instantOrNull(signal.sendBefore),
    ...(signal.decidedAt && { dueAt: signal.decidedAt.toISOString() }),
    exit: signal.exitRule ?? null,
    ...(signal.protection && { protection: signal.protection }),
    ...(signal.target && { target: signal.target }),
    ...(signal.manages === 'own' && { manages: signal.manages }),
    ...(signal.ask && { ask: signal.ask }),
  }
}

const decimalOrNull = (value: Decimal | null | undefined) => (value == null ? null : decimal(value))
const instantOrNull = (value: Date | null | undefined) => value?.toISOString() ?? null
