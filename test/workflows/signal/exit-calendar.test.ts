import assert from 'node:assert/strict'
import { addMinutes } from '#domain/wall-time.ts'
import { exitCalendarChanged } from '#workflows/signal/contract.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

const DAY = 24 * 60

/** Plans the exit for so many minutes after the end of its entry. */
const plans =
  (minutes: number): Answer<'planExit'> =>
  ({ entryEndedAt }) => ({ submitAt: addMinutes(entryEndedAt, minutes), reason: null })

describe('an exit whose calendar changes', function () {
  this.timeout(30_000)
  const stage = useStage()
  const begin = (...plansInTurn: Answer<'planExit'>[]) =>
    stage.begin({ exit: exitAfter(30) }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('planExit', ...plansInTurn),
    )

  it('an exit whose calendar changes is planned again every day, by its plan so far, and at six events a day', async () => {
    const play = await begin(plans(20 * DAY + 60))
    await play.script.called('planExit')
    await stage.letPass(DAY)
    await play.script.called('planExit', 2)
    const before = (await play.history()).length
    await stage.letPass(10 * DAY + 60)
    await play.script.called('planExit', 12)
    const inputs = play.script.inputs('planExit')
    assert.equal(inputs.length, 12)
    assert.equal(inputs[0]?.plannedFor, undefined)
    for (const { plannedFor, entryEndedAt } of inputs.slice(1))
      assert.equal(plannedFor, addMinutes(entryEndedAt, 20 * DAY + 60))
    const grown = (await play.history()).length - before
    assert.ok(grown <= 60, `${grown} events in ten days`)
    await play.result()
    const [sent] = play.script.callsOf('submitOrder').slice(1)
    const late = Date.parse(sent!.at) - Date.parse(addMinutes(inputs[0]!.entryEndedAt, 20 * DAY + 60))
    assert.ok(late >= 0 && late < 2_000, `${late} ms late`)
  })

  it('an exit whose calendar changes is planned again when the feed has seen another calendar, and leaves at its new, earlier time', async () => {
    const play = await begin(plans(300), plans(120))
    await play.script.called('planExit')
    await stage.letPass(1)
    await play.handle.signal(exitCalendarChanged)
    await play.script.called('planExit', 2)
    await stage.letPass(118.5)
    assert.equal(play.script.callsOf('sizeExit').length, 0)
    await play.result()
    const { entryEndedAt } = play.script.inputs('planExit')[0]!
    const [sized] = play.script.callsOf('sizeExit')
    const late = Date.parse(sized!.at) - Date.parse(addMinutes(entryEndedAt, 120))
    assert.ok(late >= 0 && late < 2_000, `${late} ms late`)
  })

  it('an exit whose calendar changes is planned anew when the exchange turns out to be closed at its time, and is sized only then', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('planExit', plans(0), plans(3 * DAY))
        .answer('sizeExit', (_, at) => ({ quantity: null, coversQuantity: null, notBefore: at })),
    )
    await play.script.called('planExit', 2)
    const [first, second] = play.script.inputs('planExit')
    assert.equal(second?.plannedFor, first?.entryEndedAt)
    assert.equal((await play.progress()).until, addMinutes(first!.entryEndedAt, 3 * DAY))
    await stage.letPass(DAY)
    await play.script.called('planExit', 3)
    await play.result()
    assert.equal(play.script.callsOf('sizeExit').length, 2)
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  it('an exit whose calendar changes of which the calendar says both open and closed is tried again after a moment, and its owner is told', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('sizeExit', (_, at) => ({ quantity: null, coversQuantity: null, notBefore: at })),
    )
    await play.result()
    const [trouble] = play.script.inputs('recordExitTrouble')
    assert.equal(trouble?.kind, 'held')
    assert.match(trouble.detail, /open, and that it is closed/)
    assert.equal(play.script.callsOf('sizeExit').length, 2)
  })

  it('an exit whose calendar changes may be cancelled by a person while it waits for its new time', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('planExit', plans(0), plans(3 * DAY))
        .answer('sizeExit', (_, at) => ({ quantity: null, coversQuantity: null, notBefore: at })),
    )
    await play.script.called('planExit', 2)
    await play.cancelExit()
    await play.result()
    assert.equal(play.script.callsOf('recordExitCancelled').length, 1)
  })

  it('leaves at the time of its plan when it cannot be planned again meanwhile', async () => {
    const unknown: Answer<'planExit'> = () => {
      throw new Error('the calendar cannot be read')
    }
    const play = await begin(plans(DAY + 30), ...Array.from({ length: 200 }, () => unknown))
    await play.result()
    const { entryEndedAt } = play.script.inputs('planExit')[0]!
    const [sized] = play.script.callsOf('sizeExit')
    const late = Date.parse(sized!.at) - Date.parse(addMinutes(entryEndedAt, DAY + 30))
    assert.ok(late >= 0 && late < 2_000, `${late} ms late`)
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  it('an exit whose calendar changes whose time cannot be found out leaves within seconds of the time being known', async () => {
    const unknown: Answer<'planExit'> = () => {
      throw new Error('the calendar cannot be believed')
    }
    const play = await begin(...Array.from({ length: 20 }, () => unknown), plans(0))
    await play.result()
    const tries = play.script.callsOf('planExit').map(({ at }) => Date.parse(at))
    const pauses = tries.slice(1).map((at, index) => at - tries[index]!)
    assert.ok(Math.max(...pauses) < 5_000, `${pauses.join(', ')} ms`)
    const [trouble] = play.script.inputs('recordExitTrouble')
    assert.equal(trouble?.kind, 'unplanned')
  })
})
