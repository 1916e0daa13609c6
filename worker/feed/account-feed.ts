import { Backoff } from '#domain/backoff.ts'
import type { Logger } from 'pino'
import type { EntryHandover } from '#activities/handover/entry-handover.ts'
import type { Broker, OrderStreamEvent, UnreadableEvent } from '#brokers/port.ts'
import { pauseUnless, periodically, type Part } from '#config/periodically.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { recordFeedNews } from '#db/watch/account-feeds.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { tellOfClosedElsewhere } from '#db/trades/closed-elsewhere.ts'
import { amendFill } from '#db/trades/fill-amendments.ts'
import { isOurs } from '#domain/manual-order.ts'
import { isTerminal, type OrderReport } from '#domain/order.ts'
import type { Slots } from '#domain/slots.ts'
import { inTrace, SpanKind } from '#tracing/spans.ts'
import { askLastCloses, syncAccount } from './account-sync.ts'
import { BlockedAccountAlarm } from './blocked-account-alarm.ts'
import { watchCalendar, type CalendarAnnouncer } from './calendar-watch.ts'
import { watchClock } from './clock-watch.ts'
import { ComparisonAlarm } from './comparison-alarm.ts'
import { healthIn, tellHealth } from './connection-health.ts'
import { ExitWaker } from './exit-waker.ts'
import type { FillImporter } from './fill-importer.ts'
import { OnDemand, pauseAfterFailure } from './on-demand.ts'
import { OrderLanes } from './order-lanes.ts'
import type { Announcer, HeldReport, OrderReconciler } from './order-reconciler.ts'
import { Pause } from './pause.ts'
import { PositionCheck } from './position-check.ts'
import { Silence } from './silence.ts'
import { StreamAlarm } from './stream-alarm.ts'
import { UnfilledExits } from './unfilled-exits.ts'

/** Balances and positions are copied at most this often, in milliseconds, however many orders fill. */
const MIN_SYNC_INTERVAL = 1_000
/** The same of fills. */
const MIN_LIST_FILLS_INTERVAL = 1_000
/**
 * At the start, after trouble, or after a time without a stream, the account is compared again after this many milliseconds, then after twice
 * as many, and so on up to the usual interval: an order that was not in the ledger yet may have filled, and its exit
 * waits for that report.
 */
const LOOK_AGAIN_AFTER = 1_000
/** Beyond two intervals, the milliseconds within which the next comparison has ended, also while the broker gives no answer. */
const COMPARED_WITHIN = 15_000
/** How often clock and calendar of the broker are compared with those that exits are planned by, in milliseconds. */
const LOOK_AT_TIMES_EVERY = { clock: 60_000, calendar: 60_000 }
const RECONNECT_AFTER = { first: 250, most: 30_000 }
/** A stream that has lasted so many milliseconds is lost for a new reason. */
const LASTING_STREAM = 10_000

/** A message of the stream, as traces tell of it. */
const toldOf = ({ clientOrderId, status }: OrderReport) => ({
  name: 'order report',
  kind: SpanKind.CONSUMER,
  attributes: { 'durable_trader.client_order_id': clientOrderId, 'durable_trader.order_status': status },
})

export interface AccountFeedDependencies {
  em: EntityManager
  broker: Broker
  reconciler: OrderReconciler
  fills: FillImporter
  announcer: Pick<Announcer, 'retryExit'> & CalendarAnnouncer
  account: AccountConnection
  /** Milliseconds between two comparisons of the account with its broker. */
  pollEvery: number
  lookAtTimesEvery?: { clock: number; calendar: number }
  /** Orders that this process is sending. */
  handover?: EntryHandover | undefined
  /** Reports that are applied at once, of all accounts of the process. */
  slots: Slots
  patience?: FeedPatience | undefined
  log: Logger
}

/** How long a feed waits before it tells an owner, in milliseconds; each has its usual length without it. */
export interface FeedPatience {
  /** For which the cause of an alert has to be gone before the alert ends. */
  quietMs?: number
  /** Of an open session, in which an exit at market is to fill. */
  exitFillsWithin?: number
  /** Within which an execution is known to be of an order of ours. */
  attributedWithin?: number
}

/**
 * Follows one account at its broker until aborted: the order stream, a slow comparison of all orders in any case, the
 * fills, and the balances. It never gives up; errors are logged and the work is tried again.
 */
export class AccountFeed {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #orders: OrderReconciler
  readonly #announcer: Pick<Announcer, 'retryExit'> & CalendarAnnouncer
  readonly #account: AccountConnection
  readonly #handover: EntryHandover | undefined
  readonly #log: Logger
  /** Reports of one order are applied one after the other, in the order in which they came. */
  readonly #lanes: OrderLanes
  /** The comparisons after a stream has begun. They wait for the broker, and take no place of reports meanwhile. */
  #comparing: Promise<void> = Promise.resolve()
  readonly #balances: OnDemand
  readonly #fillDesk: FillImporter
  readonly #fills: OnDemand
  readonly #reconnecting = new Pause()
  /** Requests have failed since one was answered. */
  #isDown = false
  readonly #alarm: ComparisonAlarm
  readonly #stream: StreamAlarm
  readonly #silence: Silence
  readonly #unfilled: UnfilledExits
  readonly #patience: FeedPatience
  readonly #lookAgain: Backoff
  readonly #pollEvery: number
  readonly #lookAtTimesEvery: { clock: number; calendar: number }
  #troubles = 0
  /** Events of the stream that could not be read. */
  #skipped = 0

