import { connectBroker } from '#brokers/registry.ts'
import type { Broker } from '#brokers/port.ts'
import { isTerminal, type OrderReport, type OrderRequest } from '#domain/order/order.ts'
import { startVenue, type RunningVenue } from '#venue/server.ts'
import { CONTROL_SECRET, VenueDesk } from './venue-desk.ts'

/** A paper venue with the hours of the exchange, whose clock stands still, so that its prices do, too. */
export class StillVenue {
  readonly #clock: { at: number }
  readonly #venue: RunningVenue
  readonly #desk: VenueDesk

  /** @param at milliseconds since the epoch */
  static async start(at: number): Promise<StillVenue> {
    const clock = { at }
    const settings = { VENUE_HOURS: 'nyse', VENUE_CONTROL_SECRET: CONTROL_SECRET } as const
    return new StillVenue(clock, await startVenue(settings, { now: () => clock.at }))
  }

  private constructor(clock: { at: number }, venue: RunningVenue) {
    this.#clock = clock
    this.#venue = venue
    this.#desk = new VenueDesk(venue.url, '')
  }

  /** Sets the clock; milliseconds since the epoch. */
  set at(at: number) {
    this.#clock.at = at
  }

  /** The broker of a new account with so many dollars. */
  async open(keyId: string, cash: number, type: 'margin' | 'cash'): Promise<Broker> {
    const credentials = { keyId, secretKey: 'secret' }
    await this.#desk.openAccount(credentials, cash, type)
    return connectBroker({ brokerType: 'paper', baseUrl: this.#venue.url, credentials })
  }

  pin(symbol: string, price: number): Promise<void> {
    return this.#desk.pin(symbol, price)
  }

  close(): Promise<void> {
    return this.#venue.close()
  }
}

/** Places an order that fills at once, and returns it filled. */
export async function fillAtVenue(broker: Broker, request: OrderRequest): Promise<OrderReport> {
  const placed = await broker.submitOrder(request)
  for (let looks = 0; looks < 100; looks += 1) {
    const report = await broker.getOrder(placed.brokerOrderId)
    if (report !== null && isTerminal(report.status)) return report
  }
  throw new Error(`${request.clientOrderId} did not fill`)
}
