import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { CONTROL_SECRET } from '#test/support/venue-desk.ts'
import { startVenue, type RunningVenue, type VenueStart, type VenueSurroundings } from '#venue/server.ts'
import { WebSocket } from 'ws'

const KEY_ID = 'PAPER-DEMO-KEY'
const SECRET_KEY = 'paper-demo-secret'

/** A parsed JSON body of whatever shape a route answers with: what a test asserts is what checks it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read dozens of shapes, fields they got wrong fail
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  /** The parsed JSON body; undefined when there is none. */
  body: Json
}

/** A client of one venue with one account's keys. */
export class VenueClient {
  url: string
  readonly #keys: { keyId: string; secretKey: string }

  constructor(url: string, keys = { keyId: KEY_ID, secretKey: SECRET_KEY }) {
    this.url = url
    this.#keys = keys
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        'APCA-API-KEY-ID': this.#keys.keyId,
        'APCA-API-SECRET-KEY': this.#keys.secretKey,
        Authorization: `Bearer ${CONTROL_SECRET}`,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  /** The body that is answered. */
  async get(path: string): Promise<Json> {
    return (await this.call('GET', path)).body
  }

  order(id: string): Promise<Json> {
    return this.get(`/v2/orders/${id}`)
  }

  /** Submits a day order to buy one AAPL at the market, except as told. */
  submit(order: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('POST', '/v2/orders', {
      symbol: 'AAPL',
      qty: '1',
      side: 'buy',
      type: 'market',
      time_in_force: 'day',
      ...order,
    })
  }

  pin(symbol: string, price: string): Promise<Answer> {
    return this.call('PUT', `/venue/prices/${symbol}`, { price })
  }

  script(...rules: Record<string, unknown>[]): Promise<Answer> {
    return this.call('PUT', '/venue/faults', { rules, seed: 7 })
  }

  async ledger(): Promise<Json> {
    return this.get(`/venue/ledger?account=${this.#keys.keyId}`)
  }

  /** The order once it satisfies the condition; throws when it does not within three seconds. */
  async orderWhen(id: string, condition: (order: Json) => boolean): Promise<Json> {
    const deadline = Date.now() + 3_000
    for (;;) {
      const order = await this.order(id)
      if (condition(order)) return order
      if (Date.now() > deadline) throw new Error(`The order stayed ${JSON.stringify(order)}`)
      await sleep(20)
    }
  }

  until(id: string, status: string): Promise<Json> {
    return this.orderWhen(id, (order) => order.status === status)
  }

  /** Submits and waits for the end of the order, or for the status. */
  async submitAndAwait(order: Record<string, unknown>, status = 'filled'): Promise<Json> {
    const { body } = await this.submit(order)
    if (!body.id) throw new Error(`Refused: ${JSON.stringify(body)}`)
    return this.until(body.id, status)
  }

  /** A listening order stream and everything that it has told so far. */
  async listen(): Promise<{
    socket: WebSocket
    messages: Json[]
    until: (count: number) => Promise<Json[]>
  }> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/stream`)
    const messages: Json[] = []
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8'))))
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'auth', key: this.#keys.keyId, secret: this.#keys.secretKey }))
    socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates', 'nothing'] } }))
    const until = async (count: number) => {
      const deadline = Date.now() + 3_000
      while (messages.length < count && Date.now() < deadline) await once(socket, 'message')
      return messages
    }
    await until(2)
    return { socket, messages, until }
  }
}

/** A venue that lives as long as the mocha suite around it. */
export function venueForSuite(
  settings: VenueStart = {},
  surroundings: VenueSurroundings = {},
): { client: VenueClient; otherAccount: (name: string, type?: string) => Promise<VenueClient> } {
  let venue: RunningVenue
  const suite = { client: new VenueClient(''), otherAccount }
  async function otherAccount(name: string, type = 'margin'): Promise<VenueClient> {
    const keys = { keyId: name, secretKey: 's' }
    await suite.client.call('POST', '/venue/accounts', { ...keys, cash: '10000', type })
    return new VenueClient(venue.url, keys)
  }
  before(async () => {
    venue = await startVenue({ VENUE_CONTROL_SECRET: CONTROL_SECRET, ...settings }, surroundings)
    suite.client.url = venue.url
  })
  after(() => venue.close())
  return suite
}
