import { Backoff } from '#domain/async/backoff.ts'
import type { Logger } from 'pino'
import { comparedSince } from '#activities/account/compare.ts'
import type { HeardFills } from '#activities/order/heard-fills.ts'
import type { Broker, OrderStreamEvent, UnreadableEvent } from '#brokers/port.ts'
import { pauseUnless, periodically, type Part } from '#config/periodically.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { recordFeedNews } from '#db/watch/account-feeds.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { notifyOfClosedElsewhere } from '#db/position/closed-elsewhere.ts'
import { amendFill } from '#db/position/fill-amendments.ts'
import { hasProgress } from '#db/order/order-rows.ts'
import { symbolsWithExitsToCome } from '#db/exit/exits.ts'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import { tradingBlocked } from '#domain/alert/broker-alerts.ts'
import { isOurs, isTerminal, type OrderReport } from '#domain/order/order.ts'
import type { Semaphore } from '#domain/async/semaphore.ts'
import { inTrace, SpanKind } from '#tracing/spans.ts'
import { askLastCloses, syncAccount } from './account-sync.ts'
import { AccountAlarm } from './account-alarm.ts'
import { watchCalendar } from './calendar-watch.ts'
import { watchClock } from './clock-watch.ts'
import { ComparisonAlarm } from './comparison-alarm.ts'
import { healthIn, reportHealth } from './connection-health.ts'
import { ExitRetrigger, type ExitAnnouncer } from './exit-retrigger.ts'
import type { FillImporter } from './fill-importer.ts'
import { OnDemand, pauseAfterFailure, Pause } from './on-demand.ts'
import { KeyedQueue, type OrderReconciler } from './order-reconciler.ts'
import { PositionCheck } from './position-check.ts'
import { StreamAlarm, Silence } from './stream-alarm.ts'
import { UnfilledExits } from './unfilled-exits.ts'

const MIN_ASK_INTERVAL_MS = 1_000
/** Milliseconds, doubling: an exit may wait for the report. */
const LOOK_AGAIN_AFTER = 1_000
/** Milliseconds between comparisons of ended orders, executions and positions. */
const LOOK_BACK_EVERY = 600_000
/** Milliseconds beyond two intervals until the next comparison has ended. */
const COMPARED_WITHIN = 15_000
/** Milliseconds. */
/** Milliseconds. */
const LOOK_AT_TIMES_EVERY = { clock: 60_000, calendar: 60_000 }
const RECONNECT_AFTER = { first: 250, most: 30_000 }
/** Milliseconds after which a loss of the stream has a new reason. */
const LASTING_STREAM = 10_000

const notifiedOf = ({ clientOrderId, status }: OrderReport) => ({
  name: 'order report',
  kind: SpanKind.CONSUMER,
  attributes: { 'durable_trader.client_order_id': clientOrderId, 'durable_trader.order_status': status },
})

export interface AccountFeedDependencies {
  em: EntityManager
  broker: Broker
  reconciler: OrderReconciler
  fills: FillImporter
  heardFills?: HeardFills | undefined
  announcer: Pick<ExitAnnouncer, 'retryExit' | 'exitCalendarChanged'>
  account: AccountConnection
  /** Milliseconds between comparisons with the broker. */
  pollEvery: number
  lookAtTimesEvery?: { clock: number; calendar: number }
  slots: Semaphore
  patience?: FeedPatience | undefined
  log: Logger
}

/** Milliseconds. */
export interface FeedPatience {
  quietMs?: number
  /** Between two syncs, and between two lists of fills. */
  asksEvery?: number
  lookAgainAfter?: number
  exitFillsWithin?: number
  attributedWithin?: number
}

/** Follows an account until aborted. Logs errors and tries again. */
export class AccountFeed {
  readonly #deps: AccountFeedDependencies
  readonly #lanes: KeyedQueue
  #comparing: Promise<void> = Promise.resolve()
  readonly #balances: OnDemand
  readonly #fills: OnDemand
  readonly #reconnecting = new Pause()
  #isDown = false
  readonly #alarm: ComparisonAlarm
  readonly #stream: StreamAlarm
  readonly #silence: Silence
  readonly #unfilled: UnfilledExits
  readonly #lookAgain: Backoff
  #lookedBackAt = Number.NEGATIVE_INFINITY
  #lookBackDue = Number.NEGATIVE_INFINITY
  #troubles = 0
  #skipped = 0

