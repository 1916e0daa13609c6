import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, Advisory } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { ApiError } from '#api/http/errors.ts'
import type { Principal } from '#api/http/principal.ts'
import { acceptSignal } from '#api/signals/acceptance.ts'
import { dryRunSignal } from '#api/signals/dry-run-commands.ts'
import type { DryRun } from '#api/signals/prospect.ts'
import { readSignalRequest, type SignalRequest } from '#api/signals/schema.ts'
import { BrokerRejection, type Broker } from '#brokers/port.ts'
import type { Caller } from '#api/http/caller.ts'
import type { Database } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { setHalt } from '#db/risk/halts.ts'
import { termsOf } from '#db/signals/terms.ts'
import { exitBegins } from '#domain/exit-progress.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { createAccount, createSignal, createStrategy, createUser } from '../../support/factories.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { useDatabase } from '../../support/database.ts'
import { fillAtVenue, StillVenue } from '../../support/still-venue.ts'
import { findAsset } from '#venue/assets.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { placementOf } from '#venue/exchange/placement.ts'
import { signalBody } from '../support/api-server.ts'
import { pluck } from '#test/support/pluck.ts'

/** So many cases on every change; `npm test -- dry-runs` for all that a release is held to. */
const CASES = Number(process.env['DRY_RUNS'] ?? 30)
/** Dollars a share. */
const PRICE = 100
/** Instants of the two paths that are taken one after the other may be apart by so many milliseconds. */
const APART = 30_000

/** How the account stands when the signal comes. */
interface Scene {
  position: { side: 'LONG' | 'SHORT'; ours: number; foreign: number; exitRests: boolean } | null
  isActive: boolean
  isDemo: boolean
  mode: 'PAPER' | 'LIVE'
  isPaused: boolean
  halt: 'pauseEntries' | 'reduceOnly' | 'fullStop' | null
  limits: object
  maxWaiting: number
  closeUnderWay: boolean
  /** Dollars with which the account was opened. */
  cash: number
  type: 'margin' | 'cash'
  /** Another order of the symbol that rests at the broker. */
  resting: 'none' | 'ours to open' | 'a purchase of others' | 'a sale of others'
  /** An entry of the account was decided a moment ago, so that its limits are known and the next takes the quick way. */
  isQuick: boolean
}

/** What became of a signal, whichever way that was found out. */
interface Fate {
  outcome: 'ready' | 'denied' | 'waits'
  code: string | null
  quantity: number | null
  /** Why it is denied. */
  words: string | null
  advisories: Advisory[]
}

const NOTHING = { code: null, quantity: null, words: null, advisories: [] }
const denial = (code: string, words: string): Fate => ({ ...NOTHING, outcome: 'denied', code, words })

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 8 * others.length, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  )

/** Where most cases would come to nothing else. */
const rarely = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 30 * others.length, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  )

const scenes: fc.Arbitrary<Scene> = fc.record({
  position: fc.option(
    fc.record({
      side: fc.constantFrom('LONG' as const, 'SHORT' as const),
      ours: fc.constantFrom(0, 10),
      foreign: fc.constantFrom(0, 4),
      exitRests: fc.boolean(),
    }),
    { freq: 3 },
  ),
  isActive: rarely(true, false),
  isDemo: rarely(true, false),
  mode: rarely<'PAPER' | 'LIVE'>('PAPER', 'LIVE'),
  isPaused: rarely(false, true),
  halt: rarely<Scene['halt']>(null, 'pauseEntries', 'reduceOnly', 'fullStop'),
  limits: mostly<object>(
    {},
    { maxOrderShares: '20' },
    { maxPositionShares: '15' },
    { marketHours: 'regular' },
    { marketHours: 'extended' },
    { forbiddenSymbols: ['AAPL'] },
    { priceCollarPercent: '10' },
    { maxOrderValue: '1500' },
  ),
  maxWaiting: mostly(500, 0),
  closeUnderWay: mostly(false, true),
  cash: fc.constantFrom(1_000_000, 100_000, 10_000, 1_500, 60),
  type: fc.constantFrom('margin' as const, 'cash' as const),
  resting: mostly<Scene['resting']>('none', 'ours to open', 'a purchase of others', 'a sale of others'),
  isQuick: fc.boolean(),
})

