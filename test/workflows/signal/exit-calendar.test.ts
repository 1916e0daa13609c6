import assert from 'node:assert/strict'
import { addMinutes } from '#domain/time/wall-time.ts'
import { exitCalendarChanged } from '#workflows/signal/contract.ts'
import type { Answer, Answers } from '#test/support/recording-activities.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { acceptsFilled, opensAt, plans, times } from '#test/support/step-answers.ts'

const DAY = 24 * 60
const unreadable: Answer<'scheduleExit'> = () => {
  throw new Error('the calendar cannot be read')
}

describe('an exit whose calendar changes', () => {
  const stage = useStage()
  const begin = (answers: Answers, exit = exitAfter(30)) =>
    stage.begin({ exit }, { submitOrder: [acceptsFilled, acceptsFilled], ...answers })
  /** The exchange turns out to be closed when the exit is sized first. */
  const closed = (...scheduleExit: Answer<'scheduleExit'>[]) =>
    begin({ scheduleExit, sizeExit: [opensAt()] }, exitAtOnce)

  it('an exit whose calendar changes is planned again every day, by its plan so far, with two commands each time', async () => {
    const play = await begin({ scheduleExit: [plans(20 * DAY + 60)] })
    await stage.letPass(DAY)
    assert.equal(play.script.callsOf('scheduleExit').length, 2)
    const before = play.run.commands.length
    await stage.letPass(10 * DAY + 60)
    const [first, ...others] = play.script.inputs('scheduleExit')
    const submitAt = addMinutes(first!.entryEndedAt, 20 * DAY + 60)
    assert.equal(first?.scheduledFor, undefined)
    assert.deepEqual(
      others.map(({ scheduledFor }) => scheduledFor),
      times(11, submitAt),
    )
    assert.deepEqual(play.run.commands.slice(before), times(10, ['scheduleExit', 'timer']).flat())
    await play.result()
    assert.equal(play.script.callsOf('submitOrder')[1]!.at, submitAt)
  })

  it('an exit whose calendar changes is planned again when the feed has seen another calendar, and leaves at its new, earlier time', async () => {
    const play = await begin({ scheduleExit: [plans(300), plans(120)] })
    await stage.letPass(1)
    await play.handle.signal(exitCalendarChanged)
    await play.result()
    const planned = play.script.inputs('scheduleExit')
    assert.equal(planned.length, 2)
    assert.equal(play.script.callsOf('sizeExit')[0]!.at, addMinutes(planned[0]!.entryEndedAt, 120))
  })

  it('an exit whose calendar changes is planned again when the exchange turns out to be closed at its time, and is sized only then', async () => {
    const play = await closed(plans(0), plans(3 * DAY))
    await play.script.called('scheduleExit', 2)
    const [first, second] = play.script.inputs('scheduleExit')
    assert.equal(second?.scheduledFor, first?.entryEndedAt)
    assert.equal((await play.progress()).until, addMinutes(first!.entryEndedAt, 3 * DAY))
    await stage.letPass(DAY)
    assert.equal(play.script.callsOf('scheduleExit').length, 3)
    await play.result()
    assert.deepEqual([play.script.callsOf('sizeExit').length, play.troubles], [2, []])
  })

  it('an exit whose calendar says both open and closed is tried again after a moment, and its owner is notified', async () => {
    const play = await closed()
    await play.result()
    const [{ kind, detail } = assert.fail('nobody was told')] = play.troubles
    assert.equal(kind, 'held')
    assert.match(detail, /open, and that it is closed/)
    assert.equal(play.script.callsOf('sizeExit').length, 2)
  })

  it('an exit whose calendar changes may be cancelled by a person while it waits for its new time', async () => {
    const play = await closed(plans(0), plans(3 * DAY))
    await play.script.called('scheduleExit', 2)
    await play.cancelExit()
    await play.result()
    assert.equal(play.script.callsOf('recordExitCancelled').length, 1)
  })

  it('an exit whose calendar changes leaves at the time of its plan when it cannot be planned again meanwhile', async () => {
    const play = await begin({ scheduleExit: [plans(DAY + 30), ...times(1_000, unreadable)] })
    await play.result()
    const { entryEndedAt } = play.script.inputs('scheduleExit')[0]!
    assert.equal(play.script.callsOf('sizeExit')[0]!.at, addMinutes(entryEndedAt, DAY + 30))
    assert.deepEqual(play.troubles, [])
  })

  it('an exit whose calendar changes whose time cannot be found out leaves within seconds of the time being known', async () => {
    const play = await begin({ scheduleExit: [...times(20, unreadable), plans(0)] })
    await play.result()
    const tries = play.script.callsOf('scheduleExit').map(({ at }) => Date.parse(at))
    const pauses = tries.slice(1).map((at, index) => at - tries[index]!)
    assert.ok(Math.max(...pauses) < 5_000, `${pauses.join(', ')} ms`)
    assert.equal(play.troubles[0]?.kind, 'unplanned')
  })
})
