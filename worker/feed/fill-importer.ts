import { Backoff } from '#domain/backoff.ts'
import type { Logger } from 'pino'
import { fillListings } from '#brokers/fill-listings.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  amendFill,
  correctedFills,
  oldestFillSince,
  unlistedFills,
  type CorrectedFill,
  type UnlistedFills,
} from '#db/trades/fill-amendments.ts'
import {
  fillProgress,
  oldestUnexplained,
  openFillLedger,
  ordersBeyondLedger,
  recordFills,
} from '#db/trades/fills.ts'
import { POSITION_LAG_MS } from '#domain/broker-lags.ts'
import { compare, subtract } from '#domain/decimal.ts'
import type { OrderReconciler } from './order-reconciler.ts'

/** Listed again each time, in milliseconds: a broker may book in another order than it executes. */
const OVERLAP = 5_000
/** Milliseconds between two looks back; doubles as long as the broker does not list what is missing. */
const MIN_BACKFILL_PAUSE_MS = 15_000
const MAX_BACKFILL_PAUSE_MS = 900_000
/** An order whose fills the broker has not listed after so many milliseconds is given up. */
const GIVEN_UP_AFTER = 86_400_000
/** At the first look, fills that were stored within so many milliseconds are held against the orders. */
const FIRST_REACH = 7 * 86_400_000
/** Orders that are asked for in one look, and how often one is that has no news. */
const MAX_ASKED_AT_ONCE = 20
const MAX_ASKED_WITHOUT_NEWS = 5
/** How long the fills of an ended order may be missing in the broker's list, in milliseconds. */
const FILL_LIST_LAG_MS = 60_000
/** Fills of so many milliseconds are held against the broker's list, so often: it may have taken one back. */
const AMENDED_WITHIN = 86_400_000
const AMENDMENTS_EVERY = 600_000

/** Imports the fills of one account from its broker's list, and works out its trades from them. */
export class FillImporter {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #account: { accountId: string; userId: string }
  readonly #askFor: OrderReconciler['ask']
  readonly #log: Logger
  /** All orders without news since then have their fills; milliseconds since the epoch. */
  #explainedUntil = 0
  /** The newest fill that this importer has seen; null before the first. UTC instant. */
  #newest: string | null = null
  readonly #pause = new Backoff({ first: MIN_BACKFILL_PAUSE_MS, most: MAX_BACKFILL_PAUSE_MS })
  #backfillAt = 0
  /** Fills stored since then are compared with the orders; milliseconds since the epoch, null at first. */
  #heldAgainstUntil: number | null = null
  #amendmentsSoughtAt = Number.NEGATIVE_INFINITY
  /** Orders with more executions than the ledger knows, and how many times the broker was asked for them. */
  readonly #suspects = new Map<string, number>()

  /** @param askFor looks up an order with more executions than the ledger knows */
  constructor(
    em: EntityManager,
    broker: Broker,
    account: { accountId: string; userId: string },
    askFor: OrderReconciler['ask'],
    log: Logger,
  ) {
    this.#em = em
    this.#broker = broker
    this.#account = account
    this.#askFor = askFor
    this.#log = log
  }

  /**
   * Stores the executions since the last call; the first time all since the account is followed. At intervals it goes back
   * to the oldest order that has filled more than its fills add up to, which finds any late fill.
   *
   * @param now milliseconds since the epoch
   */
  async poll(now: number): Promise<void> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    if (!progress) return
    if (progress.isOpened) await this.#read(shortlyBefore(progress.since))
    else await this.#open(progress.since, now)
    await this.#followUp(now)
    if (now >= this.#backfillAt) await this.#backfill(now)
    if (now - this.#amendmentsSoughtAt >= AMENDMENTS_EVERY) await this.#seekAmendments(now)
  }

  /** Stores the executions since the last call and does nothing besides; not before the first {@link poll} has ended. */
  async read(): Promise<void> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    if (progress?.isOpened) await this.#read(shortlyBefore(progress.since))
  }

