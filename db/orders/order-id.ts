import { derivedId } from '../engine/derived-id.ts'

/** Namespace of our order ids; generated once. */
const NAMESPACE = Buffer.from('6f1d2c0b8a8e4c1c9b7e5c52f0a3d9e1', 'hex')

/**
 * Our id of an order, derived from its client order id, so that whoever first hears of the order, the workflow or
 * the broker feed, gives it the same one.
 */
export const orderIdFor = (clientOrderId: string): string => derivedId(NAMESPACE, clientOrderId)
