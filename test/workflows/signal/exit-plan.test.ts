import assert from 'node:assert/strict'
import { WorkflowNotFoundError, type WorkflowUpdateFailedError } from '@temporalio/client'
import type { ApplicationFailure } from '@temporalio/common'
import type { Protection } from '#domain/exit/protection.ts'
import { clientOrderIdFor, type OrderPurpose, type OrderReport } from '#domain/order/order.ts'
import { subtract, type Decimal } from '#domain/money/decimal.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { Answer, Answers } from '#test/support/recording-activities.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  busy,
  cancelPends,
  opensAt,
  placesNothing,
  sized,
  sizedWhole,
  stands,
  times,
} from '#test/support/step-answers.ts'
import { exitNews, retryExit } from '#workflows/signal/contract.ts'

const stopAt = (price: Decimal, until: Protection['until'] = 'closed'): Protection => ({
  stop: { price },
  target: null,
  trail: null,
  breakEven: null,
  until,
})
const stopAt95 = stopAt('95')
const forTheSession = stopAt('95', 'session')
const DAY = 24 * 60
const CLOSE = '2026-03-02T21:00:00.000Z'
const OPENING = '2026-03-03T07:00:00.000Z'

const idOf = (play: SignalPlay, purpose: OrderPurpose, generation: number): string =>
  clientOrderIdFor(play.terms.signalId, purpose, generation)
const REACHED = { stop: { at: '95', price: '94' }, target: { at: '110', price: '111' } } as const
const crosses = (play: SignalPlay, level: 'stop' | 'target') => {
  const { facts } = play.script.levels
  facts.crossed = { level, ...REACHED[level] }
  // A stop at the broker that lies where the plan has it acts by itself.
  if (level === 'stop' && facts.resting) facts.resting = { ...facts.resting, stopPrice: '90' }
  // It may see the level, and end, before it is told.
  return play.handle.signal(exitNews).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  })
}
const tells = (play: SignalPlay, status: OrderReport['status'], filledQuantity: Decimal) =>
  play.tell(idOf(play, 'plan', 1), status, filledQuantity)

const STOP = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
/** The stop lies at the broker, and the target is watched. */
const withTarget: Protection = { ...stopAt('95'), target: { price: '110' } }
const cancelled = stands('CANCELLED')
const cancelledFor: Answer<'readCancelMarks'> = () => ({ askedBy: null, cancelledFor: 'somebody-e1' })
/** The ledger has a size of the earlier order of the levels. */
const decidedBefore: Answer<'sizeExit'> = ({ filledQuantity: all }) => ({
  quantity: all,
  coversQuantity: all,
  notBefore: null,
  order: { reason: 'PROTECTION', terms: STOP },
})
const refused = placesNothing('rejected', 'INVALID_ORDER', 'halted')

interface Case {
  terms?: Partial<SignalTerms>
  /** To the steps after the entry has filled and the order of its plan has been accepted. */
  answers?: Answers
  act?(play: SignalPlay): unknown
  /** Each exit order that is sent, and for how many shares: p of the plan, t at its target, x at market. */
  exits: string[]
  /** Between the exit orders that are sent. */
  seconds?: number[]
  /** What the owner is told meanwhile: kind and detail. */
  told?: (readonly [kind: string, detail?: RegExp])[]
  unprotected?: Decimal
  /** In the record of the end. */
  message?: RegExp
}

