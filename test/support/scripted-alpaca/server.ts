import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { alpacaRejections } from '#test/brokers/alpaca-answers.ts'
import { instantWithOffset } from '#domain/time/wall-time.ts'
import { ScriptedAccount, type WireAnswer } from './account.ts'
import type { ArrivedRequest } from './answers.ts'
import { isWorking, Refusal, type BookedOrder } from './books.ts'
import { wirePrices } from './market.ts'
import { OrderStreams } from './stream.ts'

const ZONE = 'America/New_York'

/** A broker that speaks Alpaca's wire and does whatever a test tells it, each account by itself. */
export class ScriptedAlpaca {
  readonly #accounts = new Map<string, ScriptedAccount>()
  readonly #streams = new OrderStreams((keyId) => this.#accounts.get(keyId)?.stream)
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      response.destroy()
      // A mistake of the double itself must not pass for a broker in trouble.
      setImmediate(() => {
        throw error
      })
    })
  })

  static async start(): Promise<ScriptedAlpaca> {
    const broker = new ScriptedAlpaca()
    broker.#server.on('upgrade', (request, socket, head) => broker.#streams.upgrade(request, socket, head))
    await new Promise<void>((resolve) => broker.#server.listen(0, '127.0.0.1', resolve))
    return broker
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  open(): ScriptedAccount {
    const account = new ScriptedAccount()
    this.#accounts.set(account.keyId, account)
    return account
  }

  async close(): Promise<void> {
    this.#streams.close()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const url = new URL(incoming.url!, 'http://broker')
    const request: ArrivedRequest = {
      method: incoming.method!,
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
    }
    const account = this.#accounts.get(String(incoming.headers['apca-api-key-id']))
    const send = ({ status, body }: WireAnswer, headers: Record<string, string> = {}): void => {
      const date = new Date(account?.now() ?? Date.now()).toUTCString()
      response.writeHead(status, { 'content-type': 'application/json', date, ...headers })
      response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (!account) return send({ status: 403, body: alpacaRejections.keys })
    account.requests.push(request)
    const odd = account.oddFor(request)
    const usual = !odd || odd.takesEffect ? answerOf(account, request) : null
    if (!odd) return send(usual!)
    if (odd.instead === 'reset') return void incoming.socket.destroy()
    send({ status: odd.status, body: odd.body }, odd.headers)
  }
}

function answerOf(account: ScriptedAccount, request: ArrivedRequest): WireAnswer {
  try {
    return { status: 200, ...route(account, request) }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    throw error
  }
}

const found = (body: unknown): Pick<WireAnswer, 'body'> => ({ body })
const absent = (message: string): WireAnswer => ({ status: 404, body: { code: 40_410_000, message } })

/** What Alpaca documents of its API, as far as the service uses it. */
function route(account: ScriptedAccount, request: ArrivedRequest): Partial<WireAnswer> {
  const { method, path, query } = request
  const { books, market, days } = account
  const shown = (order: BookedOrder | undefined): Partial<WireAnswer> =>
    order ? found(order) : absent('order not found')
  const id = path.split('/').at(-1)!
  const is = (pattern: string): boolean => pattern === `${method} ${path}`
  const begins = (pattern: string): boolean => `${method} ${path}`.startsWith(pattern)

  if (is('GET /v2/account')) return found(account.showAccount())
  if (is('POST /v2/orders')) return shown(account.submit(JSON.parse(request.body)))
  if (is('GET /v2/orders')) return found(listedOrders(account, query))
  if (is('GET /v2/orders:by_client_order_id'))
    return shown(books.findByClientId(query.get('client_order_id')!))
  if (begins('GET /v2/orders/')) return shown(books.find(id))
  if (begins('DELETE /v2/orders/')) {
    const order = books.find(id)
    if (!order) return absent('order not found')
    account.cancel(order)
    return { status: 204 }
  }
  if (is('GET /v2/positions')) return found(account.showPositions())
  if (begins('GET /v2/positions/')) {
    const position = account.showPositions().find(({ symbol }) => symbol === id)
    return position ? found(position) : absent('position does not exist')
  }
  if (begins('GET /v2/account/activities')) return found(listedActivities(account, path, query))
  if (begins('GET /v2/assets/')) return found(market.asset(id))
  if (is('GET /v2/clock')) return found(clockOf(account))
  if (is('GET /v2/calendar'))
    return found(
      days.list(query.get('start')!, query.get('end')!).map((day) => ({
        ...day,
        session_open: '0400',
        session_close: '2000',
        settlement_date: day.date,
      })),
    )
  const symbol = path.split('/')[3] ?? ''
  const prices = wirePrices(market.of(symbol), account.now())
  if (path.endsWith('/trades/latest')) return found({ symbol, trade: prices.latestTrade })
  if (path.endsWith('/quotes/latest')) return found({ symbol, quote: prices.latestQuote })
  if (path.endsWith('/snapshot')) return found({ symbol, ...prices })
  if (path.endsWith('/bars')) return found({ symbol, bars: [], next_page_token: null })
  if (path === '/v2/stocks/snapshots') {
    const symbols = (query.get('symbols') ?? '').split(',')
    return found(
      Object.fromEntries(symbols.map((each) => [each, wirePrices(market.of(each), account.now())])),
    )
  }
  return { status: 404, body: { message: `endpoint not found: ${method} ${path}` } }
}

function clockOf(account: ScriptedAccount): Record<string, unknown> {
  const now = account.now()
  const { closesAt } = account.days.sessionAt(now)
  const next = account.days.sessionAt(closesAt).opensAt
  const text = (at: number): string => instantWithOffset(new Date(at).toISOString(), ZONE)
  return { timestamp: text(now), is_open: true, next_open: text(next), next_close: text(closesAt) }
}

function listedOrders(account: ScriptedAccount, query: URLSearchParams): Record<string, unknown>[] {
  const status = query.get('status') ?? 'open'
  const [after, until] = ['after', 'until'].map((name) => query.get(name))
  return account.books.orders
    .filter((order) => status === 'all' || isWorking(order) === (status === 'open'))
    .filter(({ submitted_at: at }) => (!after || at > after) && (!until || at < until))
    .toReversed()
    .slice(0, Number(query.get('limit') ?? 50))
}

function listedActivities(
  account: ScriptedAccount,
  path: string,
  query: URLSearchParams,
): Record<string, unknown>[] {
  const own = path.split('/')[4]
  const types = own ? [own] : (query.get('activity_types') ?? 'FILL,FEE').split(',')
  const after = query.get('after')
  const rows = account.showActivities(types, after ? Date.parse(after) : 0)
  const last = rows.findIndex(({ id }) => id === query.get('page_token'))
  return rows.slice(last + 1, last + 1 + Number(query.get('page_size') ?? 100))
}
