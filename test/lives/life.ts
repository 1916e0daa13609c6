import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createActivities } from '#activities/index.ts'
import type { WatchGateway } from '#api/temporal/watch-gateway.ts'
import { restartMissing } from '#api/watch/lost-workflows.ts'
import { restartFromLedger } from '#api/watch/restarts.ts'
import type { Database } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { termsOf } from '#db/signals/terms.ts'
import { add, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import { manualClientOrderId } from '#domain/manual-order.ts'
import { isTerminal, parseClientOrderId } from '#domain/order.ts'
import type { Protection } from '#domain/protection.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { placedOrder } from '#test/support/placed-order.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import type { SubmissionBehaviour } from '#test/support/scripted-broker.ts'
import { replayShares, type SetApart } from '#test/support/share-replay.ts'
import type { ProtectionAnnouncer } from '#worker/feed/watched-position.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'
import { Exchange } from './exchange.ts'
import type { LedgerCopies } from './ledger-copies.ts'
import type { LivesClock } from './lives-clock.ts'
import type { LifeEvent, LifePlan, Loss, PlanKind, PlannedEvent, PlannedSignal } from './plan.ts'
import { PriceWatch } from './price-watch.ts'
import type { Troupe } from './troupe.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')
const DAY = 86_400_000
/** Milliseconds after which a lost workflow is started again; Temporal's list of what runs lags behind. */
const RESTART_AFTER = 11_000
/** Turns in which whatever is left open has to come to rest. */
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
}

/** One life: signals that share a position, their broker, the people and the losses. */
export class Life {
  readonly #services: LifeServices
  readonly #plan: LifePlan
  readonly #exchange = new Exchange()
  readonly #faults: string[] = []
  readonly #ids: string[]
  readonly #arrived = new Set<number>()
  /** Signals whose exit a person has called off, or has asked to. */
  readonly #calledOff = new Set<string>()
  readonly #takes = new Map<string, SetApart[]>()
  #account!: Account
  #feed!: { orders: OrderReconciler; fills: FillImporter }
  #watch!: PriceWatch
  #hasCopy = false
  #hasLostLedger = false
  /** Executions that the feed has asked for. */
  #listed = 0
  #isSilent = false

  constructor(services: LifeServices, plan: LifePlan) {
    this.#services = services
    this.#plan = plan
    this.#ids = plan.signals.map(() => randomUUID())
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

  /** A worker begins: nothing but the ledger and the broker outlives it. */
  #open(): void {
    const { database, clock, troupe } = this.#services
    const { em } = database
    const log = pino({ level: 'silent' })
    const { id: accountId, userId } = this.#account
    troupe.begin(
      createActivities({
        em,
        secretKeys,
        connectBroker: () => this.#exchange,
        requestTimeoutMs: 4_000,
        liveTrading: true,
        pause: (milliseconds) => clock.pass(milliseconds),
        now: () => clock.now(),
      }),
    )
    this.#connect(accountId, userId, log)
  }

