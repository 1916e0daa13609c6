/** One spelling for all that mean the same host. */
export interface HostName {
  /** In lower case, without a final dot; an IPv6 address in its shortest form and without brackets. */
  name: string
  port: string
}

/** With one of these an address would end before, or begin after, the host. */
const NO_HOST = /[\s/?#@\\]/

/** Null for text that is no host. `HOOKS.example.com`, `hooks.example.com.` and `hooks.example.com:443` are one. */
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
 * Whether a request names this server. A web page can lead a name of its own to this machine (DNS rebinding),
 * which then is in the header `Host`; an address of digits cannot be led elsewhere.
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

/** On a loopback address it is near a browser, which another site may lead there: see {@link isOwnHost}. */
export const mayReadMetrics = (address: string, host: string | undefined): boolean =>
  !isLoopback(address) || isOwnHost(host)

/** Never an address of the application, whatever a browser expects or opens there. */
export const NOT_OF_THE_APP = ['/api', '/docs', '/events', '/openapi.json', '/mailbox', '/healthz', '/readyz']
/** Where Vite puts files whose names hold a hash of their content. */
export const HASHED_FILES = '/assets/'
export const APP_PAGE = '/index.html'
