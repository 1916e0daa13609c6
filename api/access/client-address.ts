import { BlockList, isIP, isIPv6 } from 'node:net'

/** Addresses whose word on the client's address is believed. */
export type TrustedProxies = BlockList

/**
 * Reads a list such as `10.0.0.0/8, 127.0.0.1, ::1`. Throws a RangeError naming a part that is no address.
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  const list = new BlockList()
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue
    const [address = '', bits, ...rest] = part.split('/')
    const family = isIP(address)
    const widest = family === 4 ? 32 : 128
    if (family === 0 || rest.length > 0 || (bits !== undefined && !isPrefixLength(bits, widest)))
      throw new RangeError(`${JSON.stringify(part)} is neither an address nor a network`)
    list.addSubnet(address, bits === undefined ? widest : Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Whether a text is an address, or a network such as 192.0.2.0/24. */
export function isNetwork(text: string): boolean {
  try {
    parseTrustedProxies(text)
    return text.trim() !== '' && !text.includes(',')
  } catch {
    return false
  }
}

const isPrefixLength = (text: string, widest: number): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) <= widest

/**
 * Where a request comes from. X-Forwarded-For is believed only as far as proxies of ours have written it: from
 * the right, up to the first address that is none of theirs. Whatever a client puts in front is ignored. Some proxies
 * write the port as well, `203.0.113.9:51234` or `[2001:db8::9]:51234`, which is not part of the address.
 *
 * @param peer address at the other end of the connection
 */
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

/**
 * What requests are counted by: an IPv4 address, or the /64 network of an IPv6 address, all of which one
 * household or machine has to itself.
 */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address
  const groups = expand(address).slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text

/** IPv4 written as IPv6 (::ffff:1.2.3.4) is IPv4; a zone (fe80::1%eth0) is not part of the address. */
export const plainAddress = (address: string): string =>
  address.split('%', 1)[0]!.replace(/^::ffff:(?=\d+\.)/i, '')

export function isTrusted(address: string, proxies: TrustedProxies): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** The eight groups of an IPv6 address. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // The last group may be IPv4; it stands for two and lies beyond the first four.
  const length = left.length + right.length + (address.includes('.') ? 1 : 0)
  return tail === undefined ? left : [...left, ...Array<string>(8 - length).fill('0'), ...right]
}