  constructor({
    em,
    broker,
    reconciler,
    fills,
    announcer,
    account,
    pollEvery,
    lookAtTimesEvery = LOOK_AT_TIMES_EVERY,
    handover,
    slots,
    patience = {},
    log,
  }: AccountFeedDependencies) {
    this.#em = em
    this.#broker = broker
    this.#orders = reconciler
    this.#fillDesk = fills
    this.#announcer = announcer
    this.#account = account
    this.#handover = handover
    this.#pollEvery = pollEvery
    this.#lookAtTimesEvery = lookAtTimesEvery
    this.#lanes = new OrderLanes(slots)
    this.#lookAgain = new Backoff({ first: LOOK_AGAIN_AFTER, most: pollEvery })
    this.#log = log
    const { accountId } = account
    const { quietMs, exitFillsWithin } = patience
    this.#patience = patience
    this.#alarm = new ComparisonAlarm(em, accountId, log, quietMs)
    this.#stream = new StreamAlarm(em, accountId, { pollEvery, quietMs })
    this.#silence = new Silence(em, account.brokerId, log)
    this.#unfilled = new UnfilledExits(em, broker, accountId, log, exitFillsWithin)
    const positions = new PositionCheck(em, accountId, quietMs)
    const blocked = new BlockedAccountAlarm(em, accountId, quietMs)
    const exits = new ExitWaker(em, announcer, accountId)
    this.#balances = new OnDemand(
      async () => {
        const { positions: shown, permissions } = await syncAccount(em, broker, account, quietMs)
        await blocked.look(permissions)
        await exits.positionsSynced(shown)
        await positions.look(Date.now())
        this.#tryAllNow()
        await this.#tellHealth(null)
        await this.#stream.answered()
        await askLastCloses(em.fork(), broker, accountId)
      },
      async (error) => {
        this.#isDown = true
        await this.#tellHealth(error)
        log.warn({ err: error }, 'balances and positions could not be copied; trying again')
      },
    )
    this.#fills = new OnDemand(
      async () => {
        await fills.poll(Date.now())
        this.#tryAllNow()
      },
      (error) => {
        this.#isDown = true
        log.warn({ err: error }, 'the fills could not be read; trying again')
      },
    )
  }

  async run(signal: AbortSignal): Promise<void> {
    const times = this.#timesWatch()
    for (const part of times) part.start()
    try {
      await Promise.all([
        this.#follow(signal),
        this.#poll(signal),
        this.#balances.run(signal, MIN_SYNC_INTERVAL),
        this.#fills.run(signal, MIN_LIST_FILLS_INTERVAL),
      ])
    } finally {
      await Promise.all(times.map((part) => part.stop()))
    }
    await this.#comparing
    await this.#lanes.idle()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(RECONNECT_AFTER)
    while (!signal.aborted) {
      let streamEnded: (() => void) | undefined
      let readySince: number | null = null
      let failure: unknown = null
      try {
        const following = this.#broker.streamOrders(
          {
            onReady: () => {
              readySince = performance.now()
              this.#stream.ready()
              streamEnded?.()
              streamEnded = this.#handover?.streamReady(this.#account.accountId)
              this.#log.info('following the broker’s order stream')
              // Finds events from the time without a stream.
              this.#comparing = this.#comparing.then(() => this.#compare())
              this.#fillDesk.expectAmendments()
              this.#fills.ask()
              this.#tryAllNow()
              this.#lookSoon()
            },
            onReport: (report, event) => this.#hear(report, event),
            onUnreadable: (event) => this.#skip(event),
            onPulse: (silentFor) => void this.#silence.pulse(silentFor),
          },
          signal,
        )
        await following.finally(() => streamEnded?.())
      } catch (error) {
        failure = error
        this.#stream.broke(error)
        // A request tells whether the keys are rejected, or the stream alone is.
        this.#balances.ask()
        this.#log.warn({ err: error }, 'the broker’s order stream broke; reconnecting')
      }
      if (readySince !== null && performance.now() - readySince >= LASTING_STREAM) backoff.reset()
      await this.#reconnecting.unlessEnded(signal, pauseAfterFailure(failure, backoff))
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The first poll copies balances too, so that a new account shows at once.
      this.#lookAtAccount()
      await this.#compare()
      await this.#untilNextLook(signal)
    }
  }

  /** The clock and the calendar by which exits are planned. */
  #timesWatch(): Part[] {
    const { accountId } = this.#account
    const [em, broker, announcer, log] = [this.#em, this.#broker, this.#announcer, this.#log]
    const { clock, calendar } = this.#lookAtTimesEvery
    const { quietMs } = this.#patience
    return [
      periodically('clock watch', clock, () => watchClock({ em, broker, accountId, quietMs }), log),
      periodically(
        'calendar watch',
        calendar,
        () => watchCalendar({ em, broker, announcer, accountId }, Date.now()),
        log,
      ),
    ]
  }

  /** Waits for the next comparison to be due; not for long when there is trouble meanwhile. */
  async #untilNextLook(signal: AbortSignal): Promise<void> {
    const known = this.#troubles
    const pause = this.#lookAgain.next()
    const due = performance.now() + pause
    for (let left = pause; left > 0 && !signal.aborted; left = due - performance.now()) {
      await pauseUnless(signal, Math.min(left, LOOK_AGAIN_AFTER))
      if (this.#troubles !== known) return
    }
  }

  /**
   * The broker answers: whatever waits for it to do so is tried at once. A stream that broke while requests were answered has
   * another reason, and keeps to its pauses.
   */
  #tryAllNow(): void {
    this.#balances.tryNow()
    this.#fills.tryNow()
    if (this.#isDown) this.#reconnecting.end()
    this.#isDown = false
  }

  #lookSoon(): void {
    this.#troubles += 1
    this.#lookAgain.reset()
  }

  /** Something has been executed, or may have been. */
  #lookAtAccount(): void {
    this.#balances.ask()
    this.#fills.ask()
  }

  /** An event that cannot be read may have told of an execution, or that one was taken back. */
  #skip(event: UnreadableEvent): void {
    this.#skipped += 1
    this.#log.warn({ ...event, skipped: this.#skipped }, 'an event of the order stream cannot be read')
    this.#fillDesk.expectAmendments()
    this.#lookAtAccount()
    if (event.isMissed) this.#lookSoon()
  }

  /** Applies a report in its turn; that of an order which is being sent once its acceptance is recorded. */
  #hear(report: OrderReport, event: OrderStreamEvent): void {
    const sent = this.#handover?.report(this.#account.accountId, report) ?? null
    const take = (held?: HeldReport): void =>
      this.#lanes.add(report.clientOrderId, () => this.#take(report, { ...event, ...(held && { held }) }))
    if (sent === null) take()
    else void sent.then((recorded) => take({ recorded }))
  }

  async #take(
    report: OrderReport,
    { execution, amendment, held }: OrderStreamEvent & { held?: HeldReport },
  ): Promise<void> {
    // Also for orders that were placed elsewhere: their trades are trades of the account.
    if (execution) this.#lookAtAccount()
    // The order may have held shares, which are free from now on.
    else if (!isOurs(report.clientOrderId) && isTerminal(report.status)) this.#balances.ask()
    try {
      await inTrace(report.clientOrderId, toldOf(report), async () => {
        if (amendment && (await amendFill(this.#em, this.#account, report, amendment))) this.#lookAtAccount()
        if (await this.#orders.apply(report, held)) this.#lookAtAccount()
      })
    } catch (error) {
      // The order's end stays unacknowledged in the ledger, so a comparison brings the report again.
      this.#log.error(
        { err: error, clientOrderId: report.clientOrderId },
        'an order report could not be applied',
      )
      this.#lookSoon()
    }
  }

  async #compare(): Promise<void> {
    const { listedAt } = this.#orders
    try {
      const news =
        (await this.#orders.reconcile(Date.now())) + (await this.#orders.reconcileEnded(Date.now()))
      if (news > 0) this.#lookAtAccount()
      if (this.#orders.listedAt !== listedAt) this.#tryAllNow()
      await this.#alarm.note(this.#orders.trouble, Date.now())
      await this.#tellNews(true)
      await this.#lookForSilence()
    } catch (error) {
      this.#isDown = true
      await this.#alarm.note(error, Date.now())
      this.#log.warn({ err: error }, 'the account could not be compared with its broker; trying again')
      // Other trouble is our own: then the feed is not heard of, and the watch tells.
      if (healthIn(error) !== null) await this.#tellNews(false)
    }
  }

  /** Facts that no report tells: exits that do not fill, and shares that somebody else has closed. */
  async #lookForSilence(): Promise<void> {
    await this.#unfilled.look(Date.now())
    try {
      await tellOfClosedElsewhere(this.#em, this.#account.accountId, this.#patience.attributedWithin)
    } catch (error) {
      this.#log.warn({ err: error }, 'shares that were closed elsewhere could not be told; trying again')
    }
  }

  async #tellNews(isCompared: boolean): Promise<void> {
    const dueWithin = 2 * this.#pollEvery + COMPARED_WITHIN
    try {
      await recordFeedNews(this.#em, this.#account.accountId, { isCompared, dueWithin })
    } catch (error) {
      this.#log.warn({ err: error }, 'the comparison could not be recorded')
    }
  }

  async #tellHealth(error: unknown): Promise<void> {
    const [em, announcer, account, log] = [this.#em, this.#announcer, this.#account, this.#log]
    await tellHealth({ em, announcer, account, quietMs: this.#patience.quietMs, log }, error)
  }
}
