import type { Routes } from '#client/types.ts'

// Types of the service that the form uses, in one place.
export type { Account, Advisory, OrderDetail, Quote, Signal, SignalOfGroup } from '#client/types.ts'

export type Body = Routes['POST /api/v1/signals']['request'][0]['body']
export type TradeRequest = Routes['POST /api/v1/orders']['request'][0]['body']
/** Answers of both to a dry run. */
export type SignalPlayed = Extract<Routes['POST /api/v1/signals']['answers'][200], { dryRun: unknown }>
export type OrderPlayed = Extract<Routes['POST /api/v1/orders']['answers'][200], { dryRun: unknown }>

export type Action = Body['action']
/** Units of a quantity; some are only for opening, or only for closing. */
export type QuantityType = NonNullable<Body['quantityType']>
