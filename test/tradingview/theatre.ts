import assert from 'node:assert/strict'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import type { Stack } from '#test/support/stack.ts'
import { openDoorway, type Doorway } from './doorway.ts'
import type { Player } from './player.ts'

/** A position that is not TradingView's; the first one of its symbol. */
export interface Difference {
  kind: string
  symbol: string
  ours: number
  theirs: number
}

/** How long the service may take until it holds TradingView's positions, in milliseconds. */
const SETTLED_WITHIN = 20_000

/** The service as TradingView meets it: a doorway for each token, and the books that are held against the charts. */
export class Theatre {
  readonly #stack: Stack
  readonly #person: ApiClient
  readonly #doorways: Doorway[] = []
  readonly #differing = new Set<string>()

  static async open(stack: Stack): Promise<Theatre> {
    await liftOrderLimit(stack)
    return new Theatre(stack, await stack.signIn())
  }

  private constructor(stack: Stack, person: ApiClient) {
    this.#stack = stack
    this.#person = person
  }

  /** An address for alerts, with a token of its own: the limit of requests is counted by token. */
  async address(): Promise<string> {
    const label = `TradingView ${this.#doorways.length + 1}`
    const { status, body } = await this.#person.post('/tokens', { label, scopes: ['signals:write'] })
    assert.equal(status, 201, JSON.stringify(body))
    const doorway = await openDoorway(this.#stack.addresses.api, body.data.token)
    this.#doorways.push(doorway)
    return doorway.url
  }

  /** Positions that still differ when the service has had its time; each symbol is told once. */
  async differences(players: readonly Player[]): Promise<Difference[]> {
    let found: Difference[] = []
    const look = async (): Promise<void> => {
      const { positions } = await this.#stack.venue.ledger()
      const held = new Map(positions.map(({ symbol, qty }) => [symbol, Number(qty)]))
      found = players
        .map(({ script, chart: { ticker: symbol }, strategy }) => ({
          kind: script.title,
          symbol,
          ours: held.get(symbol) ?? 0,
          theirs: strategy.position,
        }))
        .filter(({ symbol, ours, theirs }) => ours !== theirs && !this.#differing.has(symbol))
      assert.deepEqual(found, [])
    }
    await eventually(look, { within: SETTLED_WITHIN, every: 100 }).catch((error: unknown) => {
      if (found.length === 0) throw error
    })
    for (const { symbol } of found) this.#differing.add(symbol)
    return found
  }

  /** Those that no alert to the owner names. */
  async unnamed(differences: readonly Difference[]): Promise<Difference[]> {
    const { status, body } = await this.#stack.api.get('/alerts?state=all&limit=500')
    assert.equal(status, 200, JSON.stringify(body))
    const named = new Set(body.data.alerts.map(({ symbol }: { symbol: string | null }) => symbol))
    return differences.filter(({ symbol }) => !named.has(symbol))
  }

  async close(): Promise<void> {
    for (const doorway of this.#doorways) await doorway.close()
  }
}
