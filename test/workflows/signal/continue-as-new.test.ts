import assert from 'node:assert/strict'
import { addMinutes } from '#domain/time/wall-time.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Answers } from '#test/support/recording-activities.ts'
import { refused } from '#test/support/rejections.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { SHORT_HISTORY, shortHistoryAddress } from '#test/support/servers.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { SignalStage, useStage, type RealStage } from '#test/support/signal-stage.ts'
import { accepts, acceptsFilled, holds, strategyPaused } from '#test/support/step-answers.ts'

const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const worksThenExits: Answers = { submitOrder: [accepts, acceptsFilled] }

describe('continue-as-new of a signal', () => {
  const stage = useStage()
  const continuedOnce = (play: SignalPlay) => assert.deepEqual(play.continued, ['stayed'])

  for (const [title, terms, answers] of [
    ['waits for a person', { executeMode: 'pending' }, {}],
    ['is held for a person', {}, { prepareEntry: [holds()] }],
  ] as [string, Partial<SignalTerms>, Answers][])
    it(`continue-as-new of a signal while it ${title}: the wait goes on, and it is approved once`, async () => {
      const validUntil = stage.minutesFromNow(60)
      const play = await stage.begin({ ...terms, validUntil }, { ...answers, submitOrder: [acceptsFilled] })
      await stage.lengthen(play)
      await play.script.called('recordWaiting', 2)
      const waits = { status: 'pending', waitsFor: 'a person to approve it', until: validUntil }
      assert.deepEqual(await play.progress(), waits)
      const answered = await Promise.allSettled(['ann', 'bob'].map((by) => play.approve({ by })))
      assert.equal(answered.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await play.result()).status, 'executed')
      continuedOnce(play)
      assert.deepEqual(play.orderIds, [play.entryId])
    })

  it('continue-as-new of a signal while its order works: the fills are kept, nothing is sent again, and awaitEntry is still answered', async () => {
    const play = await stage.begin({ ...gtcLimit, exit: exitAfter(0) }, worksThenExits)
    await play.script.accepted('entry')
    const before = await play.awaitEntry()
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    await stage.lengthen(play)
    assert.deepEqual(await play.awaitEntry(), before)
    await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
    await stage.lengthen(play)
    assert.deepEqual(await play.awaitEntry(), before)
    await play.tell(play.entryId, 'CANCELLED', '4')
    const outcome = { status: 'executed', reason: null, entryFilled: '4', exitFilled: '4' }
    assert.deepEqual(await play.result(), outcome)
    assert.deepEqual(play.continued, ['stayed', 'stayed'])
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })

  it('continue-as-new of a signal while its exit waits: one exit, with the same time and size', async () => {
    const play = await stage.begin({ exit: exitAfter(6) }, worksThenExits)
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('scheduleExit')
    await stage.letPass(1)
    await stage.lengthen(play)
    const { entryFilled, exitFilled } = await play.result()
    assert.deepEqual([entryFilled, exitFilled, play.exits], ['7', '7', ['x1 7']])
    continuedOnce(play)
    const [{ entryEndedAt } = assert.fail('not planned'), ...others] = play.script.inputs('scheduleExit')
    for (const again of others) assert.equal(again.entryEndedAt, entryEndedAt)
    assert.equal(play.script.callsOf('submitOrder')[1]!.at, addMinutes(entryEndedAt, 6))
  })
})

