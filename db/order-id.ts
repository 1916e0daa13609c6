import { createHash } from 'node:crypto'

/** Namespace of our order ids (RFC 9562, section 5.5); generated once. */
const NAMESPACE = Buffer.from('6f1d2c0b8a8e4c1c9b7e5c52f0a3d9e1', 'hex')

/**
 * Our id of an order, derived from its client order id (a UUID version 5), so that whoever first hears of the
 * order, the workflow or the broker feed, gives it the same one.
 */
export function orderIdFor(clientOrderId: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(clientOrderId).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
