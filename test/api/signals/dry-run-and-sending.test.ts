import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { ApplicationFailure } from '@temporalio/common'
import type { PreparedEntry } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { ApiError } from '#api/http/errors.ts'
import type { Principal } from '#api/http/principal.ts'
import { acceptSignal } from '#api/signals/acceptance.ts'
import { dryRunSignal, type DryRun } from '#api/signals/dry-run-commands.ts'
import { readSignalRequest, type SignalRequest } from '#api/signals/schema.ts'
import { UpdateRejected } from '#api/temporal/signals.ts'
import { BrokerPricesUnavailable, BrokerRejection } from '#brokers/port.ts'
import type { Caller } from '#api/http/caller.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { setHalt } from '#db/risk/halts.ts'
import { recordReplaced } from '#db/signals/decision-ledger.ts'
import { termsOf } from '#db/signals/terms.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { add, isPositive, subtract } from '#domain/decimal.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import {
  createAccount,
  createSignal,
  createStrategy,
  createUser,
  orderReport,
  withFill,
} from '../../support/factories.ts'
import { held } from '../../support/sample-position.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers.ts'
import { VenueRulesBroker } from '../../support/venue-rules-broker.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { placementOf } from '#venue/exchange/placement.ts'
import { signalBody } from '../support/api-server.ts'

/** So many cases on every change; `DRY_RUNS=2000` for all that a release is held to. */
const CASES = Number(process.env['DRY_RUNS'] ?? 300)
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
  source: 'free' | 'waits' | 'works' | 'is filled'
  maxWaiting: number
  closeUnderWay: boolean
  prices: 'right' | 'old' | 'old, and no market' | 'not in the plan'
  equity: 'right' | 'odd'
}

/** What became of a signal, whichever way that was found out. */
interface Fate {
  outcome: 'ready' | 'denied' | 'existing' | 'waits'
  code: string | null
  quantity: number | null
}

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 8 * others.length, arbitrary: fc.constant(usual) },
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
  isActive: mostly(true, false),
  isDemo: mostly(true, false),
  mode: mostly<'PAPER' | 'LIVE'>('PAPER', 'LIVE'),
  isPaused: mostly(false, true),
  halt: mostly<Scene['halt']>(null, 'pauseEntries', 'reduceOnly', 'fullStop'),
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
  source: mostly<Scene['source']>('free', 'waits', 'works', 'is filled'),
  maxWaiting: mostly(500, 1),
  closeUnderWay: mostly(false, true),
  prices: mostly<Scene['prices']>('right', 'old', 'old, and no market', 'not in the plan'),
  equity: mostly<Scene['equity']>('right', 'odd'),
})

