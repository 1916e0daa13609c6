import { z } from 'zod'
import { compare, decimal, isDecimal, magnitude } from '#domain/money/decimal.ts'
import { BrokerOutcomeUnknown } from '../port.ts'

const amount = z.string().refine(isDecimal, 'is not a decimal number').transform(decimal)
const looseAmount = z
  .union([z.string(), z.number()])
  .refine(isDecimal, 'is not a decimal number')
  .transform(decimal)
/** Any offset; read as a UTC instant in milliseconds. */
const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is not an instant')
  .transform((text) => new Date(text).toISOString())
/** Any offset; read as a UTC instant in microseconds, since executions may be within a millisecond. */
const fineInstant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is not an instant')
  .transform((text) => {
    const fraction = /[.,](\d+)/.exec(text)?.[1] ?? ''
    return `${new Date(text).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0').slice(0, 6)}Z`
  })
const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: ({ input }) => `${JSON.stringify(input) ?? 'nothing'} is not known here` })

export const ALPACA_STATUSES = [
  'accepted',
  'pending_new',
  'accepted_for_bidding',
  'held',
  'new',
  'partially_filled',
  'pending_cancel',
  'pending_replace',
  'stopped',
  'suspended',
  'done_for_day',
  'calculated',
  'filled',
  'expired',
  'rejected',
  'canceled',
  'replaced',
] as const
/** All documented statuses; another one is an error, never a guess. */
export type AlpacaStatus = (typeof ALPACA_STATUSES)[number]

export const wireOrder = z.object({
  id: z.string().min(1),
  client_order_id: z.string(),
  symbol: z.string().min(1),
  qty: amount,
  filled_qty: amount,
  filled_avg_price: amount.nullable(),
  order_class: z.string().nullish(),
  legs: z.array(z.unknown()).nullish(),
  type: oneOf(['market', 'limit', 'stop', 'stop_limit', 'trailing_stop']),
  side: oneOf(['buy', 'sell']),
  position_intent: oneOf(['buy_to_open', 'buy_to_close', 'sell_to_open', 'sell_to_close']).nullish(),
  time_in_force: oneOf(['day', 'gtc', 'opg', 'cls', 'ioc', 'fok']),
  limit_price: amount.nullable(),
  stop_price: amount.nullable(),
  trail_price: amount.nullish(),
  trail_percent: amount.nullish(),
  status: oneOf(ALPACA_STATUSES),
  extended_hours: z.boolean(),
  submitted_at: instant.nullish(),
  created_at: instant,
  updated_at: instant.nullish(),
  filled_at: instant.nullable(),
  canceled_at: instant.nullish(),
  expired_at: instant.nullish(),
  failed_at: instant.nullish(),
  /** The stream sends this field, not every answer: absent says nothing. */
  cancel_requested_at: instant.nullish(),
  /** Only the paper venue sends this field. */
  reject_reason: z.string().nullish(),
  replaced_by: z.string().nullish(),
  replaces: z.string().nullish(),
})
export type WireOrder = z.infer<typeof wireOrder>

export const wireReplacement = z.object({ id: z.string().min(1) })

/** Multi-leg options and orders for dollars: only a person places them. */
const foreignOrder = z.union([
  z.object({ order_class: z.literal('mleg') }),
  z.object({ qty: z.null(), notional: z.string() }),
])
export const isForeignOrder = (order: unknown): boolean => foreignOrder.safeParse(order).success

export const wireOrderPage = z.array(
  z.looseObject({
    id: z.string().min(1),
    created_at: instant,
    submitted_at: instant.nullish(),
    order_class: z.string().nullish(),
    legs: z.array(z.unknown()).nullish(),
  }),
)
export type WireOrderPage = z.infer<typeof wireOrderPage>

export const wireAccount = z.object({
  account_number: z.string().min(1),
  status: z.string(),
  currency: z.string().min(1),
  equity: amount,
  cash: amount,
  buying_power: amount,
  non_marginable_buying_power: amount.nullish(),
  /** Newer API versions lack this field. */
  daytrading_buying_power: amount.nullish(),
  multiplier: amount,
  trading_blocked: z.boolean().nullish(),
  account_blocked: z.boolean().nullish(),
  trade_suspended_by_user: z.boolean().nullish(),
  shorting_enabled: z.boolean().nullish(),
  cash_withdrawable: amount.nullish(),
})
export type WireAccount = z.infer<typeof wireAccount>

/** Prices are null for a symbol without a market. */
export const wirePosition = z.object({
  symbol: z.string().min(1),
  side: oneOf(['long', 'short']),
  qty: amount,
  qty_available: amount,
  avg_entry_price: amount,
  current_price: amount.nullish(),
  lastday_price: amount.nullish(),
  change_today: amount.nullish(),
})
export type WirePosition = z.infer<typeof wirePosition>

