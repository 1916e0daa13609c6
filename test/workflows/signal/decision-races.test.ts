import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import { refused } from '#test/support/rejections.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { temporalAddress } from '#test/support/servers.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { SignalStage, type RealStage } from '#test/support/signal-stage.ts'
import { accepts, acceptsFilled, stands } from '#test/support/step-answers.ts'

/**
 * Decisions that race the clock, each other and the market, on a real server with real timers, which decides in which order
 * a workflow task has messages and timers. What comes earlier or later than the other is in `to-the-millisecond.test.ts`.
 */

/** Until a timer of these tests rings, in minutes; long enough for a message to come first. */
const SOON = 0.04
const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc', exit: exitAtOnce } as const
const fulfilled = (answers: PromiseSettledResult<unknown>[]): number =>
  answers.filter(({ status }) => status === 'fulfilled').length

interface Race {
  terms(due: string): Partial<SignalTerms>
  /** Whether the entry fills at once. */
  isFilled?: true
  /** Until its timer runs. */
  prepare(play: SignalPlay): Promise<unknown>
  message(play: SignalPlay): Promise<unknown>
  /** The timer rings before the message is sent, but no workflow task comes between the two. */
  isLate?: true
  ends: { reason?: string | null; exitFilled: string; sent: string[] }
}

const lateFill: Omit<Race, 'isLate'> = {
  terms: () => ({ exit: exitAfter(SOON) }),
  prepare: async (play) => {
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '6')
    await play.script.called('scheduleExit')
  },
  message: (play) => play.tell(play.entryId, 'CANCELLED', '7'),
  ends: { exitFilled: '7', sent: ['10', '7'] },
}

/** A message and a timer in one workflow task. */
const RACES: Record<string, Race> = {
  'a withdrawal and the time of a scheduled signal: withdrawn': {
    terms: (scheduledAt) => ({ executeMode: 'scheduled', scheduledAt, sendBefore: null }),
    prepare: (play) => play.script.called('recordWaiting'),
    message: (play) => play.withdraw(),
    ends: { reason: 'WITHDRAWN', exitFilled: '0', sent: [] },
  },
  'an approval and the end of the validity: expired, and the approval learns until when it would have counted':
    {
      terms: (validUntil) => ({ executeMode: 'pending', validUntil, sendBefore: null }),
      prepare: (play) => play.script.called('recordWaiting'),
      message: async (play) =>
        assert.match((await refused(play.approve(), 'SIGNAL_NOT_PENDING')).message, /valid until/),
      ends: { reason: 'EXPIRED', exitFilled: '0', sent: [] },
    },
  'the cancel of an exit and its time: no exit': {
    terms: () => ({ exit: exitAfter(SOON) }),
    isFilled: true,
    prepare: (play) => play.script.called('scheduleExit'),
    message: (play) => play.cancelExit(),
    ends: { exitFilled: '0', sent: ['10'] },
  },
  'the end of a good till date order and its fill: the fill counts, nothing is cancelled': {
    terms: (expiresAt) => ({ ...gtcLimit, timeInForce: 'gtd', expiresAt }),
    prepare: (play) => play.script.accepted('entry'),
    message: async (play) => {
      await play.tell(play.entryId, 'FILLED', '10')
      await play.result()
      assert.deepEqual(play.script.inputs('cancelOrder'), [])
    },
    ends: { exitFilled: '10', sent: ['10', '10'] },
  },
  'a late fill just before the time of the exit: is included in the exit': lateFill,
  'a late fill just after the time of the exit: is included in the exit': { ...lateFill, isLate: true },
}

