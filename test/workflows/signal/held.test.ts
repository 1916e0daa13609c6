import assert from 'node:assert/strict'
import type { SignalTerms } from '#domain/signal.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

const WHY = 'The order is worth $6,000, and orders above $5,000 wait for a person'
const holds: Answer<'prepareEntry'> = () => ({ outcome: 'held', detail: WHY })

describe('a signal whose entry is held for a person', function () {
  this.timeout(30_000)
  const stage = useStage()

  const held = async (changes: Partial<SignalTerms> = {}): Promise<SignalPlay> => {
    const play = await stage.begin(changes, (script) =>
      script.answer('prepareEntry', holds).answer('submitOrder', acceptsFilled, acceptsFilled),
    )
    await play.script.called('recordWaiting')
    return play
  }

  it('answers its sender that it is pending, and why', async () => {
    const { answer, play } = await stage.beginAndAwaitEntry({}, (script) =>
      script.answer('prepareEntry', holds),
    )
    assert.deepEqual(answer, {
      status: 'pending',
      orderId: null,
      reason: null,
      detail: null,
      advisories: [{ code: 'held_for_approval', message: WHY }],
    })
    await play.decline()
  })

  it('sends nothing until a person approves, and then the entry and its exit', async () => {
    const play = await held({ exit: exitAfter(1) })
    await stage.letPass(600)
    assert.deepEqual(play.orderIds, [])
    const { status } = await play.approve()
    assert.equal(status, 'executed')
    await play.result()
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })

  it('a signal whose entry is held for a person is sent with the edits of the person, and not after the time that the approval gives', async () => {
    const play = await held({ sendBefore: await stage.minutesFromNow(1) })
    const sendBefore = await stage.minutesFromNow(60)
    await play.approve({ quantity: '4', sendBefore })
    assert.equal(play.sent(play.entryId)[0]?.quantity, '4')
    const [input] = play.script.inputs('submitOrder')
    assert.equal(input?.sendBefore, sendBefore)
    assert.equal(play.script.inputs('prepareEntry').at(-1)?.quantity, '4')
  })

  for (const [title, end, status] of [
    ['declined', (play: SignalPlay) => play.decline('no'), 'rejected'],
    ['withdrawn', (play: SignalPlay) => play.withdraw(), 'cancelled'],
    ['replaced', (play: SignalPlay) => play.replace(), 'cancelled'],
  ] as const)
    it(`a signal whose entry is held for a person is ${title} like any other that waits`, async () => {
      const play = await held()
      await end(play)
      assert.equal((await play.result()).status, status)
      assert.deepEqual(play.orderIds, [])
    })

  it('expires when its time is over', async () => {
    const play = await held({ validUntil: await stage.minutesFromNow(5) })
    assert.equal((await play.result()).reason, 'EXPIRED')
    assert.deepEqual(play.orderIds, [])
  })

  it('a signal whose entry is held for a person may be a scheduled one, held when its time has come', async () => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(5) },
      (script) => script.answer('prepareEntry', holds).answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    await stage.letPass(6)
    await play.script.called('recordWaiting', 2)
    assert.deepEqual(
      play.script.inputs('recordWaiting').map((wait) => wait.for),
      ['time', 'person'],
    )
    await play.approve()
    assert.equal((await play.result()).status, 'executed')
  })

  it('a signal whose entry is held for a person cannot be approved before it is held', async () => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(5) },
      (script) => script.answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    await assert.rejects(play.approve())
    await play.withdraw()
  })
})
