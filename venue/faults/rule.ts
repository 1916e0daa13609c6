import { z } from 'zod'

/** Whom a rule strikes. Everything that is left out matches everything. */
const scope = {
  /** Key id of the account. */
  account: z.string().optional(),
  symbol: z.string().optional(),
  clientOrderIdPrefix: z.string().optional(),
  /** Strikes so many times, then never again. */
  times: z.number().int().min(1).optional(),
  /** Strikes each time with this probability, drawn from the script's seed. */
  probability: z.number().gt(0).max(1).optional(),
}
const milliseconds = z.number().int().min(0).max(3_600_000)

/**
 * A request is answered wrongly or not at all. before: the venue never looked at the request. after: the
 * request took effect first and only its answer is lost. `late` is a request that lay on the road for
 * `hangMs` and is then handled as usual, when its sender has long given up.
 */
const answerFault = z.strictObject({
  ...scope,
  on: z.enum(['submit', 'replace', 'lookup', 'cancel', 'get', 'any']),
  mode: z.enum(['hang', 'reset', '500', 'garbage', '429', '503', 'late']),
  when: z.enum(['before', 'after']).default('before'),
  /** hang: after this the connection is cut. late: how long the request is held. */
  hangMs: milliseconds.default(60_000),
  /** Sent with 429 and 503. */
  retryAfterSeconds: z.number().min(0).max(3_600).optional(),
})
/** An accepted order is not found by its client order id for a while; the id itself is taken at once. */
const lookupLag = z.strictObject({
  ...scope,
  on: z.literal('lookup'),
  mode: z.literal('lag'),
  lagMs: milliseconds,
})
/** An order fills no sooner than so long after its acceptance. */
const fillDelay = z.strictObject({
  ...scope,
  on: z.literal('fill'),
  mode: z.literal('delay'),
  delayMs: milliseconds,
})
/** The first fill takes this share of the order; the rest is held for `holdMs`, or for good. */
const partialFill = z.strictObject({
  ...scope,
  on: z.literal('fill'),
  mode: z.literal('partial'),
  fraction: z.number().gt(0).lt(1),
  holdMs: milliseconds.optional(),
})
/** The order is accepted and rejected afterwards. */
const lateReject = z.strictObject({
  ...scope,
  on: z.literal('accepted'),
  mode: z.literal('reject'),
  delayMs: milliseconds.default(0),
  reason: z.string().max(200).default('rejected by the exchange'),
})
/**
 * How a cancel ends. pending: it takes `delayMs`. fill: a fill of all that is open overtakes it.
 * late_fill: it is done, and a fill still comes `delayMs` later.
 */
const cancelConduct = z.strictObject({
  ...scope,
  on: z.literal('cancel'),
  mode: z.enum(['pending', 'fill', 'late_fill']),
  delayMs: milliseconds.default(100),
})
/** A fill of all that is open overtakes a replacement: the new order is rejected. */
const overtakenReplacement = z.strictObject({
  ...scope,
  on: z.literal('replace'),
  mode: z.literal('overtaken'),
})
/** The venue has no look-up of assets, as some brokers do not. */
const missingLookup = z.strictObject({ ...scope, on: z.literal('asset'), mode: z.literal('unsupported') })
/** Positions are shown as they were so long ago: fills since then do not show in them. */
const laggingPositions = z.strictObject({
  ...scope,
  on: z.literal('positions'),
  mode: z.literal('behind'),
  lagMs: milliseconds,
})
/** The last trade is of so long ago, perhaps at another price; bid and ask are of this moment. */
const oldPrice = z.strictObject({
  ...scope,
  on: z.literal('price'),
  mode: z.literal('old'),
  agoMs: z
    .number()
    .int()
    .min(0)
    .max(366 * 86_400_000),
  /** Dollars a share; that of its time unless given. */
  price: z.number().gt(0).optional(),
})
/** The data plan of the account has no prices (403). */
const missingPrices = z.strictObject({ ...scope, on: z.literal('price'), mode: z.literal('forbidden') })
/** The account shows its equity multiplied by a factor. */
const oddEquity = z.strictObject({
  ...scope,
  on: z.literal('account'),
  mode: z.literal('equity'),
  factor: z.number().min(0).max(1_000),
})
/** Messages of the order stream are lost, doubled, or overtaken by the next one. */
const streamFault = z.strictObject({
  ...scope,
  on: z.literal('stream'),
  mode: z.enum(['mute', 'duplicate', 'reorder']),
})

export const faultRule = z.discriminatedUnion('mode', [
  answerFault,
  lookupLag,
  fillDelay,
  partialFill,
  lateReject,
  cancelConduct,
  overtakenReplacement,
  missingLookup,
  laggingPositions,
  oldPrice,
  missingPrices,
  oddEquity,
  streamFault,
])
export type FaultRule = z.infer<typeof faultRule>
export type AnswerFault = z.infer<typeof answerFault>
export type StreamFault = z.infer<typeof streamFault>

/** The whole script: the first rule that strikes decides, in the order given. */
export const faultScript = z.strictObject({
  rules: z.array(faultRule).max(100),
  seed: z.number().int().default(1),
})

/** A request, as the rules see it that spoil answers. */
export type Operation = Exclude<AnswerFault['on'], 'any'>

/** The facts of an order or request that a rule may strike; null where a fact does not apply or is not known. */
export interface FaultTarget {
  account: string | null
  symbol: string | null
  clientOrderId: string | null
}

export function ruleMatches(rule: FaultRule, target: FaultTarget): boolean {
  return (
    (rule.account === undefined || rule.account === target.account) &&
    (rule.symbol === undefined || rule.symbol === target.symbol) &&
    (rule.clientOrderIdPrefix === undefined ||
      (target.clientOrderId?.startsWith(rule.clientOrderIdPrefix) ?? false))
  )
}
