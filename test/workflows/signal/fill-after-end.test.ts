import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import type { Answer } from '#test/support/recording-activities.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { accepts, acceptsFilled, placesNothing } from '#test/support/step-answers.ts'

const refusal = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

describe('the end of a signal', () => {
  const stage = useStage()

  /** A signal whose entry was cancelled with so many shares filled, and which has ended with that. */
  async function ended(
    exit: ExitRule,
    quantity: Decimal,
    ...exits: Answer<'submitOrder'>[]
  ): Promise<SignalPlay> {
    const play = await stage.begin({ exit }, { submitOrder: [accepts, ...exits] })
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', quantity)
    assert.equal((await play.result()).entryFilled, quantity)
    return play
  }

  it('a fill that comes after a signal has ended without a fill: the shares get an exit by its rule, at its time', async () => {
    const play = await ended(exitAfter(30), '0', acceptsFilled)
    const again = await stage.reopen(play, play.entryId, '3')
    const outcome = { status: 'executed', reason: null, entryFilled: '3', exitFilled: '3' }
    assert.deepEqual(await again.result(), outcome)
    assert.deepEqual(play.exits, ['x2 3'])
    const [plan] = play.script.inputs('scheduleExit')
    assert.equal(play.script.callsOf('submitOrder')[1]!.at, addMinutes(plan!.entryEndedAt, 30))
    assert.deepEqual(
      play.script.inputs('recordClosed').map(({ closing, exit }) => `${closing} ${exit?.status}`),
      ['1 cancelled', '2 filled'],
    )
  })

  it('a fill that comes after a signal has ended with its exit filled: only the difference gets one more exit, under an id of its own', async () => {
    const play = await ended(exitAtOnce, '7', acceptsFilled, refusal, acceptsFilled, acceptsFilled)
    await (await stage.reopen(play, play.entryId, '8')).result()
    const last = await (await stage.reopen(play, play.entryId, '10')).result()
    assert.deepEqual([last.entryFilled, last.exitFilled], ['10', '10'])
    assert.deepEqual(play.exits, ['x1 7', 'x3 1', 'x4 1', 'x6 2'])
  })

  it('a fill that comes after a signal has ended, reported twice, the second time after its exit is filled: nothing more is sent', async () => {
    const play = await ended(exitAtOnce, '0', acceptsFilled)
    for (let round = 0; round < 2; round += 1)
      assert.equal((await (await stage.reopen(play, play.entryId, '3')).result()).exitFilled, '3')
    assert.deepEqual(play.exits, ['x2 3'])
    assert.equal(play.script.inputs('scheduleExit').length, 1)
  })

  it('a fill that comes after a signal has ended, reported when the ledger has counted it already: the run ends at once, and nothing is sent', async () => {
    const play = await ended(exitAtOnce, '3', acceptsFilled)
    await (await stage.reopen(play, play.entryId, '3')).result()
    assert.deepEqual(play.exits, ['x1 3'])
    assert.equal(play.script.inputs('recordClosed').length, 1)
  })

  it('a fill that comes after a signal has ended, reported by two workers at once: one run, one exit', async () => {
    const play = await ended(exitAtOnce, '0', accepts)
    await Promise.all([1, 2].map(() => stage.reopen(play, play.entryId, '3')))
    await play.script.accepted('exit')
    await play.tell(play.exitId(2), 'FILLED', '3')
    await play.result()
    assert.equal(play.script.inputs('loadSignal').length, 1)
    assert.deepEqual(play.exits, ['x2 3'])
  })
})
