import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { mintAccessToken } from '#api/http/access-token.ts'
import { lettersOf } from '#test/support/letters.ts'

export const STRANGERS_SHAPES = ['queries', 'addresses', 'invented tokens', 'unread answers'] as const

/** Requests of a flood: a stranger's kind, valid signals by a token, or messages to a hook. */
export type ShapePlan =
  | { kind: (typeof STRANGERS_SHAPES)[number] }
  | { kind: 'signals'; token: string; accountId: string }
  | { kind: 'messages'; path: string }

export interface Shape {
  /** Requests a second, by the elapsed part of the time. */
  perSecond(over: number): number
  /** Most open requests; beyond them none is sent. */
  atOnce: number
  /** Sends a request; resolves to its status, or the reason for none. */
  send(): Promise<string>
}

/** Bytes within the 16 kB that HTTP servers accept as a request's head. */
const LONG_PATH = 15_000
const PAIRS = 7_800
const STRANGER = { perSecond: () => 250, atOnce: 8 }
/** API descriptions in one connection, more than the system buffers for a reader. */
const UNREAD_AT_ONCE = 10
/** Requests a second, by the specification's 200 a minute; then ten times that. */
const AS_ALLOWED = 200 / 60
const SYMBOLS = 50
/** Fields within the bounds of hooks: 200 fields, 16 KiB. */
const FIELDS = 190
const VALUE = 'a'.repeat(70)

/** @param address of the API, such as http://127.0.0.1:3000 */
export function shapeOf(plan: ShapePlan, address: string): Shape {
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string, headers: Record<string, string> = {}): Promise<string> =>
    statusOf(agent, { url: `${address}${path}`, method: 'GET', headers, body: '' })
  switch (plan.kind) {
    case 'queries': {
      const path = `/healthz?${'a&'.repeat(PAIRS)}`
      return { ...STRANGER, send: () => ask(path) }
    }
    case 'addresses': {
      const path = `/${'a'.repeat(LONG_PATH)}`
      return { ...STRANGER, send: () => ask(path) }
    }
    case 'invented tokens':
      return {
        ...STRANGER,
        send: () => ask('/api/v1/signals', { authorization: `Bearer ${mintAccessToken().token}` }),
      }
    case 'unread answers':
      return { perSecond: () => 10, atOnce: 100, send: () => askAndReadNothing(address) }
    case 'messages': {
      const fields = Array.from({ length: FIELDS }, (_, n) => `"k${n}":"${VALUE}"`).join()
      // A copy of a message would be the same alert.
      const nextBody = () =>
        `{"ticker":"AAPL","action":"buy","quantity":"1","id":"${randomUUID()}",${fields}}`
      const message = { url: `${address}${plan.path}`, method: 'POST', headers: {} }
      return {
        perSecond: () => 10,
        atOnce: 60,
        send: () => statusOf(agent, { ...message, body: nextBody() }),
      }
    }
    case 'signals': {
      const nextBody = bodiesFor(plan.accountId)
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${plan.token}` }
      return {
        perSecond: (over) => (over < 0.5 ? AS_ALLOWED : 10 * AS_ALLOWED),
        atOnce: 16,
        send: () =>
          statusOf(agent, { url: `${address}/api/v1/signals`, method: 'POST', headers, body: nextBody() }),
      }
    }
  }
}

interface Question {
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

function statusOf(agent: Agent, { url, method, headers, body }: Question): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const sending = request(url, {
    agent,
    method,
    headers: { ...headers, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) },
  })
  sending.once('error', () => resolve('broken off'))
  sending.once('response', (response) => {
    response.once('error', () => resolve('broken off'))
    response.once('end', () => resolve(String(response.statusCode))).resume()
  })
  sending.end(body)
  return promise
}

/** Requests much data, and reads none while the service permits it. */
function askAndReadNothing(address: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}).once('close', () => resolve('cut off'))
  // An unread connection reports its end only by a failed write.
  const asking = setInterval(() => socket.write('\r\n'), 1_000)
  socket.once('close', () => clearInterval(asking))
  socket.pause().write(`GET /openapi.json HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(UNREAD_AT_ONCE))
  return promise
}

/** Valid signals of maximum length: 16 kB of metadata and blanks, each with a unique sourceId. */
function bodiesFor(accountId: string): () => string {
  const note = 'token'.repeat(3_260)
  const padding = ' '.repeat(46_000)
  let sent = 0
  return () => {
    const symbol = `ZTFLOOD${lettersOf(sent++ % SYMBOLS)}`
    const signal = {
      accountId,
      symbol,
      action: 'openLong',
      quantity: 1,
      executeMode: 'immediate',
      sourceId: randomUUID(),
      metadata: { note },
    }
    return `${JSON.stringify(signal).slice(0, -1)}${padding}}`
  }
}
