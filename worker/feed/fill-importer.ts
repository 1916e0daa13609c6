import { instantAfter } from '#domain/time/instants.ts'
import { Backoff } from '#domain/async/backoff.ts'
import type { Logger } from 'pino'
import type { AccountComparison } from '#activities/account/compare.ts'
import { fillListings } from '#brokers/fill-listings.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  amendFill,
  correctedFills,
  unlistedFills,
  type FillAmendment,
  type UnlistedFills,
} from '#db/position/fill-amendments.ts'
import {
  fillProgress,
  oldestUnexplained,
  openFillLedger,
  ordersBeyondLedger,
  recordFills,
} from '#db/position/fills.ts'
import { POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import { compare, subtract } from '#domain/money/decimal.ts'
import type { OrderReport } from '#domain/order/order.ts'

const REREAD_MS = 5_000
/** Doubling while the broker does not list missing fills. */
const MIN_BACKFILL_PAUSE_MS = 15_000
const MAX_BACKFILL_PAUSE_MS = 900_000
/** Milliseconds until an order without listed fills is given up. */
const GIVEN_UP_AFTER = 86_400_000
/** Milliseconds of stored fills that the first look compares with the orders. */
const FIRST_REACH = 7 * 86_400_000
const MAX_ASKED_AT_ONCE = 20
const MAX_ASKED_WITHOUT_NEWS = 5
const FILL_LIST_LAG_MS = 60_000
/** Milliseconds in which the broker may take a fill back. */
const AMENDED_WITHIN = 86_400_000

type AskFor = (brokerOrderId: string) => Promise<'news' | 'no_news' | 'not_ours'>

type Listed = Pick<AccountComparison, 'executed' | 'isWhole'>

export class FillImporter {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #account: { accountId: string; userId: string }
  readonly #askFor: AskFor
  readonly #log: Logger
  /** Orders without later reports have their fills; milliseconds since the epoch. */
  #explainedUntil = 0
  #newest: string | null = null
  readonly #pause = new Backoff({ first: MIN_BACKFILL_PAUSE_MS, most: MAX_BACKFILL_PAUSE_MS })
  #backfillAt = 0
  #heldAgainstUntil: number | null = null
  readonly #suspects = new Map<string, number>()

  constructor(
    em: EntityManager,
    broker: Broker,
    account: { accountId: string; userId: string },
    askFor: AskFor,
    log: Logger,
  ) {
    this.#em = em
    this.#broker = broker
    this.#account = account
    this.#askFor = askFor
    this.#log = log
  }

  /** Reads fills; at intervals back to the oldest order without all its fills. */
  async poll(now: number): Promise<void> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    if (!progress) return
    if (progress.isOpened) await this.#read(shortlyBefore(progress.since))
    else await this.#open(progress.since, now)
    await this.#followUp(now)
    if (now >= this.#backfillAt) await this.#backfill(now)
  }

  /** `since`: the last reading unless given. */
  async read(since?: string): Promise<void> {
    const progress = await fillProgress(this.#em, this.#account.accountId)
    if (progress?.isOpened) await this.#read(since ?? shortlyBefore(progress.since))
  }

  /**
   * Adopts fills that the broker has corrected or taken back (not listed, and the order has filled less). Returns the
   * symbols.
   */
  async amend({ executed, isWhole }: Listed, since: string, now: number): Promise<ReadonlySet<string>> {
    const storedBefore = new Date(now - FILL_LIST_LAG_MS).toISOString()
    const reach = new Date(Math.max(Date.parse(since), now - AMENDED_WITHIN)).toISOString()
    const amended = new Set<string>()
    for (const { brokerOrderId, amendment } of await correctedFills(
      this.#em,
      this.#account,
      storedBefore,
      executed,
    )) {
      const report = await this.#broker.getOrder(brokerOrderId)
      if (report !== null) await this.#amend(report, amendment, amended)
    }
    if (!isWhole) return amended
    const listed = executed.map(({ executionId }) => executionId)
    for (const order of await unlistedFills(this.#em, this.#account, { since: reach, storedBefore }, listed))
      await this.#takeBack(order, amended)
    return amended
  }

  async #takeBack({ brokerOrderId, filled, fills }: UnlistedFills, amended: Set<string>): Promise<void> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report === null) return
    // Each link of a replaced order has its own figure.
    const link = report.links?.find((each) => each.brokerOrderId === brokerOrderId)
    const told = link?.filledQuantity ?? report.filledQuantity
    let left = filled
    for (const { executionId, quantity } of fills) {
      if (compare(told, left) >= 0) return
      await this.#amend(report, { executionId, corrected: null }, amended)
      left = subtract(left, quantity)
    }
  }

  async #amend(report: OrderReport, amendment: FillAmendment, amended: Set<string>): Promise<void> {
    this.#log.warn(
      { clientOrderId: report.clientOrderId, ...amendment },
      'the broker has amended an execution',
    )
    await amendFill(this.#em, this.#account, report, amendment)
    amended.add(report.symbol)
  }

  /** Unexpected fills may have come without a stream. */
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
    // Fills that another worker stored meanwhile are not in these positions.
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
