/**
 * The closed list of reasons for which a signal is refused or cannot be completed, as `statusReason` and
 * in error bodies. The first group is the broker's refusal, sorted; the second is our own.
 */
export const DENIAL_CODES = [
  'INSUFFICIENT_FUNDS',
  'INVALID_ORDER',
  'BROKER_ERROR',
  'BROKER_CREDENTIALS_INVALID',
  'NO_POSITION_TO_CLOSE',
  'QUANTITY_ROUNDS_TO_ZERO',
  'MODE_MISMATCH',
  'STRATEGY_PAUSED',
  'ACCOUNT_INACTIVE',
  'DECLINED',
  'STALE',
  'OUTCOME_UNKNOWN',
  'DUPLICATE_CLIENT_ORDER_ID',
] as const
export type DenialCode = (typeof DENIAL_CODES)[number]
