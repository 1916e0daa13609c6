import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import fc from 'fast-check'
import type { ExitReason } from '#domain/exit/exit.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { exitCalendarChanged, exitNews, retryExit } from '#workflows/signal/contract.ts'
import type { Answer, Answers, StepCall } from '#test/support/recording-activities.ts'
import { exitAtOnce, reportOf } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  blocked,
  fails,
  placesNothing,
  sized,
  sizedWhole,
  takenBack,
  times,
} from '#test/support/step-answers.ts'

const refusal = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')
/** The broker takes the order, and rejects it then. */
const rejectsLater: Answer<'submitOrder'> = ({ request }, at) => ({
  outcome: 'accepted',
  report: reportOf(request, at, { status: 'REJECTED', endedAt: at }),
})
const keysRejected = placesNothing('rejected', 'BROKER_CREDENTIALS_INVALID', 'the keys are revoked')
const opposed = placesNothing('rejected', 'OPPOSITE_ORDER', 'potential wash trade: order abc at the broker')
const down = fails('the broker does not answer', 'BrokerOutcomeUnknown')
const LIMIT_WORDS = 'The broker’s request limit is reached; nothing is sent until 2026-11-25T15:00:00Z'
const limited = (): never => {
  throw ApplicationFailure.create({ message: LIMIT_WORDS, type: 'BrokerBusy', nextRetryDelay: 60_000 })
}

/** Of one order in so many minutes; at a target every five of them. */
function mostTries(reason: ExitReason | undefined, minutes: number): number {
  if (reason === 'TAKE_PROFIT') return 1 + Math.floor(minutes / 5)
  const pauses = [0.1, 0.25, 1, 5, ...times(20, 15)]
  const tries = pauses.map((_, index) => pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0))
  return 1 + tries.filter((at) => at <= minutes).length
}

const LEVELS: Protection = {
  stop: { price: '95' },
  target: { price: '110' },
  trail: null,
  breakEven: null,
  until: 'closed',
}

interface Case {
  /** To the exit; the entry fills at once, and the last answer is followed by one that fills. */
  answers: Answers
  act?(play: SignalPlay): unknown
  exits?: string[]
  /** Seconds between the tries. */
  seconds?: number[]
  /** Fields of what people are told. */
  told?: { [K in keyof SignalPlay['troubles'][number]]?: unknown }[]
}

