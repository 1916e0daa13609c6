import assert from 'node:assert/strict'
import type { Answers } from '#test/support/recording-activities.ts'
import { refused } from '#test/support/rejections.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { databaseDown, plans } from '#test/support/step-answers.ts'

const limitEntry = { orderType: 'limit', limitPrice: '187.5', exit: exitAfter(30) } as const
const protection = {
  stop: { price: '95' },
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
} as const

describe('cancelling the exit of a signal', () => {
  const stage = useStage()

  async function working(answers: Answers = {}, changes: object = {}): Promise<SignalPlay> {
    const play = await stage.begin({ ...limitEntry, ...changes }, answers)
    await play.script.accepted('entry')
    return play
  }
  const isRefused = async (play: SignalPlay, why: RegExp, by?: string): Promise<void> =>
    assert.match((await refused(play.cancelExit(by), 'EXIT_NOT_CANCELLABLE')).message, why)

  for (const [when, filledQuantity, planned, prepare] of [
    ['while the entry works: the position stays open after the fill', '10', 0, undefined],
    ['while the entry works: a fill that ends it in part is acknowledged all the same', '3', 0, undefined],
    ['while the exit waits for its time: no exit is sent at that time', '10', 1, 'scheduleExit'],
  ] as const)
    it(`cancelling the exit of a signal ${when}`, async () => {
      const play = await working()
      const fill = () =>
        play.tell(play.entryId, filledQuantity === '10' ? 'FILLED' : 'CANCELLED', filledQuantity)
      if (prepare) await fill()
      if (prepare) await play.script.called(prepare)
      assert.deepEqual(await play.cancelExit(), { status: 'executed', reason: null })
      if (!prepare) await fill()
      const { entryFilled, exitFilled } = await play.result()
      assert.deepEqual([entryFilled, exitFilled, play.exits], [filledQuantity, '0', []])
      assert.equal(play.script.inputs('recordExitCancelled').length, 1)
      assert.equal(play.script.inputs('scheduleExit').length, planned)
      assert.equal(play.closed.exit, null)
      const told = 'The exit was cancelled by bob@example.test; the position stays open'
      if (prepare) assert.equal(play.closed.message, told)
      const acknowledged = { clientOrderId: play.entryId, filledQuantity }
      assert.deepEqual(play.closed.acknowledges, [acknowledged])
    })

  it('cancelling the exit of a signal while its time is found, which has come: no exit is sized', async () => {
    const play: SignalPlay = await working({
      scheduleExit: [
        (...call) => {
          void play.cancelExit()
          return plans(0)(...call)
        },
      ],
      recordExitCancelled: [
        async () => {
          await new Promise(setImmediate)
          return 'stopped' as const
        },
      ],
    })
    await play.tell(play.entryId, 'FILLED', '10')
    await play.result()
    assert.deepEqual(play.script.callsOf('sizeExit'), [])
  })

  it('cancelling the exit of a signal is refused while it has levels, which would end with it', async () => {
    const play = await working({}, { protection })
    await isRefused(play, /remove that first/)
    await play.changeProtection(null)
    await play.cancelExit()
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '0')
    assert.equal(play.script.inputs('recordExitCancelled').length, 1)
  })

  it('cancelling the exit of a signal after it was sent: rejected, and the exit is followed to its end', async () => {
    const play = await working()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.accepted('exit')
    await isRefused(play, /exit is with the broker/)
    assert.equal((await play.fillExit()).exitFilled, '10')
  })

  it('cancelling the exit of a signal when a crashed worker had already decided its size: rejected, and the exit is sent', async () => {
    const play = await working({ recordExitCancelled: [() => 'too_late'] })
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.called('scheduleExit')
    await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    assert.equal((await play.fillExit()).exitFilled, '10')
  })

  it('cancelling the exit of a signal without an exit, or before the entry is sent: rejected', async () => {
    await isRefused(await working({}, { exit: null }), /no exit/)
    const scheduled = await stage.begin({
      ...limitEntry,
      executeMode: 'scheduled',
      scheduledAt: stage.minutesFromNow(60),
    })
    await isRefused(scheduled, /./)
  })

  it('cancelling the exit of a signal twice: the second answer names the person who cancelled first', async () => {
    const play = await working()
    await play.cancelExit('ann')
    await isRefused(play, /cancelled by ann already/, 'carl')
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.result()
    assert.equal(play.script.inputs('recordExitCancelled').length, 1)
  })

  it('cancelling the exit of a signal while the end of the signal is being recorded: rejected, and the signal ends', async () => {
    const play = await working({ recordClosed: [databaseDown, databaseDown] })
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.script.called('recordClosed', 2)
    await isRefused(play, /./)
    assert.equal((await play.result()).entryFilled, '0')
  })
})
