import { endWhenQuiet, raiseAlert, subjectsWithAlert } from '#db/alert/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { protectionBlind } from '#domain/alert/broker-alerts.ts'
import { PRICE_COUNTS_FOR_MS, type ReportedPrices } from '#domain/exit/acting-price.ts'
import { WatchedPosition, type WatchedPositionDependencies } from './watched-position.ts'
import type { Logger } from 'pino'
import { SessionCalendar } from '#activities/brokers.ts'
import type { Broker } from '#brokers/port.ts'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import { Upstream, type Follower, type LiveQuote, type UpstreamTimes } from '#brokers/upstream.ts'
import { pauseUnless } from '#config/periodically.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { listProtections, noteFees, noteSeen, trackFilling } from '#db/exit/protections.ts'
import { contains } from '#domain/exit/schedule.ts'
import { firstMove } from '#domain/exit/protection-watch.ts'
import type { TradingSession } from '#domain/time/session.ts'
import type { ExitCache } from './exit-cache.ts'

const LOOK_WHETHER_OVER_EVERY_MS = 5_000

/** Alerts while levels are kept here without fresh prices: nothing is triggered by guess. */
export class ProtectionAlarm {
  readonly #em: EntityManager
  readonly #accountId: string
  readonly #quietMs: number | undefined
  /** `raised`: the alert of a position without a fresh price. */
  #needing = new Map<string, { since: number; raised: string | null }>()
  #alerted: Set<string> | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#accountId = accountId
    this.#quietMs = quietMs
  }

  /** `opensAt` and `now`: milliseconds since the epoch. */
  async look(needing: readonly WatchedPosition[], opensAt: number, now: number): Promise<void> {
    const before = this.#needing
    this.#needing = new Map(
      needing.map(({ signalId }) => [signalId, before.get(signalId) ?? { since: now, raised: null }]),
    )
    for (const position of needing) {
      const needed = this.#needing.get(position.signalId)!
      const since = Math.max(position.pricedAt ?? 0, opensAt, needed.since)
      needed.raised =
        now - since <= PRICE_COUNTS_FOR_MS ? null : await this.#raise(position, since, needed.raised)
    }
    if (now - this.#lookedAt < LOOK_WHETHER_OVER_EVERY_MS) return
    this.#lookedAt = now
    await this.#endEnded()
  }

  async #raise(position: WatchedPosition, since: number, raised: string | null): Promise<string> {
    const { signalId, symbol, resting, keptHere, whyBlind: why } = position
    const notice = protectionBlind({ symbol, resting, keptHere, why, since: new Date(since).toISOString() })
    if (raised === notice.message) return raised
    await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, notice)
    this.#alerted?.add(signalId)
    return notice.message
  }

  async #endEnded(): Promise<void> {
    this.#alerted ??= await subjectsWithAlert(this.#em, this.#accountId, 'protection_blind')
    for (const signalId of this.#alerted) {
      if (this.#needing.get(signalId)?.raised != null) continue
      const subject = { accountId: this.#accountId, signalId }
      const how = await endWhenQuiet(this.#em, subject, 'protection_blind', this.#quietMs)
      if (how === 'over' || how === 'none') this.#alerted.delete(signalId)
    }
  }
}

/** Milliseconds. A move takes several requests of the connection. */
const PACES = { watching: 1_000, idle: 3_000, movesApart: 2_000 }
const FEES_EVERY = 30_000
/** Milliseconds; the calendar is cached. */
const CALENDAR_AGAIN_AFTER = 10_000

const NOTHING_REPORTED: ReportedPrices = { last: null, at: null, bid: null, ask: null, quotedAt: null }

export interface ProtectionWatchDependencies {
  em: EntityManager
  broker: Broker
  announcer: WatchedPositionDependencies['announcer']
  account: AccountConnection
  plans: Pick<ExitCache, 'has'>
  quietMs?: number | undefined
  times?: Partial<UpstreamTimes & typeof PACES>
  log: Logger
}

/** Asks the broker only while a position needs a price. Logs errors and tries again. */
export class ProtectionWatch {
  readonly #deps: ProtectionWatchDependencies
  readonly #paces: typeof PACES
  readonly #position: WatchedPositionDependencies
  readonly #calendar: SessionCalendar
  readonly #alarm: ProtectionAlarm
  readonly #positions = new Map<string, WatchedPosition>()
  #sessions: { list: readonly TradingSession[]; until: number } = {
    list: [],
    until: Number.NEGATIVE_INFINITY,
  }
  #opensAt: number | null = null
  #prices: { upstream: Upstream; follower: Follower } | null = null
  #moving: Promise<void> | null = null
  #movedAt = Number.NEGATIVE_INFINITY
  #feesAt = Number.NEGATIVE_INFINITY

  constructor(deps: ProtectionWatchDependencies) {
    const { em, broker, announcer, account, quietMs, log } = deps
    this.#deps = deps
    this.#paces = { ...PACES, ...deps.times }
    this.#calendar = new SessionCalendar(async () => broker, Date.now)
    this.#alarm = new ProtectionAlarm(em, account.accountId, quietMs)
    this.#position = {
      em,
      broker,
      announcer,
      abilities: describeBrokerType(account.brokerType).capabilities.protects,
      now: Date.now,
      log,
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'levels could not be watched; trying again')
      }
      await pauseUnless(signal, this.#pause(Date.now()))
    }
    this.#follow([])
    await Promise.all([this.#moving, ...[...this.#positions.values()].map((position) => position.work())])
  }

  /** Levels that rest at the broker need no price, nor those of a closed exchange. */
  #pause(now: number): number {
    const { watching, idle } = this.#paces
    if (this.#prices !== null) return watching
    const untilOpenings = this.#sessions.list.map(({ opensAt }) => Date.parse(opensAt) - now)
    return Math.min(idle, ...untilOpenings.filter((left) => left > 0))
  }

  async #look(): Promise<void> {
    const { em, account, plans } = this.#deps
    const { accountId } = account
    if (this.#positions.size === 0 && !(await plans.has(accountId)))
      return this.#alarm.look([], 0, Date.now())
    await trackFilling(em, accountId)
    await this.#read()
    const now = Date.now()
    if (this.#positions.size > 0 && now - this.#feesAt >= FEES_EVERY) {
      await noteFees(em, accountId)
      this.#feesAt = now
    }
    const needing = [...this.#positions.values()].filter(({ needsPrices }) => needsPrices)
    const session = needing.length > 0 ? await this.#openSession() : null
    this.#opensAt = session && Date.parse(session.opensAt)
    const watched = session === null ? [] : needing
    this.#follow([...new Set(watched.map(({ symbol }) => symbol))])
    // Unchanged prices count too: they grow old, and failures are retried.
    for (const position of watched)
      this.#tell(position, this.#prices?.upstream.known(position.symbol) ?? null)
    this.#moveNext(watched)
    await Promise.all(watched.map((position) => position.work()))
    await noteSeen(
      em,
      watched.flatMap((position) => position.takeSeen()),
    )
    const keptHere = watched.filter((position) => position.keptHere.length > 0)
    await this.#alarm.look(keptHere, this.#opensAt ?? 0, Date.now())
  }

  async #read(): Promise<void> {
    const readAt = Date.now()
    const listed = await listProtections(this.#deps.em, this.#deps.account.accountId)
    const known = new Set(listed.map(({ signalId }) => signalId))
    for (const signalId of this.#positions.keys()) if (!known.has(signalId)) this.#positions.delete(signalId)
    for (const tracked of listed) {
      const position = this.#positions.get(tracked.signalId)
      if (position) position.refresh(tracked, readAt)
      else this.#positions.set(tracked.signalId, new WatchedPosition(this.#position, tracked))
    }
  }

  async #openSession(): Promise<TradingSession | null> {
    const now = Date.now()
    if (now >= this.#sessions.until) {
      const { accountId } = this.#deps.account
      const list = await this.#calendar.sessionsByAnyMeans(accountId, new Date(now).toISOString())
      this.#sessions = { list, until: now + CALENDAR_AGAIN_AFTER }
    }
    return this.#sessions.list.find((session) => contains(session, now)) ?? null
  }

  #follow(symbols: readonly string[]): void {
    if (symbols.length === 0) {
      if (this.#prices !== null) this.#prices.upstream.leave(this.#prices.follower)
      this.#prices = null
    } else if (this.#prices === null) {
      const upstream = new Upstream(this.#deps.broker, this.#deps.times)
      this.#prices = { upstream, follower: upstream.join(symbols, (quotes) => this.#hear(quotes)) }
    } else this.#prices.upstream.change(this.#prices.follower, symbols)
  }

  #hear(quotes: readonly LiveQuote[]): void {
    for (const live of quotes)
      for (const position of this.#positions.values())
        if (position.symbol === live.quote.symbol) {
          this.#tell(position, live)
          void position.work()
        }
  }

  #tell(position: WatchedPosition, live: LiveQuote | null): void {
    if (this.#opensAt !== null) position.hear(live?.quote ?? NOTHING_REPORTED, this.#opensAt)
  }

  #moveNext(watched: readonly WatchedPosition[]): void {
    const now = Date.now()
    const next = now - this.#movedAt < this.#paces.movesApart ? null : firstMove(watched)
    if (next === null || this.#moving !== null) return
    this.#movedAt = now
    this.#moving = next.moveOn().finally(() => (this.#moving = null))
  }
}