  #connect(accountId: string, userId: string, log: pino.Logger): void {
    const { em } = this.#services.database
    const orders = new OrderReconciler(em, this.#exchange, this.#services.troupe, accountId, log)
    const fills = new FillImporter(em, this.#exchange, { accountId, userId }, (one) => orders.ask(one), log)
    this.#feed = { orders, fills }
    const { clock, troupe } = this.#services
    const announcer: ProtectionAnnouncer = {
      levelCrossed: (signalId, crossed) => troupe.ask(workflowIdFor(signalId), 'levelCrossed', crossed),
      protectionMoved: (signalId) => troupe.ask(workflowIdFor(signalId), 'protectionMoved', undefined),
    }
    this.#watch = new PriceWatch({ em, broker: this.#exchange, announcer, now: () => clock.now() }, accountId)
  }

  async #after({ event, who, loses, copies }: PlannedEvent): Promise<void> {
    const { troupe } = this.#services
    const about = who % this.#ids.length
    await this.#services.clock.pass(100)
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
    const { troupe, clock } = this.#services
    await troupe.work()
    if (this.#isSilent) {
      this.#isSilent = false
      return
    }
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const news = this.#exchange.news.splice(0)
      for (const report of news) await this.#feed.orders.apply(report)
      if (this.#listed !== this.#exchange.fills.length) await this.#feed.fills.poll(clock.now())
      this.#listed = this.#exchange.fills.length
      if ((await troupe.work()) === 0 && this.#exchange.news.length === 0) return
    }
  }

  async #happen(event: LifeEvent, about: number): Promise<void> {
    const { clock, troupe, database } = this.#services
    const exchange = this.#exchange
    const id = this.#ids[about]!
    const by = 'ann@example.test'
    const workflowId = workflowIdFor(id)
    const order = (role: 'entry' | 'exit') => exchange.working(id, role)
    const cancelOf = (role: 'entry' | 'exit') =>
      troupe.ask(workflowId, 'cancelOrder', { by, clientOrderId: order(role)?.clientOrderId ?? '' })
    const { userId, id: accountId } = this.#account
    switch (event) {
      case 'arrives':
        return this.#arrive(about)
      case 'approve':
        return troupe.ask(workflowId, 'approveSignal', {
          by,
          quantity: null,
          limitPrice: null,
          sendBefore: null,
        })
      case 'approve 5':
        return troupe.ask(workflowId, 'approveSignal', {
          by,
          quantity: '5',
          limitPrice: null,
          sendBefore: null,
        })
      case 'withdraw':
        return troupe.ask(workflowId, 'withdrawSignal', { by })
      case 'cancel exit':
        this.#calledOff.add(id)
        return troupe.ask(workflowId, 'cancelExit', { by }, () => void exchange.calledOff.add(id))
      case 'cancel entry order':
        return cancelOf('entry')
      case 'cancel exit order':
        if (order('exit')) this.#calledOff.add(id)
        return cancelOf('exit')
      case 'entry fills 3':
        return exchange.fill(exchange.working(id, 'entry', 'the last'), '3')
      case 'entry fills all':
        return exchange.fill(order('entry'), '10')
      case 'exit fills 3':
        return exchange.fill(order('exit'), '3')
      case 'exit fills all':
        return exchange.fill(order('exit'), '10')
      case 'entry ends':
        return exchange.end(order('entry'), 'EXPIRED')
      case 'entry is cancelled':
        return exchange.end(order('entry'), 'CANCELLED')
      case 'exit ends':
        return exchange.end(order('exit'), 'EXPIRED')
      case 'exit is cancelled':
        return exchange.end(order('exit'), 'CANCELLED')
      case 'exit is rejected':
        return exchange.end(order('exit'), 'REJECTED')
      case 'closed by hand 3':
        return exchange.closeByHand('3')
      case 'person closes 4':
        return this.#personCloses()
      case 'trading stops': {
        const halt = { level: 'fullStop', reason: 'stop', by } as const
        return void (await setHalt(database.em, { scope: 'account', userId, accountId }, halt))
      }
      case 'trading goes on':
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
      case 'the plan is changed':
        return this.#changePlan(about, planOf('stop and target', this.#plan.side))
      case 'the plan is taken away':
        this.#calledOff.add(id)
        return this.#changePlan(about, null)
      case 'the price moves':
        return void (exchange.lastPrice = exchange.lastPrice === '100' ? '108' : '100')
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

  /** The market trades at a price, which the worker sees; for a short position as far on the other side of 100. */
  async #trade(of: Decimal): Promise<void> {
    const price = this.#plan.side === 'LONG' ? of : subtract('200', of)
    this.#exchange.tradeAt(price)
    await this.#watch.look(price)
  }

  #changePlan(about: number, protection: Protection | null): Promise<void> {
    const workflowId = workflowIdFor(this.#ids[about]!)
    if (this.#plan.signals[about]!.plan === undefined) return Promise.resolve()
    return this.#services.troupe.ask(workflowId, 'changeProtection', { by: 'ann@example.test', protection })
  }

  #script(id: string, behaviour: SubmissionBehaviour): void {
    const { behaviours } = this.#exchange
    behaviours.set(id, [...(behaviours.get(id) ?? []), behaviour])
  }

  async #arrive(about: number): Promise<void> {
    if (this.#arrived.has(about)) return
    this.#arrived.add(about)
    const { database, clock, troupe } = this.#services
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
      ...(plan && { protection: planOf(plan, this.#plan.side) }),
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
        return {
          ...exitAtOnce,
          orderType: 'limit',
          limitPrice: this.#plan.side === 'LONG' ? '110' : '90',
        }
    }
  }

  async #personCloses(): Promise<void> {
    const { database, clock, troupe } = this.#services
    const terms = await placedOrder(database.em, this.#account, {
      side: this.#plan.side === 'LONG' ? 'SELL' : 'BUY',
      quantity: '4',
      reducesOnly: true,
      sendBefore: new Date(clock.now() + 60_000).toISOString(),
    })
    await database.em.execute('update manual_orders set workflow_started_at = now() where order_id = ?', [
      terms.orderId,
    ])
    troupe.startOrder(terms)
  }

  get #gateway(): WatchGateway {
    return this.#services.troupe as unknown as WatchGateway
  }

