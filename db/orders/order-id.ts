import { derivedId } from '../engine/derived-id.ts'

/** Namespace of our order ids; generated once. */
const ORDER_NAMESPACE = Buffer.from('6f1d2c0b8a8e4c1c9b7e5c52f0a3d9e1', 'hex')

/**
 * Our id of an order, derived from its client order id: the workflow and the broker feed give the order the same id,
 * whichever records it first.
 */
export const orderIdFor = (clientOrderId: string): string => derivedId(ORDER_NAMESPACE, clientOrderId)
