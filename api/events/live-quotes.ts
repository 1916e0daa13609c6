import { listOwnConnections, type AccountConnection } from '#db/account/sync.ts'
import { summarisePortfolio } from '#db/account/dashboard.ts'
import { listPositionsToday } from '#db/position/positions.ts'
import { findAccountSummary } from '#db/account/summary.ts'
import type { Database } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import { findUser } from '#db/identity/users.ts'
import type { Logger } from 'pino'
import { presentAccountSummary } from '../account/present.ts'
import { presentSummary } from '../dashboard/present.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamCompanion } from './live-feed.ts'
import { listFollowedSymbols } from '#db/position/followed-symbols.ts'
import { SecretUnreadable } from '#db/broker/secret-box.ts'
import type { SnapshotCache } from '../broker/snapshot-cache.ts'
import type { Following, QuoteHub } from '../market/market-data.ts'
import { MOST_FOLLOWED, type LiveQuote } from '#brokers/upstream.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { presentQuote } from '../market/routes.ts'

export class Paced {
  readonly #work: () => Promise<void>
  readonly #pauseMs: number
  #isBusy = false
  #isWanted = false
  #isStopped = false
  #timer: NodeJS.Timeout | null = null

  /** @param work does not reject */
  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work
    this.#pauseMs = pauseMs
  }

  ask(): void {
    this.#isWanted = true
    if (!this.#isBusy && !this.#isStopped) void this.#begin()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #begin(): Promise<void> {
    this.#isBusy = true
    this.#isWanted = false
    await this.#work()
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#isBusy = false
      if (this.#isWanted) void this.#begin()
    }, this.#pauseMs)
  }
}

const SUMS_PAUSE_MS = 3_000

interface Watched {
  sums: Paced
  streams: Map<EventStream, string>
}

export class LiveFigures implements StreamCompanion {
  readonly #deps: { database: Database; logger: Logger }
  readonly #users = new Map<string, Watched>()

  constructor(deps: { database: Database; logger: Logger }) {
    this.#deps = deps
  }

  join(stream: EventStream): void {
    if (!stream.subscription.lists.includes('figures')) return
    const { userId } = stream.subscription.principal
    const watched = this.#users.get(userId) ?? {
      sums: new Paced(() => this.#tell(userId), SUMS_PAUSE_MS),
      streams: new Map<EventStream, string>(),
    }
    watched.streams.set(stream, '')
    this.#users.set(userId, watched)
    watched.sums.ask()
  }

  leave(stream: EventStream): void {
    const { userId } = stream.subscription.principal
    const watched = this.#users.get(userId)
    if (!watched?.streams.delete(stream) || watched.streams.size > 0) return
    watched.sums.stop()
    this.#users.delete(userId)
  }

  changed(userId: string): void {
    this.#users.get(userId)?.sums.ask()
  }

  async #tell(userId: string): Promise<void> {
    try {
      const figures = await this.#figuresOf(userId)
      const text = JSON.stringify(figures)
      const { streams } = this.#users.get(userId) ?? {}
      for (const [stream, told] of streams ?? [])
        if (figures && told !== text && stream.tell('figures', figures)) streams!.set(stream, text)
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'the figures of a user could not be summed up')
    }
  }

  async #figuresOf(userId: string) {
    const em = this.#deps.database.em.fork()
    actAs(em, userId)
    const user = await findUser(em, userId)
    if (!user) return null
    const summary = presentSummary(
      await summarisePortfolio(em, userId, user.tradingMode),
      await listPositionsToday(em, userId, {}),
      user.tradingMode,
    )
    const accounts = []
    for (const { accountId } of await listOwnConnections(em, userId)) {
      const account = await findAccountSummary(em, userId, accountId)
      if (account) accounts.push(presentAccountSummary(account))
    }
    return { summary, accounts }
  }
}

const LOOK_PAUSE_MS = 1_000

interface LiveQuotesDeps {
  database: Database
  logger: Logger
  hub: QuoteHub
  looks: Pick<SnapshotCache, 'prepare'> | null
}

interface Followed {
  following: Following
  outlet: QuoteOutlet
}

export class LiveQuotes implements StreamCompanion {
  readonly #deps: LiveQuotesDeps
  readonly #streams = new Map<EventStream, { look: Paced; followed: Map<string, Followed> }>()

  constructor(deps: LiveQuotesDeps) {
    this.#deps = deps
  }

