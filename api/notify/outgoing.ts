import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { parseTrustedProxies } from '#contract/values/networks.ts'

export interface OutgoingAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** At most {@link OUTGOING_BYTES}. */
  body: string
}

export interface OutgoingOptions {
  headers?: Record<string, string>
  body?: string | Buffer
}

/** POSTs within bounds of time and size, and follows no redirect. Throws AddressDenied, or an error of the network. */
export type OutgoingRequest = (url: string, options: OutgoingOptions) => Promise<OutgoingAnswer>

/** Its message is a sentence for the person who chose the address. */
export class AddressDenied extends Error {
  override name = 'AddressDenied'
}

export interface OutgoingRules {
  /** Addresses and networks, with commas between, that may be reached at any port, by http too. */
  allowedNetworks: string
  /** Origins that the operator configured: any scheme, port and address. */
  trustedOrigins: readonly string[]
  /** Milliseconds from look-up to the end of the answer. */
  timeLimit?: number
  /** 443, unless a test listens elsewhere. */
  httpsPort?: number
  lookup?: (name: string) => Promise<LookupAddress[]>
}

export const OUTGOING_BYTES = 16_384
/** Standard Webhooks 1.0.0 says 15 to 30 seconds. */
const OUTGOING_LIMIT_MS = 15_000

/** IANA's special-purpose registries, multicast, and Azure's host, whose address looks public. */
const RESERVED = parseTrustedProxies(
  `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 168.63.129.16, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24,
  192.0.2.0/24, 192.31.196.0/24, 192.52.193.0/24, 192.88.99.0/24, 192.168.0.0/16, 192.175.48.0/24, 198.18.0.0/15,
  198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/3, 2001::/23, 2001:db8::/32, 2002::/16, 2620:4f:8000::/48, 3fff::/20`,
)
/** Any other IPv6 address is local, or another spelling or translation of an IPv4 address. */
const GLOBAL_UNICAST = parseTrustedProxies('2000::/3')
const OTHER_PORT = 'The address must use https and port 443, unless the operator allowed its network'

export function createOutgoing(rules: OutgoingRules) {
  const guard = addressGuard(rules)
  const { timeLimit = OUTGOING_LIMIT_MS, lookup = (name) => lookUp(name, { all: true }) } = rules

  /** Connects to the addresses it has checked: a later answer to the same look-up has no effect. */
  async function send(url: URL, options: OutgoingOptions, signal: AbortSignal): Promise<OutgoingAnswer> {
    if (guard.trusts(url)) return await exchange(url, options, { agent: false, signal })
    const addresses = await lookup(hostOf(url))
    signal.throwIfAborted()
    for (const { address } of addresses) denyIf(guard.faultOfAddress(address, url))
    const allowIPAddressList = addresses.map(({ address }) => address).filter((each) => guard.allows(each))
    const Agent = url.protocol === 'https:' ? RequestFilteringHttpsAgent : RequestFilteringHttpAgent
    const connection = { agent: new Agent({ allowIPAddressList }), lookup: answering(addresses), signal }
    return await exchange(url, options, connection)
  }

  return {
    /** What is wrong with a URL as written, or null. The addresses behind a name are checked at each request. */
    faultOf: guard.faultOf,
    request: async (url: string, options: OutgoingOptions): Promise<OutgoingAnswer> => {
      denyIf(guard.faultOf(url))
      return await within(timeLimit, (signal) => send(new URL(url), options, signal))
    },
  }
}

function addressGuard({ allowedNetworks, trustedOrigins, httpsPort = 443 }: OutgoingRules) {
  const allowed = parseTrustedProxies(allowedNetworks)
  const trusted = new Set(trustedOrigins.map((origin) => new URL(origin).origin))
  const allows = (address: string): boolean => includes(allowed, address)
  const isOrdinary = (url: URL) => url.protocol === 'https:' && Number(url.port || 443) === httpsPort

  function faultOfAddress(address: string, url: URL): string | null {
    if (allows(address)) return null
    const isGlobal = isIPv4(address) || includes(GLOBAL_UNICAST, address)
    if (isGlobal && !includes(RESERVED, address)) return isOrdinary(url) ? null : OTHER_PORT
    // The look-up's answer stays unknown: it would show names of the operator's network.
    return 'The address leads to a private or reserved network, which the operator of this service has not allowed (OUTGOING_NETWORKS)'
  }

  function faultOf(text: string): string | null {
    const url = URL.parse(text)
    if (url === null) return 'Enter a whole address, such as https://example.com/hook'
    if (!/^https?:$/.test(url.protocol)) return 'The address must begin with https://'
    if (url.username + url.password !== '') return 'The address must contain no user name and no password'
    if (trusted.has(url.origin)) return null
    if (isIP(hostOf(url)) !== 0) return faultOfAddress(hostOf(url), url)
    return allowed.rules.length > 0 || isOrdinary(url) ? null : OTHER_PORT
  }
  return { allows, trusts: (url: URL) => trusted.has(url.origin), faultOf, faultOfAddress }
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')
const includes = (networks: BlockList, address: string): boolean =>
  networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

function denyIf(fault: string | null): void {
  if (fault !== null) throw new AddressDenied(fault)
}

const answering =
  (addresses: LookupAddress[]): LookupFunction =>
  (_name, { all }, callback) =>
    all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)

/** Ends the work, and closes its connection, when the time limit is reached. */
async function within<T>(limit: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const closing = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(expired.reject, limit, new Error(`No answer within ${limit / 1_000} s`))
  try {
    return await Promise.race([work(closing.signal), expired.promise])
  } finally {
    clearTimeout(timer)
    closing.abort()
  }
}

async function exchange(url: URL, { headers, body = '' }: OutgoingOptions, connection: RequestOptions) {
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest
  const sent = { 'User-Agent': 'durable-trader', ...headers, 'Content-Length': Buffer.byteLength(body) }
  const request = begin(url, { ...connection, method: 'POST', headers: sent })
  // `once` rejects with an error before the answer; one after it also ends the reading of the body.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await textOf(response) }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let body = Buffer.alloc(0)
  for await (const chunk of response as AsyncIterable<Buffer>) {
    body = Buffer.concat([body, chunk])
    if (body.length >= OUTGOING_BYTES) break
  }
  return body.toString('utf8', 0, OUTGOING_BYTES)
}
