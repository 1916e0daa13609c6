import assert from 'node:assert/strict'
import type { SignalScript } from '../../support/recording-activities.ts'
import { databaseDown } from '../../support/step-answers.ts'
import { changeProtection } from '#workflows/signal/contract.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import { refused } from '../../support/rejections.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

describe('cancelling the exit of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  const limitEntry = { orderType: 'limit', limitPrice: '187.5', exit: exitAfter(30) } as const

  async function working(prepare: (script: SignalScript) => unknown = () => {}): Promise<SignalPlay> {
    const play = await stage.begin(limitEntry, prepare)
    await play.script.accepted('entry')
    return play
  }

  const assertNoExit = (play: SignalPlay): void => {
    assert.equal(play.sent(play.exitId()).length, 0)
    assert.equal(play.script.inputs('recordExitCancelled').length, 1)
    assert.equal(play.script.inputs('recordClosed')[0]?.exit, null)
  }

  it('cancelling the exit of a signal while the entry works: the position stays open after the fill', async () => {
    const play = await working()
    assert.deepEqual(await play.cancelExit(), { status: 'executed', reason: null })
    await play.tell(play.entryId, 'FILLED', '10')
    assert.deepEqual(await play.result(), {
      status: 'executed',
      reason: null,
      entryFilled: '10',
      exitFilled: '0',
    })
    assertNoExit(play)
    assert.deepEqual(play.script.inputs('planExit'), [])
  })

  it('cancelling the exit of a signal while the exit waits for its time: no exit is sent at that time', async () => {
    const play = await working()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.called('planExit')
    await play.cancelExit()
    await play.result()
    assertNoExit(play)
    assert.equal(
      play.script.inputs('recordClosed')[0]?.message,
      'The exit was cancelled by bob@example.test; the position stays open',
    )
  })

  it('cancelling the exit of a signal is refused while it has an exit plan, which would end with it', async () => {
    const protection = {
      stop: { price: '95' },
      target: null,
      trail: null,
      breakEven: null,
      until: 'closed',
    } as const
    const play = await stage.begin({ ...limitEntry, protection })
    await play.script.accepted('entry')
    const { message } = await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    assert.match(message, /take that away first/)
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: null }] })
    await play.cancelExit()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.result()
    assertNoExit(play)
  })

  it('cancelling the exit of a signal in the same task as the fill of the entry: no exit', async () => {
    const play = await working()
    await stage.stopWorker()
    await play.tell(play.entryId, 'FILLED', '10')
    const answer = play.cancelExit()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await stage.startWorker()
    assert.equal((await answer).status, 'executed')
    await play.result()
    assertNoExit(play)
  })

  it('cancelling the exit of a signal after it was sent: rejected, and the exit is followed to its end', async () => {
    const play = await working()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.called('planExit')
    await stage.letPass(30)
    await play.script.accepted('exit')
    const { message } = await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    assert.match(message, /exit is with the broker/)
    await play.tell(play.exitId(), 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
  })

  it('cancelling the exit of a signal when a crashed worker had already decided its size: rejected, and the exit is sent', async () => {
    const play = await working((script) => script.answer('recordExitCancelled', () => 'too_late'))
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.called('planExit')
    await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    await play.script.accepted('exit')
    await play.tell(play.exitId(), 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
  })

  it('cancelling the exit of a signal of a signal without an exit, or before the entry is sent: rejected', async () => {
    const without = await stage.begin()
    await without.script.accepted('entry')
    assert.match((await refused(without.cancelExit(), 'EXIT_NOT_CANCELLABLE')).message, /no exit/)
    await without.fillEntry()
    await without.result()
    const scheduled = await stage.begin({
      ...limitEntry,
      executeMode: 'scheduled',
      scheduledAt: await stage.minutesFromNow(60),
    })
    await refused(scheduled.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    await scheduled.withdraw()
    await scheduled.result()
  })

  it('twice: the second answer names the person who cancelled first', async () => {
    const play = await working()
    await play.cancelExit('ann')
    const { message } = await refused(play.cancelExit('carl'), 'EXIT_NOT_CANCELLABLE')
    assert.match(message, /cancelled by ann already/)
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.result()
    assert.equal(play.script.inputs('recordExitCancelled').length, 1)
  })

  it('cancelling the exit of a signal while the end of the signal is being recorded: rejected, and the signal ends', async () => {
    const play = await working((script) => script.answer('recordClosed', databaseDown, databaseDown))
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.script.called('recordClosed', 2)
    await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    assert.equal((await play.result()).entryFilled, '0')
  })

  it('cancelling the exit of a signal does not prevent the acknowledgement of a late fill', async () => {
    const play = await working()
    await play.cancelExit()
    await play.tell(play.entryId, 'CANCELLED', '3')
    assert.equal((await play.result()).entryFilled, '3')
    assertNoExit(play)
  })
})
