import { instantAfter } from '#domain/instants.ts'
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

const REREAD_MS = 5_000
/** Doubling while the broker does not list what is missing. */
const MIN_BACKFILL_PAUSE_MS = 15_000
const MAX_BACKFILL_PAUSE_MS = 900_000
/** Milliseconds until an order without listed fills is given up. */
const GIVEN_UP_AFTER = 86_400_000
/** Milliseconds of stored fills that the first look compares with the orders. */
const FIRST_REACH = 7 * 86_400_000
const MAX_ASKED_AT_ONCE = 20
const MAX_ASKED_WITHOUT_NEWS = 5
const FILL_LIST_LAG_MS = 60_000
/** Milliseconds of fills, and between comparisons: the broker may have taken one back. */
const AMENDED_WITHIN = 86_400_000
const AMENDMENTS_EVERY = 600_000

export class FillImporter {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #account: { accountId: string; userId: string }
  readonly #askFor: OrderReconciler['ask']
  readonly #log: Logger
  /** Orders without news since then have their fills; milliseconds since the epoch. */
  #explainedUntil = 0
  #newest: string | null = null
  readonly #pause = new Backoff({ first: MIN_BACKFILL_PAUSE_MS, most: MAX_BACKFILL_PAUSE_MS })
  #backfillAt = 0
  #heldAgainstUntil: number | null = null
  #amendmentsSoughtAt = Number.NEGATIVE_INFINITY
  readonly #suspects = new Map<string, number>()
  #amended = new Set<string>()

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
   * At first, since the account is followed; at intervals back to the oldest order without all its fills. Returns
   * the symbols in which the broker has corrected fills, or taken them back.
   */
  async poll(now: number): Promise<ReadonlySet<string>> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    this.#amended = new Set()
    if (!progress) return this.#amended
    if (progress.isOpened) await this.#read(shortlyBefore(progress.since))
    else await this.#open(progress.since, now)
    await this.#followUp(now)
    if (now >= this.#backfillAt) await this.#backfill(now)
    if (now - this.#amendmentsSoughtAt >= AMENDMENTS_EVERY) await this.#seekAmendments(now)
    return this.#amended
  }

  /** `since`: from when on; what was read last unless given. */
  async read(since?: string): Promise<void> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    if (progress?.isOpened) await this.#read(since ?? shortlyBefore(progress.since))
  }

  expectAmendments(): void {
    this.#amendmentsSoughtAt = Number.NEGATIVE_INFINITY
  }

  /** Taken back: not listed, and the order has filled less; corrected: listed with other figures. */
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
    this.#amended.add(report.symbol)
  }

  async #amend({ brokerOrderId, filled, fills }: UnlistedFills): Promise<void> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report === null) return
    // Each link of a replaced order has its own figure.
    const link = report.links?.find((each) => each.brokerOrderId === brokerOrderId)
    const told = link?.filledQuantity ?? report.filledQuantity
    let left = filled
    for (const { executionId, quantity } of fills) {
      if (compare(told, left) >= 0) return
      this.#log.warn({ brokerOrderId, executionId }, 'the broker has taken an execution back')
      await amendFill(this.#em, this.#account, report, { executionId, corrected: null })
      this.#amended.add(report.symbol)
      left = subtract(left, quantity)
    }
  }

  /** Asks for orders of unexpected fills: a fill after the end may have come without a stream. */
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
      this.#suspects.set(id, answer === 'no_news' ? asked + 1 : MAX_ASKED_WITHOUT_NEWS)
    }
    // Finished suspects are kept while their fills are listed as new.
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

  /** Positions show the earlier shares only if nothing was executed shortly before or meanwhile. */
  async #open(since: string, now: number): Promise<void> {
    await this.#read(this.#newest === null ? since : shortlyBefore(this.#newest))
    const newest = this.#newest
    if (newest !== null && Date.parse(newest) >= now - POSITION_LAG_MS) return
    const positions = await this.#broker.listPositions()
    const added = await this.#read(newest ?? since)
    // Fills that another worker stored meanwhile are not new, but not in these positions either.
    if (added === 0 && this.#newest === newest) await openFillLedger(this.#em, this.#account, positions)
  }

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

const shortlyBefore = (instant: string): string => instantAfter(instant, -REREAD_MS)
