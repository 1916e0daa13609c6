import type { Logger } from 'pino'
import { moveStop } from '#activities/exit/move-stop.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  forgetCrossed,
  noteCrossed,
  noteSeen,
  readProtection,
  type SeenPrices,
  type TrackedProtection,
} from '#db/exit/protections.ts'
import { pauseAfter } from '#domain/async/backoff.ts'
import { isPositive, type Decimal } from '#domain/money/decimal.ts'
import { needsPrices, partsKeptHere } from '#domain/exit/kept-levels.ts'
import { actingPrice, type ActingPrice, type ReportedPrices } from '#domain/exit/acting-price.ts'
import {
  isStillALevel,
  look,
  type Found,
  type Move,
  type WatchedExit,
} from '#domain/exit/protection-watch.ts'
import {
  betterOf,
  type LevelName,
  type ProtectiveAbilities,
  type RestingOrder,
} from '#domain/exit/protection.ts'
import type { ExitAnnouncer } from './exit-retrigger.ts'

export interface WatchedPositionDependencies {
  em: EntityManager
  broker: Pick<Broker, 'changeOrder' | 'getOrder'>
  announcer: Pick<ExitAnnouncer, 'exitNews'>
  abilities: ProtectiveAbilities
  now(): number
  log: Logger
}

/** Milliseconds. */
const AFTER_REFUSAL = { first: 5_000, most: 300_000 }
/** Milliseconds until the first message, and at most between messages. */
const REPORT_CROSSED = { after: 0, most: 60_000 }
const REPORT_TO_PLACE = { after: 5_000, most: 3_600_000 }
const AGAIN_AFTER = 5_000
/** Milliseconds for the workflow to work at a target; later the stop is moved on. */
const TARGET_WORKED_AT_WITHIN = 10_000
/** Milliseconds, for prices that are no better. */
const KEEP_PRICE_EVERY = 5_000

export class WatchedPosition {
  readonly #deps: WatchedPositionDependencies
  /** State of the last reading, with the best price and level seen here since. */
  #tracked: TrackedProtection
  #readAt: number
  #acting: ActingPrice | null = null
  /** The last price that could act. */
  #price: { price: Decimal; at: number } | null = null
  #found: Found | null = null
  #isCrossedNoted = true
  #told = { what: '', since: 0, nextAt: 0 }
  #refused = { times: 0, until: Number.NEGATIVE_INFINITY }
  #kept: { best: Decimal; at: number }
  #working: Promise<void> | null = null

  constructor(deps: WatchedPositionDependencies, tracked: TrackedProtection) {
    this.#deps = deps
    this.#tracked = tracked
    this.#readAt = deps.now()
    this.#kept = { best: tracked.best, at: Number.NEGATIVE_INFINITY }
  }

