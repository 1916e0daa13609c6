import type { Halt, Routes, Signal } from '#client/types.ts'
import { canChange, type DenialCode } from '#domain/risk/denial.ts'
import { haltForbids } from '#domain/risk/halt.ts'
import { isReducing } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import { number } from '../words/figures.ts'

export type Check = Routes['GET /api/v1/signals/{id}/check']['answers'][200]['data']

/** Remedy for a denial. */
type Mend = 'limitPrice' | 'quantity' | 'resume'

export interface Refusal {
  /** In a few words: "price moved more than 5 %"; empty where only the message says it. */
  short: string
  /** The service's message, with its figures. */
  message: string
  mend: Mend | null
  /** Whether the denial may end; otherwise only a rejection remains. */
  canChange: boolean
}

const SHORT: Partial<Record<DenialCode, string>> = {
  INSUFFICIENT_FUNDS: 'not enough buying power',
  PRICE_OUTSIDE_COLLAR: 'limit too far from the price',
  PRICE_DRIFTED: 'price moved too far',
  TRADING_PAUSED: 'entries are paused',
  REDUCE_ONLY: 'reduce only',
  TRADING_STOPPED: 'trading is stopped',
  OUTSIDE_MARKET_HOURS: 'outside market hours',
  ORDER_RATE_EXCEEDED: 'too many orders',
  ORDER_TOO_LARGE: 'order too large',
  POSITION_TOO_LARGE: 'position too large',
  DAILY_LOSS_REACHED: 'daily loss reached',
  STRATEGY_PAUSED: 'strategy is paused',
  NO_POSITION_TO_CLOSE: 'nothing to close',
  OPPOSITE_ORDER: 'your own open order is in the way',
  SYMBOL_NOT_ALLOWED: 'symbol not allowed',
  PRICE_UNKNOWN: 'no price available',
  PRICE_STALE: 'price too old',
  PROTECTION_SENSELESS: 'a level is on the wrong side',
  PROTECTION_UNSUPPORTED: 'stop not supported by the broker',
}

const MENDS: Partial<Record<DenialCode, Mend>> = {
  PRICE_OUTSIDE_COLLAR: 'limitPrice',
  INSUFFICIENT_FUNDS: 'quantity',
  ORDER_TOO_LARGE: 'quantity',
  POSITION_TOO_LARGE: 'quantity',
  ORDER_TOO_SMALL: 'quantity',
  QUANTITY_ROUNDS_TO_ZERO: 'quantity',
  TRADING_PAUSED: 'resume',
  REDUCE_ONLY: 'resume',
  TRADING_STOPPED: 'resume',
}

/** Denial in a check; null where the order would be sent, and without a check. */
export function refusalOf(check: Check | undefined): Refusal | null {
  if (check?.dryRun.outcome !== 'denied') return null
  const denied = check.dryRun.verdicts.find(({ outcome }) => outcome === 'denied')
  const code = (denied?.code ?? check.dryRun.code ?? '') as DenialCode
  const limit = check.driftLimitPercent
  return {
    short:
      code === 'PRICE_DRIFTED' && limit !== null
        ? `price moved more than ${number(limit)} %`
        : (SHORT[code] ?? ''),
    message: denied?.message ?? check.message,
    mend: MENDS[code] ?? null,
    canChange: canChange(code),
  }
}

const HALTED = {
  pauseEntries: 'TRADING_PAUSED',
  reduceOnly: 'REDUCE_ONLY',
  fullStop: 'TRADING_STOPPED',
} as const satisfies Record<Halt['level'], DenialCode>

/** Denial known without a request, from the last check or a halt; null without one. */
export function knownRefusal(
  { action, accountId }: Signal,
  check: Check | undefined,
  halts: readonly Halt[],
): string | null {
  const halt = halts.find(
    ({ level, accountId: of }) =>
      (of === null || of === accountId) &&
      haltForbids(level, { reducing: isReducing(ENTRY_SIDE[action]), isManual: false }),
  )
  return halt ? (SHORT[HALTED[halt.level]] ?? null) : (refusalOf(check)?.short ?? null)
}