const prices = mostly(99, 99.5, 100.005, 101, 150, 0.5, 0.12345)
const bodies = fc
  .record({
    symbol: mostly('AAPL', 'HALTED', 'NOSHORT', 'NOFRAC', 'XXNONE', 'DOGEUSD'),
    action: fc.constantFrom('openLong', 'openLong', 'closeLong', 'openShort', 'closeShort'),
    quantity: mostly(1, 5, 10, 12, 30, 0.5, 7.25),
    quantityType: mostly('fixed', 'percentEquity', 'dollarAmount'),
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
    exitTriggerType: fc.constantFrom(
      undefined,
      'minutesAfterEntry',
      'minutesBeforeClose',
      'atClockTime',
      'immediate',
    ),
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
  let server: TestDatabase
  let database: Database
  before(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url, 4)
  })
  after(async () => {
    await database?.close(true)
    await server?.drop()
  })

  const today = new Date().toISOString().slice(0, 10)
  const sessions = nyseSessions(
    `${Number(today.slice(0, 4)) - 1}-12-01`,
    `${Number(today.slice(0, 4)) + 1}-03-01`,
  )

  /** An account that stands so, its broker, and the filled or working order that holds the sourceId. */
  async function set(scene: Scene, symbol: string) {
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
    const broker = new VenueRulesBroker()
    broker.sessions = sessions
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
    if (scene.prices.startsWith('old')) broker.pricedAt = '2025-08-03T15:00:00.000Z'
    if (scene.prices === 'old, and no market') broker.quote = { bid: null, ask: null, quotedAt: null }
    if (scene.prices === 'not in the plan') broker.priceTrouble = new BrokerPricesUnavailable('no plan')
    if (scene.equity === 'odd') {
      // So much less than what the broker shows that no time between two readings explains it.
      const record = { believed: '2500', believedAt: new Date(), doubted: null, doubtBeganAt: null }
      await em.execute('update accounts set equity_record = ?::jsonb where id = ?', [
        JSON.stringify(record),
        account.id,
      ])
    }
    if (scene.position !== null) await hold(scene.position, account, broker, symbol)
    const sourceId = randomUUID()
    if (scene.source !== 'free') await occupy(scene.source, account, broker, sourceId)
    if (scene.closeUnderWay) await createSignal(em, { accountId: account.id, symbol, action: 'closeLong' })
    return { user, account, strategy, broker, sourceId }
  }

  /** Shares that a signal of ours has bought or sold short, whose exit may rest, beside shares from elsewhere. */
  async function hold(
    { side, ours, foreign, exitRests }: NonNullable<Scene['position']>,
    account: Account,
    broker: VenueRulesBroker,
    symbol: string,
  ): Promise<void> {
    const { em } = database
    const quantity = add(String(ours), String(foreign))
    if (!isPositive(quantity)) return
    const long = side === 'LONG'
    let exiting = '0'
    if (ours > 0) {
      const owner = await createSignal(em, {
        accountId: account.id,
        symbol,
        action: long ? 'openLong' : 'openShort',
        exitRule: exitAfter(30),
      })
      const entry = orderReport(owner, { symbol, side: long ? 'BUY' : 'SELL_SHORT', quantity: String(ours) })
      const at = new Date(Date.now() - 3_600_000).toISOString()
      await recordAccepted(em, account.id, {
        ...withFill(entry, String(ours)),
        submittedAt: at,
        filledAt: at,
      })
      await em.execute('update signals set entry_ended_at = ? where id = ?', [at, owner.id])
      // Right after a fill the broker's position is not believed to hold more than the fills have left.
      await em.execute('update orders set updated_at = ? where signal_id = ?', [at, owner.id])
      if (exitRests) {
        const exit = orderReport(owner, {
          role: 'exit',
          symbol,
          side: long ? 'SELL' : 'BUY_TO_COVER',
          quantity: String(ours),
          orderType: 'limit',
          limitPrice: long ? '120' : '80',
        })
        await recordAccepted(em, account.id, exit)
        await em.execute(`update orders set known_at = now() - interval '1 hour' where client_order_id = ?`, [
          exit.clientOrderId,
        ])
        broker.put(exit)
        exiting = String(ours)
      }
    }
    broker.positions = [held(quantity, side, { symbol, availableQuantity: subtract(quantity, exiting) })]
    broker.onCancelled = ({ side: cancelled }) => {
      if (cancelled === (long ? 'SELL' : 'BUY_TO_COVER'))
        broker.positions = broker.positions.map((one) => ({ ...one, availableQuantity: one.quantity }))
    }
  }

  /** A signal in another symbol that holds the sourceId. */
  async function occupy(
    how: Exclude<Scene['source'], 'free'>,
    account: Account,
    broker: VenueRulesBroker,
    sourceId: string,
  ) {
    const { em } = database
    const symbol = 'MSFT'
    if (how === 'waits')
      return createSignal(em, {
        accountId: account.id,
        symbol,
        sourceId,
        executeMode: 'pending',
        status: 'pending',
      })
    const holder = await createSignal(em, { accountId: account.id, symbol, sourceId })
    const report = orderReport(holder, { symbol, orderType: 'limit', limitPrice: '60', timeInForce: 'gtc' })
    await recordAccepted(em, account.id, how === 'is filled' ? withFill(report, '10') : report)
    broker.put(report)
    return holder
  }

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

  async function tryOut(
    stage: Stage,
    maxWaiting: number,
    request: SignalRequest,
  ): Promise<DryRun | ApiError> {
    const deps = {
      connectBroker: () => stage.broker,
      secretKeys,
      brokerTimeout: 1_000,
      maxStaleness: 60_000,
      maxWaiting,
      liveTrading: true,
    }
    return dryRunSignal(deps, callerFor(stage), request).catch((error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    })
  }

  /** What the intake, the check right before the entry and the broker make of the signal. */
  async function send(
    stage: Stage,
    maxWaiting: number,
    request: SignalRequest,
  ): Promise<Fate & { exitAt: string | null }> {
    const { em } = database
    const denied = (code: string) => ({ outcome: 'denied' as const, code, quantity: null, exitAt: null })
    const deps = {
      gateway: { replace: replaces(stage) },
      answerDeadline: 2_000,
      maxStaleness: 60_000,
      maxWaiting,
      failpoint: () => {},
    } as unknown as Parameters<typeof acceptSignal>[0]
    let accepted: Awaited<ReturnType<typeof acceptSignal>>
    try {
      accepted = await acceptSignal(deps, callerFor(stage), request, JSON.stringify(request))
    } catch (error) {
      if (error instanceof ApiError) return denied(error.code)
      throw error
    }
    if (accepted.outcome !== 'stored')
      return { outcome: 'existing', code: null, quantity: null, exitAt: null }
    const terms = termsOf(accepted.signal)
    const sentAt = Math.max(Date.now(), Date.parse(terms.scheduledAt ?? '') || 0)
    stage.broker.arriveAt = sentAt
    const activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => stage.broker,
      requestTimeoutMs: 1_000,
      liveTrading: true,
      now: () => sentAt,
    })
    let prepared: PreparedEntry
    try {
      prepared = await activities.prepareEntry(terms)
    } catch (error) {
      // A closing signal waits for the end of a full stop.
      if (error instanceof ApplicationFailure && error.type === 'Halted')
        return { outcome: 'waits', code: null, quantity: null, exitAt: null }
      // An equity that cannot be right is asked for again until the time of the signal is over.
      if (error instanceof ApplicationFailure && /shows an equity of/.test(error.message))
        return denied('EQUITY_IMPLAUSIBLE')
      throw error
    }
    if (prepared.outcome === 'not_yet') return { outcome: 'waits', code: null, quantity: null, exitAt: null }
    if (prepared.outcome === 'denied') return denied(prepared.code)
    assert.equal(prepared.outcome, 'ready')
    const order = entryOrder(terms, prepared.quantity)
    const request_ = { clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1), ...order }
    try {
      const report = await stage.broker.submitOrder(request_)
      const filledAt = new Date(fillableFrom(order, sentAt) ?? sentAt).toISOString()
      const entry = { ...report, status: 'FILLED' as const, filledQuantity: order.quantity, filledAt }
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
          generation: 1,
        }))
      return {
        outcome: 'ready',
        code: null,
        quantity: Number(order.quantity),
        exitAt: plan?.submitAt ?? null,
      }
    } catch (error) {
      if (error instanceof BrokerRejection) return denied(error.code)
      throw error
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

  /** Gives way as the workflow of the signal does. */
  const replaces =
    ({ account, broker }: Stage) =>
    async (to: { signalId: string }, { replacement }: { replacement: { row: object; received: object } }) => {
      const [row] = await database.em.execute<{ filled: boolean }[]>(
        'select filled_quantity > 0 as filled from signals where id = ? and account_id = ?',
        [to.signalId, account.id],
      )
      if (row!.filled) throw new UpdateRejected('REPLACE_REFUSED_FILLED', 'filled')
      const clientOrderId = clientOrderIdFor(to.signalId, 'entry', 1)
      await broker.cancelOrder(`broker-${clientOrderId}`)
      await recordReplaced(database.em, to.signalId, new Date().toISOString(), {
        detail: 'Replaced',
        acknowledges: clientOrderId,
        mayStillFill: false,
        replacement: JSON.parse(
          JSON.stringify({ signal: replacement.row, received: replacement.received }),
        ) as Parameters<typeof recordReplaced>[3]['replacement'],
      })
      return { warning: null }
    }

  const fateOf = (run: DryRun | ApiError): Fate => {
    if (run instanceof ApiError) return { outcome: 'denied', code: run.code, quantity: null }
    const { prospect, order, waitsFor } = run
    if (prospect.outcome === 'existing') return { outcome: 'existing', code: null, quantity: null }
    if (prospect.outcome === 'denied' && waitsFor.length === 0)
      return { outcome: 'denied', code: prospect.code, quantity: null }
    if (waitsFor.length > 0) return { outcome: 'waits', code: null, quantity: null }
    return { outcome: 'ready', code: null, quantity: Number(order!.quantity) }
  }

  it(`come to the same outcome, code, size and time, in ${CASES} cases`, async function () {
    this.timeout(1_200_000)
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(scenes, bodies, async (scene, { body, hasSource, hasStrategy }) => {
        const stage = await set(scene, body.symbol)
        const whole = signalBody(stage.account.id, {
          ...body,
          ...(hasSource && { sourceId: stage.sourceId }),
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
        const run = await tryOut(stage, scene.maxWaiting, request)
        const { exitAt, ...sent } = await send(stage, scene.maxWaiting, request)
        const tried = fateOf(run)
        seen.set(`${sent.outcome} ${sent.code}`, (seen.get(`${sent.outcome} ${sent.code}`) ?? 0) + 1)
        // Rules of the account are asked before the turn, and those of the market once it has come.
        if (sent.outcome === 'waits' || tried.outcome === 'waits') {
          if (sent.outcome === 'denied') assert.equal((run as DryRun).prospect.outcome, 'denied')
          // At a full stop a closing signal waits, and the dry run tells that it would not be sent now.
          else if (scene.halt === 'fullStop' && sent.outcome === 'waits')
            assert.ok(['waits', 'denied'].includes(tried.outcome), tried.outcome)
          else assert.equal(tried.outcome, sent.outcome)
          return
        }
        assert.deepEqual(tried, sent, run instanceof ApiError ? run.message : JSON.stringify(run.prospect))
        if (exitAt === null || run instanceof ApiError || request.extendedHours) return
        if (
          fillableFrom(
            entryOrder(termsLike(request), '1'),
            Date.parse(request.scheduledAt ?? new Date().toISOString()),
          ) === null
        )
          return
        const apart = Math.abs(Date.parse(run.exit!.submitAt) - Date.parse(exitAt))
        assert.ok(apart <= APART, `${run.exit!.submitAt} is not ${exitAt}`)
      }),
      { numRuns: CASES, ...(process.env['DRY_RUN_SEED'] && { seed: Number(process.env['DRY_RUN_SEED']) }) },
    )
    console.log(`      ${[...seen].map(([fate, times]) => `${fate} ${times}`).join(', ')}`)
    for (const fate of ['ready null', 'existing null', 'denied INVALID_ORDER', 'denied NO_POSITION_TO_CLOSE'])
      assert.ok(seen.has(fate), `${fate} never came`)
  })

  const termsLike = (request: SignalRequest) => ({ ...request, exit: null })
})
