import { isIP, isIPv6 } from 'node:net'
import type { TrustedProxies } from '#contract/values/networks.ts'

/** Trusts X-Forwarded-For from the right up to the first address that is no proxy of ours. */
export function clientAddress(peer: string, forwardedFor: string, proxies: TrustedProxies): string {
  let address = plainAddress(peer)
  const claimed = forwardedFor.split(',').map((part) => plainAddress(withoutPort(part.trim())))
  while (isTrusted(address, proxies)) {
    const previous = claimed.pop()
    if (previous === undefined || isIP(previous) === 0) break
    address = previous
  }
  return address
}

/** IPv4 address, or /64 network of IPv6, which one household has to itself. */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address
  const groups = expand(address).slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text

/** ::ffff:1.2.3.4 is IPv4; a zone is cut off. */
export const plainAddress = (address: string): string =>
  address.split('%', 1)[0]!.replace(/^::ffff:(?=\d+\.)/i, '')

export function isTrusted(address: string, proxies: TrustedProxies): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // A trailing IPv4 counts as two groups.
  const length = left.length + right.length + (address.includes('.') ? 1 : 0)
  return tail === undefined ? left : [...left, ...Array<string>(8 - length).fill('0'), ...right]
}
