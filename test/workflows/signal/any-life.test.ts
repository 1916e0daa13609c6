import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { ApplicationFailure } from '@temporalio/common'
import fc from 'fast-check'
import { orderAttempts, type AttemptedSteps } from '#activities/attempt.ts'
import type { Activities, SubmitOrderResult } from '#activities/contract.ts'
import { add, compare, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'
import { isWorking, parseClientOrderId, type OrderReport, type OrderStatus } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { changedLevels } from '#domain/exit/protection-check.ts'
import { EXECUTE_MODES, type ExecuteMode } from '#domain/signal/signal.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'
import { StageLevels } from '#test/support/stage-levels.ts'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { IS_LONG } from '../../support/generators.ts'
import {
  askedSteps,
  nextTimer,
  send,
  settle,
  startAfresh,
  type AskedStep,
} from '../../support/bare-workflow.ts'
import {
  exitAfter,
  exitAtOnce,
  filled,
  replacementBy,
  reportOf,
  signalTerms,
  changeTo,
} from '../../support/sample-signal.ts'

/** What may happen next in the life of a signal. */
const EVENTS = [
  'step done',
  'step lost before its effect',
  'broker’s answer lost',
  'step lost after its effect',
  'order refused',
  'approve',
  'decline',
  'withdraw',
  'replace',
  'cancel exit',
  'cancel entry order',
  'cancel exit order',
  'entry fills 3',
  'entry fills all',
  'exit fills 3',
  'exit fills all',
  'entry cancelled',
  'entry expires',
  'exit expires',
  'exit rejected',
  'exit gives way',
  'stop is reached',
  'target is reached',
  'plan is changed',
  'plan is taken away',
  'exit is held up',
  'exit is refused',
  'news told',
  'old news told',
  'timer rings',
  'half a minute passes',
] as const
type Event = (typeof EVENTS)[number]

interface Life {
  executeMode: ExecuteMode
  exit: 'none' | 'at once' | 'later'
  /** It has an exit plan. */
  hasProtection?: boolean
  isValidFor: number | null
  events: readonly Event[]
}

const done = (times: number): Event[] => Array.from({ length: times }, () => 'step done')
const TO_THE_MARKET: Event[] = ['step done', 'approve', 'timer rings', ...done(3)]
const TO_THE_EXIT: Event[] = ['news told', ...done(1), 'timer rings', ...done(3)]
/** How a life may begin, so that enough of them come far. */
const BEGINNINGS: readonly Event[][] = [
  [],
  TO_THE_MARKET,
  [...TO_THE_MARKET, 'entry fills all', ...TO_THE_EXIT],
  [...TO_THE_MARKET, 'entry fills 3', 'entry cancelled', ...TO_THE_EXIT],
]

type StepInput<K extends keyof Activities> = Parameters<Activities[K]>[0]

const START = Date.parse('2026-03-02T15:00:00.000Z')
/** Some ends are too rare for a short run. */
const LIVES = IS_LONG ? 10_000 : 2_500
/** Turns in which everything that is left open has to end. */
const MAX_DRAIN = 400
const instant = (at = Date.now()): string => new Date(at).toISOString()

/** Broker, market and books, as far as the signal's story depends on them. */
class World {
  readonly orders = new Map<string, OrderReport>()
  readonly told: OrderReport[] = []
  readonly sizes = new Map<number, unknown>()
  entryDecision: 'open' | 'taken' | 'stopped' = 'open'
  readonly exitsStopped = new Set<number>()
  entrySentAt: number | null = null
  /** Orders that a person has asked to cancel, and the name of the person. */
  readonly cancelsAsked = new Map<string, string>()
  /** Exit orders that were cancelled so that another order could be placed. */
  readonly cancelledForAnother = new Map<string, string>()
  /** How often an exit is kept from being placed from now on. */
  obstacles = 0
  /** How often the broker rejects an exit order from now on. */
  refusals = 0
  readonly levels = new StageLevels()

  filledOf(role: 'entry' | 'exit'): Decimal {
    return [...this.orders.values()]
      .filter(({ clientOrderId }) => parseClientOrderId(clientOrderId)!.role === role)
      .reduce<Decimal>((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
  }

  working(role: 'entry' | 'exit'): OrderReport | undefined {
    return [...this.orders.values()].find(
      ({ clientOrderId, status }) => isWorking(status) && parseClientOrderId(clientOrderId)!.role === role,
    )
  }

  change(order: OrderReport | undefined, changes: Partial<OrderReport>): void {
    if (!order) return
    const changed = { ...order, ...changes }
    this.orders.set(order.clientOrderId, changed)
    this.told.push(changed)
    // I3: a position is never turned around.
    assert.ok(compare(this.filledOf('exit'), this.filledOf('entry')) <= 0, 'closed more than was opened')
  }

  fill(role: 'entry' | 'exit', shares: Decimal): void {
    const order = this.working(role)
    if (!order) return
    const sum = smaller(order.quantity, add(order.filledQuantity, shares))
    const status = sum === order.quantity ? 'FILLED' : 'PARTIALLY_FILLED'
    this.change(order, { status, ...filled(sum, instant()) })
  }

  end(role: 'entry' | 'exit', status: OrderStatus): void {
    this.change(this.working(role), { status })
  }

  /** What a step does and answers; throws where the real one would fail until something changes. */
  async effect(
    { name, input }: Pick<AskedStep, 'name' | 'input'>,
    isRefused: boolean,
    isAnswerLost = false,
  ): Promise<unknown> {
    if (name === 'submitOrder') return this.submit(input as StepInput<'submitOrder'>, isRefused)
    this.levels.note({ name, input })
    if (name !== 'attemptEntry')
      return (this.#steps[name as keyof Activities] as ((of: unknown) => unknown) | undefined)?.(input)
    const step = (part: keyof Activities) => async (of: unknown) => {
      const result = await this.effect({ name: part, input: of }, isRefused)
      if (isAnswerLost && part === 'submitOrder') throw failure('OutcomeUnknown')
      return result
    }
    const steps = {
      // Every entry goes by single steps, any of which may be lost.
      decideEntry: async (terms: unknown) => ({ prepared: await step('prepareEntry')(terms) }),
      submitOrder: step('submitOrder'),
      recordAccepted: step('recordAccepted'),
    }
    const { attemptEntry } = orderAttempts(steps as unknown as AttemptedSteps)
    return attemptEntry(input as StepInput<'attemptEntry'>)
  }

  readonly #steps: { [K in keyof Activities]?: (input: StepInput<K>) => unknown } = {
    prepareEntry: () => {
      if (this.entryDecision === 'stopped') throw failure('SignalAlreadyStopped')
      this.entryDecision = 'taken'
      return { outcome: 'ready', quantity: '10', advisories: [] }
    },
    recordAccepted: ({ report }) => ({
      orderId: 'order',
      report: this.orders.get(report.clientOrderId) ?? report,
    }),
    recordDeclined: () => this.stopEntry(),
    recordCancelled: () => this.stopEntry(),
    recordReplaced: (input) => this.replace(input),
    recordExitCancelled: ({ generation }) => {
      if (this.sizes.has(generation)) return 'too_late'
      this.exitsStopped.add(generation)
      return 'stopped'
    },
    scheduleExit: ({ rule, entryEndedAt }) => ({
      submitAt: instant(Date.parse(entryEndedAt) + (rule.minutes ?? 0) * 60_000),
      reason: null,
    }),
    sizeExit: (input) => this.size(input),
    cancelOrder: ({ brokerOrderId, onlyIfUnfilled, cancelledFor }) => {
      if (cancelledFor) this.cancelledForAnother.set(cancelledFor.clientOrderId, cancelledFor.to)
      const order = [...this.orders.values()].find((one) => one.brokerOrderId === brokerOrderId)!
      if (isWorking(order.status) && !(onlyIfUnfilled && order.filledQuantity !== '0'))
        this.change(order, { status: 'CANCELLED' })
      return { report: this.orders.get(order.clientOrderId) }
    },
    lookAtExit: (input) => {
      const owned = subtract(this.filledOf('entry'), this.filledOf('exit'))
      const { facts } = this.levels
      // A stop that lies where the plan has it is acted upon by the broker.
      const resting =
        facts.resting?.orderType === 'stop' ? { ...facts.resting, stopPrice: '90' as const } : facts.resting
      Object.assign(facts, { owned, resting })
      return this.levels.look(input)
    },
    adjustProtection: () => 'other',
    recordProtectionChanged: ({ change }) => ({ protection: changedLevels(null, change) }),
    recordExitTrouble: () => ({ acknowledged: false }),
    recordCancelRequested: ({ clientOrderId, by }) => void this.cancelsAsked.set(clientOrderId, by),
    readCancelMarks: ({ clientOrderId }) => ({
      askedBy: this.cancelsAsked.get(clientOrderId) ?? null,
      cancelledFor: this.cancelledForAnother.get(clientOrderId) ?? null,
    }),
  }

  submit(
    { request, sendBefore, unknownSince }: StepInput<'submitOrder'>,
    isRefused: boolean,
  ): SubmitOrderResult {
    const { role, generation } = parseClientOrderId(request.clientOrderId)!
    const known = this.orders.get(request.clientOrderId)
    if (known) {
      assert.equal(request.quantity, known.quantity, 'another order under the same id')
      assert.notEqual(unknownSince, null, 'sent again as if for the first time')
      return { outcome: 'accepted', report: known }
    }
    if (sendBefore !== null && Date.now() > Date.parse(sendBefore))
      return { outcome: 'stale', code: 'STALE', detail: 'too old' }
    if (role === 'entry') {
      // I2, I6: one entry, and none after a stop.
      assert.equal(generation, 1)
      assert.equal(this.entryDecision, 'taken', 'an entry that was not decided')
    } else {
      // I5: an exit follows the end of its entry, one at a time.
      assert.equal(this.working('entry'), undefined, 'an exit while the entry works')
      assert.equal(this.working('exit'), undefined, 'a second exit beside the first')
      assert.ok(!this.exitsStopped.has(generation), 'an exit that was cancelled before')
    }
    if (isRefused || (role === 'exit' && this.refusals > 0)) {
      if (role === 'exit') this.refusals = Math.max(0, this.refusals - 1)
      return { outcome: 'rejected', code: 'BROKER_ERROR', detail: 'no' }
    }
    if (role === 'entry') this.entrySentAt = Date.now()
    const report = reportOf(request, instant())
    this.orders.set(request.clientOrderId, report)
    return { outcome: 'accepted', report }
  }

  stopEntry(): 'stopped' | 'too_late' {
    if (this.entryDecision === 'taken') return 'too_late'
    this.entryDecision = 'stopped'
    return 'stopped'
  }

  replace({ acknowledges, working }: StepInput<'recordReplaced'>): unknown {
    if (acknowledges === null && working === null) return this.stopEntry()
    const entry = [...this.orders.values()][0]!
    return entry.filledQuantity === '0' ? 'stopped' : { filled: entry }
  }

  size({ generation, filledQuantity }: StepInput<'sizeExit'>): unknown {
    if (this.exitsStopped.has(generation)) throw failure('SignalAlreadyStopped')
    if (this.obstacles > 0 && !this.sizes.has(generation)) {
      this.obstacles -= 1
      return {
        quantity: null,
        coversQuantity: null,
        notBefore: null,
        obstacle: 'another order holds the shares',
      }
    }
    const held = subtract(this.filledOf('entry'), this.filledOf('exit'))
    assert.ok(compare(filledQuantity, held) <= 0, 'an exit for shares that another one has closed')
    const sized = this.sizes.get(generation) ?? {
      quantity: smaller(held, filledQuantity),
      coversQuantity: filledQuantity,
      notBefore: null,
    }
    this.sizes.set(generation, sized)
    return sized
  }
}

const PLAN: Protection = {
  stop: { price: '95' },
  target: { price: '110' },
  trail: null,
  breakEven: null,
  until: 'closed',
}

const failure = (type: string): ApplicationFailure => ApplicationFailure.create({ message: type, type })

/**
 * The code of the workflow itself lives through these lives, without a server, so that there can be many. Fills that
 * come after the end of an order, and tasks that are done over, are left to the tests on a real one.
 */
describe('the signal workflow, run through random lives without a server', function () {
  this.timeout(300_000)
  let signalWorkflow: Awaited<ReturnType<typeof loadBareWorkflow>>
  before(async () => {
    signalWorkflow = await loadBareWorkflow()
  })
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: START }))
  afterEach(() => mock.timers.reset())

  async function live({ executeMode, exit, hasProtection, isValidFor, events }: Life) {
    startAfresh()
    mock.timers.setTime(START)
    const world = new World()
    const granted: Event[] = []
    const terms = signalTerms({
      executeMode,
      scheduledAt: executeMode === 'scheduled' ? instant(START + 60_000) : null,
      validUntil: isValidFor === null ? null : instant(START + isValidFor),
      sendBefore: executeMode === 'immediate' ? instant(START + (isValidFor ?? 10_000)) : null,
      exit: { none: null, 'at once': exitAtOnce, later: exitAfter(1) }[exit],
      ...(hasProtection && { protection: PLAN }),
    })
    const fate: { outcome: SignalOutcome | null; broken: unknown } = { outcome: null, broken: null }
    signalWorkflow({ terms }).then(
      (ended) => void (fate.outcome = ended),
      (error: unknown) => void (fate.broken = error),
    )

    const work = async (
      how: 'done' | 'rejected' | 'lost before' | 'lost midway' | 'lost after',
    ): Promise<void> => {
      const [step] = askedSteps()
      if (!step) return
      let answer: { result: unknown } | { error: Error } = { error: failure('OutcomeUnknown') }
      if (how !== 'lost before')
        try {
          const result = await world.effect(step, how === 'rejected', how === 'lost midway')
          if (how !== 'lost after') answer = { result }
        } catch (error) {
          if (!(error instanceof ApplicationFailure)) throw error
          answer = { error }
        }
      if ('result' in answer) step.resolve(answer.result)
      // An ordinary activity is tried again by the server; the workflow does not hear of it.
      else if (step.onTheSpot) step.reject(answer.error)
    }
    const say = (event: Event, message: string, input?: unknown): void => {
      if (fate.outcome !== null) return
      send(message, input).then(
        () => void granted.push(event),
        (error: unknown) => {
          if (!(error instanceof ApplicationFailure)) fate.broken = error
        },
      )
    }
    const tell = (report: OrderReport | undefined): void => {
      if (report) say('news told', 'orderChanged', report)
    }
    const by = 'ann'
    const reach = (level: 'stop' | 'target', price: Decimal): void => {
      world.levels.facts.crossed ??= { level, at: price, price }
      say(`${level} is reached`, 'exitNews')
    }
    const orderOf = (role: 'entry' | 'exit') => ({
      by,
      clientOrderId: world.working(role)?.clientOrderId ?? '',
    })
    const happen: Record<Event, () => void | Promise<void>> = {
      'step done': () => work('done'),
      'step lost before its effect': () => work('lost before'),
      'broker’s answer lost': () => work('lost midway'),
      'step lost after its effect': () => work('lost after'),
      'order refused': () => work('rejected'),
      approve: () =>
        say('approve', 'approveSignal', { by, quantity: null, limitPrice: null, sendBefore: null }),
      decline: () => say('decline', 'declineSignal', { by, reason: null }),
      withdraw: () => say('withdraw', 'withdrawSignal', { by }),
      replace: () => say('replace', 'replaceSignal', replacementBy(by)),
      'cancel exit': () => say('cancel exit', 'cancelExit', { by }),
      'cancel entry order': () => say('cancel entry order', 'cancelOrder', orderOf('entry')),
      'cancel exit order': () => say('cancel exit order', 'cancelOrder', orderOf('exit')),
      'entry fills 3': () => world.fill('entry', '3'),
      'entry fills all': () => world.fill('entry', '10'),
      'exit fills 3': () => world.fill('exit', '3'),
      'exit fills all': () => world.fill('exit', '10'),
      'entry cancelled': () => world.end('entry', 'CANCELLED'),
      'entry expires': () => world.end('entry', 'EXPIRED'),
      'exit expires': () => world.end('exit', 'EXPIRED'),
      'exit rejected': () => world.end('exit', 'REJECTED'),
      'exit gives way': () => {
        const order = world.working('exit')
        if (order) world.cancelledForAnother.set(order.clientOrderId, 'closer-e1')
        world.end('exit', 'CANCELLED')
      },
      'stop is reached': () => reach('stop', '95'),
      'target is reached': () => reach('target', '110'),
      'plan is changed': () => {
        if (hasProtection) say('plan is changed', 'changeProtection', { by, change: PLAN })
      },
      'plan is taken away': () => {
        if (hasProtection) say('plan is taken away', 'changeProtection', { by, change: changeTo(null) })
      },
      'exit is held up': () => void (world.obstacles += 1),
      'exit is refused': () => void (world.refusals += 1),
      'news told': () => tell(world.told.at(-1)),
      'old news told': () => tell(world.told[0]),
      'timer rings': () => {
        const at = nextTimer()
        if (at !== null) mock.timers.setTime(Math.max(at, Date.now()))
      },
      'half a minute passes': () => mock.timers.setTime(Date.now() + 30_000),
    }
    const after = async (event: Event): Promise<void> => {
      await happen[event]()
      await settle()
      assert.ifError(fate.broken)
    }

    await settle()
    for (const event of events) await after(event)
    // Whatever is left open is ended: steps are done, the feed tells of every order, orders end, timers ring.
    for (let turns = 0; fate.outcome === null; turns += 1) {
      assert.ok(
        turns < MAX_DRAIN,
        `does not end: asks for ${askedSteps()
          .map(({ name }) => name)
          .join()}`,
      )
      if (askedSteps().length > 0) await after('step done')
      else if (world.working('entry')) await after('entry fills all')
      else if (world.working('exit')) await after('exit fills all')
      for (const report of world.orders.values()) tell(report)
      await settle()
      if (fate.outcome === null && askedSteps().length === 0) {
        if (nextTimer() === null) await after('withdraw')
        else await after('timer rings')
      }
    }
    return { world, terms, granted, outcome: fate.outcome }
  }

  function assertLegal(
    { executeMode, exit, hasProtection }: Life,
    { world, terms, granted, outcome }: Awaited<ReturnType<typeof live>>,
  ): void {
    const has = (event: Event): boolean => granted.includes(event)
    const count = (event: Event): number => granted.filter((one) => one === event).length
    const entries = [...world.orders.keys()].filter((id) => parseClientOrderId(id)!.role === 'entry')
    assert.ok(['executed', 'cancelled', 'rejected', 'error'].includes(outcome.status), outcome.status)
    assert.ok(entries.length <= 1, 'more than one entry')
    assert.equal(outcome.entryFilled, world.filledOf('entry'))
    assert.equal(outcome.exitFilled, world.filledOf('exit'))
    for (const event of ['approve', 'decline', 'withdraw', 'replace', 'cancel exit'] as const)
      assert.ok(count(event) <= 1, `${event} was granted twice`)
    if (has('decline') || has('withdraw')) assert.equal(entries.length, 0, 'sent after it was stopped')
    if (outcome.reason === 'EXPIRED') assert.equal(entries.length, 0, 'sent and expired')
    if (['WITHDRAWN', 'DECLINED', 'EXPIRED'].includes(outcome.reason ?? ''))
      assert.notEqual(world.entryDecision, 'taken', 'stopped after it was decided to send it')
    if (entries.length === 0) assert.notEqual(outcome.status, 'executed')
    if (executeMode === 'pending' && entries.length > 0) assert.ok(has('approve'), 'sent without approval')
    if (world.entrySentAt !== null) {
      if (terms.scheduledAt !== null) assert.ok(world.entrySentAt >= Date.parse(terms.scheduledAt), 'early')
      const last = terms.sendBefore ?? terms.validUntil
      if (last !== null) assert.ok(world.entrySentAt <= Date.parse(last), 'late')
    }
    const mayStay =
      (exit === 'none' && (!hasProtection || has('plan is taken away'))) ||
      has('cancel exit') ||
      has('cancel exit order')
    if (!mayStay) assert.equal(outcome.exitFilled, outcome.entryFilled, 'a position without an exit')
    if (exit === 'none' && !hasProtection) assert.equal(outcome.exitFilled, '0')
  }

  it('ends when a replacement is requested while a cancelled exit is being recorded and the entry has ended', async () => {
    const life: Life = {
      executeMode: 'immediate',
      exit: 'later',
      isValidFor: null,
      events: [
        ...Array<Event>(6).fill('step done'),
        'cancel entry order',
        'step done',
        'cancel exit',
        'step done',
        'replace',
      ],
    }
    const lived = await live(life)
    assertLegal(life, lived)
    assert.ok(lived.granted.includes('replace'))
  })

  it('sends one entry at most, in time, none after a stop, and an exit for exactly the filled shares', async () => {
    const ends = new Map<string, number>()
    const happened = new Set<Event>()
    const anyLife: fc.Arbitrary<Life> = fc.record({
      executeMode: fc.constantFrom(...EXECUTE_MODES),
      exit: fc.constantFrom('none', 'at once', 'later'),
      hasProtection: fc.boolean(),
      isValidFor: fc.constantFrom(null, 30_000, 60_000, 90_000),
      events: fc
        .tuple(
          fc.oneof(fc.constant<Event[]>([]), fc.constantFrom(...BEGINNINGS)),
          fc.array(
            fc.oneof(
              { weight: 2, arbitrary: fc.constant<Event>('step done') },
              { weight: 3, arbitrary: fc.constantFrom(...EVENTS) },
            ),
            { maxLength: 30 },
          ),
        )
        .map(([beginning, others]) => [...beginning, ...others]),
    })
    await fc.assert(
      fc.asyncProperty(anyLife, async (life) => {
        const lived = await live(life)
        assertLegal(life, lived)
        const { status } = lived.outcome
        ends.set(status, (ends.get(status) ?? 0) + 1)
        for (const event of life.events) happened.add(event)
      }),
      { numRuns: LIVES },
    )
    console.log(`      ends: ${[...ends].map(([status, times]) => `${times} ${status}`).join(', ')}`)
    const kinds = ['cancelled', 'error', 'executed', 'rejected']
    if (IS_LONG) assert.deepEqual([...ends.keys()].toSorted(), kinds)
    else for (const kind of ['cancelled', 'executed']) assert.ok(ends.has(kind), kind)
    assert.equal(happened.size, EVENTS.length)
  })
})