const CASES: Record<string, Case> = {
  ...Object.fromEntries(
    (['REJECTED', 'CANCELLED'] as const).map((status) => [
      `is placed again, with an alert, when its order is ${status.toLowerCase()} elsewhere`,
      {
        answers: { submitOrder: [acceptsFilled] },
        act: (play: SignalPlay) => tells(play, status, '4'),
        exits: ['p1 10', 'p2 6'],
        told: [['ended', new RegExp(`^${status}, with 4 of 10 `)]],
      } satisfies Case,
    ]),
  ),
  'is tried by the ladder of exits while the broker refuses its order, and its owner is notified each time': {
    answers: { submitOrder: [refused, refused, acceptsFilled] },
    act: (play) => tells(play, 'REJECTED', '0'),
    exits: ['p1 10', 'p2 10', 'p3 10', 'p4 10'],
    seconds: [6, 15, 60],
    told: [['ended'], ['rejected'], ['rejected']],
  },
  'for one session ends when its order expires, and its owner learns what has no exit': {
    terms: { protection: forTheSession },
    act: (play) => tells(play, 'EXPIRED', '4'),
    exits: ['p1 10'],
    unprotected: '6',
  },
  'for one session leaves the position to the time exit when its order expires': {
    terms: { exit: exitAfter(60), protection: forTheSession },
    answers: { submitOrder: [acceptsFilled] },
    act: (play) => tells(play, 'EXPIRED', '4'),
    exits: ['p1 10', 'x2 6'],
  },
  'ends with an order of it that a person cancels here, and the position stays': {
    answers: { cancelOrder: [cancelled] },
    act: (play) => play.cancelOrder(idOf(play, 'plan', 1)),
    exits: ['p1 10'],
    message: /cancelled by bob@example.test; the position stays open/,
  },
  'is sized again when its order was cancelled for another': {
    answers: {
      submitOrder: [acceptsFilled],
      readCancelMarks: [cancelledFor],
      sizeExit: [sizedWhole, sized('6', '10')],
    },
    act: (play) => tells(play, 'CANCELLED', '0'),
    exits: ['p1 10', 'p2 6'],
  },
  'has closed the position where its order fills while it is cancelled for the time exit': {
    terms: { exit: exitAfter(5) },
    answers: { cancelOrder: [stands('FILLED', '10')] },
    exits: ['p1 10'],
  },
  'goes back to the broker while the time exit cannot be placed for long': {
    terms: { exit: exitAfter(5) },
    answers: {
      submitOrder: [...times(4, refused), accepts, acceptsFilled],
      cancelOrder: [cancelled, cancelled],
    },
    exits: ['p1 10', 'x2 10', 'x3 10', 'x4 10', 'x5 10', 'p6 10', 'x7 10'],
    told: times(4, ['rejected']),
  },
  'is changed beside the time exit that works, which stays': {
    terms: { exit: exitAfter(5) },
    answers: { adjustProtection: [() => 'other'], cancelOrder: [cancelled] },
    act: async (play) => {
      await play.script.accepted('exit', 2)
      await play.changeProtection(stopAt('97'))
      await play.tell(idOf(play, 'timed', 2), 'FILLED', '10')
    },
    exits: ['p1 10', 'x2 10'],
  },
  'closes at market at a stop that was reached and that nothing at the broker acts upon': {
    answers: { submitOrder: [acceptsFilled], cancelOrder: [cancelled] },
    act: (play) => crosses(play, 'stop'),
    exits: ['p1 10', 'x2 10'],
  },
  'has another order take the place of one that cannot be changed to it': {
    answers: { submitOrder: [acceptsFilled], adjustProtection: [() => 'other'], cancelOrder: [cancelled] },
    act: (play) => play.changeProtection(stopAt('97')),
    exits: ['p1 10', 'p2 10'],
  },
  'is taken away by a person: its order is cancelled, and the position stays': {
    answers: { cancelOrder: [cancelled] },
    act: (play) => play.changeProtection(null),
    exits: ['p1 10'],
    message: /cancelled by ann; the position stays open/,
  },
  'grows once shares are free that other orders held, while its order rests': {
    answers: {
      sizeExit: [sized('4')],
      adjustProtection: [() => 'other'],
      submitOrder: [acceptsFilled],
      cancelOrder: [cancelled],
    },
    act: async (play) => {
      await play.handle.signal(retryExit)
      await play.script.called('adjustProtection')
      assert.equal(play.script.inputs('adjustProtection')[0]?.isPart, true)
    },
    exits: ['p1 4', 'p2 10'],
  },
  'reports once that the broker does not cancel the order that must end for another, and asks on': {
    answers: { submitOrder: [acceptsFilled], cancelOrder: [...times(3, cancelPends), cancelled] },
    act: (play) => crosses(play, 'stop'),
    exits: ['p1 10', 'x2 10'],
    told: [['held', /^the broker has not cancelled .*-p1, which .*-x2 must replace$/]],
  },
  'closes at its stop where the order that was decided before the stop was reached is placed first': {
    answers: {
      submitOrder: [accepts, acceptsFilled],
      sizeExit: [sizedWhole, decidedBefore],
      cancelOrder: [cancelled, cancelled],
    },
    act: (play) => crosses(play, 'stop'),
    exits: ['p1 10', 'p2 10', 'x3 10'],
  },
  'is taken away while its order waits for another try: none is sent': {
    act: async (play) => {
      await tells(play, 'REJECTED', '0')
      await play.script.called('recordExitTrouble')
      await play.changeProtection(null)
    },
    exits: ['p1 10'],
    told: [['ended']],
    message: /cancelled by ann; the position stays open/,
  },
  'is taken away while an order of an earlier decision may be at the broker: that is found, and cancelled': {
    answers: {
      submitOrder: [accepts],
      sizeExit: [sizedWhole, decidedBefore],
      recordExitCancelled: [() => 'too_late'],
      cancelOrder: [cancelled],
    },
    act: async (play) => {
      await tells(play, 'REJECTED', '0')
      await play.script.called('recordExitTrouble')
      await play.changeProtection(null)
    },
    exits: ['p1 10', 'p2 10'],
    told: [['ended']],
    message: /cancelled by ann; the position stays open/,
  },
  'closes at market at a stop that is reached while a target is worked at, once the end of that order is known':
    {
      terms: { protection: withTarget },
      answers: {
        submitOrder: [accepts, acceptsFilled],
        // As the broker ends it by itself.
        cancelOrder: [cancelled, stands('REJECTED', '4')],
      },
      act: async (play) => {
        await crosses(play, 'target')
        await play.script.accepted('exit', 2)
        await crosses(play, 'stop')
      },
      exits: ['p1 10', 't2 10', 'x3 6'],
      seconds: [0, 0],
      told: [['ended']],
    },
  'is taken away by a person while its target is worked at: nothing is sold on': {
    terms: { protection: withTarget },
    answers: {
      submitOrder: [accepts],
      cancelOrder: [cancelled, stands('CANCELLED', '4')],
    },
    act: async (play) => {
      await crosses(play, 'target')
      await play.script.accepted('exit', 2)
      await play.changeProtection(null)
    },
    exits: ['p1 10', 't2 10'],
    message: /cancelled by ann; the position stays open/,
  },
  'may be changed while its stop waits for the opening, after which nothing is sold by the one before': {
    answers: {
      submitOrder: [acceptsFilled],
      sizeExit: [sizedWhole, opensAt(OPENING)],
      cancelOrder: [cancelled],
    },
    act: async (play) => {
      await crosses(play, 'stop')
      await play.script.called('recordExitTrouble')
      await play.changeProtection(stopAt('90'))
    },
    exits: ['p1 10', 'p2 10'],
    told: [['held']],
  },
  'closes at a stop that waits for the opening, though the target is reached before that': {
    terms: { protection: withTarget },
    answers: {
      submitOrder: [acceptsFilled],
      sizeExit: [sizedWhole, opensAt(OPENING)],
      cancelOrder: [cancelled],
    },
    act: async (play) => {
      await crosses(play, 'stop')
      await play.script.called('recordExitTrouble')
      await crosses(play, 'target')
    },
    exits: ['p1 10', 'x2 10'],
    told: [['held']],
  },
  'acts upon a stop that is reached while its order cannot be changed at the broker': {
    answers: {
      adjustProtection: times(30, busy),
      submitOrder: [acceptsFilled],
      cancelOrder: [cancelPends, cancelPends, cancelled],
    },
    act: async (play) => {
      await play.changeProtection(stopAt('96'))
      await play.script.called('adjustProtection', 2)
      await crosses(play, 'stop')
    },
    exits: ['p1 10', 'x2 10'],
    told: [['held']],
  },
  'closes at market at a stop that is reached while the time exit rests at its limit': {
    terms: { exit: { ...exitAfter(0), orderType: 'limit', limitPrice: '110' } },
    answers: { submitOrder: [accepts, acceptsFilled], cancelOrder: [cancelled, cancelled] },
    act: async (play) => {
      await play.script.accepted('exit', 2)
      await crosses(play, 'stop')
    },
    exits: ['p1 10', 'x2 10', 'x3 10'],
  },
  'has an order of its size take the place of one that is for more than its signal owns': {
    answers: {
      submitOrder: [acceptsFilled],
      sizeExit: [sizedWhole, sized('4', '10')],
      cancelOrder: [cancelled],
    },
    act: (play) => {
      play.script.levels.facts.isTooLarge = true
      return play.handle.signal(exitNews)
    },
    exits: ['p1 10', 'p2 4'],
  },
  'takes no account of a level that is none any more': {
    act: async (play) => {
      await crosses(play, 'target')
      await play.script.called('lookAtExit', 2)
      // The order at the broker acts upon the stop.
      play.script.levels.facts.crossed = { level: 'stop', ...REACHED.stop }
      await play.handle.signal(exitNews)
      await play.script.called('lookAtExit', 3)
      await tells(play, 'FILLED', '10')
    },
    exits: ['p1 10'],
  },
}

