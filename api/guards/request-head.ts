import { MINUTE_MS } from '#domain/time/instants.ts'
import type { ApiMiddleware } from '../http/context.ts'
import { HOOK_ADDRESSES } from '#contract/envelopes.ts'
import { fault, type Fault } from '#contract/errors.ts'
import { parseQuery } from '../http/query.ts'

const OF_ONE = 100
/** Bounds the lines of many addresses together. */
const LINES_IN_ALL = 1_000

/** A full disk stops trading: a minute's first lines are written, others counted. */
export class LineBudget {
  readonly #tell: (leftOut: Record<string, number>) => void
  readonly #written = new Map<string, number>()
  #inAll = 0
  #leftOut: Record<string, number> = {}
  #isCounting = false

  /** The callback is called at the end of a minute with lines left out, by kind. */
  constructor(tell: (leftOut: Record<string, number>) => void) {
    this.#tell = tell
  }

  allows(sender: string, kind: string | number): boolean {
    if (!this.#isCounting) setTimeout(() => this.#end(), MINUTE_MS).unref()
    this.#isCounting = true
    const written = this.#written.get(sender) ?? 0
    if (written >= OF_ONE || this.#inAll >= LINES_IN_ALL) {
      this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + 1
      return false
    }
    this.#written.set(sender, written + 1)
    this.#inAll += 1
    return true
  }

  #end(): void {
    const leftOut = this.#leftOut
    this.#isCounting = false
    this.#written.clear()
    this.#inAll = 0
    this.#leftOut = {}
    if (Object.keys(leftOut).length > 0) this.#tell(leftOut)
  }
}

/** Removes query, secret and spare slashes, so that no log, trace or error shows a secret. */
export function requestHead(routes: readonly string[]): ApiMiddleware {
  const withoutSpareSlashes = spareSlashes(routes)
  return async (ctx, next) => {
    const { path: written, query } = partsOf(ctx.req.url!)
    const { path, secret } = withoutHookSecret(withoutSpareSlashes(ctx.method, written))
    if (secret !== null) ctx.state.hookSecret = secret
    ctx.state.query = parseQuery(query)
    ctx.state.headFaults = [...ctx.state.query.faults, ...hostFaults(ctx.req.rawHeaders)]
    ctx.req.url = path
    ctx.originalUrl = path
    ctx.request.originalUrl = path
    await next()
  }
}

const SECRET_HIDDEN = 'secret'

function withoutHookSecret(path: string): { path: string; secret: string | null } {
  if (!path.startsWith(HOOK_ADDRESSES)) return { path, secret: null }
  const end = path.indexOf('/', HOOK_ADDRESSES.length)
  const secret = end === -1 ? '' : path.slice(end + 1)
  return secret === '' || secret.includes('/')
    ? { path, secret: null }
    : { path: `${path.slice(0, end)}/${SECRET_HIDDEN}`, secret }
}

function partsOf(target: string): { path: string; query: string } {
  const address = before(target, '#')
  const path = before(address, '?')
  return { path, query: address.slice(path.length + 1) }
}

const before = (text: string, sign: string): string => {
  const at = text.indexOf(sign)
  return at === -1 ? text : text.slice(0, at)
}

/** Node takes the first, a proxy may take the last (RFC 9112, section 3.2). */
function hostFaults(rawHeaders: readonly string[]): Fault[] {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host')
  return hosts.length > 1 ? [fault([], 'repeated_host', 'The header Host must be sent once')] : []
}

const BASE = /^\/+(?:api\/+v1(?:\/+|$))?/

/** Keeps a slash where an empty id may follow: `PUT /settings/halt/` must not become `PUT /settings/halt`. */
export function spareSlashes(routes: readonly string[]): (method: string, path: string) => string {
  const withId = routes.flatMap((route) => {
    const [method, address] = route.split(' ') as [string, string]
    const before = /^(.+)\/:[^/]+$/.exec(address)?.[1]
    return before === undefined
      ? []
      : [{ method, before: new RegExp(`^${before.replaceAll(/:[^/]+/g, '[^/]+')}$`) }]
  })
  return (method, path) => {
    const address = path.replace(BASE, (base) => (base.includes('api') ? '/api/v1/' : '/'))
    if (address === '/' || !address.endsWith('/')) return address
    const shorter = address.slice(0, -1)
    const mayLackId = withId.some(
      (route) => route.method === (method === 'HEAD' ? 'GET' : method) && route.before.test(shorter),
    )
    return mayLackId ? address : shorter
  }
}
