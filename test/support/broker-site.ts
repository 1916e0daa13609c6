import type { Decimal } from '#domain/money/decimal.ts'

/** An order as a person places it at the broker's own site. */
export interface SiteOrder {
  client_order_id: string
  symbol: string
  side: 'buy' | 'sell'
  qty: Decimal
  type: 'market' | 'limit'
  limit_price?: Decimal
  time_in_force: 'day' | 'gtc'
  /** The broker refuses what would do something else. */
  position_intent?: 'buy_to_open' | 'sell_to_close' | 'buy_to_close'
}

/** A position as the site shows it: shares, negative for a short one, and how many no order holds. */
export interface SitePosition {
  symbol: string
  qty: Decimal
  qty_available: Decimal
}

/** A person at the broker's own site, of whom the service knows nothing. */
export class BrokerSite {
  readonly #url: string
  readonly #headers: Record<string, string>

  /** @param url of the broker, such as http://127.0.0.1:3100 */
  constructor(url: string, { keyId, secretKey }: { keyId: string; secretKey: string }) {
    this.#url = url
    this.#headers = {
      'APCA-API-KEY-ID': keyId,
      'APCA-API-SECRET-KEY': secretKey,
      'content-type': 'application/json',
    }
  }

  /** Places an order; answers whether the broker has taken it. Throws when that is not known. */
  async place(order: SiteOrder): Promise<boolean> {
    const response = await this.#ask('POST', '/v2/orders', order)
    if (response.status >= 500) throw new Error(`the broker answers ${response.status}`)
    return response.ok
  }

  async positions(): Promise<SitePosition[]> {
    return (await (await this.#ask('GET', '/v2/positions')).json()) as SitePosition[]
  }

  /** Cancels an order by the broker's id. */
  async cancel(id: string): Promise<void> {
    await this.#ask('DELETE', `/v2/orders/${id}`)
  }

  #ask(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method,
      headers: this.#headers,
      signal: AbortSignal.timeout(5_000),
      ...(body && { body: JSON.stringify(body) }),
    })
  }
}