/** What becomes of the entry at a level of its plan that is reached while it works. */
const WORKING_ENTRY: Record<string, Omit<Case, 'exits' | 'act'>> = {
  'gives up what is left of the entry at a stop that is reached while it works, and closes what has filled':
    {},
  'reports that the broker does not cancel the rest of an entry at a level of its plan': {
    answers: { cancelOrder: times(3, cancelPends) },
    told: [['held', /^the broker has not cancelled .*-e1/]],
  },
}

describe('an exit by levels', () => {
  const stage = useStage()

  /** A signal whose entry has filled, with the order of its plan at the broker. */
  async function begin(terms: Partial<SignalTerms> = {}, answers: Answers = {}): Promise<SignalPlay> {
    const play = await stage.begin({ protection: stopAt95, ...terms }, (script) =>
      script.answer('submitOrder', acceptsFilled, accepts).answers(answers),
    )
    await play.script.accepted('exit')
    return play
  }
  const untilClose = (seconds: number) =>
    stage.letPass((Date.parse(CLOSE) - stage.now()) / 60_000 - seconds / 60)
  const ends = async (play: SignalPlay) => {
    await play.result()
    return play.closed
  }
  const secondsBetweenExits = (play: SignalPlay): number[] => {
    const at = play.script.callsOf('submitOrder').map((call) => Date.parse(call.at))
    return at.slice(2).map((instant, index) => Math.round((instant - at[index + 1]!) / 1_000))
  }
  function assertNotified(play: SignalPlay, told: Case['told'] = []): void {
    assert.deepEqual(
      play.troubles.map(({ kind }) => kind),
      told.map(([kind]) => kind),
    )
    for (const [index, [, detail]] of told.entries())
      if (detail) assert.match(play.troubles[index]!.detail, detail)
  }

  for (const [title, { terms, answers, act, exits, seconds, told, unprotected, message }] of Object.entries(
    CASES,
  ))
    it(`an exit by levels ${title}`, async () => {
      const play = await begin(terms, answers)
      await act?.(play)
      const end = await ends(play)
      assert.deepEqual(play.exits, exits)
      if (seconds) assert.deepEqual(secondsBetweenExits(play), seconds)
      assertNotified(play, told)
      const stays = message !== undefined || unprotected !== undefined
      assert.deepEqual([end.unprotected, end.exit?.status === 'filled'], [unprotected ?? null, !stays])
      if (message) assert.match(end.message, message)
    })

  it('an exit by levels lies at the broker once the entry has ended, rests for weeks without a sound, and closes the position', async () => {
    const play = await begin()
    assert.equal(play.sent(idOf(play, 'plan', 1))[0]?.stopPrice, '95')
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'lookAtExit',
      'sizeExit',
      'submitOrder',
      'recordAccepted',
    ])
    assert.equal(play.script.inputs('recordAccepted')[1]?.resting?.order?.stopPrice, '95')
    await stage.letPass(1)
    const before = play.run.commands.length
    await stage.letPass(30 * DAY)
    assert.equal(play.run.commands.length, before)
    assert.match((await play.progress()).waitsFor!, /the stop at 95 to be reached, at the broker as .*-p1$/)
    await tells(play, 'FILLED', '10')
    assert.equal((await ends(play)).exit?.status, 'filled')
    assertNotified(play)
  })

  it('an exit by levels is renewed in the next session without an alert when its order expires, until the position is closed', async () => {
    const play = await begin({}, { submitOrder: [acceptsFilled], sizeExit: [sizedWhole, opensAt(OPENING)] })
    await tells(play, 'EXPIRED', '0')
    assert.equal((await ends(play)).exit?.status, 'filled')
    assert.deepEqual(play.exits, ['p1 10', 'p2 10'])
    assert.deepEqual(
      play.troubles.map(({ kind, isQuiet }) => [kind, isQuiet]),
      [['closed', true]],
    )
    assert.ok(play.script.callsOf('submitOrder').at(-1)!.at >= OPENING)
  })

  for (const [seconds, closed, status, told] of [
    [12, '4', 'partially_filled', ['ended', 'closed']],
    [3, '0', 'cancelled', ['ended']],
  ] as const)
    it(`an exit by levels for one session places nothing in the next one where its order was cancelled elsewhere ${seconds} seconds before the close, with ${closed} closed`, async () => {
      const answers = { sizeExit: [sizedWhole, opensAt(OPENING)] }
      const play = await begin({ protection: forTheSession }, answers)
      await untilClose(seconds)
      await tells(play, 'CANCELLED', closed)
      const { unprotected, exit, message } = await ends(play)
      assert.deepEqual([unprotected, exit?.status], [subtract('10', closed), status])
      assert.match(message, /The stop and target have ended, and [0-9]+ of 10 shares have no exit$/)
      assert.doesNotMatch(message, /no exit order was needed/)
      assert.deepEqual(play.exits, ['p1 10'])
      assertNotified(
        play,
        told.map((kind) => [kind]),
      )
    })

  it('an exit by levels for one session places nothing in the next one where its target was worked at as the exchange closed', async () => {
    const protection = { ...withTarget, until: 'session' } as const
    const play = await begin({ protection }, { submitOrder: [accepts], cancelOrder: [cancelled] })
    await untilClose(3)
    await crosses(play, 'target')
    await play.script.accepted('exit', 2)
    await play.tell(idOf(play, 'target', 2), 'EXPIRED', '4')
    const { unprotected, exit } = await ends(play)
    assert.deepEqual([unprotected, exit?.status], ['6', 'partially_filled'])
    assert.deepEqual(play.exits, ['p1 10', 't2 10'])
  })

  it('an exit by levels for one session ends with the session also beside a time, and once it was changed', async () => {
    const play = await begin(
      { protection: forTheSession, exit: exitAfter(5 * DAY) },
      { cancelOrder: [cancelled] },
    )
    await play.script.called('sessionEnd')
    await play.changeProtection(stopAt('96', 'session'))
    await play.script.called('sessionEnd', 2)
    assert.equal(play.script.inputs('sessionEnd').length, 2)
    await tells(play, 'FILLED', '10')
    assert.equal((await ends(play)).exit?.status, 'filled')
  })

  it('an exit by levels takes the place of one for a session that has ended, and its levels count again', async () => {
    const play = await begin(
      { protection: forTheSession, exit: exitAfter(60) },
      { submitOrder: [acceptsFilled] },
    )
    await tells(play, 'EXPIRED', '0')
    await stage.letPass(1)
    await crosses(play, 'stop')
    await play.changeProtection(stopAt95)
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 'p2 10'])
  })

  it('an exit by levels is refused while the order of the one before it is being cancelled, and beside a time exit that works, and once its position is closed', async () => {
    const play = await begin()
    await play.changeProtection(null)
    await assert.rejects(play.changeProtection(stopAt95))
    await tells(play, 'CANCELLED', '0')
    assert.match((await ends(play)).message, /cancelled by ann/)

    const timed = await stage.begin({ exit: exitAfter(1) }, { submitOrder: [acceptsFilled] })
    await timed.script.accepted('exit')
    await assert.rejects(timed.changeProtection(stopAt95))
    await timed.fillExit()
    await assert.rejects(timed.changeProtection(null))
  })

  it('an exit by levels stays as it is where the ledger refuses a change, whose faults are reported, and is changed by the next', async () => {
    const faults = [{ path: ['stop'], code: 'required', message: 'a stop is required' }]
    const refuses = () => ({ refused: 'a stop is required', faults })
    const play = await begin({}, { recordProtectionChanged: [refuses], adjustProtection: [() => 'changed'] })
    await assert.rejects(play.changeProtection(null), ({ cause }: WorkflowUpdateFailedError) => {
      const { type, details } = cause as ApplicationFailure
      assert.deepEqual([type, details], ['PROTECTION_NOT_CHANGEABLE', [{ faults }]])
      return true
    })
    await play.changeProtection(stopAt95)
    await play.script.called('adjustProtection')
  })

  it('an exit by levels is replaced by the time exit when that is due: its end is awaited, what it fills meanwhile counts, the rest is sent', async () => {
    const answers = { submitOrder: [acceptsFilled], cancelOrder: [stands('CANCELLED', '4')] }
    const play = await begin({ exit: exitAfter(5) }, answers)
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 'x2 6'])
    assert.equal(play.script.inputs('cancelOrder')[0]?.cancelledFor?.to, idOf(play, 'timed', 2))
    assert.equal(play.script.inputs('scheduleExit')[0]?.progress.generation, 2)
  })

  it('an exit by levels has nothing at the broker while none of its levels counts yet, and closes at one that is reached', async () => {
    const play = await stage.begin(
      { protection: { ...stopAt95, stop: null, trail: { amount: '5', after: { amount: '1' } } } },
      { submitOrder: [acceptsFilled, acceptsFilled] },
    )
    await play.script.called('lookAtExit')
    await stage.settle()
    assert.match((await play.progress()).waitsFor!, /the price to reach a level of the exit/)
    play.script.levels.facts.best = '101'
    play.script.levels.facts.crossed = { level: 'stop', at: '96', price: '95' }
    await play.handle.signal(exitNews)
    await ends(play)
    assert.deepEqual(play.exits, ['x1 10'])
    assert.equal(play.sent(play.exitId())[0]?.orderType, 'market')
  })

  it('an exit by levels works at a target for ten seconds, and has the stop at the broker again after that', async () => {
    const play = await begin(
      { protection: withTarget },
      {
        submitOrder: [accepts, acceptsFilled],
        cancelOrder: [cancelled, stands('CANCELLED', '4')],
      },
    )
    await crosses(play, 'target')
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 't2 10', 'p3 6'])
    const { orderType, limitPrice, timeInForce } = play.sent(idOf(play, 'target', 2))[0]!
    assert.deepEqual([orderType, limitPrice, timeInForce], ['limit', '110', 'day'])
    assert.equal(play.script.inputs('cancelOrder')[0]?.cancelledFor?.to, idOf(play, 'target', 2))
    const [, , target, stop] = play.script.callsOf('submitOrder').map(({ at }) => Date.parse(at))
    assert.ok(stop! - target! >= 10_000 && stop! - target! < 12_000, `${stop! - target!} ms`)
    assertNotified(play)
  })

  it('an exit by levels has its stop at the broker at once after an order at its target that the broker took and then rejected', async () => {
    const answers = { submitOrder: [accepts, acceptsFilled], cancelOrder: [cancelled] }
    const play = await begin({ protection: withTarget }, answers)
    await crosses(play, 'target')
    await play.script.accepted('exit', 2)
    await play.tell(idOf(play, 'target', 2), 'REJECTED', '0')
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 't2 10', 'p3 10'])
    const [, , rejected, placed] = play.script.callsOf('recordAccepted')
    assert.ok(Date.parse(placed!.at) - Date.parse(rejected!.at) < 5_000)
  })

  it('an exit by levels has its stop at the broker again while no order can be placed at its target, and tries that again after 5 minutes', async () => {
    const play = await begin(
      { protection: withTarget },
      {
        submitOrder: [refused, accepts, acceptsFilled],
        cancelOrder: [cancelled, cancelled],
      },
    )
    await crosses(play, 'target')
    await play.script.accepted('exit', 2)
    assert.deepEqual(play.exits, ['p1 10', 't2 10', 'p3 10'])
    assertNotified(play, [['rejected']])
    await crosses(play, 'target')
    await stage.letPass(4.9)
    assert.deepEqual(play.exits.length, 3)
    await stage.letPass(0.2)
    assert.deepEqual(play.exits.length, 3)
    await crosses(play, 'target')
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 't2 10', 'p3 10', 't4 10'])
  })

  for (const [title, { answers = {}, told }] of Object.entries(WORKING_ENTRY))
    it(`an exit by levels ${title}`, async () => {
      const { cancelOrder = [] } = answers
      const play = await stage.begin(
        { protection: stopAt95 },
        {
          submitOrder: [accepts, acceptsFilled],
          cancelOrder: [...cancelOrder, stands('CANCELLED', '4')],
        },
      )
      await play.script.accepted('entry')
      await crosses(play, 'stop')
      await ends(play)
      assert.deepEqual(play.exits, ['x1 4'])
      assertNotified(play, told)
    })

  it('an exit by levels is changed at the broker where only its prices change, and reported once', async () => {
    const play = await begin({}, { adjustProtection: [() => 'changed'] })
    await play.changeProtection(stopAt('97'))
    await play.script.called('adjustProtection')
    await tells(play, 'FILLED', '10')
    const end = await ends(play)
    assert.deepEqual(play.exits, ['p1 10'])
    assert.equal(play.script.inputs('adjustProtection')[0]?.isPart, false)
    assert.equal(play.script.callsOf('recordProtectionChanged').length, 1)
    assert.equal(end.hasLevels, true)
  })

  for (const stop of ['90', '97'] as const)
    it(`an exit by levels whose stop was moved to ${stop} is brought to the broker once that can be, also by a run that goes on`, async () => {
      const play = await begin({}, { adjustProtection: times(12, busy) })
      await play.changeProtection(stopAt(stop))
      await play.script.called('adjustProtection', 2)
      await stage.lengthen(play)
      await stage.letPass(5)
      assert.deepEqual(play.continued, ['stayed'])
      const tried = play.script.callsOf('adjustProtection').length
      assert.ok(tried > 12, `${tried} tries`)
      await stage.letPass(60)
      assert.equal(play.script.callsOf('adjustProtection').length, tried)
    })

  it('an exit by levels is changed at the broker while all trading is stopped, also where the time exit is due', async () => {
    const play = await begin({ exit: exitAfter(5) })
    play.script.levels.facts.halt = 'All trading is stopped'
    await stage.letPass(6)
    const before = play.script.callsOf('adjustProtection').length
    await play.changeProtection(stopAt('97'))
    await stage.letPass(1)
    assert.equal(play.script.callsOf('adjustProtection').length, before + 1)
    assert.equal(play.script.callsOf('cancelOrder').length, 0)
  })

  for (const [title, plan] of [
    ['that needs another kind of order', withTarget],
    ['whose change the broker refuses', stopAt('97')],
  ] as const)
    it(`an exit by levels ${title} leaves its own at the broker while all trading is stopped, and has it once that is lifted`, async () => {
      const play = await begin(
        {},
        {
          adjustProtection: times(20, () => 'other' as const),
          cancelOrder: [cancelled],
          submitOrder: [acceptsFilled],
        },
      )
      const { facts } = play.script.levels
      facts.halt = 'All trading is stopped'
      if (plan.target) facts.abilities = { oco: true, trailing: false }
      await play.changeProtection(plan)
      await stage.letPass(5)
      assert.equal(play.script.callsOf('cancelOrder').length, 0)
      facts.halt = null
      await ends(play)
      assert.deepEqual(play.exits, ['p1 10', 'p2 10'])
    })

  it('an exit by levels leaves its order at the broker while all trading is stopped, also when anything is due, and closes once that is lifted', async () => {
    const play = await begin(
      { exit: exitAfter(5), protection: withTarget },
      { submitOrder: [acceptsFilled], cancelOrder: [cancelled] },
    )
    play.script.levels.facts.halt = 'All trading is stopped'
    await crosses(play, 'target')
    await stage.letPass(6)
    assert.equal(play.script.callsOf('cancelOrder').length, 0)
    play.script.levels.facts.halt = null
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 'x2 10'])
    assertNotified(play, [['held', /^All trading is stopped$/]])
  })

  it('an exit by levels is taken away by a person beside a time exit, which stays', async () => {
    const answers = { submitOrder: [acceptsFilled], cancelOrder: [cancelled] }
    const play = await begin({ exit: exitAfter(60) }, answers)
    await play.changeProtection(null)
    assert.equal((await ends(play)).exit?.status, 'filled')
    assert.deepEqual(play.exits, ['p1 10', 'x2 10'])
    const sent = play.script.callsOf('submitOrder')
    assert.ok(Date.parse(sent.at(-1)!.at) - Date.parse(sent[0]!.at) >= 60 * 60_000)
  })

  it('an exit by levels has its order at the broker again for a fill that comes after the end of its signal', async () => {
    const play = await stage.begin({ protection: stopAt95 }, { submitOrder: [accepts, accepts, accepts] })
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '4')
    await play.script.accepted('exit')
    await tells(play, 'FILLED', '4')
    await play.result()
    const again = await stage.reopen(play, play.entryId, '7')
    await again.script.accepted('exit', 2)
    const [id, quantity] = play.exits.at(-1)!.split(' ')
    assert.deepEqual([id![0], quantity], ['p', '3'])
    await again.tell(`${play.terms.signalId}-${id}`, 'FILLED', '3')
    assert.deepEqual((await again.result()).exitFilled, '7')
  })

  it('an exit by levels grows with a fill of the entry that comes late, while its order rests', async () => {
    const answers = { submitOrder: [accepts, accepts, acceptsFilled], cancelOrder: [cancelled] }
    const play = await stage.begin({ protection: stopAt95 }, answers)
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '4')
    await play.script.accepted('exit')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await ends(play)
    assert.deepEqual(play.exits, ['p1 4', 'p2 7'])
  })

  it('an exit by levels closes at the next opening at a stop that was reached as the exchange closed, and its owner knows it', async () => {
    const play = await begin(
      {},
      { submitOrder: [acceptsFilled], sizeExit: [sizedWhole, opensAt(OPENING)], cancelOrder: [cancelled] },
    )
    await crosses(play, 'stop')
    await ends(play)
    assert.deepEqual(play.exits, ['p1 10', 'x2 10'])
    assert.deepEqual(
      play.troubles.map(({ kind, isQuiet, nextTry }) => [kind, isQuiet, nextTry?.usual]),
      [['held', undefined, OPENING]],
    )
    const late = Date.parse(play.script.callsOf('submitOrder').at(-1)!.at) - Date.parse(OPENING)
    assert.ok(late >= 0 && late < 2_000, `${late} ms after the opening`)
  })
})
