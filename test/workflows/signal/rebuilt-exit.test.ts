import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { ApplicationFailure } from '@temporalio/common'
import fc from 'fast-check'
import type { ExitRule } from '#domain/exit/exit.ts'
import type { CrossedLevel, Protection } from '#domain/exit/protection.ts'
import type { SignalInput } from '#workflows/signal/contract.ts'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, nextTimer, send, settle, startAfresh } from '../../support/bare-workflow.ts'
import { changeTo, exitAfter, exitAtOnce, signalTerms } from '../../support/sample-signal.ts'
import { ExitLedger, MOMENTS, type Moment } from './exit-ledger.ts'

const EVENTS = [
  'entry fills 3',
  'entry fills all',
  'entry is cancelled',
  'entry expires',
  'exit fills 3',
  'exit fills all',
  'exit expires',
  'exit is rejected',
  'exit is cancelled at the broker',
  'exit gives way',
  'exit order is cancelled by a person',
  'exit is cancelled at the broker as a person asks for it',
  'exit is cancelled by a person',
  'exit is made smaller at the broker',
  'others close 2',
  'the stop is reached',
  'the target is reached',
  'another kind of order is wanted',
  'the plan is changed',
  'the plan is taken away',
  'the exchange closes, or opens',
  'next order is refused',
  'next order is refused for one on the other side',
  'next order is taken back',
  'next answer is lost',
  'next order is lost',
  'exit is held up, or no longer',
  'a part of the shares is free, or all',
  'the feed tells',
  'timer rings',
] as const
type Event = (typeof EVENTS)[number]

interface Life {
  rule: ExitRule | null
  /** How long its exit plan holds; null without a plan. */
  until: Protection['until'] | null
  /** One that is to happen `before` a step happens right before the next one of that name, where one comes. */
  events: readonly { event: Event; before: Moment | null }[]
}

const RULES: readonly ExitRule[] = [
  exitAtOnce,
  exitAfter(1),
  { ...exitAtOnce, orderType: 'limit', limitPrice: '110' },
  { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' },
]
const START = Date.parse('2026-03-02T15:00:00.000Z')
const SIGNAL = '7f1b2c34-0000-4000-8000-000000000009'
/** Turns in which everything that is left open has to end. */
const MAX_TURNS = 60
const LIVES = Number(process.env['EXIT_LIVES'] ?? 60)

const event = fc
  .record({
    event: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom<Event>('the feed tells', 'timer rings') },
      { weight: 5, arbitrary: fc.constantFrom(...EVENTS) },
    ),
    before: fc.option(fc.constantFrom(...MOMENTS), { freq: 5 }),
    // The watch of prices tells of a level again as long as the price is there, and a person repeats what was not answered.
  })
  .map((one) => (/is reached|plan is/.test(one.event) ? { ...one, before: null } : one))
const at = (...events: Event[]): Life['events'] => events.map((each) => ({ event: each, before: null }))
const BEGINNINGS: readonly Life['events'][] = [
  at('entry fills all', 'the feed tells', 'timer rings'),
  at('entry fills 3', 'entry is cancelled', 'the feed tells', 'timer rings'),
  at('entry fills 3', 'the feed tells'),
]
const exits: fc.Arbitrary<Pick<Life, 'rule' | 'until'>> = fc.oneof(
  fc.record({ rule: fc.constantFrom(...RULES), until: fc.constant(null) }),
  fc.record({
    rule: fc.constantFrom(null, null, exitAfter(1), RULES[2]!),
    until: fc.constantFrom('session', 'closed', 'closed'),
  }),
)
const levelsOfSignal = (until: Protection['until']): Protection => ({
  stop: { price: '95' },
  target: { price: '110' },
  trail: null,
  breakEven: null,
  until,
})
const anyLife: fc.Arbitrary<Life> = fc
  .record({
    exits,
    events: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.array(event, { maxLength: 20 }))
      .map(([first, others]) => [...first, ...others]),
  })
  .map(({ exits: asked, events }) => ({ ...asked, events }))

