import type { Decimal } from '#domain/money/decimal.ts'

/** An order as the venue's ledger shows it, as far as tests read it; amounts are decimal strings. */
export interface LedgerOrder {
  id: string
  client_order_id: string
  /** The client order id of the first order of its chain or group; null for that order itself. */
  sender_order_id?: string | null
  symbol: string
  side: 'buy' | 'sell'
  position_intent: string
  type: string
  qty: Decimal
  limit_price: Decimal | null
  filled_qty: Decimal
  status: string
  time_in_force: string
  created_at: string
  filled_at: string | null
  canceled_at: string | null
  expired_at: string | null
  failed_at: string | null
  /** Shares, dollars a share, and dollars. */
  fills: { execution_id: string; qty: Decimal; price: Decimal; fee: Decimal; at: string }[]
}

/** One attempt to place an order, whatever came of it. */
export interface LedgerSubmission {
  client_order_id: string | null
  outcome: 'accepted' | 'duplicate' | 'rejected' | 'not_received'
  message: string | null
  order_id: string | null
  /** When its request reached the venue, which may take its time with it. */
  at: string
}

/** Everything that the venue has on record of an account. */
export interface Ledger {
  /** Dollars. */
  account: { cash: Decimal; openingCash: Decimal }
  orders: LedgerOrder[]
  /** Shares by symbol, negative for a short position. */
  positions: { symbol: string; qty: Decimal }[]
  submissions: LedgerSubmission[]
}

/** How often a rule of the fault script was considered, and struck. */
export interface ActiveFault {
  rule: Record<string, unknown>
  drawn: number
  hit: number
}

/** What opens the control API of venues that run within a test's own process. */
export const CONTROL_SECRET = 'the control secret of the tests'

/** The ledger of thousands of orders takes its time, on a machine that is busy with killing; milliseconds. */
const LEDGER_WITHIN_MS = 60_000

/** The operator's desk of a paper venue: its ledger, its fault script, its prices. */
export class VenueDesk {
  readonly #url: string
  readonly #keyId: string
  readonly #secret: string

  constructor(url: string, keyId: string, secret = CONTROL_SECRET) {
    this.#url = url
    this.#keyId = keyId
    this.#secret = secret
  }

  /** Opens an account with so many dollars. */
  async openAccount(
    keys: { keyId: string; secretKey: string },
    cash: number,
    type: 'margin' | 'cash' = 'margin',
  ): Promise<void> {
    await this.#send('POST', '/venue/accounts', { body: { ...keys, cash, type } })
  }

  /** @param keyId of another account than the desk's own */
  async ledger(keyId = this.#keyId): Promise<Ledger> {
    return (await this.#send('GET', `/venue/ledger?account=${keyId}`, {
      withinMs: LEDGER_WITHIN_MS,
    })) as Ledger
  }

  /** Puts a fault script in the place of the old one; see venue/faults/rule.ts for the rules. */
  async script(rules: readonly object[], seed = 1): Promise<void> {
    await this.#send('PUT', '/venue/faults', { body: { rules, seed } })
  }

  /** From now on every answer is honest. */
  async clearScript(): Promise<void> {
    await this.#send('DELETE', '/venue/faults')
  }

  async activeFaults(): Promise<ActiveFault[]> {
    return ((await this.#send('GET', '/venue/faults')) as { rules: ActiveFault[] }).rules
  }

  /** Holds a symbol's price at so many dollars, until it is pinned elsewhere. */
  async pin(symbol: string, price: number): Promise<void> {
    await this.#send('PUT', `/venue/prices/${symbol}`, { body: { price } })
  }

  async #send(
    method: string,
    path: string,
    { body, withinMs = 5_000 }: { body?: object; withinMs?: number } = {},
  ): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      signal: AbortSignal.timeout(withinMs),
      headers: { authorization: `Bearer ${this.#secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The venue answers ${response.status} to ${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
