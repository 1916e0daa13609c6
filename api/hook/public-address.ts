import { readHost } from '#domain/hook/host-name.ts'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { isOnThisMachine } from '../http/server.ts'

export interface PublicAddresses {
  PUBLIC_URL: string
  /** Origin for senders; PUBLIC_URL when absent. */
  WEBHOOK_URL?: string | undefined
}

export const hooksOrigin = ({ PUBLIC_URL, WEBHOOK_URL }: PublicAddresses): string => WEBHOOK_URL ?? PUBLIC_URL

export interface Apart extends PublicAddresses {
  WEBHOOK_URL: string
}

export const isApart = (addresses: PublicAddresses): addresses is Apart =>
  addresses.WEBHOOK_URL !== undefined && addresses.WEBHOOK_URL !== new URL(addresses.PUBLIC_URL).origin

export interface AddressFault {
  code: 'this_machine' | 'private_network' | 'private_name' | 'ipv6' | 'not_https' | 'port'
  message: string
}

export type Whereabouts = 'this_machine' | 'private_network' | 'outside'

const loopback = blockList([
  ['127.0.0.0', 8],
  ['::1', 128],
])
const inside = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
])
/** Sources: RFC 6761, 6762, 7686, 8375; ICANN for private use. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home|home\.arpa|test|invalid|onion)$/

export function whereaboutsOf(ip: string): Whereabouts {
  if (isIP(ip) === 0) return 'this_machine'
  const family = isIPv6(ip) ? 'ipv6' : 'ipv4'
  if (loopback.check(ip, family)) return 'this_machine'
  return inside.check(ip, family) ? 'private_network' : 'outside'
}

/** TradingView calls only ports 80 and 443, without IPv6; port 80 exposes the secret. */
export function addressFaults(address: string): AddressFault[] {
  const { protocol, host, port } = new URL(address)
  const place = placeFault(address, readHost(host)!.name)
  return [
    ...(place ? [place] : []),
    ...(protocol === 'https:' ? [] : [NOT_HTTPS]),
    ...(port === '' ? [] : [portFault(port)]),
  ]
}

const NOT_HTTPS: AddressFault = {
  code: 'not_https',
  message: 'Without https everybody on the way could read the secret in the address of a hook',
}

const portFault = (port: string): AddressFault => ({
  code: 'port',
  message: `TradingView calls port 443 alone by https, and never port ${port}`,
})

function placeFault(address: string, host: string): AddressFault | null {
  if (isOnThisMachine(address) || whereOfHost(host) === 'this_machine')
    return { code: 'this_machine', message: `${host} is this machine alone: no sender outside can call it` }
  if (whereOfHost(host) === 'private_network')
    return {
      code: 'private_network',
      message: `${host} is an address within a network: no sender outside can call it`,
    }
  if (isIPv6(host))
    return {
      code: 'ipv6',
      message: 'TradingView calls no IPv6 addresses: a name with an IPv4 address is needed',
    }
  if (isIP(host) === 0 && (!host.includes('.') || PRIVATE_NAME.test(host)))
    return {
      code: 'private_name',
      message: `${host} is a name within a network: no sender outside can look it up`,
    }
  return null
}

const whereOfHost = (host: string): Whereabouts => (isIP(host) === 0 ? 'outside' : whereaboutsOf(host))

function blockList(networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of networks) list.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4')
  return list
}
