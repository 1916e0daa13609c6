import type { Logger } from 'pino'
import { moveStop } from '#activities/protection/move-stop.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  forgetCrossed,
  noteCrossed,
  noteSeen,
  readProtection,
  type SeenPrices,
  type TrackedProtection,
} from '#db/signals/protections.ts'
import { pauseAfter } from '#domain/backoff.ts'
import { isPositive, type Decimal } from '#domain/decimal.ts'
import { actingPrice, nearestLevel, type ActingPrice, type ToldPrices } from '#domain/acting-price.ts'
import {
  isStillALevel,
  keptBy,
  look,
  needsPrices,
  partsKeptHere,
  type Found,
  type Move,
  type WatchedPlan,
} from '#domain/protection-watch.ts'
import {
  betterOf,
  crossedLevel,
  type PlanPart,
  type ProtectiveAbilities,
  type RestingOrder,
} from '#domain/protection.ts'

export interface ProtectionAnnouncer {
  /** The ledger has facts by which another order may be desired. */
  exitNews(signalId: string): Promise<void>
}

export interface WatchedPositionDependencies {
  em: EntityManager
  broker: Pick<Broker, 'changeOrder' | 'getOrder'>
  announcer: ProtectionAnnouncer
  abilities: ProtectiveAbilities
  now(): number
  log: Logger
}

/** Milliseconds. */
const AFTER_REFUSAL = { first: 5_000, most: 300_000 }
/** Milliseconds between messages until the workflow, which may be away, has acted: ever more of them. */
const TELL_AGAIN = { first: 5_000, most: 60_000, mostToPlace: 3_600_000 }
/** Milliseconds for the workflow to work at a target; later the stop is moved on, and a target that was left counts no more. */
const TARGET_WORKED_AT_WITHIN = 10_000
/** Milliseconds, for prices that are no better. */
const KEEP_PRICE_EVERY = 5_000

export class WatchedPosition {
  readonly #deps: WatchedPositionDependencies
  #tracked: TrackedProtection
  #readAt: number
  #best: Decimal
  #acting: ActingPrice | null = null
  /** Of the last price that could act. */
  #price: { price: Decimal; at: number } | null = null
  #found: Found | null = null
  #crossed: TrackedProtection['crossed']
  #crossedNotedAt: number | null
  #told = { what: '', since: 0, nextAt: 0 }
  #refused = { times: 0, until: Number.NEGATIVE_INFINITY }
  #kept: { best: Decimal; at: number }
  #working: Promise<void> | null = null

  constructor(deps: WatchedPositionDependencies, tracked: TrackedProtection) {
    this.#deps = deps
    this.#tracked = tracked
    this.#readAt = deps.now()
    this.#best = tracked.best
    this.#crossed = tracked.crossed
    this.#crossedNotedAt = tracked.crossed && this.#readAt
    this.#kept = { best: tracked.best, at: Number.NEGATIVE_INFINITY }
  }