const TRIGGERS = ['minutesAfterEntry', 'minutesBeforeClose', 'atClockTime', 'immediate'] as const
const prices = mostly(99, 99.5, 100.005, 101, 150, 0.5, 0.12345)
const bodies = fc
  .record({
    symbol: mostly('AAPL', 'HALTED', 'NOSHORT', 'NOFRAC', 'XXNONE', 'DOGEUSD'),
    action: fc.constantFrom('openLong', 'openLong', 'openLong', 'openShort', 'closeLong', 'closeShort'),
    quantity: fc.constantFrom(1, 5, 10, 12, 30, 0.5, 7.25, 100, 150, 0.000_000_1, 0.004, 20_000),
    quantityType: fc.constantFrom('fixed', 'fixed', 'percentEquity', 'dollarAmount'),
    orderType: mostly('market', 'limit', 'limit', 'stop', 'stopLimit'),
    limitPrice: prices,
    stopPrice: prices,
    timeInForce: mostly('day', 'gtc', 'opg', 'cls', 'ioc', 'fok'),
    extendedHours: mostly(false, true),
    executeMode: fc.constantFrom('immediate', 'immediate', 'pending', 'scheduled'),
    inMinutes: fc.integer({ min: 1, max: 20_000 }),
    replaceExisting: fc.boolean(),
    hasSource: fc.boolean(),
    hasStrategy: fc.boolean(),
    exitTriggerType: fc.constantFrom(undefined, ...TRIGGERS),
    exitMinutes: fc.constantFrom(0, 5, 10, 15, 45),
    exitTime: fc.constantFrom('10:00', '12:59', '15:40', '15:55', '17:00'),
    exitOrderType: mostly('market', 'limit', 'stop', 'stopLimit', 'moc'),
    exitPrice: prices,
    exitTimeInForce: mostly('day', 'cls'),
  })
  .map(
    ({
      inMinutes,
      hasSource,
      hasStrategy,
      exitMinutes,
      exitTime,
      exitPrice,
      limitPrice,
      stopPrice,
      ...draw
    }) => {
      const { orderType, executeMode, exitTriggerType, exitOrderType, exitTimeInForce, action, ...rest } =
        draw
      const priced = (type: string) => ({
        limit: type === 'limit' || type === 'stopLimit',
        stop: type === 'stop' || type === 'stopLimit',
      })
      const [entry, exit] = [priced(orderType), priced(exitOrderType)]
      const at = new Date(Date.now() + inMinutes * 60_000).toISOString().slice(0, 19)
      const hasExit = exitTriggerType !== undefined && action.startsWith('open')
      return {
        hasSource,
        hasStrategy,
        body: {
          ...rest,
          action,
          orderType,
          executeMode,
          ...(entry.limit && { limitPrice }),
          ...(entry.stop && { stopPrice }),
          ...(executeMode === 'scheduled' && { scheduledProcessAt: at, timezone: 'UTC' }),
          ...(hasExit && {
            exitTriggerType,
            exitOrderType,
            exitTimeInForce,
            ...(exitTriggerType.startsWith('minutes') && { exitTriggerMinutes: exitMinutes }),
            ...(exitTriggerType === 'atClockTime' && { exitTriggerTime: exitTime }),
            ...(exit.limit && { exitLimitPrice: exitPrice }),
            ...(exit.stop && { exitStopPrice: exitPrice }),
          }),
        },
      }
    },
  )

