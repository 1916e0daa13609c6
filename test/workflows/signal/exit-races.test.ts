import assert from 'node:assert/strict'
import { addMinutes } from '#domain/wall-time.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { accepts, acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import type { HistoryEvent } from '../../support/stage-server.ts'
import { useStage } from '#test/support/signal-stage.ts'

/**
 * A late fill and the exit's timer meet. Which came first is settled by the order of their events in the
 * history: the worker is stopped meanwhile, so that both lie before one workflow task, or it works in between.
 * The server's clock is not skipped here but runs, because a message to a stopped worker holds it.
 */
const EXIT_IN_MINUTES = 0.04

/** The events that matter to a race, in the order of the history, from the timer's start on. */
const raceIn = (events: HistoryEvent[]): string[] =>
  events
    .slice(events.findIndex((event) => event.timerStartedEventAttributes))
    .flatMap((event) =>
      event.workflowExecutionSignaledEventAttributes
        ? ['late fill']
        : event.timerFiredEventAttributes
          ? ['timer']
          : event.workflowTaskCompletedEventAttributes
            ? ['task']
            : [],
    )

async function timerFired(play: SignalPlay): Promise<void> {
  while (!(await play.history()).some((event) => event.timerFiredEventAttributes)) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('a late fill at the time of the exit,', function () {
  this.timeout(30_000)
  const stage = useStage()
  let play: SignalPlay
  let firstExit: typeof accepts

  const planned: Answer<'planExit'> = ({ entryEndedAt }) => ({
    submitAt: addMinutes(entryEndedAt, EXIT_IN_MINUTES),
    reason: null,
  })

  beforeEach(async () => {
    firstExit = acceptsFilled
    play = await stage.begin({ exit: exitAfter(1) }, (script) =>
      script
        .answer('submitOrder', accepts, (input, at) => firstExit(input, at), acceptsFilled)
        .answer('planExit', planned, planned),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '6')
    await play.script.called('planExit')
  })

  const exits = () =>
    play.script
      .inputs('submitOrder')
      .slice(1)
      .map(({ request }) => [request.clientOrderId, request.quantity])

  const lateFill = () => play.tell(play.entryId, 'CANCELLED', '7')

  it('a late fill at the time of the exit, in a workflow task before the timer: is included in the exit', async () => {
    await lateFill()
    assert.equal((await play.result()).exitFilled, '7')
    assert.deepEqual(raceIn(await play.history()).slice(0, 3), ['late fill', 'task', 'timer'])
    assert.deepEqual(exits(), [[play.exitId(1), '7']])
  })

  it('just before the timer, in the same workflow task: is included in the exit', async () => {
    await stage.stopWorker()
    await lateFill()
    await timerFired(play)
    await stage.startWorker()
    assert.equal((await play.result()).exitFilled, '7')
    assert.deepEqual(raceIn(await play.history()).slice(0, 3), ['late fill', 'timer', 'task'])
    assert.deepEqual(exits(), [[play.exitId(1), '7']])
  })

  it('just after the timer, in the same workflow task: is included in the exit', async () => {
    await stage.stopWorker()
    await timerFired(play)
    await lateFill()
    await stage.startWorker()
    assert.equal((await play.result()).exitFilled, '7')
    assert.deepEqual(raceIn(await play.history()).slice(0, 3), ['timer', 'late fill', 'task'])
    assert.deepEqual(exits(), [[play.exitId(1), '7']])
  })

  it('a late fill at the time of the exit, in a workflow task after the timer, with the exit working: gets a second exit when the first has ended', async () => {
    firstExit = accepts
    await play.script.accepted('exit')
    await lateFill()
    await lateFill()
    await play.tell(play.exitId(1), 'FILLED', '6')
    assert.equal((await play.result()).exitFilled, '7')
    assert.deepEqual(exits(), [
      [play.exitId(1), '6'],
      [play.exitId(2), '1'],
    ])
  })
})

describe('a message during the submission of an exit, which makes Temporal retry the task', function () {
  this.timeout(30_000)

  it('a message during the submission of an exit, which makes Temporal retry the task does not change the order that is sent again under the same id', async () => {
    const play: SignalPlay = await stage.begin({ exit: exitAfter(1) }, (script) =>
      script.answer(
        'submitOrder',
        accepts,
        async (input, at) => {
          await play.tell(play.entryId, 'CANCELLED', '7')
          return acceptsFilled(input, at)
        },
        acceptsFilled,
        acceptsFilled,
      ),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '6')
    assert.equal((await play.result()).exitFilled, '7')
    assert.deepEqual(new Set(play.sent(play.exitId(1)).map(({ quantity }) => quantity)), new Set(['6']))
    assert.deepEqual(new Set(play.sent(play.exitId(2)).map(({ quantity }) => quantity)), new Set(['1']))
  })
})