  get signalId(): string {
    return this.#tracked.signalId
  }
  get symbol(): string {
    return this.#tracked.symbol
  }
  get side(): TrackedProtection['position']['side'] {
    return this.#tracked.position.side
  }
  get resting(): RestingOrder | null {
    const kept = this.#watched?.kept
    return kept === 'all' ? null : (kept ?? null)
  }
  get pricedAt(): number | null {
    return this.#price?.at ?? null
  }
  /** Why the last price could not act. */
  get whyBlind(): ActingPrice['why'] {
    return this.#acting?.why ?? 'noPrice'
  }
  get needsPrices(): boolean {
    return this.#watched !== null && needsPrices(this.#watched)
  }
  get keptHere(): PlanPart[] {
    return this.#watched === null ? [] : partsKeptHere(this.#watched)
  }
  /** At the price of this moment; null while the broker has refused one, and while a level that is reached comes first. */
  get move(): Move | null {
    const now = this.#deps.now()
    if (this.#acting?.why !== null || now < this.#refused.until) return null
    if (this.#crossed !== null && (this.#isFrozen || this.#isWorkedAt(this.#crossed))) return null
    return this.#found?.move ?? null
  }

  get #watched(): WatchedPlan | null {
    const { plan, position, resting, exit, quantity, entryWorks } = this.#tracked
    if (plan === null || !isPositive(quantity)) return null
    const isOfPlan = exit === null || exit.purpose === 'plan'
    return {
      plan,
      position,
      best: this.#best,
      quantity: exit !== null && isOfPlan && isPositive(exit.open) ? exit.open : quantity,
      abilities: this.#deps.abilities,
      kept: keptBy(exit, resting),
      isOfPlan,
      entryWorks,
      moves: exit?.moves ?? 0,
    }
  }

  refresh(tracked: TrackedProtection, readAt: number): void {
    if (readAt < this.#readAt) return
    this.#readAt = readAt
    this.#tracked = tracked
    const noted = this.#crossedNotedAt
    // Acted upon, or another worker has seen one.
    if (this.#crossed === null || (noted !== null && readAt > noted)) {
      this.#crossed = tracked.crossed
      this.#crossedNotedAt = tracked.crossed && readAt
    }
    if (!this.#isFrozen) this.#best = betterOf(this.side, this.#best, tracked.best)
  }

  /** @param opensAt of the session, in milliseconds since the epoch */
  hear(told: ToldPrices, opensAt: number): void {
    const watched = this.#watched
    if (watched === null) return
    const { plan, position, best, kept } = watched
    const [now, run] = [this.#deps.now(), this.#acting?.run ?? null]
    const acting = actingPrice(
      told,
      {
        side: this.side,
        since: Math.max(opensAt, Date.parse(this.#tracked.filledAt)),
        nearestLevel: nearestLevel(plan, position, best),
        levelAt: (price) =>
          kept === 'all' ? null : (crossedLevel(plan, position, best, kept, price)?.level ?? null),
      },
      { now, run },
    )
    this.#acting = acting
    if (acting.shown === null) return
    this.#price = { price: acting.shown, at: acting.at }
    if (this.#isFrozen) return
    this.#found = look(watched, acting)
    this.#best = this.#found.best
    const { crossed } = this.#found
    // One target is enough, and a stop precedes it.
    if (crossed === null || (crossed.level === 'target' && this.#crossed !== null)) return
    this.#crossed = { ...crossed, seenAt: new Date(now).toISOString() }
    this.#crossedNotedAt = null
  }

  /** After a stop was crossed the best price stays, to tell whether the level is still that stop. */
  get #isFrozen(): boolean {
    return this.#crossed?.level === 'stop'
  }

  #isWorkedAt({ seenAt }: NonNullable<TrackedProtection['crossed']>): boolean {
    return this.#deps.now() - Date.parse(seenAt) < TARGET_WORKED_AT_WITHIN
  }

  /** Notes in the ledger what was reached, and then says that there is news. Never throws, as {@link moveOn}. */
  async work(): Promise<void> {
    this.#working ??= this.#tried(() => this.#work()).finally(() => {
      this.#working = null
    })
    await this.#working
  }

  async #tried(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      const { log } = this.#deps
      const about = { err: error, signalId: this.signalId }
      log.warn(about, 'the exit plan of a position could not be followed; trying again')
      this.#refuse()
    }
  }

  async #work(): Promise<void> {
    const watched = this.#watched
    if (watched === null || watched.kept === 'all') return
    const { announcer } = this.#deps
    if (this.#crossed !== null) return this.#dealWithCrossed(watched, this.#crossed)
    const isToBePlaced = this.#found?.isToBePlaced ?? false
    // Nothing to tell, unless what was told is still so.
    if (!isToBePlaced && this.#found?.crossed == null) this.#told = { what: '', since: 0, nextAt: 0 }
    // The workflow has time to place the order by itself.
    if (isToBePlaced && this.#isToTell('place', TELL_AGAIN.first, TELL_AGAIN.mostToPlace))
      await announcer.exitNews(this.signalId)
  }

  async #dealWithCrossed(
    watched: WatchedPlan,
    crossed: NonNullable<TrackedProtection['crossed']>,
  ): Promise<void> {
    const { em, announcer } = this.#deps
    const isLeft = crossed.level === 'target' && this.#found !== null && this.#found.crossed === null
    if (!isStillALevel(watched, crossed) || (isLeft && !this.#isWorkedAt(crossed))) {
      await forgetCrossed(em, this.signalId, crossed)
      this.#crossed = null
      this.#crossedNotedAt = null
      return
    }
    if (this.#crossedNotedAt === null) {
      await noteSeen(em, this.#toKeep())
      await noteCrossed(em, this.signalId, crossed)
      this.#crossedNotedAt = this.#deps.now()
    }
    if (this.#isToTell(crossed.level, 0, TELL_AGAIN.most)) await announcer.exitNews(this.signalId)
  }

  /** Moves the stop at the broker, if there is a {@link move}. */
  async moveOn(): Promise<void> {
    const { move } = this
    if (move !== null) await this.#tried(() => this.#moveTo(move))
  }

  async #moveTo({ stop }: Move): Promise<void> {
    const { em, broker, now } = this.#deps
    const outcome = await moveStop(em, broker, { ...this.#tracked, best: this.#best }, stop)
    if (outcome === 'moved') this.#refused = { times: 0, until: Number.NEGATIVE_INFINITY }
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

  /** Again after as long as it has been so. */
  #isToTell(what: string, firstAfter: number, most: number): boolean {
    const now = this.#deps.now()
    if (this.#told.what !== what) this.#told = { what, since: now, nextAt: now + firstAfter }
    const { since, nextAt } = this.#told
    if (now < nextAt) return false
    const pause = Math.min(Math.max(now - since, TELL_AGAIN.first), most)
    this.#told = { what, since, nextAt: now + pause }
    return true
  }

  takeSeen(): SeenPrices | null {
    const isBetter = this.#kept.best !== this.#best
    const isDue = this.#deps.now() - this.#kept.at >= KEEP_PRICE_EVERY
    if (this.#price === null || (!isBetter && !isDue)) return null
    const [seen] = this.#toKeep()
    this.#kept = { best: this.#best, at: this.#deps.now() }
    return seen ?? null
  }

  #toKeep(): SeenPrices[] {
    if (this.#price === null) return []
    const { price, at } = this.#price
    return [{ signalId: this.signalId, best: this.#best, price, at: new Date(at).toISOString() }]
  }
}
