import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerLast } from '#config/last-answer.ts'
import { isOwnRequest } from './http/own-requests.ts'
import type { AddressInfo } from 'node:net'
import { decimal } from '#domain/money/decimal.ts'
import { copyLedger } from './ledger/copy.ts'
import { openLedger } from './ledger/database.ts'
import { Exchange } from './exchange/exchange.ts'
import type { OrderEvent } from './exchange/order-event.ts'
import { FaultScript } from './faults/script.ts'
import { venueApp } from './http/app.ts'
import { accountWithKeys } from './http/context.ts'
import { requestRate } from './http/request-rate.ts'
import { MarketHours, type HoursMode } from './market-hours.ts'
import { Market } from './market.ts'
import { PriceStream } from './price-stream.ts'
import { TradeUpdates } from './trade-updates.ts'

interface Stream {
  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export function acceptStreams(
  server: Server,
  hostNames: readonly string[],
  streams: Readonly<Record<string, Stream>>,
): void {
  const refuse = (socket: Duplex, status: string) =>
    answerLast(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url?.split('?')[0] ?? ''
    if (!isOwnRequest(request.headers, hostNames)) refuse(socket, '403 Forbidden')
    else if (!Object.hasOwn(streams, path)) refuse(socket, '404 Not Found')
    else streams[path]!.welcome(request, socket, head)
  })
}

export interface VenueStart {
  VENUE_HOST?: string
  /** 0, the default, takes a free port. */
  VENUE_PORT?: number
  /** ":memory:", the default, keeps nothing. */
  VENUE_DATA?: string
  VENUE_SEED?: number
  VENUE_HOURS?: HoursMode
  /** New York time at which the sessions of `always` end. */
  VENUE_CLOSE?: string
  VENUE_KEY_ID?: string
  VENUE_SECRET_KEY?: string
  /** Undefined closes the control API. */
  VENUE_CONTROL_SECRET?: string | undefined
  VENUE_HOST_NAMES?: readonly string[]
  VENUE_CASH?: number
  /** Dollars; 0 by default. */
  VENUE_FEE_PER_SHARE?: number
  /** Limit of an account; unlimited by default. */
  VENUE_REQUESTS_PER_MINUTE?: number | undefined
}

export interface VenueSurroundings {
  /** Epoch milliseconds; the machine's clock by default. */
  now?: () => number
  onFault?: (error: unknown) => void
  /** Called when the ledger cannot be written: close the venue. Throws by default. */
  onFailure?: (error: unknown) => void
}

export interface RunningVenue {
  url: string
  close(): Promise<void>
}

const TICK_MS = 250
/** Ticks of the open market per tick of the closed one. */
const CLOSED_TICKS = 8

/** Throws UnusableLedgerError for an unusable data file, and the listener's error (EADDRINUSE). */
export async function startVenue(
  settings: VenueStart = {},
  surroundings: VenueSurroundings = {},
): Promise<RunningVenue> {
  const now = surroundings.now ?? Date.now
  const onFault = surroundings.onFault ?? ((error) => process.emitWarning(asError(error)))
  const onFailure =
    surroundings.onFailure ??
    ((error) => {
      throw asError(error)
    })
  const ledger = openLedger(settings.VENUE_DATA ?? ':memory:')
  const market = new Market(ledger, settings.VENUE_SEED ?? 1)
  const hours = new MarketHours(settings.VENUE_HOURS ?? 'always', settings.VENUE_CLOSE)
  const faults = new FaultScript(ledger)
  const onEvent = (event: OrderEvent) => tradeUpdates.publish(event)
  const feePerShare = decimal(settings.VENUE_FEE_PER_SHARE ?? 0)
  const exchange = new Exchange({ ledger, market, hours, faults, feePerShare, now, onEvent, onFailure })
  const hostNames = settings.VENUE_HOST_NAMES ?? []
  const authenticate = (keyId: string, secretKey: string) => accountWithKeys(exchange, keyId, secretKey)
  const tradeUpdates = new TradeUpdates({ faults, authenticate })
  const prices = new PriceStream({ market, now, authenticate })
  const controlSecret = settings.VENUE_CONTROL_SECRET
  const requests = requestRate(settings.VENUE_REQUESTS_PER_MINUTE ?? null)
  const answer = venueApp(
    {
      exchange,
      market,
      hours,
      faults,
      copyLedger: () => copyLedger(ledger.database),
      controlSecret,
      hostNames,
      now,
      requests,
    },
    onFault,
  ).callback()
  const server = createServer((request, response) => void answer(request, response))
  acceptStreams(server, hostNames, { '/stream': tradeUpdates, '/v2/iex': prices, '/v2/sip': prices })

  const closeStreams = () => {
    tradeUpdates.close()
    prices.close()
  }
  const closeLedger = () => {
    exchange.stop()
    closeStreams()
    ledger.close()
  }
  try {
    exchange.openAccount({
      keyId: settings.VENUE_KEY_ID ?? 'PAPER-DEMO-KEY',
      secretKey: settings.VENUE_SECRET_KEY ?? 'paper-demo-secret',
      cash: decimal(settings.VENUE_CASH ?? 1_000_000),
      type: 'margin',
    })
    exchange.tick()
    await listen(server, settings.VENUE_PORT ?? 0, settings.VENUE_HOST ?? '127.0.0.1')
  } catch (error) {
    closeLedger()
    throw error
  }
  let ticks = 0
  const clock = setInterval(() => {
    ticks += 1
    if (hours.phaseAt(now()) === 'closed' && ticks % CLOSED_TICKS !== 0) return
    try {
      exchange.tick()
    } catch (error) {
      onFailure(error)
    }
  }, TICK_MS)

  return {
    url: urlOf(server),
    async close() {
      clearInterval(clock)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      closeStreams()
      server.closeAllConnections()
      await closed
      closeLedger()
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
