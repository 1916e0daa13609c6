import assert from 'node:assert/strict'
import { addMinutes } from '#domain/wall-time.ts'
import { retryExit } from '#workflows/signal/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { accepts, acceptsFilled, placesNothing } from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../../support/sample-signal.ts'
import { refused } from '../../support/rejections.ts'
import { SHORT_HISTORY, shortHistoryAddress } from '../../support/servers.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { SignalStage } from '../../support/signal-stage.ts'

const refuses = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

describe('continue-as-new of a signal', function () {
  this.timeout(30_000)
  let stage: SignalStage & { close(): Promise<void> }
  before(async () => {
    stage = await SignalStage.onServerAt(await shortHistoryAddress())
  })
  after(() => stage?.close())

  const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const

  /** Makes the history so long that the next task continues as new. */
  const lengthen = (play: SignalPlay): Promise<void> => stage.lengthen(play, SHORT_HISTORY)

  async function assertContinued(play: SignalPlay, times = 1): Promise<void> {
    const runs = await play.runs()
    assert.equal(runs.length, times + 1)
    for (const { events } of runs.slice(0, -1))
      assert.ok(events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes)
  }

  it('continue-as-new of a signal while it waits for a person: the wait goes on, and it is approved once', async () => {
    const validUntil = await stage.minutesFromNow(60)
    const play = await stage.begin({ executeMode: 'pending', validUntil }, (script) =>
      script.answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    await lengthen(play)
    await play.script.called('recordWaiting', 2)
    assert.deepEqual(await play.progress(), {
      status: 'pending',
      waitsFor: 'a person to approve it',
      until: validUntil,
    })
    const answers = await Promise.allSettled(['ann', 'bob'].map((by) => play.approve({ by })))
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await play.result()).status, 'executed')
    await assertContinued(play)
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('continue-as-new of a signal while its entry is held for a person: the wait goes on, and it is approved', async () => {
    const play = await stage.begin({}, (script) =>
      script
        .answer('prepareEntry', () => ({ outcome: 'held', detail: 'above the limit' }))
        .answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    await lengthen(play)
    await play.script.called('recordWaiting', 2)
    assert.equal((await play.progress()).status, 'pending')
    await play.approve()
    assert.equal((await play.result()).status, 'executed')
    await assertContinued(play)
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('continue-as-new of a signal while it waits for its time: sent at that time', async () => {
    const scheduledAt = await stage.minutesFromNow(0.06)
    const play = await stage.begin({ executeMode: 'scheduled', scheduledAt }, (script) =>
      script.answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    await lengthen(play)
    assert.equal((await play.result()).status, 'executed')
    await assertContinued(play)
    assert.ok(play.script.callsOf('submitOrder')[0]!.at >= scheduledAt)
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('continue-as-new of a signal while its order works: the fills are kept, nothing is sent again, and awaitEntry is still answered', async () => {
    const play = await stage.begin({ ...gtcLimit, exit: exitAfter(0) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    const before = await play.awaitEntry()
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    await lengthen(play)
    assert.deepEqual(await play.awaitEntry(), before)
    await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
    await lengthen(play)
    assert.deepEqual(await play.awaitEntry(), before)
    await play.tell(play.entryId, 'CANCELLED', '4')
    assert.deepEqual(await play.result(), {
      status: 'executed',
      reason: null,
      entryFilled: '4',
      exitFilled: '4',
    })
    await assertContinued(play, 2)
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })

  it('continue-as-new of a signal while its order works: an exit that was cancelled stays cancelled', async () => {
    const play = await stage.begin({ ...gtcLimit, exit: exitAfter(0) })
    await play.script.accepted('entry')
    await play.cancelExit('ann')
    await lengthen(play)
    assert.match(
      (await refused(play.cancelExit('bob'), 'EXIT_NOT_CANCELLABLE')).message,
      /cancelled by ann already/,
    )
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '0')
    await assertContinued(play)
    assert.equal(play.script.inputs('recordExitCancelled').length, 1)
  })

  it('continue-as-new of a signal while its exit waits: one exit, with the same time and size', async () => {
    const play = await stage.begin({ exit: exitAfter(0.06) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('planExit')
    await lengthen(play)
    const outcome = await play.result()
    assert.deepEqual([outcome.entryFilled, outcome.exitFilled], ['7', '7'])
    await assertContinued(play)
    const plans = play.script.inputs('planExit')
    assert.deepEqual(new Set(plans.map(({ entryEndedAt }) => entryEndedAt)).size, 1)
    const [exit] = play.script.callsOf('submitOrder').slice(1)
    assert.ok(exit!.at >= addMinutes(plans[0]!.entryEndedAt, 0.06))
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })

  const continued = (play: SignalPlay, times: number): Promise<void> =>
    eventually(async () => assert.equal((await play.runs()).length, times + 1))

  it('continue-as-new of a signal while a rejected exit waits for its next attempt: the attempts, their ids and the closed shares are kept', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, accepts, refuses, acceptsFilled),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(1), 'REJECTED', '4')
    await play.script.called('recordExitTrouble', 1)
    await lengthen(play)
    await continued(play, 1)
    await play.script.called('recordExitTrouble', 2)
    await lengthen(play)
    await continued(play, 2)
    await play.handle.signal(retryExit)
    assert.equal((await play.result()).exitFilled, '10')
    await assertContinued(play, 2)
    const quantities = [1, 2, 3].map((generation) =>
      play.sent(play.exitId(generation)).map((sent) => sent.quantity),
    )
    assert.deepEqual(quantities, [['10'], ['6'], ['6']])
    const [closed] = play.script.inputs('recordClosed')
    assert.equal(closed?.message, 'The exit is filled: 4 at 100, then 6 at 100')
  })

  it('continue-as-new of a signal while its exit order works: the order is followed to its end, and not sent again', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, accepts),
    )
    await play.script.accepted('exit')
    await lengthen(play)
    await continued(play, 1)
    await play.tell(play.exitId(), 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    await assertContinued(play)
    assert.equal(play.script.inputs('submitOrder').length, 2)
  })

  it('continue-as-new of a signal with messages at the same time: none is lost, none is answered twice', async () => {
    for (let round = 0; round < 4; round += 1) {
      const play = await stage.begin({ ...gtcLimit, exit: exitAfter(0) }, (script) =>
        script.answer('submitOrder', accepts, acceptsFilled),
      )
      await play.script.accepted('entry')
      await stage.stopWorker()
      await Promise.all(Array.from({ length: SHORT_HISTORY }, () => play.idleMessage()))
      const entries = Array.from({ length: 5 }, (_, index) => play.awaitEntry(`question ${index}`))
      const working = stage.startWorker()
      const [exitCancelled] = await Promise.allSettled([
        play.cancelExit(),
        play.tell(play.entryId, 'FILLED', '10'),
      ])
      await working
      for (const entry of entries) assert.equal((await entry).status, 'executed')
      const outcome = await play.result()
      assert.equal(outcome.entryFilled, '10')
      assert.equal(outcome.exitFilled, exitCancelled.status === 'fulfilled' ? '0' : '10')
      assert.equal(
        play.script.inputs('recordExitCancelled').length,
        exitCancelled.status === 'fulfilled' ? 1 : 0,
      )
      const wasCancelled = exitCancelled.status === 'fulfilled'
      assert.deepEqual(play.orderIds, wasCancelled ? [play.entryId] : [play.entryId, play.exitId()])
    }
  })
})
