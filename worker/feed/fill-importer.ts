import type { Logger } from 'pino'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  fillProgress,
  oldestUnexplained,
  openFillLedger,
  ordersBeyondLedger,
  recordFills,
} from '#db/trades/fills.ts'
import type { OrderReconciler } from './order-reconciler.ts'

/** Listed again each time, in milliseconds: a broker may book in another order than it executes. */
const OVERLAP = 5_000
/** How long a broker's positions may lag behind its fills, in milliseconds. */
const POSITIONS_LAG = 5_000
/** Milliseconds between two looks back; doubles as long as the broker does not list what is missing. */
const FIRST_PAUSE = 15_000
const MAX_PAUSE = 900_000
/** An order whose fills the broker has not listed after so many milliseconds is given up. */
const GIVEN_UP_AFTER = 86_400_000
/** At the first look, fills that were stored within so many milliseconds are held against the orders. */
const FIRST_REACH = 7 * 86_400_000
/** Orders that are asked for in one look, and how often one is that has no news. */
const MAX_ASKED_AT_ONCE = 20
const MAX_ASKED = 5
/** Between the end of an order and its fills on the list may pass so much, in milliseconds. */
const LIST_LAG = 60_000

/** Keeps the fills, and with them the trades, of one account true to what its broker lists. */
export class FillImporter {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #account: { accountId: string; userId: string }
  readonly #askFor: OrderReconciler['ask']
  readonly #log: Logger
  /** All orders that had no news since then have their fills; milliseconds since the epoch. */
  #explainedUntil = 0
  /** The newest fill that was listed since this desk is there; null before the first. UTC instant. */
  #newest: string | null = null
  #pause = FIRST_PAUSE
  #backfillAt = 0
  /** Fills that were stored since then are held against the orders; milliseconds since the epoch, null at first. */
  #heldAgainstUntil: number | null = null
  /** Orders that were executed further than the ledger knows, and how often the broker was asked for them. */
  readonly #suspects = new Map<string, number>()

  /** @param askFor looks an order up that was executed further than the ledger knows */
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
   * Stores what was executed since the last look; the first time all since the account is followed. Now and then it
   * goes back to the oldest order that has filled more than its fills add up to: whatever made a fill come late, that
   * finds it.
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
  }

  /**
   * Looks up the orders of fills that the ledger does not know of otherwise: the stream may have been broken when an
   * order of ours was filled after its end.
   */
  async #followUp(now: number): Promise<void> {
    const since = this.#heldAgainstUntil ?? now - FIRST_REACH
    const beyond = await ordersBeyondLedger(this.#em, this.#account, new Date(since).toISOString())
    for (const id of beyond) if (!this.#suspects.has(id)) this.#suspects.set(id, 0)
    this.#heldAgainstUntil = now - LIST_LAG
    const toAsk = [...this.#suspects].filter(([, asked]) => asked < MAX_ASKED).slice(0, MAX_ASKED_AT_ONCE)
    for (const [id, asked] of toAsk) {
      const answer = await this.#askFor(id)
      // A look-up may lag behind the list of fills.
      this.#suspects.set(id, answer === 'no_news' ? asked + 1 : MAX_ASKED)
    }
    // Those that are dealt with are remembered for as long as their fills are listed as new.
    for (const [id, asked] of this.#suspects)
      if (asked >= MAX_ASKED && !beyond.includes(id)) this.#suspects.delete(id)
  }

  async #backfill(now: number): Promise<void> {
    const changedSince = Math.max(this.#explainedUntil, now - GIVEN_UP_AFTER)
    const since = await oldestUnexplained(this.#em, this.#account, new Date(changedSince).toISOString())
    const isFound = since === null || (await this.#read(since)) > 0
    if (since === null) this.#explainedUntil = now - LIST_LAG
    this.#pause = isFound ? FIRST_PAUSE : Math.min(this.#pause * 2, MAX_PAUSE)
    this.#backfillAt = now + this.#pause
    if (!isFound)
      this.#log.warn(
        { since, retryInMs: this.#pause },
        'an order has filled whose fills the broker does not list',
      )
  }

  /** The positions tell what was held before only when nothing has been executed shortly before or meanwhile. */
  async #open(since: string, now: number): Promise<void> {
    await this.#read(this.#newest === null ? since : shortlyBefore(this.#newest))
    const newest = this.#newest
    if (newest !== null && Date.parse(newest) >= now - POSITIONS_LAG) return
    const positions = await this.#broker.listPositions()
    const added = await this.#read(newest ?? since)
    // What another worker has stored meanwhile is not new, and still not in these positions.
    if (added === 0 && this.#newest === newest) await openFillLedger(this.#em, this.#account, positions)
  }

  /** Stores what is listed from an instant on. Returns how many executions were new. */
  async #read(since: string): Promise<number> {
    let added = 0
    for (let after = since; ;) {
      const listing = await this.#broker.listFills(after)
      added += await recordFills(this.#em, this.#account, listing)
      const last = listing.fills.at(-1)?.at
      if (last !== undefined && last > (this.#newest ?? '')) this.#newest = last
      const { until, hasMore } = listing
      if (!hasMore || until === null || Date.parse(until) <= Date.parse(after)) return added
      after = until
    }
  }
}

const shortlyBefore = (instant: string): string => new Date(Date.parse(instant) - OVERLAP).toISOString()