describe('a signal that is to go on in another queue once its entry is sent', () => {
  const stage = useStage()
  const begin = (changes: Partial<SignalTerms>, answers: Answers): Promise<SignalPlay> =>
    stage.begin({ executeMode: 'scheduled', scheduledAt: stage.minutesFromNow(1), ...changes }, answers, {
      isToMove: true,
    })

  it('a signal that is to go on in another queue goes there while its exit waits: one exit, sized to the fill, at its time', async () => {
    const play = await begin({ exit: exitAfter(5) }, { submitOrder: [acceptsFilled, acceptsFilled] })
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual([play.continued, play.exits], [['moved'], ['x1 10']])
    assert.equal(new Set(play.script.inputs('scheduleExit').map(({ entryEndedAt }) => entryEndedAt)).size, 1)
  })

  for (const [entry, changes] of [
    ['rests', gtcLimit],
    ['at market is not filled', {}],
  ] as const)
    it(`a signal that is to go on in another queue goes there after five seconds while its entry ${entry}, and the fill is heard there`, async () => {
      const play = await begin({ ...changes, exit: exitAtOnce }, worksThenExits)
      await play.script.accepted('entry')
      await stage.letPass(4.9 / 60)
      assert.deepEqual(play.continued, [])
      await stage.letPass(0.2 / 60)
      assert.deepEqual(play.continued, ['moved'])
      await play.tell(play.entryId, 'FILLED', '10')
      assert.equal((await play.result()).exitFilled, '10')
      assert.deepEqual([play.continued, play.exits], [['moved'], ['x1 10']])
    })

  it('a signal that is to go on in another queue stays when its order fills within seconds', async () => {
    const play = await begin({ ...gtcLimit, exit: exitAtOnce }, worksThenExits)
    await play.script.accepted('entry')
    await stage.letPass(0.5 / 60)
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(play.continued, [])
  })

  for (const [role, exit, submitOrder] of [
    ['entry', null, [accepts]],
    ['exit', exitAtOnce, [acceptsFilled, accepts]],
  ] as const)
    it(`a signal that is to go on in another queue stays, and sets no timer but that of its time, when its ${role} order at market is all that is left of it`, async () => {
      const play = await begin({ exit }, { submitOrder })
      await play.script.accepted(role)
      await stage.letPass(1)
      await (role === 'entry' ? play.fillEntry() : play.fillExit())
      await play.result()
      assert.deepEqual(play.continued, [])
      assert.equal(play.run.commands.filter((command) => command === 'timer').length, 1)
    })

  it('a signal that is to go on in another queue stays when it has nothing to wait for: the entry is filled at once, or denied', async () => {
    const filled = await begin({}, { submitOrder: [acceptsFilled] })
    assert.equal((await filled.result()).entryFilled, '10')
    const denied = await begin({}, { prepareEntry: [strategyPaused] })
    assert.equal((await denied.result()).reason, 'STRATEGY_PAUSED')
    for (const play of [filled, denied]) assert.deepEqual(play.continued, [])
  })

  it('a signal that is to go on in another queue stays while it waits for its time, also where its history grew long, and goes there afterwards', async () => {
    const play = await begin({ exit: exitAfter(5) }, { submitOrder: [acceptsFilled, acceptsFilled] })
    await stage.lengthen(play)
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual([play.continued, play.exits], [['stayed', 'moved'], ['x1 10']])
  })
})

describe('continue-as-new of a signal on a real server', function () {
  this.timeout(30_000)
  let stage: RealStage
  before(async () => {
    stage = await SignalStage.onServerAt(await shortHistoryAddress())
  })
  after(() => stage?.close())

  it('continue-as-new of a signal with messages at the same time: none is lost, none is answered twice', async () => {
    for (let round = 0; round < 2; round += 1) {
      const play = await stage.begin({ ...gtcLimit, exit: exitAfter(0) }, worksThenExits)
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
      const { entryFilled, exitFilled } = await play.result()
      const isCancelled = exitCancelled.status === 'fulfilled'
      assert.deepEqual([entryFilled, exitFilled], ['10', isCancelled ? '0' : '10'])
      assert.equal(play.script.inputs('recordExitCancelled').length, isCancelled ? 1 : 0)
      assert.deepEqual(play.orderIds, isCancelled ? [play.entryId] : [play.entryId, play.exitId()])
    }
  })

  it('a signal leaves for another queue in a task that does nothing else, so that a message to the task which sends an order costs no second one', async () => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: stage.minutesFromNow(0.02), ...gtcLimit, exit: exitAtOnce },
      worksThenExits,
      { isToMove: true },
    )
    await eventually(async () => assert.equal((await play.runs()).length, 2), { within: 15_000 })
    const kinds = (await play.runs())[0]!
      .events!.slice(-5)
      .map((event) => Object.keys(event).find((key) => key.endsWith('Attributes')))
    assert.deepEqual(kinds, [
      'timerFiredEventAttributes',
      'workflowTaskScheduledEventAttributes',
      'workflowTaskStartedEventAttributes',
      'workflowTaskCompletedEventAttributes',
      'workflowExecutionContinuedAsNewEventAttributes',
    ])
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    const { client } = stage.server
    const { typedSearchAttributes } = await client.workflow.getHandle(play.handle.workflowId).describe()
    assert.equal(typedSearchAttributes.get(searchAttributes.status), 'executed')
    const counts = (await play.runs()).map(({ events }) => events?.length ?? 0)
    assert.ok(counts[0]! + counts[1]! <= 48, `${counts.join(' and ')} events`)
  })
})