  join(stream: EventStream): void {
    if (!stream.subscription.lists.includes('quotes')) return
    const look = new Paced(() => this.#look(stream), LOOK_PAUSE_MS)
    this.#streams.set(stream, { look, followed: new Map() })
    look.ask()
  }

  leave(stream: EventStream): void {
    const state = this.#streams.get(stream)
    this.#streams.delete(stream)
    state?.look.stop()
    for (const each of state?.followed.values() ?? []) end(each)
  }

  changed(userId: string): void {
    for (const [stream, { look }] of this.#streams)
      if (stream.subscription.principal.userId === userId) look.ask()
  }

  async #look(stream: EventStream): Promise<void> {
    try {
      const wanted = await this.#symbolsFor(stream)
      const state = this.#streams.get(stream)
      if (!state) return
      const { followed } = state
      for (const [brokerId, each] of followed) {
        const now = wanted.get(brokerId)
        if (now && each.following.isOf(now.connection)) continue
        end(each)
        followed.delete(brokerId)
      }
      for (const [brokerId, { connection, accountIds, symbols, waiting }] of wanted) {
        void this.#deps.looks?.prepare(connection, waiting)
        const before = followed.get(brokerId)
        if (before) before.following.change(symbols)
        else {
          const began = this.#follow(stream, connection, accountIds, symbols)
          if (began) followed.set(brokerId, began)
        }
      }
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'the symbols whose prices are followed could not be read')
    }
  }

  /** Null where the keys cannot be opened. */
  #follow(
    stream: EventStream,
    connection: AccountConnection,
    accountIds: readonly string[],
    symbols: readonly string[],
  ): Followed | null {
    const outlet = new QuoteOutlet((quotes) => stream.tell('quotes', { accountIds, quotes }))
    const listener = (changed: readonly LiveQuote[]) => outlet.offer(changed)
    try {
      return { outlet, following: this.#deps.hub.follow(connection, symbols, listener) }
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
      this.#deps.logger.warn({ err: error }, 'the prices of a connection cannot be followed')
      return null
    }
  }

  async #symbolsFor({ subscription }: EventStream) {
    const { principal, accountId, symbols: lookedAt } = subscription
    const { userId } = principal
    const em = this.#deps.database.em.fork()
    actAs(em, userId)
    const connections = (await listOwnConnections(em, userId)).filter(
      (connection) => accountId === null || connection.accountId === accountId,
    )
    const named = await listFollowedSymbols(em, userId)
    const wanted = new Map<
      string,
      { connection: AccountConnection; accountIds: string[]; symbols: string[]; waiting: string[] }
    >()
    for (const connection of connections) {
      const known = wanted.get(connection.brokerId)
      const isFirst = connection === connections[0]
      const ofAccount = named.filter((one) => one.accountId === connection.accountId)
      const own = ofAccount.map(({ symbol }) => symbol)
      const waiting = ofAccount.filter(({ isHeld }) => !isHeld).map(({ symbol }) => symbol)
      // Viewed symbols come first: a long list is cut, by the broker's stream too.
      const symbols = [...new Set([...(isFirst ? lookedAt : []), ...(known?.symbols ?? []), ...own])]
      wanted.set(connection.brokerId, {
        connection: known?.connection ?? connection,
        accountIds: [...(known?.accountIds ?? []), connection.accountId],
        symbols: symbols.slice(0, MOST_FOLLOWED),
        waiting: [...(known?.waiting ?? []), ...waiting].slice(0, MOST_FOLLOWED),
      })
    }
    for (const [brokerId, { symbols }] of wanted) if (symbols.length === 0) wanted.delete(brokerId)
    return wanted
  }
}

function end({ following, outlet }: Followed): void {
  following.end()
  outlet.stop()
}

const MESSAGE_PAUSE_MS = 250

const present = ({ quote, asOf, isStreamed }: LiveQuote) => ({
  ...presentQuote(quote),
  asOf: toIsoInstant(new Date(asOf)),
  isStreamed,
})

/** Keeps only the newest prices: slow clients take no memory. */
export class QuoteOutlet {
  readonly #due = new Map<string, LiveQuote>()
  readonly #tell: (quotes: ReturnType<typeof present>[]) => boolean
  #timer: NodeJS.Timeout | null = null

  /** The callback returns false when the client takes nothing now. */
  constructor(tell: (quotes: ReturnType<typeof present>[]) => boolean) {
    this.#tell = tell
  }

  offer(changed: readonly LiveQuote[]): void {
    for (const one of changed) this.#due.set(one.quote.symbol, one)
    if (this.#timer === null) this.#send()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#due.clear()
  }

  #send(): void {
    this.#timer = null
    if (this.#due.size === 0) return
    if (this.#tell([...this.#due.values()].map(present))) this.#due.clear()
    this.#timer = setTimeout(() => this.#send(), MESSAGE_PAUSE_MS)
  }
}