describe('an exit whose workflow is lost at any step, and rebuilt from what is stored,', function () {
  this.timeout(600_000)
  let signalWorkflow: Awaited<ReturnType<typeof loadBareWorkflow>>
  before(async () => {
    signalWorkflow = await loadBareWorkflow()
  })
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: START }))
  afterEach(() => mock.timers.reset())

  /**
   * Lives a life to its end.
   *
   * @param lostAfter the workflow is lost once so many steps were carried out, before it hears of the last one; null for never
   * @param copiedAfter the ledger is lost too, and put back as it was after so many steps; 0 for before its entry was decided, null
   *   where it is not lost
   */
  async function live(
    { rule, until, events }: Life,
    lostAfter: number | null,
    copiedAfter: number | null = null,
  ) {
    mock.timers.setTime(START)
    const ledger = new ExitLedger(
      signalTerms({ signalId: SIGNAL, exit: rule, ...(until && { protection: levelsOfSignal(until) }) }),
    )
    const fate: { broken: unknown } = { broken: null }
    let isRunning = false
    let steps = 0
    let runs = 0
    let lost = 0
    let copy = ExitLedger.UNDECIDED

    const start = (input: Omit<SignalInput, 'terms'>): void => {
      startAfresh()
      isRunning = true
      runs += 1
      const run = runs
      signalWorkflow({ terms: ledger.terms, ...input }).then(
        () => void (isRunning &&= run !== runs),
        (error: unknown) => void (fate.broken ??= error),
      )
    }
    const rebuild = (): void => {
      if (ledger.isOpen) start({ loads: true })
      else {
        startAfresh()
        isRunning = false
      }
    }
    const say = (message: string, input: unknown): void => {
      if (!isRunning) return
      send(message, input).catch((error: unknown) => {
        if (!(error instanceof ApplicationFailure)) fate.broken ??= error
      })
    }
    /** Carries out every step that the workflow asks for. */
    const work = async (): Promise<void> => {
      for (;;) {
        await settle()
        assert.ifError(fate.broken)
        const asked = askedSteps()
        // Who wants a cancel is written down before its broker has carried it out: otherwise nobody was told that it is wanted.
        const step =
          asked.find(({ name }) => name === 'recordCancelRequested' || name === 'recordProtectionChanged') ??
          asked[0]
        if (!step) return
        let answer: { result: unknown } | { error: ApplicationFailure }
        try {
          answer = { result: ledger.do(step) }
        } catch (error) {
          if (!(error instanceof ApplicationFailure)) throw error
          answer = { error }
        }
        steps += 1
        if (steps === copiedAfter) copy = ledger.copy()
        if (steps === lostAfter) {
          lost += 1
          if (copiedAfter !== null) ledger.rollback(copy)
          rebuild()
        } else if ('result' in answer) step.resolve(structuredClone(answer.result))
        else if (step.onTheSpot) step.reject(answer.error)
      }
    }
    const tell = async (): Promise<void> => {
      ledger.feed()
      if (ledger.wantsReopening && !isRunning) start({ loads: true })
      await settle()
      hear()
    }
    /** The feed brings the ledger up to date, and the workflow, which is told of every order. */
    const hear = (): void => {
      for (const report of ledger.feed()) say('orderChanged', report)
    }
    const arm = (before: Moment, happens: () => void): void =>
      void ledger.armed.set(before, [...(ledger.armed.get(before) ?? []), happens])
    const by = 'ann'
    /** The watch of prices notes a level, and tells of it. */
    const reach = (level: CrossedLevel['level']): void => {
      if (!ledger.terms.protection || !ledger.isOpen) return
      ledger.crossed ??= {
        level,
        ...(level === 'stop' ? { at: '95', price: '95' } : { at: '110', price: '110' }),
      }
      say('exitNews', undefined)
    }
    const happen: Record<Event, () => void | Promise<void>> = {
      'entry fills 3': () => ledger.fill(ledger.entry, '3'),
      'entry fills all': () => ledger.fill(ledger.entry, '10'),
      'entry is cancelled': () => ledger.end(ledger.entry, 'CANCELLED'),
      'entry expires': () => ledger.end(ledger.entry, 'EXPIRED'),
      'exit fills 3': () => ledger.fill(ledger.exit, '3'),
      'exit fills all': () => ledger.fill(ledger.exit, '10'),
      'exit expires': () => ledger.end(ledger.exit, 'EXPIRED'),
      'exit is rejected': () => ledger.end(ledger.exit, 'REJECTED'),
      'exit is cancelled at the broker': () => ledger.end(ledger.exit, 'CANCELLED'),
      'exit gives way': () => ledger.cancelledFor(),
      'exit order is cancelled by a person': () =>
        say('cancelOrder', { by, clientOrderId: ledger.exit?.clientOrderId ?? '' }),
      'exit is cancelled at the broker as a person asks for it': () => {
        say('cancelOrder', { by, clientOrderId: ledger.exit?.clientOrderId ?? '' })
        ledger.end(ledger.exit, 'CANCELLED')
        hear()
      },
      'exit is cancelled by a person': () => say('cancelExit', { by }),
      'exit is made smaller at the broker': () => ledger.makeSmaller(),
      'others close 2': () => ledger.closeByOthers('2'),
      'the stop is reached': () => reach('stop'),
      'the target is reached': () => reach('target'),
      'another kind of order is wanted': () => {
        ledger.kind = ledger.kind === 'stop' ? 'oco' : 'stop'
        say('exitNews', undefined)
      },
      'the plan is changed': () => {
        if (ledger.terms.protection) say('changeProtection', { by, change: levelsOfSignal('closed') })
      },
      'the plan is taken away': () => {
        if (ledger.terms.protection) say('changeProtection', { by, change: changeTo(null) })
      },
      'the exchange closes, or opens': () => void (ledger.isClosed = !ledger.isClosed),
      'next order is refused': () => void (ledger.next = 'refused'),
      'next order is refused for one on the other side': () => void (ledger.next = 'opposed'),
      'next order is taken back': () => void (ledger.next = 'taken back'),
      'next answer is lost': () => void (ledger.next = 'answer lost'),
      'next order is lost': () => void (ledger.next = 'lost'),
      'exit is held up, or no longer': () => void (ledger.isHeldUp = !ledger.isHeldUp),
      'a part of the shares is free, or all': () => void (ledger.free = ledger.free === null ? '2' : null),
      'the feed tells': tell,
      'timer rings': () => {
        const timer = nextTimer()
        if (timer !== null) mock.timers.setTime(Math.max(timer, Date.now()))
      },
    }

    rebuild()
    await work()
    for (const { event: each, before } of events) {
      if (before === null) await happen[each]()
      else
        arm(before, () => {
          void happen[each]()
          hear()
        })
      await work()
    }
    // Whatever is left open is ended: the entry and the exits fill, timers ring, the feed tells of every order.
    const unhappened = [...ledger.armed.values()].flat().length
    ledger.armed.clear()
    ledger.isHeldUp = false
    ledger.isClosed = false
    ledger.free = null
    for (let turns = 0; ; turns += 1) {
      assert.ok(turns < MAX_TURNS, 'does not end')
      await tell()
      await work()
      if (!ledger.isOpen) break
      for (const each of ['entry fills all', 'exit fills all', 'the feed tells', 'timer rings'] as const) {
        await happen[each]()
        await work()
      }
    }
    assert.ok(lostAfter === null || lost === 1 || steps < lostAfter)
    return {
      effects: [...ledger.effects, `${ledger.filledOf('exit')} of ${ledger.filledOf('entry')} closed`],
      steps,
      held: ledger.held,
      unhappened,
    }
  }

  it('an exit order that its broker cancels at the moment in which a person asks for that leaves the position to the person', async () => {
    const events = at(
      'entry fills all',
      'the feed tells',
      'timer rings',
      'exit is cancelled at the broker as a person asks for it',
    )
    const { effects } = await live(
      { rule: { ...exitAtOnce, orderType: 'limit', limitPrice: '110' }, until: null, events },
      null,
    )
    assert.match(effects.at(-2)!, /^closes 1: The exit was cancelled by ann; the position stays open/)
    assert.equal(effects.at(-1), '0 of 10 closed')
  })

  it('an exit whose workflow is lost at any step, and rebuilt from what is stored, is reported, sent and ended like the exit of a workflow that runs on', async () => {
    const happened = new Set<string>()
    let losses = 0
    await fc.assert(
      fc.asyncProperty(anyLife, async (life) => {
        const { effects, steps, held, unhappened } = await live(life, null)
        for (let lostAfter = 1; lostAfter <= steps; lostAfter += 1) {
          const after = await live(life, lostAfter)
          // Which order of a plan comes first may depend on the moment at which a level is told.
          // What happens before a step that only one of both lives takes makes them two lives.
          if (life.until === null && after.unhappened === unhappened)
            assert.deepEqual(after.effects, effects, `lost after step ${lostAfter}`)
          else if (
            life.until !== 'session' &&
            !life.events.some(({ event: each }) => / person|plan is taken/.test(each))
          )
            assert.equal(after.held, held, `lost after step ${lostAfter}`)
          losses += 1
        }
        for (const each of life.events) happened.add(each.event)
      }),
      { numRuns: LIVES },
    )
    console.log(`      ${LIVES} lives, lost ${losses} times`)
    // A short run may miss a kind or two.
    assert.ok(happened.size >= EVENTS.length - (LIVES < 1_000 ? 3 : 0), [...happened].join())
  })

  it('an exit whose workflow is lost together with the ledger, which is put back as it was earlier, closes the same shares once', async () => {
    // A person's decision, here or at the broker, and that an order gave way to another, are lost with the ledger.
    const isLostToo = ({ event: each }: Life['events'][number]) =>
      / person|at the broker|gives way|the plan is/.test(each)
    await fc.assert(
      fc.asyncProperty(anyLife, fc.nat(), fc.nat(), async (life, lost, copied) => {
        const lived = await live(life, null)
        if (lived.steps === 0) return
        const lostAfter = 1 + (lost % lived.steps)
        // An exit on top of one that works, or more sold than is held, fails by itself.
        const { held } = await live(life, lostAfter, copied % lostAfter)
        // Whether an order of a plan for one session expires, or gives way first, depends on the moment of the loss.
        if (life.until !== 'session' && !life.events.some(isLostToo)) assert.equal(held, lived.held)
      }),
      { numRuns: 5 * LIVES },
    )
  })
})