  /** No stream was connected for a while, in which the broker may have amended executions: the next look finds them. */
  expectAmendments(): void {
    this.#amendmentsSoughtAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Finds executions that the broker has taken back or corrected without our hearing of it: they are not on its list any
   * more, and the order has filled less than its stored fills add up to; or they are listed with another quantity or price.
   * A list that merely lags is told apart by the order.
   */
  async #seekAmendments(now: number): Promise<void> {
    const storedBefore = new Date(now - FILL_LIST_LAG_MS).toISOString()
    const reach = { since: new Date(now - AMENDED_WITHIN).toISOString(), storedBefore }
    const since = await oldestFillSince(this.#em, this.#account, reach)
    const listed = new Set<string>()
    let isWhole = true
    if (since !== null)
      for await (const { fills, hasMore } of fillListings(this.#broker, since)) {
        for (const { executionId } of fills) listed.add(executionId)
        for (const fill of await correctedFills(this.#em, this.#account, storedBefore, fills))
          await this.#correct(fill)
        isWhole = !hasMore
      }
    if (since !== null && isWhole)
      for (const order of await unlistedFills(this.#em, this.#account, { since, storedBefore }, listed))
        await this.#amend(order)
    this.#amendmentsSoughtAt = now
  }

  async #correct({ brokerOrderId, amendment }: CorrectedFill): Promise<void> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report === null) return
    const { executionId } = amendment
    this.#log.warn({ brokerOrderId, executionId }, 'the broker has corrected an execution')
    await amendFill(this.#em, this.#account, report, amendment)
  }

  async #amend({ brokerOrderId, filled, fills }: UnlistedFills): Promise<void> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report === null) return
    // Of a replaced order each link has its own figure.
    const link = report.links?.find((each) => each.brokerOrderId === brokerOrderId)
    const told = link?.filledQuantity ?? report.filledQuantity
    let left = filled
    for (const { executionId, quantity } of fills) {
      if (compare(told, left) >= 0) return
      this.#log.warn({ brokerOrderId, executionId }, 'the broker has taken an execution back')
      await amendFill(this.#em, this.#account, report, { executionId, corrected: null })
      left = subtract(left, quantity)
    }
  }

  /**
   * Looks up the orders of fills that the ledger does not expect: the stream may have been down when an order of ours was
   * filled after its end.
   */
  async #followUp(now: number): Promise<void> {
    const since = this.#heldAgainstUntil ?? now - FIRST_REACH
    const beyond = await ordersBeyondLedger(this.#em, this.#account, new Date(since).toISOString())
    for (const id of beyond) if (!this.#suspects.has(id)) this.#suspects.set(id, 0)
    this.#heldAgainstUntil = now - FILL_LIST_LAG_MS
    const toAsk = [...this.#suspects]
      .filter(([, asked]) => asked < MAX_ASKED_WITHOUT_NEWS)
      .slice(0, MAX_ASKED_AT_ONCE)
    for (const [id, asked] of toAsk) {
      const answer = await this.#askFor(id)
      // A look-up may lag behind the list of fills.
      this.#suspects.set(id, answer === 'no_news' ? asked + 1 : MAX_ASKED_WITHOUT_NEWS)
    }
    // Finished suspects are remembered for as long as their fills are listed as new.
    for (const [id, asked] of this.#suspects)
      if (asked >= MAX_ASKED_WITHOUT_NEWS && !beyond.includes(id)) this.#suspects.delete(id)
  }

  async #backfill(now: number): Promise<void> {
    const changedSince = Math.max(this.#explainedUntil, now - GIVEN_UP_AFTER)
    const since = await oldestUnexplained(this.#em, this.#account, new Date(changedSince).toISOString())
    const isFound = since === null || (await this.#read(since)) > 0
    if (since === null) this.#explainedUntil = now - FILL_LIST_LAG_MS
    if (isFound) this.#pause.reset()
    const pause = this.#pause.next()
    this.#backfillAt = now + pause
    if (!isFound)
      this.#log.warn({ since, retryInMs: pause }, 'an order has filled whose fills the broker does not list')
  }

  /** The positions show the shares from before only if nothing was executed shortly before or meanwhile. */
  async #open(since: string, now: number): Promise<void> {
    await this.#read(this.#newest === null ? since : shortlyBefore(this.#newest))
    const newest = this.#newest
    if (newest !== null && Date.parse(newest) >= now - POSITION_LAG_MS) return
    const positions = await this.#broker.listPositions()
    const added = await this.#read(newest ?? since)
    // Fills that another worker has stored meanwhile are not new, and not in these positions either.
    if (added === 0 && this.#newest === newest) await openFillLedger(this.#em, this.#account, positions)
  }

  /** Stores what is listed from an instant on. Returns how many executions were new. */
  async #read(since: string): Promise<number> {
    let added = 0
    for await (const listing of fillListings(this.#broker, since)) {
      added += await recordFills(this.#em, this.#account, listing)
      const last = listing.fills.at(-1)?.at
      if (last !== undefined && last > (this.#newest ?? '')) this.#newest = last
    }
    return added
  }
}

const shortlyBefore = (instant: string): string => new Date(Date.parse(instant) - OVERLAP).toISOString()
