import { derivedId } from '../engine/derived-id.ts'

/** Generated once. */
const ORDER_NAMESPACE = Buffer.from('6f1d2c0b8a8e4c1c9b7e5c52f0a3d9e1', 'hex')

export const orderIdFor = (clientOrderId: string): string => derivedId(ORDER_NAMESPACE, clientOrderId)
