import assert from 'node:assert/strict'
import { accepts, acceptsFilled, placesNothing } from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

const refusal = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

describe('a fill that comes after a signal has ended', function () {
  this.timeout(30_000)
  const stage = useStage()

  const exits = (play: SignalPlay) =>
    play.script
      .inputs('submitOrder')
      .slice(1)
      .map(({ request }) => [request.clientOrderId, request.quantity])

  it('a fill that comes after a signal has ended without a fill: the shares get an exit by its rule, at its time', async () => {
    const play = await stage.begin({ exit: exitAfter(30) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '0')
    assert.equal((await play.result()).entryFilled, '0')
    const again = await stage.reopen(play, play.entryId, '3')
    assert.deepEqual(await again.result(), {
      status: 'executed',
      reason: null,
      entryFilled: '3',
      exitFilled: '3',
    })
    assert.deepEqual(exits(play), [[play.exitId(2), '3']])
    const [plan] = play.script.inputs('planExit')
    const [, exit] = play.script.callsOf('submitOrder')
    assert.ok(Date.parse(exit!.at) >= Date.parse(plan!.entryEndedAt) + 30 * 60_000)
    assert.deepEqual(
      play.script.inputs('recordClosed').map(({ closing, exit: end }) => [closing, end?.status]),
      [
        [1, 'cancelled'],
        [2, 'filled'],
      ],
    )
  })

  it('a fill that comes after a signal has ended with its exit filled: only the difference gets one more exit, under an id of its own', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled, refusal, acceptsFilled, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.result()
    await (await stage.reopen(play, play.entryId, '8')).result()
    const last = await (await stage.reopen(play, play.entryId, '10')).result()
    assert.deepEqual([last.entryFilled, last.exitFilled], ['10', '10'])
    assert.deepEqual(exits(play), [
      [play.exitId(1), '7'],
      [play.exitId(3), '1'],
      [play.exitId(4), '1'],
      [play.exitId(6), '2'],
    ])
  })

  it('reported twice, the second time after its exit is filled: nothing more is sent', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.result()
    for (let round = 0; round < 2; round += 1) {
      const again = await stage.reopen(play, play.entryId, '3')
      assert.equal((await again.result()).exitFilled, '3')
    }
    assert.deepEqual(exits(play), [[play.exitId(2), '3']])
    assert.equal(play.script.inputs('planExit').length, 1)
  })

  it('reported again when the ledger has counted it already: the run ends at once, and nothing is sent', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '3')
    await play.result()
    play.script.answer('reopenSignal', () => null)
    assert.equal((await (await stage.reopen(play, play.entryId, '3')).result()).exitFilled, '0')
    assert.deepEqual(exits(play), [[play.exitId(1), '3']])
    assert.equal(play.script.inputs('recordClosed').length, 1)
  })

  it('reported by two workers at once: one run, one exit', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', accepts, accepts),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.result()
    const [one] = await Promise.all([1, 2].map(() => stage.reopen(play, play.entryId, '3')))
    await play.script.accepted('exit')
    await one!.tell(play.exitId(2), 'FILLED', '3')
    await one!.result()
    assert.equal(new Set(play.script.inputs('reopenSignal').map(({ by }) => by)).size, 1)
    assert.deepEqual(exits(play), [[play.exitId(2), '3']])
  })
})