describe('a dry run, and the sending of the same signal,', () => {
  let database: Database
  useDatabase((opened) => void (database = opened), 4)

  const today = new Date().toISOString().slice(0, 10)
  const sessions = nyseSessions(
    `${Number(today.slice(0, 4)) - 1}-12-01`,
    `${Number(today.slice(0, 4)) + 1}-03-01`,
  )

  /** An account that stands so, its broker, and the filled or working order that holds the sourceId. */
  async function set(drawn: Scene, symbol: string) {
    const scene = possible(drawn)
    const { em } = database
    const user = await createUser(em, { tradingMode: scene.mode })
    const account = await createAccount(em, {
      userId: user.id,
      isActive: scene.isActive,
      isDemo: scene.isDemo,
    })
    const strategy = await createStrategy(em, {
      userId: user.id,
      status: scene.isPaused ? 'paused' : 'active',
    })
    const begun = Date.now()
    const lastSession = sessions.findLast(({ closesAt }) => Date.parse(closesAt) < begun - 60_000)!
    const venue = await StillVenue.start(Date.parse(lastSession.opensAt) + 3_600_000)
    if (findAsset(symbol) !== null) await venue.pin(symbol, PRICE)
    const site = await venue.open(account.id, scene.cash, scene.type)
    if (Object.keys(scene.limits).length > 0)
      await em.execute('insert into risk_settings (account_id, user_id, limits) values (?, ?, ?::jsonb)', [
        account.id,
        user.id,
        JSON.stringify(scene.limits),
      ])
    if (scene.halt !== null)
      await setHalt(
        em,
        { scope: 'account', userId: user.id, accountId: account.id },
        { level: scene.halt, reason: 'test', by: 'test' },
      )
    const stage = { user, account, strategy, venue, broker: site, scene }
    if (scene.position !== null) await hold(scene.position, stage, symbol)
    if (scene.resting !== 'none') await rest(scene.resting, stage, symbol)
    venue.at = begun
    if (scene.closeUnderWay) await createSignal(em, { accountId: account.id, symbol, action: 'closeLong' })
    return { ...stage, begun }
  }

  /** What the venue lets be: who has little buys nothing beforehand, and a cash account sells nothing short. */
  function possible(scene: Scene): Scene {
    const isPoor = scene.cash < 10_000
    const isShort = scene.position?.side === 'SHORT' || scene.resting === 'a sale of others'
    const isPlain = isPoor || (scene.type === 'cash' && isShort)
    const held = isPlain ? { ...scene, position: null, resting: 'none' as const } : scene
    // Shares of others beside an order of ours may be its fill, and a close waits to see.
    const position =
      held.resting === 'ours to open' && held.position ? { ...held.position, foreign: 0 } : held.position
    return { ...held, position }
  }

  type Place = { account: Account; broker: Broker; venue: StillVenue; scene: Scene }

  const RESTING = {
    orderType: 'limit',
    limitPrice: '60',
    stopPrice: null,
    timeInForce: 'gtc',
    extendedHours: false,
  } as const
  const requestFor = (
    clientOrderId: string,
    symbol: string,
    changes: Partial<OrderRequest>,
  ): OrderRequest => ({
    clientOrderId,
    symbol,
    side: 'BUY',
    quantity: '3',
    ...RESTING,
    ...changes,
  })

  /** Shares that a signal of ours has bought or sold short, whose exit may rest, beside shares from elsewhere. */
  async function hold(
    { side, ours, foreign, exitRests }: NonNullable<Scene['position']>,
    { account, broker }: Place,
    symbol: string,
  ): Promise<void> {
    const { em } = database
    const long = side === 'LONG'
    const atMarket = { orderType: 'market', limitPrice: null, timeInForce: 'day' } as const
    const opening = { ...atMarket, side: long ? ('BUY' as const) : ('SELL_SHORT' as const) }
    if (!findAsset(symbol)?.isTradable || (!long && !findAsset(symbol)?.isShortable)) return
    if (foreign > 0)
      await fillAtVenue(broker, requestFor(randomUUID(), symbol, { ...opening, quantity: `${foreign}` }))
    if (ours === 0) return
    const owner = await createSignal(em, {
      accountId: account.id,
      symbol,
      action: long ? 'openLong' : 'openShort',
      exitRule: exitAfter(30),
      ...hourAgo(),
    })
    const entry = requestFor(clientOrderIdFor(owner.id, 'entry', 1), symbol, {
      ...opening,
      quantity: `${ours}`,
    })
    const at = new Date(Date.now() - 3_600_000).toISOString()
    await recordAccepted(em, account.id, {
      ...(await fillAtVenue(broker, entry)),
      submittedAt: at,
      filledAt: at,
    })
    await em.execute('update signals set entry_ended_at = ? where id = ?', [at, owner.id])
    // Right after a fill the broker's position is not believed to hold more than the fills have left.
    await em.execute('update orders set updated_at = ? where signal_id = ?', [at, owner.id])
    if (!exitRests) return
    const exit = requestFor(clientOrderIdFor(owner.id, 'timed', 1), symbol, {
      side: long ? 'SELL' : 'BUY_TO_COVER',
      quantity: `${ours}`,
      limitPrice: long ? '120' : '80',
    })
    await recordAccepted(em, account.id, await broker.submitOrder(exit))
    await knownForLong(exit.clientOrderId)
  }

  /** Another order of the symbol that rests. */
  async function rest(how: Scene['resting'], { account, broker }: Place, symbol: string): Promise<void> {
    if (!findAsset(symbol)?.isTradable) return
    if (how === 'ours to open') {
      const owner = await createSignal(database.em, {
        accountId: account.id,
        symbol,
        orderType: 'limit',
        limitPrice: '60',
        ...hourAgo(),
      })
      const order = requestFor(clientOrderIdFor(owner.id, 'entry', 1), symbol, {})
      await placeUnlessOpposed(order, (report) => recordAccepted(database.em, account.id, report))
      await knownForLong(order.clientOrderId)
    } else {
      const isSale = how === 'a sale of others'
      const sale = { side: 'SELL', limitPrice: '140' } as const
      await placeUnlessOpposed(requestFor(randomUUID(), symbol, isSale ? sale : {}))
    }

    async function placeUnlessOpposed(order: OrderRequest, then?: (report: OrderReport) => Promise<unknown>) {
      try {
        await then?.(await broker.submitOrder(order))
      } catch (error) {
        if (!(error instanceof BrokerRejection)) throw error
      }
    }
  }

  /** So that no signal is taken for its repetition. */
  const hourAgo = () => ({ acceptedAt: new Date(Date.now() - 3_600_000) })

  const knownForLong = (clientOrderId: string) =>
    database.em.execute(`update orders set known_at = now() - interval '1 hour' where client_order_id = ?`, [
      clientOrderId,
    ])

  type Stage = Awaited<ReturnType<typeof set>>

  const callerFor = ({ user }: Stage): Caller => ({
    em: database.em.fork(),
    principal: { userId: user.id, tradingMode: user.tradingMode, tokenId: null, bounds: {} } as Principal,
    requestId: randomUUID(),
    receivedAt: performance.now(),
    ip: '127.0.0.1',
    userAgent: 'test',
    deviceToken: null,
    beforeDatabaseDeadline: <T>(work: Promise<T>) => work,
    limitOfStatement: () => 1_000,
    actorName: () => Promise.resolve('ada@example.com'),
    noteWait() {},
    requireSender() {},
    noteSignal() {},
  })

  async function tryOut(stage: Stage, request: SignalRequest): Promise<DryRun | ApiError> {
    const deps = {
      connectBroker: () => stage.broker,
      secretKeys,
      brokerTimeout: 1_000,
      maxStaleness: 60_000,
      maxWaiting: stage.scene.maxWaiting,
      liveTrading: true,
      looks: null,
    }
    return dryRunSignal(deps, callerFor(stage), request).catch((error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    })
  }

  const activitiesAt = (stage: Stage, now: () => number): Activities =>
    createActivities({
      em: database.em,
      secretKeys,
      connectBroker: () => stage.broker,
      requestTimeoutMs: 1_000,
      liveTrading: true,
      // No close is about to come.
      closePatience: 0,
      now,
    })

  /** What the intake, the check right before the entry and the broker make of the signal. */
  async function send(
    stage: Stage,
    activities: Activities,
    clock: { at: number },
    request: SignalRequest,
  ): Promise<Fate & { exitAt: string | null }> {
    const deps = {
      answerDeadline: 2_000,
      maxStaleness: 60_000,
      maxWaiting: stage.scene.maxWaiting,
      failpoint: () => {},
    } as unknown as Parameters<typeof acceptSignal>[0]
    let accepted: Awaited<ReturnType<typeof acceptSignal>>
    try {
      accepted = await acceptSignal(deps, callerFor(stage), request, JSON.stringify(request))
    } catch (error) {
      if (error instanceof ApiError) return { ...denial(error.code, error.message), exitAt: null }
      throw error
    }
    assert.ok(accepted.outcome === 'stored')
    const terms = termsOf(accepted.signal)
    const sentAt = Math.max(clock.at, Date.parse(terms.scheduledAt ?? '') || 0)
    clock.at = sentAt
    if (terms.scheduledAt !== null) stage.venue.at = sentAt
    const attempted = await attempt(activities, terms)
    if (!('order' in attempted)) return { ...attempted, exitAt: null }
    const { order, advisories } = attempted
    const filledAt = new Date(fillableFrom(order, sentAt) ?? sentAt).toISOString()
    const entry = { ...attempted.report, status: 'FILLED' as const, filledQuantity: order.quantity, filledAt }
    // The clock of the broker agrees with that of the ledger, whenever the order was sent.
    stage.venue.at = Date.now()
    const plan =
      terms.exit &&
      (await activities.planExit({
        signalId: terms.signalId,
        accountId: terms.accountId,
        rule: terms.exit,
        entry,
        entryEndedAt: filledAt,
        // A fill of the next session is heard of then.
        heardAt: filledAt,
        progress: exitBegins(),
      }))
    return {
      ...NOTHING,
      outcome: 'ready',
      quantity: Number(order.quantity),
      advisories,
      exitAt: plan?.submitAt ?? null,
    }
  }

  type Sent = { order: ReturnType<typeof entryOrder>; report: OrderReport; advisories: Advisory[] }

  /** Attempts until an order that is cancelled for it has ended. */
  async function attempt(activities: Activities, terms: SignalTerms): Promise<Fate | Sent> {
    for (let times = 0; ; times += 1) {
      const { check, submission } = await activities.attemptEntry(terms)
      const step = check.completed ? submission : check
      // A closing signal waits for the end of a full stop.
      if (step?.completed === false && step.failure === 'Halted') return { ...NOTHING, outcome: 'waits' }
      if (step?.completed === false) {
        if (times === 5) throw new Error(`${step.failure}: ${step.cause}`)
        continue
      }
      assert.ok(check.completed)
      const prepared = check.result
      if (prepared.outcome === 'not_yet') return { ...NOTHING, outcome: 'waits' }
      if (prepared.outcome === 'denied') return denial(prepared.code, prepared.detail)
      assert.equal(prepared.outcome, 'ready')
      assert.ok(prepared.outcome === 'ready' && submission?.completed)
      const { result } = submission
      if (result.outcome === 'void') throw new Error(result.detail)
      if (result.outcome !== 'accepted') return denial(result.code, result.detail)
      const order = entryOrder(terms, prepared.quantity)
      return { order, report: result.report, advisories: prepared.advisories }
    }
  }

  /** From when the venue would trade the order; null in a moment in which an auction takes none. */
  function fillableFrom(order: ReturnType<typeof entryOrder>, at: number): number | null {
    const { timeInForce, extendedHours } = order
    try {
      const placed = { timeInForce: timeInForce as 'day', extendedHours }
      return placementOf(placed, new MarketHours('nyse'), at).activeAt
    } catch {
      return null
    }
  }

  const fateOf = (run: DryRun | ApiError): Fate => {
    if (run instanceof ApiError) return denial(run.code, run.message)
    const { prospect, order, waitsFor } = run
    if (prospect.outcome === 'denied' && waitsFor.length === 0) return denial(prospect.code, prospect.detail)
    if (waitsFor.length > 0) return { ...NOTHING, outcome: 'waits' }
    const advisories = prospect.outcome === 'ready' ? prospect.advisories : []
    return { ...NOTHING, outcome: 'ready', quantity: Number(order!.quantity), advisories }
  }

  /** Tries the signal out and sends it. */
  async function compare(
    stage: Stage,
    body: object,
    { hasSource, hasStrategy }: { hasSource: boolean; hasStrategy: boolean },
    seen: Map<string, number>,
  ): Promise<void> {
    const whole = signalBody(stage.account.id, {
      ...body,
      ...(hasSource && { sourceId: randomUUID() }),
      ...(hasStrategy && { strategyId: stage.strategy.id }),
    })
    let request: SignalRequest
    try {
      request = readSignalRequest(whole, Date.now())
    } catch (error) {
      // Neither way does such a body get any further.
      if (error instanceof ApiError) return
      throw error
    }
    const clock = { at: stage.begun }
    const activities = activitiesAt(stage, () => clock.at)
    if (stage.scene.isQuick) await learnLimits(stage, activities)
    const run = await tryOut(stage, request)
    const { exitAt, ...sent } = await send(stage, activities, clock, request)
    const tried = fateOf(run)
    const codes = pluck(sent.advisories, 'code')
    for (const fate of [`${sent.outcome} ${sent.code}`, ...codes]) seen.set(fate, (seen.get(fate) ?? 0) + 1)
    // Rules of the account are asked before the turn, and those of the market once it has come.
    if (sent.outcome === 'waits' || tried.outcome === 'waits') {
      if (sent.outcome === 'denied') assert.equal((run as DryRun).prospect.outcome, 'denied')
      // At a full stop a closing signal waits, and the dry run tells that it would not be sent now.
      else if (stage.scene.halt === 'fullStop' && sent.outcome === 'waits')
        assert.ok(['waits', 'denied'].includes(tried.outcome), tried.outcome)
      else assert.equal(tried.outcome, sent.outcome)
      return
    }
    assert.deepEqual(tried, sent, run instanceof ApiError ? run.message : JSON.stringify(run.prospect))
    if (exitAt === null || run instanceof ApiError || request.extendedHours) return
    const at = Date.parse(request.scheduledAt ?? new Date().toISOString())
    if (fillableFrom(entryOrder(termsLike(request), '1'), at) === null) return
    const apart = Math.abs(Date.parse(run.exit!.submitAt) - Date.parse(exitAt))
    assert.ok(apart <= APART, `${run.exit!.submitAt} is not ${exitAt}`)
  }

  /** Decides an entry in another symbol, which lets the limits of the account be known. */
  async function learnLimits({ account }: Stage, activities: Activities): Promise<void> {
    const signal = await createSignal(database.em, { accountId: account.id, symbol: 'IBM', quantity: '1' })
    await activities.prepareEntry(termsOf(signal)).catch((error: unknown) => {
      if (!(error instanceof ApplicationFailure)) throw error
    })
  }

  it(`come to the same outcome, code, words, size and time, in ${CASES} cases`, async function () {
    this.timeout(1_200_000)
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(scenes, bodies, async (scene, { body, hasSource, hasStrategy }) => {
        const stage = await set(scene, body.symbol)
        try {
          await compare(stage, body, { hasSource, hasStrategy }, seen)
        } finally {
          await stage.venue.close()
        }
      }),
      { numRuns: CASES, ...(process.env['DRY_RUN_SEED'] && { seed: Number(process.env['DRY_RUN_SEED']) }) },
    )
    console.log(`      ${[...seen].map(([fate, times]) => `${fate} ${times}`).join(', ')}`)
    const common = ['ready null', 'denied INVALID_ORDER', 'denied NO_POSITION_TO_CLOSE']
    const rare = ['denied INSUFFICIENT_FUNDS', 'quantity_reduced_to_buying_power']
    for (const fate of [...(CASES >= 100 ? common : []), ...(CASES >= 1_000 ? rare : [])])
      assert.ok(seen.has(fate), `${fate} never came`)
  })

  const termsLike = (request: SignalRequest) => ({ ...request, exit: null })
})