  async #lose(what: Loss): Promise<void> {
    const { database, clock, copies, troupe } = this.#services
    if (what !== 'ledger') troupe.lose()
    if (what !== 'temporal') {
      await copies.restore()
      this.#hasLostLedger = true
      // What a person was answered since the copy is lost with the ledger.
      this.#exchange.calledOff.clear()
    }
    // Connections of the feed are begun anew, and so is what they remember.
    this.#connect(this.#account.id, this.#account.userId, pino({ level: 'silent' }))
    await clock.pass(RESTART_AFTER)
    if (what !== 'temporal') {
      await this.#compare()
      // A signal that the ledger has never heard of runs on.
      await restartFromLedger({ database, gateway: this.#gateway, logger: pino({ level: 'silent' }) })
    }
    await this.#restart()
  }

  async #restart(): Promise<void> {
    const { database } = this.#services
    await restartMissing({ database, gateway: this.#gateway, logger: pino({ level: 'silent' }) })
  }

  /** The feed compares the account with its broker, as at its start. */
  async #compare(): Promise<void> {
    const { clock } = this.#services
    this.#exchange.news.length = 0
    await this.#feed.orders.reconcile(clock.now())
    await this.#feed.orders.reconcileEnded(clock.now())
    await this.#feed.fills.poll(clock.now())
  }

  /** Whatever is left open is ended: orders fill, timers ring, prices go through levels, the feed tells of every order. */
  async #comeToRest(): Promise<void> {
    const { clock, troupe, database } = this.#services
    const { userId, id: accountId } = this.#account
    this.#exchange.behaviours.clear()
    this.#exchange.cancels = 'at once'
    await liftHalt(database.em, { scope: 'account', userId, accountId }, 'ann@example.test')
    for (const [index] of this.#ids.entries())
      if (this.#plan.signals[index]!.executeMode === 'pending') await this.#happen(this.#plan.lastWord, index)
    for (let turns = 0; turns < MOST_TURNS; turns += 1) {
      await this.#turn()
      for (const order of this.#exchange.reports())
        this.#exchange.fill(this.#exchange.working(idOf(order.clientOrderId), 'entry'), '10')
      await this.#turn()
      for (const order of this.#exchange.reports())
        if (order.status === 'OPEN' || order.status === 'PARTIALLY_FILLED') this.#exchange.fill(order, '10')
      await this.#turn()
      await this.#tradeThroughLevels(turns)
      await this.#feed.orders.reconcile(clock.now())
      await this.#restart()
      await this.#noteTakes()
      if (this.#exchange.news.length === 0 && !this.#anyRuns) return
      const timer = troupe.nextTimer()
      await clock.pass(Math.max(11_000, Math.min((timer ?? 0) - clock.now(), 900_000)))
    }
  }

  /** Of each plan every level is reached in the end, those that count after a profit alone included. */
  async #tradeThroughLevels(turns: number): Promise<void> {
    if (!this.#plan.signals.some(({ plan }) => plan !== undefined)) return
    await this.#trade(turns % 2 === 0 ? '111' : '94')
    await this.#turn()
  }

  get #anyRuns(): boolean {
    return this.#ids.some((id) => this.#services.troupe.isRunning(workflowIdFor(id)))
  }

  /** Whose shares are set apart for orders, while the ledger knows. */
  async #noteTakes(): Promise<void> {
    const rows = await this.#services.database.em.execute<
      { id: string; is_signal: boolean; takes: SetApart[] }[]
    >(
      `select id, true as is_signal, decisions -> 'entry' -> 'takes' as takes from signals
         where decisions -> 'entry' -> 'takes' is not null
       union all select order_id, false, decision -> 'takes' from manual_orders where decision -> 'takes' is not null`,
    )
    for (const { id, is_signal: isSignal, takes } of rows) {
      const clientOrderId = isSignal ? `${id}-e1` : manualClientOrderId(id)
      if (!this.#takes.has(clientOrderId)) this.#takes.set(clientOrderId, takes)
    }
  }

  async #ends(): Promise<SignalEnd[]> {
    const { em } = this.#services.database
    const replay = replayShares(
      this.#exchange.ledger,
      (id) => this.#actionOf(id),
      (id) => this.#takes.get(id) ?? [],
    )
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
      const filled = (role: 'entry' | 'exit') =>
        this.#exchange
          .reports()
          .filter(
            ({ clientOrderId }) =>
              parseClientOrderId(clientOrderId)?.role === role && idOf(clientOrderId) === id,
          )
          .reduce<Decimal>((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
      const end = {
        status: row?.status ?? 'never came',
        exitStatus: row?.exit_status ?? null,
        entryFilled: filled('entry'),
        exitFilled: filled('exit'),
        closedByOthers: replay.closedByOthers.get(id) ?? '0',
      }
      const { does, exit, plan } = this.#plan.signals[index]!
      const open = subtract(subtract(end.entryFilled, end.exitFilled), end.closedByOthers)
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
    if (index < 0) return undefined
    const opens = this.#plan.signals[index]!.does === 'opens'
    if (this.#plan.side === 'LONG') return opens ? ('openLong' as const) : ('closeLong' as const)
    return opens ? ('openShort' as const) : ('closeShort' as const)
  }
}

function planOf(kind: PlanKind, side: 'LONG' | 'SHORT'): Protection {
  const price = (of: Decimal): { price: Decimal } => ({ price: side === 'LONG' ? of : subtract('200', of) })
  return {
    stop: kind === 'target' || kind.startsWith('trail') ? null : price('95'),
    target: kind.endsWith('target') ? price('110') : null,
    trail: kind.startsWith('trail') ? { percent: '5' } : null,
    breakEven: kind === 'stop and target' ? { amount: '3' } : null,
    until: kind === 'for the session' ? 'session' : 'closed',
  }
}

const idOf = (clientOrderId: string): string => clientOrderId.slice(0, 36)