  get signalId(): string {
    return this.#tracked.signalId
  }
  get symbol(): string {
    return this.#tracked.symbol
  }
  get resting(): RestingOrder | null {
    return this.#watched?.kept ?? null
  }
  get pricedAt(): number | null {
    return this.#price?.at ?? null
  }
  /** Reason why the last price could not act. */
  get whyBlind(): ActingPrice['why'] {
    return this.#acting?.why ?? 'noPrice'
  }
  get needsPrices(): boolean {
    return this.#watched !== null && needsPrices(this.#watched)
  }
  get keptHere(): LevelName[] {
    return this.#watched === null ? [] : partsKeptHere(this.#watched)
  }
  /** Null while the broker has refused a move, and while a reached level comes first. */
  get move(): Move | null {
    const { crossed } = this.#tracked
    if (this.#acting?.why !== null || this.#deps.now() < this.#refused.until) return null
    if (crossed !== null && (this.#isFrozen || this.#isWorkedAt(crossed))) return null
    return this.#found?.move ?? null
  }

  /** Null where this worker has nothing to watch. */
  get #watched(): WatchedExit | null {
    const { protection, position, best, kept, exit, quantity, entryWorks } = this.#tracked
    if (protection === null || kept === 'all' || !isPositive(quantity)) return null
    const isOfProtection = exit === null || exit.purpose === 'plan'
    return {
      protection,
      position,
      best,
      quantity: exit !== null && isOfProtection && isPositive(exit.open) ? exit.open : quantity,
      abilities: this.#deps.abilities,
      kept,
      isOfProtection,
      entryWorks,
      moves: exit?.moves ?? 0,
    }
  }

  /** The workflow has acted on a level that the ledger lacks. */
  refresh(tracked: TrackedProtection, readAt: number): void {
    if (readAt < this.#readAt) return
    this.#readAt = readAt
    const { best, crossed } = this.#tracked
    this.#tracked = this.#isCrossedNoted ? tracked : { ...tracked, crossed }
    // The best price stays after a reached stop.
    const better = this.#isFrozen ? best : betterOf(tracked.position.side, best, tracked.best)
    this.#tracked = { ...this.#tracked, best: better }
  }

  /** @param opensAt of the session, in milliseconds since the epoch */
  hear(told: ReportedPrices, opensAt: number): void {
    const watched = this.#watched
    if (watched === null) return
    const now = this.#deps.now()
    const since = Math.max(opensAt, Date.parse(this.#tracked.filledAt))
    this.#acting = actingPrice(told, watched, since, { now, run: this.#acting?.run ?? null })
    const { shown, at } = this.#acting
    if (shown === null) return
    this.#price = { price: shown, at }
    if (this.#isFrozen) return
    this.#found = look(watched, this.#acting)
    const { best, crossed } = this.#found
    this.#tracked = { ...this.#tracked, best }
    // A stop precedes a target.
    if (crossed === null || (crossed.level === 'target' && this.#tracked.crossed !== null)) return
    this.#tracked = { ...this.#tracked, crossed: { ...crossed, seenAt: new Date(now).toISOString() } }
    this.#isCrossedNoted = false
  }

  get #isFrozen(): boolean {
    return this.#tracked.crossed?.level === 'stop'
  }

  #isWorkedAt({ seenAt }: NonNullable<TrackedProtection['crossed']>): boolean {
    return this.#deps.now() - Date.parse(seenAt) < TARGET_WORKED_AT_WITHIN
  }

  /** Records a reached level, and then notifies its workflow. Never throws, as {@link moveOn}. */
  async work(): Promise<void> {
    this.#working ??= this.#tried(() => this.#work()).finally(() => (this.#working = null))
    await this.#working
  }

  async #tried(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      const { log } = this.#deps
      const about = { err: error, signalId: this.signalId }
      log.warn(about, 'the levels of a position could not be followed; trying again')
      this.#refuse()
    }
  }

  async #work(): Promise<void> {
    const watched = this.#watched
    if (watched === null) return
    const { crossed } = this.#tracked
    if (crossed !== null) return this.#dealWithCrossed(watched, crossed)
    if (this.#found?.mustBePlaced)
      await this.#tell('place', REPORT_TO_PLACE, () => this.#deps.announcer.exitNews(this.signalId))
    // A level that is still reached has been notified.
    else if (!this.#found?.crossed) this.#told = { what: '', since: 0, nextAt: 0 }
  }

  async #dealWithCrossed(
    watched: WatchedExit,
    crossed: NonNullable<TrackedProtection['crossed']>,
  ): Promise<void> {
    const { em, announcer } = this.#deps
    const isLeft = crossed.level === 'target' && this.#found?.crossed === null
    if (!isStillALevel(watched, crossed) || (isLeft && !this.#isWorkedAt(crossed))) {
      await forgetCrossed(em, this.signalId, crossed)
      return this.#noted(crossed, null)
    }
    if (!this.#isCrossedNoted) {
      await noteSeen(em, this.#toKeep())
      await noteCrossed(em, this.signalId, crossed)
      this.#noted(crossed, crossed)
    }
    await this.#tell(crossed.level, REPORT_CROSSED, () => announcer.exitNews(this.signalId))
  }

  /** Earlier readings of the ledger do not know the level. */
  #noted(of: TrackedProtection['crossed'], crossed: TrackedProtection['crossed']): void {
    this.#readAt = this.#deps.now()
    if (this.#tracked.crossed !== of) return
    this.#tracked = { ...this.#tracked, crossed }
    this.#isCrossedNoted = true
  }

  async moveOn(): Promise<void> {
    const { move } = this
    if (move !== null) await this.#tried(() => this.#moveTo(move))
  }

  async #moveTo({ stop }: Move): Promise<void> {
    const { em, broker, now } = this.#deps
    const outcome = await moveStop(em, broker, this.#tracked, stop)
    if (outcome === 'changed') this.#refused = { times: 0, until: Number.NEGATIVE_INFINITY }
    else this.#refuse()
    this.#found = null
    const readAt = now()
    const tracked = await readProtection(em, this.signalId)
    if (tracked !== null) this.refresh(tracked, readAt)
  }

  #refuse(): void {
    const times = this.#refused.times + 1
    this.#refused = { times, until: this.#deps.now() + pauseAfter(times, AFTER_REFUSAL) }
  }

  /** The pause before a repetition is as long as `what` has lasted. */
  async #tell(what: string, limits: typeof REPORT_CROSSED, tell: () => Promise<void>): Promise<void> {
    const now = this.#deps.now()
    if (this.#told.what !== what) this.#told = { what, since: now, nextAt: now + limits.after }
    const { since, nextAt } = this.#told
    if (now < nextAt) return
    await tell()
    const pause = Math.min(Math.max(now - since, AGAIN_AFTER), limits.most)
    this.#told = { what, since, nextAt: now + pause }
  }

  takeSeen(): SeenPrices[] {
    const { best } = this.#tracked
    const now = this.#deps.now()
    if (this.#kept.best === best && now - this.#kept.at < KEEP_PRICE_EVERY) return []
    const seen = this.#toKeep()
    if (seen.length > 0) this.#kept = { best, at: now }
    return seen
  }

  #toKeep(): SeenPrices[] {
    if (this.#price === null) return []
    const { price, at } = this.#price
    return [{ signalId: this.signalId, best: this.#tracked.best, price, at: new Date(at).toISOString() }]
  }
}
