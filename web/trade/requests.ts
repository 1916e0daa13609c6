import type { Routes } from '#client/types.ts'

// What the form knows of the service's types, all in one place.
export type { Account, Advisory, OrderDetail, Quote, Signal, SignalOfGroup } from '#client/types.ts'

/** The body of POST /signals. */
export type Body = Routes['POST /api/v1/signals']['request'][0]['body']
/** The body of POST /orders. */
export type TradeRequest = Routes['POST /api/v1/orders']['request'][0]['body']
/** What both answer to a dry run. */
export type SignalPlayed = Extract<Routes['POST /api/v1/signals']['answers'][200], { dryRun: unknown }>
export type OrderPlayed = Extract<Routes['POST /api/v1/orders']['answers'][200], { dryRun: unknown }>

export type Action = Body['action']
/** How a quantity is meant; some of them for what opens, or for what closes, alone. */
export type QuantityType = NonNullable<Body['quantityType']>
