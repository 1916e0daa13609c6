import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { createActivities } from '#activities/index.ts'
import type { WatchGateway } from '#api/temporal/watch-gateway.ts'
import { Census, replaceRuns } from '#api/supervisor/census.ts'
import type { Broker } from '#brokers/port.ts'
import type { Database } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { readProtection } from '#db/exit/protections.ts'
import { termsOf } from '#db/signal/terms.ts'
import { compare, isPositive, larger, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import {
  isTerminal,
  isWorking,
  parseClientOrderId,
  type OrderReport,
  type OrderStatus,
} from '#domain/order/order.ts'
import { exitInWords, type Protection } from '#domain/exit/protection.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { placedByHand } from '#test/support/placed-by-hand.ts'
import { changeTo, exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import type { SubmissionBehaviour } from '#test/support/scripted-broker.ts'
import { replayShares, type SetApart, type ShareReplay } from '#test/support/share-replay.ts'
import type { ExitAnnouncer } from '#worker/feed/exit-retrigger.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'
import { Exchange } from './exchange.ts'
import type { LedgerCopies } from './ledger-copies.ts'
import { LEVELS, onSide, levelsOfSignal, reachedAt, type Levels } from './levels.ts'
import { isOfBroker, oddly, type OddAnswer } from './odd.ts'
import type { LivesClock } from './lives-clock.ts'
import type { LifeEvent, LifePlan, Loss, PlannedEvent, PlannedSignal } from './plan.ts'
import { changeTogether, type LevelChange } from './plan-changes.ts'
import type { Plant } from './planted.ts'
import { PriceWatch } from './price-watch.ts'
import { RestingExits } from './resting-exits.ts'
import type { Troupe } from './troupe.ts'
import { isOfProtection, type Visit } from './visits.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')
const DAY = 86_400_000
/** Milliseconds after which a lost workflow is started again; Temporal's list of what runs lags behind. */
const RESTART_AFTER = 11_000
/** More than any order is for. */
const ALL = '20'
/** A price at which every target is reached, and every trail has begun that begins after a profit. */
const BEYOND_ALL = '130'
/** So often it is looked at most whether a level is acted upon: every few seconds, and then twice a minute. */
const LOOKS = { near: 6, most: 12 }
/** How an order ends, by the words of an event. */
const ENDS: Record<string, OrderStatus> = {
  ends: 'EXPIRED',
  'is cancelled': 'CANCELLED',
  'is rejected': 'REJECTED',
}
/** What no signal may be in the end. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['queued', 'transmitted'])
/** Turns in which everything that is left open has to come to rest. */
const MOST_TURNS = 40

/** How a signal has ended. */
export interface SignalEnd {
  status: string
  exitStatus: string | null
  entryFilled: Decimal
  exitFilled: Decimal
  closedByOthers: Decimal
}

export interface LifeEnd {
  signals: SignalEnd[]
  /** What must not have happened, in words. */
  faults: string[]
}

export interface LifeServices {
  database: Database
  clock: LivesClock
  copies: LedgerCopies
  troupe: Troupe
  /** A mistake that a life is to find. */
  plant?: Plant
}

/** One life: signals that share a position, their broker, the people and the losses. */
export class Life {
  readonly #services: LifeServices
  readonly #plan: LifePlan
  readonly #exchange: Exchange
  readonly #odd: OddAnswer[] = []
  readonly #broker: Broker
  readonly #faults: string[] = []
  readonly #ids: string[]
  readonly #arrived = new Set<number>()
  /** Signals whose exit a person has called off, or has asked to. */
  readonly #calledOff = new Set<string>()
  /** The exit plans of signals by now; null where that is not known, or there is none any more. */
  readonly #plans = new Map<string, Levels | null>()
  /** Signals whose plan a person has asked to change. */
  readonly #changed = new Set<string>()
  /** The best price at which the market has stayed while a signal's position was watched. */
  readonly #highest = new Map<string, Decimal>()
  readonly #takes = new Map<string, SetApart[]>()
  readonly #resting = new RestingExits()
  #account!: Account
  #feed!: { orders: OrderReconciler; fills: FillImporter }
  #watch!: PriceWatch
  #hasCopy = false
  #hasLostLedger = false
  /** Executions that the feed has asked for. */
  #listed = 0
  #isSilent = false
  #stream: 'as it is' | 'twice' | 'in disorder' = 'as it is'
  #isStopped = false
  /** At which the market has traded last, of a long position. */
  #market: Decimal = '100'

  constructor(services: LifeServices, plan: LifePlan) {
    this.#services = services
    this.#plan = plan
    this.#ids = plan.signals.map(() => randomUUID())
    for (const [index, { plan: kind }] of plan.signals.entries())
      if (kind) this.#plans.set(this.#ids[index]!, LEVELS[kind])
    this.#exchange = new Exchange((id) => this.#plans.has(id))
    this.#broker = oddly(this.#exchange, this.#odd)
    this.#exchange.sessions = [-1, 0, 1, 2].map((days) => {
      const date = new Date(START + days * DAY).toISOString().slice(0, 10)
      const opensAt = `${date}T00:00:00.000Z`
      return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + DAY).toISOString() }
    })
  }

  async live(): Promise<LifeEnd> {
    const { database, clock, copies } = this.#services
    const { em } = database
    await copies.clear()
    await clock.set(START)
    this.#account = await createAccount(em)
    const { userId, id } = this.#account
    await saveRiskSettings(em, userId, id, {
      maxOrdersPerMinute: null,
      maxOrdersPerDay: null,
      maxPositionShares: this.#plan.limit,
    })
    this.#open()
    await this.#feed.fills.poll(clock.now())
    for (const event of this.#plan.events) await this.#after(event)
    await this.#comeToRest()
    return { signals: await this.#ends(), faults: [...this.#faults, ...this.#exchange.faults] }
  }

  /** What its signals with an exit plan have come through. */
  get visited(): ReadonlySet<Visit> {
    return this.#exchange.visited
  }

  get #hasPlans(): boolean {
    return this.#plans.size > 0
  }

  /** A position with an exit plan is open. */
  get #anyPlanHolds(): boolean {
    return [...this.#plans.keys()].some((id) => isPositive(this.#openOf(id)))
  }

  /** Shares of a signal that its own exits have not closed. */
  #openOf(id: string): Decimal {
    return subtract(this.#exchange.filledOf(id, 'entry'), this.#exchange.filledOf(id, 'exit'))
  }

  #visit(visit: Visit): void {
    if (this.#anyPlanHolds) this.#exchange.visited.add(visit)
  }

  /** A worker begins: nothing but the ledger and the broker outlives it. */
  #open(): void {
    const { database, clock, troupe, plant } = this.#services
    const { em } = database
    const log = pino({ level: 'silent' })
    const { id: accountId, userId } = this.#account
    const activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => (plant?.broker ? this.#withMistake(plant.broker) : this.#broker),
      requestTimeoutMs: 4_000,
      liveTrading: true,
      pause: (milliseconds) => clock.pass(milliseconds),
      now: () => clock.now(),
    })
    troupe.begin({ ...activities, ...plant?.activities?.(activities) })
    this.#connect(accountId, userId, log)
  }

  #withMistake(broker: NonNullable<Plant['broker']>): Broker {
    const wrong = broker(this.#exchange)
    return new Proxy<Broker>(this.#exchange, {
      get: (real, name: keyof Broker) => wrong[name] ?? real[name]?.bind(real),
    })
  }

  #connect(accountId: string, userId: string, log: pino.Logger): void {
    const { em } = this.#services.database
    const orders = new OrderReconciler(em, this.#broker, this.#services.troupe, accountId, log)
    const fills = new FillImporter(em, this.#broker, { accountId, userId }, (one) => orders.ask(one), log)
    orders.executionsBy(fills)
    this.#feed = { orders, fills }
    const { clock, troupe } = this.#services
    const announcer: Pick<ExitAnnouncer, 'exitNews'> = {
      exitNews: async (signalId) => {
        if ((await readProtection(em, signalId))?.crossed) {
          this.#visit('a level that was crossed here')
          if (this.#exchange.working(signalId, 'entry'))
            this.#visit('a level that was reached while the entry worked')
        }
        return troupe.ask(workflowIdFor(signalId), 'exitNews', undefined)
      },
    }
    this.#watch = new PriceWatch({ em, broker: this.#broker, announcer, now: () => clock.now() }, accountId)
  }

  async #after({ event, who, loses, copies, odd }: PlannedEvent): Promise<void> {
    const { troupe } = this.#services
    const about = who % this.#ids.length
    await this.#services.clock.pass(100)
    if (odd) this.#odd.push({ ...odd })
    await this.#happen(event, about)
    if (loses?.what === 'nothing') {
      await troupe.work()
      await this.#services.clock.pass(RESTART_AFTER)
    } else if (loses) {
      await troupe.work(loses.after, true)
      // A ledger of which there is no copy yet can not be restored.
      await this.#lose(this.#hasCopy ? loses.what : 'temporal')
    }
    await this.#turn()
    if (copies) {
      await this.#services.copies.take()
      this.#hasCopy = true
    }
    await this.#noteTakes()
  }

  /** The steps that can be done are, and the feed tells what is new. */
  async #turn(): Promise<void> {
    const { troupe } = this.#services
    await troupe.work()
    if (this.#isSilent) {
      this.#isSilent = false
      return
    }
    if (this.#hasPlans) await this.#look(onSide(this.#market, this.#plan.side))
    await this.#hearAll()
    this.#judgeResting()
  }

  async #hearAll(): Promise<void> {
    const { troupe, clock } = this.#services
    for (let rounds = 0; rounds < 10; rounds += 1) {
      for (const report of this.#news()) {
        const isReported = await this.#hears(() => this.#feed.orders.apply(report))
        if (!isReported) this.#exchange.news.push(report)
      }
      const { length } = this.#exchange.fills
      if (this.#listed !== length && (await this.#hears(() => this.#feed.fills.poll(clock.now()))))
        this.#listed = length
      if ((await troupe.work()) === 0 && this.#exchange.news.length === 0) return
    }
  }

  /** What rests at the broker once all is told and done. */
  #judgeResting(): void {
    const { closedByOthers } = this.#replay()
    const { side } = this.#plan
    const signals = this.#plan.signals.flatMap(({ does }, index) => {
      if (does !== 'opens') return []
      const id = this.#ids[index]!
      const resting = this.#exchange.reports().filter(({ clientOrderId, status }) => {
        const own = parseClientOrderId(clientOrderId)
        return own?.signalId === id && own.role === 'exit' && isWorking(status)
      })
      const owned = subtract(this.#openOf(id), closedByOthers.get(id) ?? '0')
      return [{ index, owned, levels: this.#plans.get(id) ?? null, side, resting }]
    })
    const isDisturbed = this.#isDisturbed || this.#hasLostLedger
    this.#faults.push(
      ...this.#resting.judge(isDisturbed ? [] : signals, this.#isStopped, this.#services.clock.now()),
    )
  }

  /** What its plans ask for may be held up by its broker, or by what is not told yet. */
  get #isDisturbed(): boolean {
    return (
      this.#isSilent ||
      this.#odd.length > 0 ||
      this.#exchange.cancels !== 'at once' ||
      [...this.#exchange.behaviours.values()].some((own) => own.length > 0)
    )
  }

  /** What the stream tells, in its manner. */
  #news(): OrderReport[] {
    const news = this.#exchange.news.splice(0)
    if (this.#stream === 'in disorder') return news.toReversed()
    return this.#stream === 'twice' ? news.flatMap((one) => [one, one]) : news
  }

  /** Does work of the feed, which begins it again when its broker gives no usable answer; whether it did. */
  async #hears(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!isOfBroker(error)) throw error
      return false
    }
  }

  #look(price: Decimal): Promise<boolean> {
    return this.#hears(() => this.#watch.look(price))
  }

  async #happen(event: LifeEvent, about: number): Promise<void> {
    const { clock, troupe, database } = this.#services
    const exchange = this.#exchange
    const id = this.#ids[about]!
    const by = 'ann@example.test'
    const workflowId = workflowIdFor(id)
    const order = (role: 'entry' | 'exit') => exchange.working(id, role)
    const cancelOf = (role: 'entry' | 'exit', refused = (): void => {}) => {
      const clientOrderId = order(role)?.clientOrderId ?? ''
      const granted = (): void => {
        if (isOfProtection({ clientOrderId })) this.#visit('an order that a person cancels')
      }
      return troupe.ask(workflowId, 'cancelOrder', { by, clientOrderId }, granted, refused)
    }
    const { userId, id: accountId } = this.#account
    switch (event) {
      case 'arrives':
        return this.#arrive(about)
      case 'approve':
      case 'approve 5': {
        const quantity = event === 'approve' ? null : '5'
        return troupe.ask(workflowId, 'approveSignal', { by, quantity, limitPrice: null, sendBefore: null })
      }
      case 'withdraw':
        return troupe.ask(workflowId, 'withdrawSignal', { by })
      case 'cancel exit':
        return this.#callOff(id, (refused) =>
          troupe.ask(workflowId, 'cancelExit', { by }, () => void exchange.calledOff.add(id), refused),
        )
      case 'cancel entry order':
        return cancelOf('entry')
      case 'cancel exit order':
        return this.#callOff(id, (refused) => cancelOf('exit', refused))
      case 'entry fills 3':
      case 'entry fills 2.5':
        return this.#fillLate(id, event.slice('entry fills '.length) as Decimal)
      case 'entry fills all':
        return exchange.fill(order('entry'), ALL)
      case 'entry fills too much':
        return exchange.overfill(order('entry'))
      case 'exit fills 3':
        return exchange.fill(order('exit'), '3')
      case 'exit fills all':
        return exchange.fill(order('exit'), ALL)
      case 'entry ends':
      case 'entry is cancelled':
      case 'entry is rejected':
        return exchange.end(order('entry'), ENDS[event.slice('entry '.length)]!)
      case 'exit ends':
      case 'exit is cancelled':
      case 'exit is rejected':
        return this.#endExit(about, ENDS[event.slice('exit '.length)]!)
      case 'entry is gone':
        return exchange.forget(order('entry'))
      case 'exit is gone':
        return exchange.forget(order('exit'))
      case 'exit is changed by hand':
        return exchange.changeByHand(order('exit'))
      case 'closed by hand 3':
        this.#visit('shares that a person sells')
        return exchange.closeByHand('3')
      case 'person closes 4':
        return this.#personCloses()
      case 'trading stops': {
        this.#isStopped = true
        this.#visit('a stop of all trading')
        const halt = { level: 'fullStop', reason: 'stop', by } as const
        return void (await setHalt(database.em, { scope: 'account', userId, accountId }, halt))
      }
      case 'trading goes on':
        this.#isStopped = false
        return void (await liftHalt(database.em, { scope: 'account', userId, accountId }, by))
      case 'next order is refused':
        return this.#script(id, 'refuse')
      case 'next order is lost':
        return this.#script(id, 'unknownBefore')
      case 'next answer is lost':
        return this.#script(id, 'acceptThenUnknown')
      case 'cancels take their time':
        return void (exchange.cancels = exchange.cancels === 'pending' ? 'at once' : 'pending')
      case 'trades at 94':
      case 'trades at 103':
      case 'trades at 111':
        return this.#trade(event.slice(-3).trim() as Decimal)
      case '3 trade at 94':
        return this.#trade('94', '3')
      case 'stays at 94':
      case 'stays at 99':
      case 'stays at 103':
      case 'stays at 111':
        return this.#stay(event.slice(-3).trim() as Decimal)
      case 'the plan is changed':
        return this.#changeExit(about, LEVELS['stop and target'])
      case 'the plan is taken away':
        // A timed exit beside it stays, unless it was tried and ended early.
        if (this.#plan.signals[about]!.exit !== 'none' && !this.#hasTriedTimed(id))
          return this.#changeExit(about, null)
        return this.#callOff(id, (refused) => this.#changeExit(about, null, refused))
      case 'two changes at once':
        return this.#changeTogether(about, [{ stop: '97' }, { target: '120' }])
      case 'the stop is moved away':
        return this.#changeTogether(about, [{ stop: '90' }])
      case 'a change while trading is stopped':
        await this.#happen('trading stops', about)
        // A timed exit is due by then.
        await clock.pass(61_000)
        await this.#turn()
        return this.#changeTogether(about, [{ stop: '90' }])
      case 'sold at the site':
        this.#visit('shares that a person sells')
        return exchange.sellAtSite(order('exit'))
      case 'exit is cancelled before the close':
        return this.#passClose(about, -2_000)
      case 'exit is cancelled after the close':
        return this.#passClose(about, 2_000)
      case 'the price moves':
        return void (exchange.lastPrice = exchange.lastPrice === '100' ? '108' : '100')
      case 'news comes twice':
      case 'news comes in disorder':
        return void (this.#stream = event === 'news comes twice' ? 'twice' : 'in disorder')
      case 'no news':
        return void (this.#isSilent = true)
      case 'a moment passes':
        return clock.pass(1_000)
      case 'half a minute passes':
        return clock.pass(30_000)
      case 'timer rings': {
        const at = troupe.nextTimer()
        if (at !== null) await clock.pass(Math.max(0, at - clock.now()))
      }
    }
  }

  /** Asks for a call-off of an exit, which counts unless it is refused: an answer may be lost. */
  #callOff(id: string, ask: (refused: () => void) => Promise<void>): Promise<void> {
    const wasCalledOff = this.#calledOff.has(id)
    this.#calledOff.add(id)
    return ask(() => void (wasCalledOff || this.#calledOff.delete(id)))
  }

  /** The order may have ended before. */
  #fillLate(id: string, shares: Decimal): void {
    const order = this.#exchange.working(id, 'entry', 'the last')
    if (order && isTerminal(order.status) && order.status !== 'FILLED' && this.#plans.has(id))
      this.#exchange.visited.add('an entry that fills after its end')
    this.#exchange.fill(order, shares)
  }

  #endExit(about: number, status: OrderStatus): void {
    const id = this.#ids[about]!
    const order = this.#exchange.working(id, 'exit')
    if (order && isOfProtection(order)) {
      this.#visit('an order that the broker ends')
      // With its order a plan for the session is over.
      if (status === 'EXPIRED' && this.#plans.get(id)?.until === 'session') this.#plans.set(id, null)
    }
    this.#exchange.end(order, status)
  }

  /**
   * The market trades at a price, which the worker sees; for a short position as far on the other side of 100.
   *
   * @param shares of each order that it reaches at most
   */
  async #trade(of: Decimal, shares: Decimal | null = null): Promise<void> {
    this.#market = of
    const price = onSide(of, this.#plan.side)
    this.#exchange.tradeAt(price, shares)
    await this.#look(price)
  }

  /**
   * The market stays at a price. What its levels ask for is done meanwhile, if nothing stands in the way: no stop of all trading, no
   * order that gets lost or is refused, no cancel that takes its time.
   */
  async #stay(at: Decimal): Promise<void> {
    const { clock } = this.#services
    const isCalm = !this.#isStopped && !this.#isDisturbed
    if (isCalm && this.#owed(at).length > 0) this.#exchange.visited.add('a level that has to be acted upon')
    for (let looks = 1; looks <= LOOKS.most; looks += 1) {
      await this.#trade(at)
      await this.#turn()
      await clock.pass(looks <= LOOKS.near ? 4_000 : 30_000)
      if (looks > 1 && (!isCalm || this.#owed(at).length === 0)) break
      if (looks <= LOOKS.near) continue
      await this.#reconcile()
      await this.#restart()
    }
    if (!isCalm) return
    await this.#judge(at)
    for (const id of this.#plans.keys())
      if (isPositive(this.#openOf(id))) this.#highest.set(id, larger(this.#highest.get(id) ?? at, at))
  }

  /** Signals whose plans have a level at this price of the market, and that hold shares all the same. */
  #owed(at: Decimal): { id: string; words: string }[] {
    const { closedByOthers } = this.#replay()
    return this.#plan.signals.flatMap((_, index) => {
      const id = this.#ids[index]!
      const levels = this.#plans.get(id)
      const average = this.#exchange.working(id, 'entry', 'the last')?.avgFillPrice
      const open = subtract(this.#openOf(id), closedByOthers.get(id) ?? '0')
      if (!levels || !average || !isPositive(open) || this.#calledOff.has(id)) return []
      const { side } = this.#plan
      const level = reachedAt({ levels, side, average, highest: this.#highest.get(id) ?? null }, at)
      if (level === null) return []
      return [
        {
          id,
          words: `${open} shares of signal ${index} (${exitInWords(levelsOfSignal(levels, side))}) are held, whose ${level} was reached at ${at}`,
        },
      ]
    })
  }

  /** A level that was crossed while the broker worked has been acted upon, or its owner is alerted. */
  async #judge(at: Decimal): Promise<void> {
    const owed = this.#owed(at)
    if (owed.length === 0) return
    const alerted = await this.#services.database.em.execute<{ id: string; is_alerted: boolean }[]>(
      `select s.id, exists (select from alerts a where a.signal_id = s.id and a.resolved_at is null) as is_alerted from signals s`,
    )
    for (const { id, words } of owed) {
      // A signal that came after the copy is not known to a ledger that was restored.
      const known = alerted.find((one) => one.id === id)
      if (known?.is_alerted) this.#exchange.visited.add('a level that was not acted upon, with an alert')
      else if (known) this.#faults.push(words)
    }
  }

  #hasTriedTimed(id: string): boolean {
    return this.#exchange.reports().some(({ clientOrderId, status }) => {
      const own = parseClientOrderId(clientOrderId)
      return own?.signalId === id && own.purpose === 'timed' && isTerminal(status)
    })
  }

  async #changeExit(about: number, levels: Levels | null, refused = (): void => {}): Promise<void> {
    const id = this.#ids[about]!
    const before = this.#plans.get(id)
    if (before === undefined) return refused()
    this.#plans.set(id, null)
    this.#changed.add(id)
    const granted = (): void => {
      this.#plans.set(id, levels)
      if (levels !== null) this.#exchange.overBySession.delete(id)
      this.#visit(levels === null ? 'a plan that a person takes away' : 'a plan that a person changes')
    }
    const change = changeTo(levels && levelsOfSignal(levels, this.#plan.side))
    await this.#services.troupe.ask(
      workflowIdFor(id),
      'changeProtection',
      { by: 'ann@example.test', change },
      granted,
      () => {
        this.#plans.set(id, before)
        refused()
      },
    )
  }

  /** Changes that are asked for at the same moment are all in the plan in the end, as far as they were answered. */
  async #changeTogether(about: number, changes: readonly LevelChange[]): Promise<void> {
    const id = this.#ids[about]!
    const before = this.#plans.get(id)
    if (!before || !this.#arrived.has(about)) return
    const { side } = this.#plan
    const { database, troupe } = this.#services
    const { em } = database
    this.#changed.add(id)
    const answers = await changeTogether({ em, troupe, broker: this.#exchange, side }, id, changes)
    const taken = changes.filter((_, place) => answers[place])
    if (taken.length === 0) return
    const levels = taken.reduce<Levels>((plan, change) => ({ ...plan, ...change }), before)
    this.#visit('a plan that a person changes')
    const [row] = await em.execute<{ protection: Protection | null }[]>(
      'select protection from signals where id = ?',
      [id],
    )
    const [stored, answered] = [row?.protection ?? null, levelsOfSignal(levels, side)]
    const isTaken = isDeepStrictEqual(stored, answered)
    this.#plans.set(id, isTaken ? levels : null)
    if (!isTaken)
      this.#faults.push(
        `the plan of signal ${about} is "${stored && exitInWords(stored)}", and "${exitInWords(answered)}" was answered`,
      )
  }

  /**
   * The session ends, and with it what is good for the day.
   *
   * @param cancelledAfter milliseconds from the close after which the broker cancels the exit, which may be negative
   */
  async #passClose(about: number, cancelledAfter: number): Promise<void> {
    const { clock } = this.#services
    const close = (Math.floor(clock.now() / DAY) + 1) * DAY
    // Beyond its calendar nothing is known.
    if (Date.parse(this.#exchange.sessions.at(-1)!.opensAt) < close) return
    const working = () => this.#exchange.working(this.#ids[about]!, 'exit')
    const itself = working()?.clientOrderId
    const cancel = (): void => {
      if (working()?.clientOrderId === itself) this.#exchange.end(working(), 'CANCELLED')
    }
    const expire = (): void => {
      for (const order of this.#exchange.reports())
        if (order.timeInForce === 'day' && order.clientOrderId !== itself)
          this.#exchange.end(order, 'EXPIRED')
      for (const [id, levels] of this.#plans)
        if (levels?.until === 'session' && isPositive(this.#exchange.filledOf(id, 'entry'))) {
          this.#plans.set(id, null)
          this.#exchange.overBySession.add(id)
        }
    }
    const steps = [
      { at: cancelledAfter, does: cancel },
      { at: 0, does: expire },
    ]
    for (const { at, does } of steps.toSorted((one, other) => one.at - other.at)) {
      await clock.set(close + at)
      does()
      await this.#turn()
    }
    await clock.pass(20_000)
    await this.#turn()
  }

  #script(id: string, behaviour: SubmissionBehaviour): void {
    const { behaviours } = this.#exchange
    behaviours.set(id, [...(behaviours.get(id) ?? []), behaviour])
  }

  async #arrive(about: number): Promise<void> {
    if (this.#arrived.has(about)) return
    this.#arrived.add(about)
    const { database, clock, troupe } = this.#services
    if (this.#plan.signals[about]!.does === 'closes') this.#visit('another signal that closes')
    const { does, quantity, isPercentage, orderType, exit, executeMode, plan } = this.#plan.signals[about]!
    const isLong = this.#plan.side === 'LONG'
    const now = new Date(clock.now())
    const signal = await createSignal(database.em, {
      id: this.#ids[about]!,
      accountId: this.#account.id,
      action: does === 'opens' ? (isLong ? 'openLong' : 'openShort') : isLong ? 'closeLong' : 'closeShort',
      quantity: isPercentage ? '1' : quantity,
      quantityType: isPercentage ? 'percentEquity' : 'fixed',
      orderType,
      limitPrice: orderType === 'limit' ? (does === 'opens' ? '100' : isLong ? '120' : '80') : null,
      executeMode,
      status: executeMode === 'pending' ? 'pending' : 'queued',
      exitRule: this.#exitRule(exit),
      ...(plan && { protection: levelsOfSignal(LEVELS[plan], this.#plan.side) }),
      exitStatus: exit === 'none' ? null : 'waiting',
      acceptedAt: now,
      workflowStartedAt: now,
      sendBefore: executeMode === 'immediate' ? new Date(clock.now() + 60_000) : null,
    })
    troupe.start(termsOf(signal))
  }

  #exitRule(exit: PlannedSignal['exit']): ExitRule | null {
    switch (exit) {
      case 'none':
        return null
      case 'at once':
        return exitAtOnce
      case 'in a minute':
        return exitAfter(1)
      case 'at a limit':
      case 'at a limit in a minute':
        return {
          ...(exit === 'at a limit' ? exitAtOnce : exitAfter(1)),
          orderType: 'limit',
          limitPrice: this.#plan.side === 'LONG' ? '110' : '90',
        }
    }
  }

  async #personCloses(): Promise<void> {
    this.#visit('shares that a person sells')
    const { database, clock, troupe } = this.#services
    const terms = await placedByHand(database.em, this.#account, {
      side: this.#plan.side === 'LONG' ? 'SELL' : 'BUY',
      quantity: '4',
      reducesOnly: true,
      sendBefore: new Date(clock.now() + 60_000).toISOString(),
    })
    await database.em.execute('update signals set workflow_started_at = now() where id = ?', [terms.signalId])
    troupe.start(terms)
  }

  get #gateway(): WatchGateway {
    const { troupe } = this.#services
    const { inspect, runningOf } = troupe
    const ensureRunning: WatchGateway['ensureRunning'] = (workflow, _, replaces) =>
      troupe.run(workflow, replaces)
    return { inspect, runningOf, ensureRunning } as WatchGateway
  }

  async #lose(what: Loss): Promise<void> {
    const { database, clock, copies, troupe } = this.#services
    if (what !== 'ledger') {
      this.#visit('Temporal is lost')
      troupe.lose()
    }
    if (what !== 'temporal') {
      this.#visit('the ledger is lost')
      this.#highest.clear()
      // Which of a person's changes the copy knows is not known here.
      for (const id of this.#changed) this.#plans.set(id, null)
      await copies.restore()
      this.#hasLostLedger = true
      // What a person was answered since the copy is lost with the ledger.
      this.#exchange.calledOff.clear()
      this.#exchange.overBySession.clear()
    }
    // Connections of the feed are begun anew, and so is what they remember.
    this.#connect(this.#account.id, this.#account.userId, pino({ level: 'silent' }))
    await clock.pass(RESTART_AFTER)
    if (what !== 'temporal') {
      await this.#compare()
      // A signal that the ledger has never heard of runs on.
      await replaceRuns({ database, gateway: this.#gateway, logger: pino({ level: 'silent' }) })
    }
    await this.#restart()
  }

  async #restart(): Promise<void> {
    const { database } = this.#services
    await Census.take({ database, gateway: this.#gateway, logger: pino({ level: 'silent' }) })
  }

  #reconcile(): Promise<boolean> {
    return this.#hears(() => this.#feed.orders.reconcile(this.#services.clock.now()))
  }

  /** The feed compares the account with its broker, as at its start. */
  async #compare(): Promise<void> {
    const { clock } = this.#services
    this.#exchange.news.length = 0
    await this.#reconcile()
    await this.#hears(() => this.#feed.orders.reconcile(clock.now(), dayBefore(clock.now())))
    await this.#hears(() => this.#feed.fills.poll(clock.now()))
  }

  /** Whatever is left open is ended: orders fill, timers ring, prices go through levels, the feed tells of every order. */
  async #comeToRest(): Promise<void> {
    const { clock, troupe, database } = this.#services
    const { userId, id: accountId } = this.#account
    this.#exchange.behaviours.clear()
    this.#odd.length = 0
    this.#stream = 'as it is'
    this.#exchange.cancels = 'at once'
    await this.#quietly()
    await liftHalt(database.em, { scope: 'account', userId, accountId }, 'ann@example.test')
    this.#isStopped = false
    for (const [index] of this.#ids.entries())
      if (this.#plan.signals[index]!.executeMode === 'pending') await this.#happen(this.#plan.lastWord, index)
    if (this.#hasPlans) await this.#comeToLevels()
    for (let turns = 0; turns < MOST_TURNS; turns += 1) {
      await this.#turn()
      for (const order of this.#exchange.reports())
        this.#exchange.fill(this.#exchange.working(idOf(order.clientOrderId), 'entry'), ALL)
      await this.#turn()
      for (const order of this.#exchange.reports())
        if (order.status === 'OPEN' || order.status === 'PARTIALLY_FILLED') this.#exchange.fill(order, ALL)
      await this.#turn()
      await this.#tradeThroughLevels(turns)
      await this.#reconcile()
      await this.#restart()
      await this.#noteTakes()
      if (this.#exchange.news.length === 0 && !this.#anyRuns) return
      const timer = troupe.nextTimer()
      await clock.pass(Math.max(11_000, Math.min((timer ?? 0) - clock.now(), 900_000)))
    }
  }

  /** Nothing happens, so that what rests at the broker shows. */
  async #quietly(): Promise<void> {
    for (let turns = 0; turns < 4; turns += 1) {
      await this.#turn()
      await this.#services.clock.pass(30_000)
    }
  }

  /** Entries fill, and the market goes to the levels of all plans and stays there: before any other exit is filled. */
  async #comeToLevels(): Promise<void> {
    await this.#turn()
    for (const id of this.#plans.keys()) this.#exchange.fill(this.#exchange.working(id, 'entry'), ALL)
    await this.#turn()
    await this.#restart()
    await this.#stay(BEYOND_ALL)
    await this.#stay('94')
  }

  /** Of each plan every level is reached in the end, those that count after a profit alone included. */
  async #tradeThroughLevels(turns: number): Promise<void> {
    if (!this.#hasPlans) return
    await this.#trade(turns % 2 === 0 ? BEYOND_ALL : '94')
    await this.#turn()
  }

  get #anyRuns(): boolean {
    return this.#ids.some((id) => this.#services.troupe.isRunning(workflowIdFor(id)))
  }

  /** Whose shares are set apart for orders, while the ledger knows. */
  async #noteTakes(): Promise<void> {
    const rows = await this.#services.database.em.execute<{ id: string; reservedLots: SetApart[] }[]>(
      `select id || '-e1' as id, decisions -> 'entry' -> 'reservedLots' as "reservedLots" from signals
       where decisions -> 'entry' -> 'reservedLots' is not null`,
    )
    for (const { id, reservedLots } of rows) if (!this.#takes.has(id)) this.#takes.set(id, reservedLots)
  }

  #replay(): ShareReplay {
    return replayShares(
      this.#exchange.ledger,
      (id) => this.#actionOf(id),
      (id) => this.#takes.get(id) ?? [],
    )
  }

  /** Why stops were moved. */
  async #noteMoves(): Promise<void> {
    if (!this.visited.has('a stop that was moved')) return
    const moves = await this.#services.database.em.execute<{ by: string }[]>(
      `select distinct data ->> 'by' as by from signal_events where kind = 'protection_moved'`,
    )
    for (const { by } of moves) {
      if (by === 'trail') this.#exchange.visited.add('a stop that follows the price')
      if (by === 'breakEven') this.#exchange.visited.add('a stop that moved to break-even')
    }
  }

  async #ends(): Promise<SignalEnd[]> {
    await this.#noteMoves()
    const { em } = this.#services.database
    const replay = this.#replay()
    this.#faults.push(...replay.faults)
    const rows = await em.execute<
      {
        id: string
        status: string
        exit_status: string | null
        alerts: string[] | null
        filled_quantity: Decimal
      }[]
    >(
      `select s.id, status, exit_status, trim_scale(filled_quantity)::text as filled_quantity,
         (select array_agg(kind) from alerts a where a.signal_id = s.id and a.resolved_at is null and a.kind <> 'ended_unfilled') as alerts from signals s`,
    )
    const known = await em.execute<{ client_order_id: string; status: string; filled: string }[]>(
      `select client_order_id, status, trim_scale(filled_quantity)::text as filled from orders`,
    )
    for (const report of this.#exchange.reports()) {
      const own = known.find((one) => one.client_order_id === report.clientOrderId)
      // Of a signal or an order that came after the copy, the ledger that is restored has never heard.
      const isForgotten = !rows.some(({ id }) => id === idOf(report.clientOrderId))
      // The feed takes up orders that work or have traded.
      const hasNothing = isTerminal(report.status) && !isPositive(report.filledQuantity)
      if (!own && (isForgotten || (hasNothing && this.#hasLostLedger))) continue
      if (!own) this.#faults.push(`${report.clientOrderId} is not in the ledger`)
      else if (own.status !== report.status || own.filled !== report.filledQuantity)
        this.#faults.push(
          `${report.clientOrderId} is ${own.status} ${own.filled} in the ledger, ${report.status} ${report.filledQuantity} at the broker`,
        )
    }
    return this.#ids.map((id, index) => {
      const row = rows.find((one) => one.id === id)
      const end = {
        status: row?.status ?? 'never came',
        exitStatus: row?.exit_status ?? null,
        entryFilled: this.#exchange.filledOf(id, 'entry'),
        exitFilled: this.#exchange.filledOf(id, 'exit'),
        closedByOthers: replay.closedByOthers.get(id) ?? '0',
      }
      if (row && ON_THE_WAY.has(row.status)) this.#faults.push(`signal ${index} is still ${row.status}`)
      if (row && !this.#hasLostLedger && row.filled_quantity !== end.entryFilled)
        this.#faults.push(`signal ${index} has filled ${row.filled_quantity}: ${JSON.stringify(end)}`)
      const { does, exit, plan } = this.#plan.signals[index]!
      const open = subtract(subtract(end.entryFilled, end.exitFilled), end.closedByOthers)
      if (does === 'opens' && compare(open, '0') < 0)
        this.#faults.push(`more than its entry of signal ${index} is closed: ${JSON.stringify(end)}`)
      const isLeft = row !== undefined && does === 'opens' && (exit !== 'none' || plan) && isPositive(open)
      if (isLeft && !this.#calledOff.has(id) && !row?.alerts?.length)
        this.#faults.push(
          `${open} shares of signal ${index} are left without an exit: ${JSON.stringify(end)}`,
        )
      return end
    })
  }

  #actionOf(id: string) {
    const index = this.#ids.indexOf(id)
    if (index < 0) return 'by hand' as const
    const opens = this.#plan.signals[index]!.does === 'opens'
    if (this.#plan.side === 'LONG') return opens ? ('openLong' as const) : ('closeLong' as const)
    return opens ? ('openShort' as const) : ('closeShort' as const)
  }
}

const idOf = (clientOrderId: string): string => clientOrderId.slice(0, 36)
