export interface HostName {
  /** Lower case without final dot; IPv6 in its shortest form, without brackets. */
  name: string
  port: string
}

/** The host of an address would end or begin there. */
const NO_HOST = /[\s/?#@\\]/

/** Null for no host. `HOOKS.example.com`, `hooks.example.com.` and `hooks.example.com:443` are equal. */
export function readHost(written: string, protocol: 'http:' | 'https:' = 'http:'): HostName | null {
  const address = `${protocol}//${written}`
  if (NO_HOST.test(written) || !URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  return { name: hostname.replace(/\.$/, '').replaceAll(/^\[|\]$/g, ''), port }
}

const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])

export const namesThisMachine = (written = ''): boolean => THIS_MACHINE.has(readHost(written)?.name ?? '')

const OF_DIGITS = /^[\d.]+$/

/**
 * True if a request's `Host` names this server. A web page can point its own name at this machine (DNS rebinding), but
 * no IP address.
 * @param names of this server beside `localhost`
 */
export function isOwnHost(written = '', names: readonly string[] = []): boolean {
  const name = readHost(written)?.name
  if (name === undefined) return false
  const isAddress = OF_DIGITS.test(name) || name.includes(':')
  return name === 'localhost' || isAddress || names.some((one) => readHost(one)?.name === name)
}

export function isLoopback(address: string): boolean {
  const name = readHost(address.includes(':') ? `[${address}]` : address)?.name ?? ''
  return THIS_MACHINE.has(name) || (name.startsWith('127.') && OF_DIGITS.test(name))
}

/** A browser may be led to a loopback address: see {@link isOwnHost}. */
export const mayReadMetrics = (address: string, host: string | undefined): boolean =>
  !isLoopback(address) || isOwnHost(host)

/** Outside the application, even if a browser expects a page. */
export const NOT_OF_THE_APP = ['/api', '/docs', '/events', '/openapi.json', '/mailbox', '/healthz', '/readyz']
/** Vite's files named with a content hash. */
export const HASHED_FILES = '/assets/'
export const APP_PAGE = '/index.html'
