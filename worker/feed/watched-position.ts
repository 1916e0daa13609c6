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
import {
  followTrades,
  isStillALevel,
  keepsLevel,
  look,
  needsPrices,
  partsKeptHere,
  type Found,
  type Move,
  type OrderAtBroker,
  type SeenPrice,
  type TradeRun,
  type WatchedPlan,
} from '#domain/protection-watch.ts'
import {
  betterOf,
  type CrossedLevel,
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
  mayMove(): boolean
  now(): number
  log: Logger
}

const MOVE_EVERY_MS = 5_000
const AFTER_REFUSAL = { first: 5_000, most: 300_000 }
/** Milliseconds between messages until the workflow, which may be away, has acted. */
const TELL_CROSSED = { first: 5_000, most: 60_000 }
/** Messages after which a target counts as not worked on, as while all trading is stopped. */
const UNHEEDED = 2
/** Milliseconds: first the workflow has time to place the order by itself. */
const TELL_TO_PLACE = { first: 5_000, most: 3_600_000 }
/** Milliseconds for the workflow after an order's end, until the price is watched again. */
const DEALT_WITH_WITHIN = 10_000
/** Milliseconds, for prices that are no better. */
const KEEP_PRICE_EVERY = 5_000

export class WatchedPosition {
  readonly #deps: WatchedPositionDependencies
  #tracked: TrackedProtection
  #readAt: number
  #best: Decimal
  #trades: TradeRun | null = null
  #price: SeenPrice | null = null
  #found: Found | null = null
  #crossed: TrackedProtection['crossed']
  #crossedNotedAt: number | null
  #endedSince: number | null = null
  #told = { what: '', times: 0, nextAt: 0 }
  #moveFrom = Number.NEGATIVE_INFINITY
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
    return this.#watched?.order === 'works' ? this.#watched.resting : null
  }
  get pricedAt(): number | null {
    return this.#price?.at ?? null
  }
  get needsPrices(): boolean {
    return this.#watched !== null && needsPrices(this.#watched)
  }
  get keptHere(): PlanPart[] {
    return this.#watched === null ? [] : partsKeptHere(this.#watched)
  }

  get #order(): OrderAtBroker {
    const { exit, resting, entryWorks } = this.#tracked
    if (exit !== null) return keepsLevel(exit.purpose) ? 'works' : 'closing'
    if (resting === null) return entryWorks ? 'entry' : 'none'
    this.#endedSince ??= this.#deps.now()
    return this.#deps.now() - this.#endedSince < DEALT_WITH_WITHIN ? 'ended' : 'none'
  }

  get #watched(): WatchedPlan | null {
    const { plan, position, resting, exit, quantity } = this.#tracked
    if (plan === null || !isPositive(quantity)) return null
    const order = this.#order
    return {
      plan,
      position,
      best: this.#best,
      quantity: order === 'works' && isPositive(exit!.open) ? exit!.open : quantity,
      abilities: this.#deps.abilities,
      order,
      resting: resting ?? restingOf(exit),
      moves: exit?.moves ?? 0,
    }
  }

  refresh(tracked: TrackedProtection, readAt: number): void {
    if (readAt < this.#readAt) return
    this.#readAt = readAt
    this.#tracked = tracked
    if (tracked.exit !== null || tracked.resting === null) this.#endedSince = null
    const noted = this.#crossedNotedAt
    // Acted upon, or another worker has seen one.
    if (this.#crossed === null || (noted !== null && readAt > noted)) {
      this.#crossed = tracked.crossed
      this.#crossedNotedAt = tracked.crossed && readAt
    }
    if (!this.#isFrozen) this.#best = betterOf(this.side, this.#best, tracked.best)
  }

  hear(price: SeenPrice): void {
    const watched = this.#watched
    if (watched === null) return
    if (price.source === 'trade') {
      const { counts, ...run } = followTrades(this.#trades, price)
      this.#trades = run
      if (!counts) return
    } else this.#trades = null
    this.#price = price
    if (this.#isFrozen) return
    this.#found = look(watched, price.price)
    this.#best = this.#found.best
    const { crossed } = this.#found
    // One target is enough, and a stop precedes it.
    if (crossed === null || (crossed.level === 'target' && this.#crossed !== null)) return
    this.#crossed = { ...crossed, seenAt: new Date(this.#deps.now()).toISOString() }
    this.#crossedNotedAt = null
  }

  /** After a stop was crossed the best price stays, to tell whether the level is still that stop. */
  get #isFrozen(): boolean {
    return this.#crossed?.level === 'stop'
  }

  /** Never throws: failures are repeated at the next call. */
  async work(): Promise<void> {
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        this.#deps.log.warn(
          { err: error, signalId: this.signalId },
          'the exit plan of a position could not be followed; trying again',
        )
        this.#refuse()
      })
      .finally(() => {
        this.#working = null
      })
    await this.#working
  }

  async #work(): Promise<void> {
    const watched = this.#watched
    if (watched === null || watched.order === 'closing') return
    if (this.#crossed !== null) await this.#dealWithCrossed(watched, this.#crossed)
    // For a target the workflow cancels the order by itself.
    if (this.#isFrozen || (this.#crossed !== null && this.#told.times < UNHEEDED)) return
    const { move, isToBePlaced } = this.#found ?? { move: null, isToBePlaced: false }
    if (move !== null) await this.#move(move)
    if (this.#crossed !== null) return
    if (!isToBePlaced) return this.#forgetTold('place')
    if (this.#isToTell('place', TELL_TO_PLACE, 'later'))
      await this.#deps.announcer.exitNews(this.signalId)
  }

  async #dealWithCrossed(
    watched: WatchedPlan,
    crossed: NonNullable<TrackedProtection['crossed']>,
  ): Promise<void> {
    const { em, announcer } = this.#deps
    const isUnheeded = crossed.level === 'target' && this.#told.times >= UNHEEDED
    const hasLeft = this.#found !== null && this.#found.crossed === null
    if (!isStillALevel(watched, crossed) || (isUnheeded && hasLeft)) {
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
    if (this.#isToTell(`crossed ${crossed.seenAt}`, TELL_CROSSED, 'at once'))
      await announcer.exitNews(this.signalId)
  }

  async #move({ stop, isUrgent }: Move): Promise<void> {
    const { em, broker, now, mayMove } = this.#deps
    if (now() < this.#refused.until || (!isUrgent && now() < this.#moveFrom) || !mayMove()) return
    const outcome = await moveStop(em, broker, { ...this.#tracked, best: this.#best }, stop)
    if (outcome === 'moved') {
      this.#moveFrom = now() + MOVE_EVERY_MS
      this.#refused = { times: 0, until: Number.NEGATIVE_INFINITY }
    } else this.#refuse()
    this.#found = null
    const readAt = now()
    const tracked = await readProtection(em, this.signalId)
    if (tracked !== null) this.refresh(tracked, readAt)
  }

  #refuse(): void {
    const times = this.#refused.times + 1
    this.#refused = { times, until: this.#deps.now() + pauseAfter(times, AFTER_REFUSAL) }
  }

  #isToTell(what: string, limits: typeof TELL_CROSSED, first: 'at once' | 'later'): boolean {
    const now = this.#deps.now()
    if (this.#told.what !== what) {
      const isPutOff = first === 'later'
      this.#told = { what, times: 0, nextAt: isPutOff ? now + limits.first : now }
    }
    if (now < this.#told.nextAt) return false
    const times = this.#told.times + 1
    this.#told = { what, times, nextAt: now + pauseAfter(times, limits) }
    return true
  }

  #forgetTold(what: string): void {
    if (this.#told.what === what) this.#told = { what: '', times: 0, nextAt: 0 }
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

/** Of the ledger, before it is noted what the order keeps. */
function restingOf(exit: TrackedProtection['exit']): RestingOrder | null {
  if (exit === null || !keepsLevel(exit.purpose) || exit.orderType === 'market') return null
  const { orderType, limitPrice, stopPrice, timeInForce } = exit
  return { orderType, limitPrice, stopPrice, timeInForce: timeInForce === 'gtc' ? 'gtc' : 'day' }
}