export const wireAsset = z.object({
  symbol: z.string().min(1),
  name: z.string(),
  exchange: z.string(),
  class: z.string(),
  status: z.string(),
  tradable: z.boolean(),
  marginable: z.boolean(),
  shortable: z.boolean(),
  easy_to_borrow: z.boolean(),
  fractionable: z.boolean(),
  maintenance_margin_requirement: looseAmount.nullish(),
  margin_requirement_long: looseAmount.nullish(),
  margin_requirement_short: looseAmount.nullish(),
})
export type WireAsset = z.infer<typeof wireAsset>

export const wireAssetList = z.array(z.unknown())
export const wireListedAsset = z.object({
  symbol: z.string().regex(/^[A-Z0-9][A-Z0-9./-]{0,19}$/, 'is no symbol'),
  name: z.string().nullish(),
  exchange: z.string(),
  class: z.string(),
  status: z.string(),
  tradable: z.boolean(),
})

export const wireClock = z.object({
  timestamp: instant,
  is_open: z.boolean(),
  next_open: instant,
  next_close: instant,
})

export const wireLastTrade = z.object({ trade: z.object({ p: looseAmount, t: instant.nullish() }) })

const clockTime = z.string().regex(/^\d\d:\d\d$/, 'is not a clock time')
/** New York's times; 24:00 is the end of the day. */
export const wireSession = z.object({ date: z.iso.date(), open: clockTime, close: clockTime })
export type WireSession = z.infer<typeof wireSession>

const booked = { id: z.string().min(1) }
export const wireActivityPage = z.array(z.unknown())
export const wireActivity = z.looseObject({ ...booked, activity_type: z.string() })
export const wireActivityTime = z.object({ transaction_time: fineInstant })

const text = z.string().regex(/^[^\0]+$/, 'is no text')
/** The ledger keeps eleven digits before the point and nine behind it. */
const storable = amount.refine((value) => compare(magnitude(value), '100000000000') < 0, 'is too large')

/** Documented sides are buy and sell; sell_short was seen. */
export const wireFillActivity = z.object({
  ...booked,
  transaction_time: fineInstant.refine((at) => at >= '1970' && at < '2200', 'is not a time of a trade'),
  symbol: text,
  side: oneOf(['buy', 'sell', 'sell_short']),
  qty: storable.refine((value) => compare(value, '0.000000001') >= 0, 'is no quantity of shares'),
  price: storable.refine((value) => compare(value, '0') >= 0, 'is no price'),
  cum_qty: storable,
  order_id: text,
})
export type WireFillActivity = z.infer<typeof wireFillActivity>

const dayOf = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}/, 'is not a date')
  .transform((text) => text.slice(0, 10))

/** `execution_id` is undocumented, and set for a fee of one execution. */
export const wireFeeActivity = z.object({
  ...booked,
  activity_sub_type: z.string().nullish(),
  date: dayOf,
  created_at: fineInstant.nullish(),
  net_amount: amount,
  status: oneOf(['executed', 'correct', 'canceled']).nullish(),
  execution_id: z.string().nullish(),
})
export type WireFeeActivity = z.infer<typeof wireFeeActivity>

/** `qty` is undocumented: added and removed shares, one entry each. */
export const wireSplitActivity = z.object({
  ...booked,
  activity_type: z.literal('SPLIT'),
  symbol: z.string().min(1),
  date: dayOf,
  qty: amount,
})

export const wireError = z.object({
  code: z.number().optional(),
  message: z.string(),
  reject_reason: z.string().optional(),
  buying_power: z.unknown().optional(),
  cost_basis: z.unknown().optional(),
  existing_order_id: z.string().optional(),
  held_for_orders: z.unknown().optional(),
})
export type WireError = z.infer<typeof wireError>

export const wireTradeUpdate = z.object({
  event: z.string().min(1),
  order: z.unknown(),
  execution_id: z.string().nullish(),
  /** Execution that a bust or a correction takes back. */
  previous_execution_id: z.string().nullish(),
  qty: amount.nullish(),
  price: amount.nullish(),
  timestamp: instant.nullish(),
})
export type WireTradeUpdate = z.infer<typeof wireTradeUpdate>

export const wireEventOrder = z.object({ event: z.string().optional().catch(undefined), order: z.unknown() })
export const wireOrderNames = z.object({
  id: z.string().min(1).optional().catch(undefined),
  client_order_id: z.string().optional().catch(undefined),
  replaces: z.string().nullish().catch(null),
  order_class: z.string().nullish().catch(null),
})

/** Throws {@link BrokerOutcomeUnknown}, naming every field at fault. */
export function readWire<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new BrokerOutcomeUnknown(`The broker's ${what} cannot be read: ${faultsOf(result.error)}`)
}

export const faultsOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')

/** Throws {@link BrokerOutcomeUnknown}. */
export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BrokerOutcomeUnknown(`The broker's ${what} is not JSON`, { cause })
  }
}