describe('concurrent decisions about a signal, on a real server', function () {
  this.timeout(30_000)
  let stage: RealStage
  before(async () => {
    stage = await SignalStage.onServerAt(await temporalAddress())
  })
  after(() => stage?.close())

  describe('in one task', () => {
    const came = new Map<string, { play: SignalPlay; answer: PromiseSettledResult<unknown> }>()

    // All of them at once: the messages go out to a stopped worker, the timers ring, then it works again.
    before(async () => {
      const due = stage.minutesFromNow(SOON)
      const plays = await Promise.all(
        Object.entries(RACES).map(async ([title, race]) => {
          const submitOrder = [...(race.isFilled ? [] : [accepts]), acceptsFilled, acceptsFilled]
          const play = await stage.begin(race.terms(due), { submitOrder })
          await race.prepare(play)
          return { title, race, play }
        }),
      )
      await stage.stopWorker()
      const rung = Date.parse(addMinutes(stage.minutesFromNow(0), SOON)) + 700
      const untilRung = (): Promise<void> => sleep(Math.max(0, rung - Date.now()))
      const answers = plays.map(async ({ race, play }) => {
        if (race.isLate) await untilRung()
        return race.message(play)
      })
      const settled = Promise.allSettled(answers)
      await untilRung()
      await sleep(200)
      await stage.startWorker()
      for (const [index, answer] of (await settled).entries()) {
        const { title, play } = plays[index]!
        came.set(title, { play, answer })
      }
    })

    for (const [title, { ends }] of Object.entries(RACES))
      it(`concurrent decisions about a signal in one workflow task, ${title}`, async () => {
        const { play, answer } = came.get(title)!
        if (answer.status === 'rejected') throw answer.reason
        const { reason, exitFilled } = await play.result()
        const sent = play.orderIds.map((id) => play.sent(id)[0]!.quantity)
        assert.deepEqual({ reason, exitFilled, sent }, { reason: null, ...ends })
      })
  })

  const pending = async (): Promise<SignalPlay> => {
    const play = await stage.begin(
      { executeMode: 'pending', sendBefore: null },
      { submitOrder: [acceptsFilled] },
    )
    await play.script.called('recordWaiting')
    return play
  }

  it('twenty approvals at once: one is answered, one order', async () => {
    const play = await pending()
    const people = Array.from({ length: 20 }, (_, index) => `person ${index}`)
    assert.equal(fulfilled(await Promise.allSettled(people.map((by) => play.approve({ by }, by)))), 1)
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.script.inputs('recordDue').length, 1)
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('the same approval sent ten times at once: ten equal answers, one order', async () => {
    const play = await pending()
    const answers = await Promise.all(Array.from({ length: 10 }, () => play.approve({}, 'approval')))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    await play.result()
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('an approval, a decline, a withdrawal and a replacement at once: one of them wins, and never an order after a stop', async () => {
    for (let round = 0; round < 5; round += 1) {
      const play = await pending()
      const [approved, ...stops] = await Promise.allSettled([
        play.approve(),
        play.decline(),
        play.withdraw(),
        play.replace(),
      ])
      const { status } = await play.result()
      assert.ok(fulfilled(stops) <= 1, JSON.stringify(stops))
      assert.equal(status === 'executed', fulfilled(stops) === 0)
      assert.equal(play.sent(play.entryId).length > 0, status === 'executed')
      if (status === 'executed') assert.equal(approved.status, 'fulfilled')
    }
  })

  it('three replacements at once while the entry works: one replaces the signal', async () => {
    const play = await stage.begin(gtcLimit, { cancelOrder: [stands('CANCELLED')] })
    await play.script.accepted('entry')
    assert.equal(fulfilled(await Promise.allSettled(['a', 'b', 'c'].map((by) => play.replace(by)))), 1)
    assert.equal((await play.result()).reason, 'SUPERSEDED')
    assert.equal(play.script.inputs('recordReplaced').length, 1)
  })

  it('a replacement and a fill at once: either the order is cancelled, or it gets its exit and the replacement is rejected', async () => {
    for (let round = 0; round < 5; round += 1) {
      let isFilled = false
      const play: SignalPlay = await stage.begin(gtcLimit, {
        submitOrder: [accepts, acceptsFilled],
        cancelOrder: [(...call) => (isFilled ? stands('FILLED', '10') : stands('CANCELLED'))(...call)],
      })
      await play.script.accepted('entry')
      const fill = async (): Promise<void> => {
        await sleep(round * 4)
        if (play.script.callsOf('cancelOrder').length > 0) return
        isFilled = true
        await play.tell(play.entryId, 'FILLED', '10')
      }
      const [replaced] = await Promise.allSettled([play.replace(), fill()])
      const outcome = await play.result()
      assert.equal(replaced.status === 'rejected', isFilled)
      assert.equal(outcome.exitFilled, isFilled ? '10' : '0')
      assert.equal(play.script.inputs('recordReplaced').length, isFilled ? 0 : 1)
    }
  })
})