const CASES: Record<string, Case> = {
  'is tried after 6 and 15 seconds, 1 and 5 minutes and then every 15, under a new id each time, and its owner is notified of each reason':
    {
      answers: { submitOrder: times(7, refusal) },
      exits: [1, 2, 3, 4, 5, 6, 7, 8].map((generation) => `x${generation} 10`),
      seconds: [6, 15, 60, 300, 900, 900, 900],
      told: [1, 2, 3, 4, 5, 6, 7].map((generation) => ({
        generation,
        kind: 'rejected',
        code: 'INVALID_ORDER',
      })),
    },
  'is tried every 15 minutes only, once a person has acknowledged the alert': {
    answers: {
      submitOrder: times(4, refusal),
      recordExitTrouble: [() => ({ acknowledged: false }), ...times(3, () => ({ acknowledged: true }))],
    },
    seconds: [6, 900, 900, 900],
  },
  'because of an order from elsewhere on the other side goes round it at once, without an alert': {
    answers: { submitOrder: [opposed] },
    seconds: [0],
    told: [{ code: 'OPPOSITE_ORDER', isQuiet: true }],
  },
  'because of an order from elsewhere that it cannot go round alerts its owner, and climbs the ladder': {
    answers: { submitOrder: [opposed, opposed, opposed] },
    seconds: [0, 6, 15],
    told: [{ isQuiet: true }, { isQuiet: undefined }, { isQuiet: undefined }],
  },
  'that has filled in part when it is rejected begins with the shortest pause again': {
    answers: { submitOrder: [refusal, refusal, accepts] },
    act: async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(3), 'REJECTED', '4')
    },
    exits: ['x1 10', 'x2 10', 'x3 10', 'x4 6'],
    seconds: [6, 15, 6],
  },
  'is tried after growing pauses too where the broker rejects it after its acceptance': {
    answers: { submitOrder: times(3, accepts) },
    act: async (play) => {
      for (const generation of [1, 2, 3]) {
        await play.script.accepted('exit', generation)
        await play.tell(play.exitId(generation), 'REJECTED', '0')
      }
    },
    seconds: [6, 15, 60],
    told: times(3, { kind: 'ended' }),
  },
  'whose size was taken back is sized again under the next number, and its owner is notified': {
    answers: { submitOrder: [takenBack('its shares were sold')] },
    exits: ['x1 10', 'x2 10'],
    told: [{ kind: 'taken_back', code: null, detail: 'its shares were sold', generation: 1 }],
  },
  'that was given up by a worker whose task was lost goes on with the next number, and its owner is notified':
    {
      answers: {
        sizeExit: [() => ({ quantity: null, coversQuantity: null, notBefore: null, givenUp: true })],
      },
      exits: ['x2 10'],
      told: [{ kind: 'taken_back', generation: 1 }],
    },
  'because sizeExit cannot be answered: its owner is alerted once, and it is sent when it can be': {
    answers: { sizeExit: times(8, down) },
    told: [{ kind: 'held', code: null, detail: 'the broker does not answer' }],
  },
  'because scheduleExit cannot be answered: its owner is alerted once, and it is sent when it can be': {
    answers: { scheduleExit: times(8, down) },
    told: [{ kind: 'unplanned', code: null, detail: 'the broker does not answer' }],
  },
  'because the request limit of the broker is reached for long: its owner is notified of that, and until when':
    {
      answers: { sizeExit: times(3, limited) },
      told: [{ detail: LIMIT_WORDS }],
    },
  'because a step fails twice and is not answered after that: its owner is notified why it failed last': {
    answers: {
      sizeExit: [
        fails('the broker is away', 'OutcomeUnknown'),
        fails('the keys are refused', 'OutcomeUnknown'),
        async (input, at, hang) => {
          await hang()
          return sizedWhole(input, at, hang)
        },
      ],
    },
    told: [{ detail: 'the keys are refused' }],
  },
  'goes on for the rest of the shares that its owner has chosen, beyond those of the entry': {
    answers: { submitOrder: [accepts], sizeExit: [sized('100', '10'), sized('60')] },
    act: async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(1), 'EXPIRED', '40')
      await play.script.called('sizeExit', 2)
      assert.deepEqual(
        play.script.inputs('sizeExit').map(({ filledQuantity }) => filledQuantity),
        ['10', '60'],
      )
    },
    exits: ['x1 100', 'x2 60'],
  },
}

