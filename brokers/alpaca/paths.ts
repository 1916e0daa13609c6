import type { RequestClass } from '../port.ts'

export const templateOfPath = (path: string): string =>
  path
    .split('?', 1)[0]!
    .replace(/^\/v2\/orders\/[^/]+/, '/v2/orders/{id}')
    .replace(/^\/v2\/(positions|assets|stocks)\/(?!snapshots$)[^/]+/, '/v2/$1/{symbol}')

/** A look-up of an order does not queue behind the caller's other requests. */
export function classOfRequest(method: string, path: string, ofCaller: RequestClass): RequestClass {
  if (method !== 'GET') return 'orders'
  const isLookup = /^\/v2\/orders[:/]/.test(path)
  return isLookup && ofCaller !== 'orders' ? 'lookups' : ofCaller
}
