import { EXIT_ORDER_TYPES, EXIT_TIMES_IN_FORCE, EXIT_TRIGGERS } from '#domain/exit.ts'
import { ORDER_TYPES, TIMES_IN_FORCE } from '#domain/order.ts'
import { ACTIONS, EXECUTE_MODES, QUANTITY_TYPES } from '#domain/signal.ts'
import type { z } from 'zod'
import { metadata } from '../validation/metadata.ts'
import { clockTime, instantOrLocalTime, localTime, zone } from '../validation/moments.ts'
import {
  lineOfText,
  oneOf,
  positiveDecimal,
  symbol,
  trueOrFalse,
  uuid,
  wholeNumber,
} from '../validation/values.ts'

/** Shares, percent or dollars; far above any account. */
const MOST_QUANTITY = '1000000000'
/** Dollars a share. */
const MOST_PRICE = '10000000'

/** The fields of POST /signals, each with the rules that concern it alone; specification 2.1 and 2.2. */
export const signalFields = {
  symbol: symbol(),
  action: oneOf(ACTIONS),
  accountId: uuid(),
  quantity: positiveDecimal(MOST_QUANTITY),
  executeMode: oneOf(EXECUTE_MODES),

  scheduledProcessAt: localTime().optional(),
  timezone: zone().optional(),
  validUntil: localTime().optional(),
  strategyId: uuid().optional(),
  quantityType: oneOf(QUANTITY_TYPES).default('fixed'),
  orderType: oneOf(ORDER_TYPES).default('market'),
  limitPrice: positiveDecimal(MOST_PRICE).optional(),
  stopPrice: positiveDecimal(MOST_PRICE).optional(),
  timeInForce: oneOf(TIMES_IN_FORCE).default('day'),
  expiresAt: instantOrLocalTime().optional(),
  extendedHours: trueOrFalse().default(false),
  sourceId: lineOfText(255).optional(),
  replaceExisting: trueOrFalse().default(false),
  metadata: metadata().optional(),
  /** Shows what would happen, and does nothing. */
  dryRun: trueOrFalse().default(false),

  exitTriggerType: oneOf([...EXIT_TRIGGERS, 'timed']).optional(),
  exitTriggerMinutes: wholeNumber(0, 60).optional(),
  exitTriggerTime: clockTime().optional(),
  /** The earlier form's minutes after the entry. */
  exitTriggerValue: wholeNumber(0, 1_440).optional(),
  exitOrderType: oneOf(EXIT_ORDER_TYPES).optional(),
  exitLimitPrice: positiveDecimal(MOST_PRICE).optional(),
  exitStopPrice: positiveDecimal(MOST_PRICE).optional(),
  exitTimeInForce: oneOf(EXIT_TIMES_IN_FORCE).optional(),
}

/** A body whose fields are sound each by itself. */
export type SignalFields = z.output<z.ZodObject<typeof signalFields>>
export type SignalField = keyof SignalFields
