/** The host of an address or of the header `Host`, in one spelling for all that mean the same. */
export interface HostName {
  /** In lower case, without a final dot; an IPv6 address in its shortest form and without brackets. */
  name: string
  /** Empty for the default one of the protocol. */
  port: string
}

/** What no host has: with it an address would go on behind the host, or have begun before it. */
const NO_HOST = /[\s/?#@\\]/

/**
 * The host that is written in the header `Host` or in a setting; null for text that is no host. Wherever names of hosts are compared
 * they are read by this: `HOOKS.example.com`, `hooks.example.com.` and `hooks.example.com:443` are one.
 *
 * @param protocol by which the port is told from the default one
 */
export function readHost(written: string, protocol: 'http:' | 'https:' = 'http:'): HostName | null {
  const address = `${protocol}//${written}`
  if (NO_HOST.test(written) || !URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  return { name: hostname.replace(/\.$/, '').replaceAll(/^\[|\]$/g, ''), port }
}

const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])

/** Whether text in the header `Host` or in a setting is a name of this machine, whatever the port. */
export const namesThisMachine = (written = ''): boolean => THIS_MACHINE.has(readHost(written)?.name ?? '')

/** An IPv4 address in the form that every spelling is read to. */
const OF_DIGITS = /^[\d.]+$/

/**
 * Whether a request meant the door that it came to. A web page in the operator's browser can lead a name of its own to this machine
 * (DNS rebinding), which then stands in the header `Host`. An address of digits cannot be led elsewhere.
 *
 * @param names under which the door is reached beside `localhost`
 */
export function isOwnHost(written = '', names: readonly string[] = []): boolean {
  const name = readHost(written)?.name
  if (name === undefined) return false
  const isAddress = OF_DIGITS.test(name) || name.includes(':')
  return name === 'localhost' || isAddress || names.some((one) => readHost(one)?.name === name)
}

/** Whether a server that listens at the address is reached from its own machine alone. */
export function isLoopback(address: string): boolean {
  const name = readHost(address.includes(':') ? `[${address}]` : address)?.name ?? ''
  return THIS_MACHINE.has(name) || (name.startsWith('127.') && OF_DIGITS.test(name))
}

/**
 * Whether a request to a page of metrics may be answered. A page for this machine alone is near a browser, which another site may lead
 * there; a page for the network is asked by the names that its network gives it.
 *
 * @param address that the server listens at
 * @param host the header `Host` of the request
 */
export const mayReadMetrics = (address: string, host: string | undefined): boolean =>
  !isLoopback(address) || isOwnHost(host)