describe('an exit that cannot be placed', () => {
  const stage = useStage()

  const begin = ({ submitOrder = [], ...answers }: Answers): Promise<SignalPlay> =>
    stage.begin(
      { exit: exitAtOnce },
      { submitOrder: [acceptsFilled, ...submitOrder, acceptsFilled], ...answers },
    )
  /** Seconds between the calls of a step. */
  const secondsBetween = (calls: { at: string }[]): number[] => {
    const at = calls.map((call) => Date.parse(call.at))
    return at.slice(1).map((instant, index) => Math.round((instant - at[index]!) / 1_000))
  }
  const tries = (play: SignalPlay) => play.script.callsOf('submitOrder').slice(1)

  for (const [title, { answers, act, exits, seconds, told }] of Object.entries(CASES))
    it(`an exit that cannot be placed ${title}`, async () => {
      const play = await begin(answers)
      await act?.(play)
      const { exitFilled } = await play.result()
      assert.equal(exitFilled, title.includes('beyond') ? '100' : '10')
      if (exits) assert.deepEqual(play.exits, exits)
      if (seconds) assert.deepEqual(secondsBetween(tries(play)), seconds)
      if (!told) return
      const fields = (one: object, like: object) =>
        Object.keys(like).map((key) => [key, one[key as keyof typeof one]])
      assert.deepEqual(
        play.troubles.map((trouble, index) => fields(trouble, told[index] ?? trouble)),
        told.map((one) => fields(one, one)),
      )
    })

  it('an exit that cannot be placed because of an order on the other side is sized again with that known', async () => {
    const play = await begin({ submitOrder: [opposed] })
    await play.result()
    const sizings = play.script.inputs('sizeExit').map((input) => input.opposed)
    assert.deepEqual(sizings, [undefined, true])
  })

  it('an exit that cannot be placed names the reason while it waits', async () => {
    const play = await begin({ submitOrder: [refusal] })
    await play.script.called('recordExitTrouble')
    const { waitsFor } = await play.progress()
    assert.equal(waitsFor, 'another try of the exit (INVALID_ORDER: the symbol is halted)')
  })

  it('an exit that cannot be placed is tried at once after a retryExit message that came while it was being sized', async () => {
    const asking: Answer<'sizeExit'> = async (...call) => {
      await play.handle.signal(retryExit)
      return blocked('another order holds the shares')(...call)
    }
    const play: SignalPlay = await begin({ sizeExit: [asking] })
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(secondsBetween(play.script.callsOf('sizeExit')), [0])
  })

  it('an exit that cannot be placed is tried at once after a retryExit message', async () => {
    const play = await begin({ submitOrder: times(5, keysRejected) })
    for (const told of [4, 5]) {
      await play.script.called('recordExitTrouble', told)
      await play.handle.signal(retryExit)
    }
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(secondsBetween(tries(play)).slice(3), [0, 0])
  })

  it('an exit that cannot be placed can be cancelled by a person while it waits for its next try: closed, the position stays', async () => {
    const play = await begin({ submitOrder: times(9, refusal) })
    await play.script.called('recordExitTrouble', 1)
    assert.equal((await play.cancelExit('ann@example.test')).status, 'executed')
    assert.equal((await play.result()).exitFilled, '0')
    const [cancel] = play.script.inputs('recordExitCancelled')
    assert.deepEqual([cancel?.by, cancel?.generation], ['ann@example.test', 2])
    assert.equal(play.closed.exit, null)
    assert.match(play.closed.message, /cancelled by ann@example.test; the position stays open/)
    assert.equal(tries(play).length, 1)
  })

  it('an exit that cannot be placed acknowledges late fills meanwhile, once, and closes them too', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, { submitOrder: [accepts, refusal, acceptsFilled] })
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '6')
    await play.script.called('recordExitTrouble')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('acknowledgeEnds')
    assert.deepEqual(play.script.inputs('acknowledgeEnds')[0]?.acknowledges, [
      { clientOrderId: play.entryId, filledQuantity: '7' },
    ])
    await play.tell(play.entryId, 'CANCELLED', '7')
    assert.equal((await play.result()).exitFilled, '7')
    assert.equal(play.script.inputs('acknowledgeEnds').length, 1)
    assert.deepEqual(play.exits, ['x1 6', 'x2 7'])
  })

  it('an exit that is refused alike is tried by the ladder, after any report', async () => {
    const heard = {
      'a level is reached': (play: SignalPlay, level: 'stop' | 'target') => {
        const price = level === 'stop' ? '94' : '111'
        play.script.levels.facts.crossed = { level, at: price, price }
        return play.handle.signal(exitNews)
      },
      'an obstacle may be gone': (play: SignalPlay) => play.handle.signal(retryExit),
      'the calendar is another one': (play: SignalPlay) => play.handle.signal(exitCalendarChanged),
      'the entry is reported again': (play: SignalPlay) => play.tell(play.entryId, 'FILLED', '10'),
      'somebody else has changed': (play: SignalPlay) => play.earlierSignalChanged(),
      'a second passes': () => stage.letPass(1 / 60),
      'seconds pass': () => stage.letPass(0.2),
      'minutes pass': () => stage.letPass(3),
    }
    type Heard = keyof typeof heard
    const life = fc.record({
      level: fc.constantFrom('stop' as const, 'target' as const, null),
      isTimed: fc.boolean(),
      answer: fc.constantFrom(refusal, rejectsLater),
      events: fc.array(fc.constantFrom(...(Object.keys(heard) as Heard[])), { minLength: 5, maxLength: 25 }),
    })
    await fc.assert(
      fc.asyncProperty(life, async ({ level, isTimed, answer, events }) => {
        stage.beginAfresh()
        const play = await stage.begin(
          { protection: LEVELS, ...(isTimed && { exit: exitAtOnce }) },
          { submitOrder: [acceptsFilled, ...times(500, answer)] },
        )
        await play.script.called('recordExitTrouble')
        for (const event of events)
          if (event !== 'a level is reached') await heard[event](play)
          else if (level !== null) await heard[event](play, level)
        await stage.settle()
        const reasons = new Map(
          play.script.inputs('sizeExit').map((input) => [input.generation, input.reason]),
        )
        const reasonOf = ({ input }: StepCall<'submitOrder'>) =>
          reasons.get(parseClientOrderId(input.request.clientOrderId)!.generation)
        const tries = Map.groupBy(play.script.callsOf('submitOrder').slice(1), reasonOf)
        for (const [reason, sent] of tries) {
          const minutes = (stage.now() - Date.parse(sent[0]!.at)) / 60_000
          assert.ok(sent.length <= mostTries(reason, minutes), `${sent.length} in ${minutes} minutes`)
        }
      }),
      { numRuns: 80 },
    )
  })
})
