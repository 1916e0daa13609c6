import { connectTo, KeptAnswers, type BrokerAccess } from './asked.ts'
import type { Broker } from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { sessionStateAt } from '#domain/risk/projected-context.ts'
import { CALENDAR_REACH_DAYS } from '#domain/time/session.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { MarketData } from '../market/market-data.ts'

/** Milliseconds, while the ledger knows of no change. */
const HOLDINGS_LIFE = 30_000

/** Milliseconds; assets change once a day. */
const ASSET_LIFE = 3_600_000

const MOST_PREPARED = 20

const PREPARE_PAUSE_MS = 30_000

/** Answers last half a minute, or until an order or position changes. */
export class SnapshotCache {
  readonly #access: BrokerAccess
  readonly #market: MarketData
  readonly #holdings = new KeptAnswers({ life: HOLDINGS_LIFE })
  readonly #assets = new KeptAnswers({ life: ASSET_LIFE })
  /** Milliseconds since the epoch, by connection, until the next prefetch. */
  readonly #paused = new Map<string, number>()

  constructor(access: BrokerAccess, market: MarketData) {
    this.#access = access
    this.#market = market
  }

  /** Never rejects. */
  async prepare(connection: AccountConnection, symbols: readonly string[]): Promise<void> {
    const { brokerId } = connection
    if (Date.now() < (this.#paused.get(brokerId) ?? 0)) return
    this.#paused.delete(brokerId)
    try {
      const broker = connectTo(this.#access, connection)
      for (const symbol of symbols.slice(0, MOST_PREPARED)) await this.#assetOf(broker, connection, symbol)
    } catch {
      // The reader asks again.
      this.#paused.set(brokerId, Date.now() + PREPARE_PAUSE_MS)
    }
  }

  #assetOf(broker: Broker, { brokerId }: AccountConnection, symbol: string): ReturnType<Broker['getAsset']> {
    return this.#assets.ask(`${brokerId} ${symbol}`, () => broker.getAsset(symbol))
  }

  /** @param mark see `readHoldingsMark` */
  of(connection: AccountConnection, mark: string): Broker {
    const broker = connectTo(this.#access, connection)
    const { brokerId } = connection
    const holding = <T>(what: string, ask: () => Promise<T>) =>
      this.#holdings.ask(`${brokerId} ${what}`, ask, mark)
    const listPositions = () => holding('positions', () => broker.listPositions())
    const lastOf = async (symbol: string) =>
      (await this.#market.told(connection, [symbol])).quotes.find((quote) => quote.symbol === symbol)
    const listSessions = (from: string, to: string) => this.#market.sessions(connection, from, to)
    return {
      ...broker,
      getAccount: () => holding('account', () => broker.getAccount()),
      listPositions,
      getPosition: async (symbol) =>
        (await listPositions()).find((position) => position.symbol === symbol) ?? null,
      listOrders: (query) => holding(`orders ${JSON.stringify(query)}`, () => broker.listOrders(query)),
      getAsset: (symbol) => this.#assetOf(broker, connection, symbol),
      async getLastPrice(symbol) {
        const { last = null, at = null } = (await lastOf(symbol)) ?? {}
        return last === null ? null : { price: last, at }
      },
      getQuotes: async (symbols) => (await this.#market.told(connection, symbols)).quotes,
      listSessions,
      async getClock() {
        const now = new Date().toISOString()
        const today = now.slice(0, 10)
        const sessions = await listSessions(addDays(today, -1), addDays(today, CALENDAR_REACH_DAYS))
        const state = sessionStateAt(now, sessions)
        return state === null ? broker.getClock() : { now, ...state }
      },
    }
  }
}
