import { z } from 'zod'

const scope = {
  account: z.string().optional(),
  symbol: z.string().optional(),
  clientOrderIdPrefix: z.string().optional(),
  times: z.number().int().min(1).optional(),
  probability: z.number().gt(0).max(1).optional(),
}
const milliseconds = z.number().int().min(0).max(3_600_000)

/** before: never seen. after: only the answer is lost. late: handled after `hangMs`, when its sender gave up. */
const answerFault = z.strictObject({
  ...scope,
  on: z.enum(['submit', 'replace', 'lookup', 'cancel', 'get', 'any']),
  mode: z.enum(['hang', 'reset', '500', 'garbage', '429', '503', 'late']),
  when: z.enum(['before', 'after']).default('before'),
  /** hang: then the connection is cut. late: milliseconds for which the request is held. */
  hangMs: milliseconds.default(60_000),
  retryAfterSeconds: z.number().min(0).max(3_600).optional(),
})
/** Hides an accepted order from look-ups for a while; its id is taken at once. */
const lookupLag = z.strictObject({
  ...scope,
  on: z.literal('lookup'),
  mode: z.literal('lag'),
  lagMs: milliseconds,
})
const fillDelay = z.strictObject({
  ...scope,
  on: z.literal('fill'),
  mode: z.literal('delay'),
  delayMs: milliseconds,
})
/** Limits the first fill to this share; the rest waits for `holdMs`, or forever. */
const partialFill = z.strictObject({
  ...scope,
  on: z.literal('fill'),
  mode: z.literal('partial'),
  fraction: z.number().gt(0).lt(1),
  holdMs: milliseconds.optional(),
})
const lateReject = z.strictObject({
  ...scope,
  on: z.literal('accepted'),
  mode: z.literal('reject'),
  delayMs: milliseconds.default(0),
  reason: z.string().max(200).default('rejected by the exchange'),
})
/** pending: takes `delayMs`. fill: a complete fill overtakes it. late_fill: a fill comes `delayMs` after it. */
const cancelConduct = z.strictObject({
  ...scope,
  on: z.literal('cancel'),
  mode: z.enum(['pending', 'fill', 'late_fill']),
  delayMs: milliseconds.default(100),
})
const overtakenReplacement = z.strictObject({
  ...scope,
  on: z.literal('replace'),
  mode: z.literal('overtaken'),
})
const missingLookup = z.strictObject({ ...scope, on: z.literal('asset'), mode: z.literal('unsupported') })
const laggingPositions = z.strictObject({
  ...scope,
  on: z.literal('positions'),
  mode: z.literal('behind'),
  lagMs: milliseconds,
})
/** Bid and ask are current; only the last trade is old. */
const oldPrice = z.strictObject({
  ...scope,
  on: z.literal('price'),
  mode: z.literal('old'),
  agoMs: z
    .number()
    .int()
    .min(0)
    .max(366 * 86_400_000),
  /** Dollars a share; by default the price of its time. */
  price: z.number().gt(0).optional(),
})
const missingPrices = z.strictObject({ ...scope, on: z.literal('price'), mode: z.literal('forbidden') })
const oddEquity = z.strictObject({
  ...scope,
  on: z.literal('account'),
  mode: z.literal('equity'),
  factor: z.number().min(0).max(1_000),
})
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

/** The first rule that strikes decides. */
export const faultScript = z.strictObject({
  rules: z.array(faultRule).max(100),
  seed: z.number().int().default(1),
})

export type Operation = Exclude<AnswerFault['on'], 'any'>

/** Null: not applicable, or unknown. */
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