  constructor(deps: AccountFeedDependencies) {
    const { em, broker, fills, announcer, account, pollEvery, slots, patience, log } = deps
    const { accountId } = account
    const { quietMs, exitFillsWithin, lookAgainAfter = LOOK_AGAIN_AFTER } = patience ?? {}
    this.#deps = deps
    this.#lanes = new KeyedQueue(slots)
    this.#lookAgain = new Backoff({ first: lookAgainAfter, most: pollEvery })
    this.#alarm = new ComparisonAlarm(em, accountId, log, quietMs)
    this.#stream = new StreamAlarm(em, accountId, { pollEvery, quietMs })
    this.#silence = new Silence(em, account.brokerId, log)
    this.#unfilled = new UnfilledExits(em, broker, accountId, log, exitFillsWithin)
    const positions = new PositionCheck(em, accountId, quietMs)
    const blocked = new AccountAlarm(em, accountId, 'trading_blocked', quietMs)
    const exits = new ExitRetrigger(em, announcer, accountId)
    this.#balances = new OnDemand(
      async () => {
        const { positions: shown, permissions } = await syncAccount(em, broker, account, quietMs)
        await this.#lookForBlocks(blocked, permissions)
        await exits.positionsSynced(shown)
        await positions.look(Date.now())
        this.#tryAllNow()
        await this.#reportHealth(null)
        await this.#stream.answered()
        await askLastCloses(em.fork(), broker, accountId)
      },
      async (error) => {
        this.#isDown = true
        await this.#reportHealth(error)
        log.warn({ err: error }, 'balances and positions could not be copied; trying again')
      },
    )
    this.#fills = new OnDemand(
      async () => {
        await fills.poll(Date.now())
        await exits.fillsRead()
        this.#tryAllNow()
      },
      (error) => {
        this.#isDown = true
        log.warn({ err: error }, 'the fills could not be read; trying again')
      },
    )
  }

  async #lookForBlocks(alarm: AccountAlarm, { blocks }: AccountPermissions): Promise<void> {
    const { em, account } = this.#deps
    const symbols = blocks.length === 0 ? [] : await symbolsWithExitsToCome(em.fork(), account.accountId)
    if (symbols.length > 0) await alarm.raise(tradingBlocked(blocks, symbols))
    else await alarm.end()
  }

  async run(signal: AbortSignal): Promise<void> {
    const times = this.#timesWatch()
    const askInterval = this.#deps.patience?.asksEvery ?? MIN_ASK_INTERVAL_MS
    for (const part of times) part.start()
    try {
      await Promise.all([
        this.#follow(signal),
        this.#poll(signal),
        this.#balances.run(signal, askInterval),
        this.#fills.run(signal, askInterval),
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
      let readySince: number | null = null
      let failure: unknown = null
      try {
        await this.#deps.broker.streamOrders(
          {
            onReady: () => {
              readySince = performance.now()
              this.#deps.heardFills?.follow(this.#deps.account.accountId, true)
              this.#stream.ready()
              this.#deps.log.info('following the broker’s order stream')
              this.#askLookBack()
              this.#comparing = this.#comparing.then(() => this.#compare())
              this.#fills.ask()
              this.#tryAllNow()
              this.#lookSoon()
            },
            onReport: (report, event) =>
              this.#lanes.add(
                report.clientOrderId,
                () => this.#take(report, event),
                !hasProgress(report) && report.links === undefined && event.amendment === undefined,
              ),
            onUnreadable: (event) => this.#skip(event),
            onPulse: (silentFor) => void this.#silence.pulse(silentFor),
          },
          signal,
        )
      } catch (error) {
        failure = error
        this.#stream.broke(error)
        // A request distinguishes rejected keys from trouble of the stream.
        this.#balances.ask()
        this.#deps.log.warn({ err: error }, 'the broker’s order stream broke; reconnecting')
      } finally {
        this.#deps.heardFills?.follow(this.#deps.account.accountId, false)
      }
      if (readySince !== null && performance.now() - readySince >= LASTING_STREAM) backoff.reset()
      await this.#reconnecting.unlessEnded(signal, pauseAfterFailure(failure, backoff))
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A new account shows its balances at once.
      this.#lookAtAccount()
      await this.#compare()
      await this.#untilNextLook(signal)
    }
  }

  #timesWatch(): Part[] {
    const { em, broker, announcer, account, lookAtTimesEvery, patience, log } = this.#deps
    const { accountId } = account
    const { clock, calendar } = lookAtTimesEvery ?? LOOK_AT_TIMES_EVERY
    const quietMs = patience?.quietMs
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

  async #untilNextLook(signal: AbortSignal): Promise<void> {
    const known = this.#troubles
    const pause = this.#lookAgain.next()
    const due = performance.now() + pause
    for (let left = pause; left > 0 && !signal.aborted; left = due - performance.now()) {
      await pauseUnless(signal, Math.min(left, this.#deps.patience?.lookAgainAfter ?? LOOK_AGAIN_AFTER))
      if (this.#troubles !== known) return
    }
  }

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

  /** Executions may have been taken back, and ended orders have filled, without a report. */
  #askLookBack(): void {
    this.#lookBackDue = Math.min(this.#lookBackDue, this.#lookedBackAt + this.#deps.pollEvery)
  }

  #lookAtAccount(): void {
    this.#balances.ask()
    this.#fills.ask()
  }

  #skip(event: UnreadableEvent): void {
    this.#skipped += 1
    this.#deps.log.warn({ ...event, skipped: this.#skipped }, 'an event of the order stream cannot be read')
    this.#askLookBack()
    this.#lookAtAccount()
    if (event.isMissed) this.#lookSoon()
  }

  async #take(report: OrderReport, { execution, amendment }: OrderStreamEvent): Promise<void> {
    // Trades of foreign orders are the account's, too.
    if (execution) this.#lookAtAccount()
    else if (!isOurs(report.clientOrderId) && isTerminal(report.status)) this.#balances.ask()
    try {
      await inTrace(report.clientOrderId, notifiedOf(report), async () => {
        if (amendment && (await amendFill(this.#deps.em, this.#deps.account, report, amendment)))
          this.#lookAtAccount()
        if (await this.#deps.reconciler.apply(report)) this.#lookAtAccount()
        if (isTerminal(report.status)) this.#deps.heardFills?.tell(report.clientOrderId)
      })
    } catch (error) {
      // A comparison brings the report again, because the end stays unacknowledged.
      this.#deps.log.error(
        { err: error, clientOrderId: report.clientOrderId },
        'an order report could not be applied',
      )
      this.#lookSoon()
    }
  }

  async #compare(): Promise<void> {
    const { listedAt } = this.#deps.reconciler
    const now = Date.now()
    const isLookBack = now >= this.#lookBackDue
    if (isLookBack) [this.#lookedBackAt, this.#lookBackDue] = [now, now + LOOK_BACK_EVERY]
    try {
      const since = isLookBack ? await comparedSince(this.#deps.em, now) : null
      if ((await this.#deps.reconciler.reconcile(now, since)) > 0) this.#lookAtAccount()
      if (this.#deps.reconciler.listedAt !== listedAt) this.#tryAllNow()
      await this.#alarm.note(this.#deps.reconciler.trouble, Date.now())
      await this.#reportNews(true)
      await this.#lookForSilence()
    } catch (error) {
      this.#isDown = true
      if (isLookBack) this.#lookBackDue = now
      await this.#alarm.note(error, Date.now())
      this.#deps.log.warn({ err: error }, 'the account could not be compared with its broker; trying again')
      // Other trouble is ours: the watch reports that the feed is silent.
      if (healthIn(error) !== null) await this.#reportNews(false)
    }
  }

  /** No report shows exits that do not fill, or shares that were closed elsewhere. */
  async #lookForSilence(): Promise<void> {
    await this.#unfilled.look(Date.now())
    try {
      await notifyOfClosedElsewhere(
        this.#deps.em,
        this.#deps.account.accountId,
        this.#deps.patience?.attributedWithin,
      )
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        'the notice of shares that were closed elsewhere could not be raised; trying again',
      )
    }
  }

  async #reportNews(isCompared: boolean): Promise<void> {
    const dueWithin = 2 * this.#deps.pollEvery + COMPARED_WITHIN
    try {
      await recordFeedNews(this.#deps.em, this.#deps.account.accountId, { isCompared, dueWithin })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the comparison could not be recorded')
    }
  }

  async #reportHealth(error: unknown): Promise<void> {
    const { em, announcer, account, patience, log } = this.#deps
    await reportHealth({ em, announcer, account, quietMs: patience?.quietMs, log }, error)
  }
}
