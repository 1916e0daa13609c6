import assert from 'node:assert/strict'
import { addMinutes } from '#domain/wall-time.ts'
import {
  acceptsFilled,
  databaseDown,
  fails,
  type Answer,
  type SignalScript,
} from '../support/recording-activities.ts'
import { refused } from '../support/refusals.ts'
import type { SignalStage } from '../support/signal-stage.ts'
import { letPass, theStage } from './stage.ts'

const behind: Answer<'prepareEntry'> = () => ({ outcome: 'not_yet', behind: ['earlier'] })
const notYet = fails('waits for signal earlier', 'NotYourTurn')

/** Waits behind an earlier signal for so many looks. */
const waits =
  (looks: number) =>
  (script: SignalScript): unknown =>
    script
      .answer('prepareEntry', behind)
      .answer('prepareEntryInTurn', ...Array.from({ length: looks }, () => notYet))
      .answer('submitOrder', acceptsFilled)

describe('the checks before the entry', function () {
  this.timeout(30_000)
  let stage: SignalStage
  before(async () => {
    stage = await theStage()
  })

  it('that deny it: rejected with their code, nothing is sent', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry({}, (script) =>
      script.answer('prepareEntry', () => ({ outcome: 'denied', code: 'MODE_MISMATCH', detail: 'why' })),
    )
    assert.deepEqual(answer, { status: 'rejected', orderId: null, reason: 'MODE_MISMATCH', detail: 'why' })
    await play.result()
    assert.deepEqual(play.script.order, ['prepareEntry', 'recordNotPlaced'])
  })

  it('that find another size: that size is sent, and their advisories are recorded', async () => {
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'for 4' }]
    const { play, answer } = await stage.beginAndAwaitEntry({ action: 'closeLong' }, (script) =>
      script
        .answer('prepareEntry', () => ({ outcome: 'ready', quantity: '4', advisories }))
        .answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.equal(play.script.inputs('submitOrder')[0]?.request.quantity, '4')
    assert.deepEqual(play.script.inputs('recordEntryAccepted')[0]?.advisories, advisories)
    assert.deepEqual(answer.advisories, advisories)
  })

  it('that fail, because the database is down: repeated; the signal is as old as it is', async () => {
    const play = await stage.begin({}, (script) =>
      script
        .answer('prepareEntry', databaseDown)
        .answer('prepareEntryInTurn', databaseDown, databaseDown)
        .answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.equal(play.script.inputs('prepareEntryInTurn').length, 3)
    assert.equal(play.script.inputs('submitOrder')[0]?.notAfter, play.terms.staleAfter)
  })

  describe('that let it wait for its turn', () => {
    it('are repeated until it comes; from then on it has as long as it had from its acceptance', async () => {
      const play = await stage.begin({}, waits(3))
      await play.result()
      assert.equal(play.script.inputs('prepareEntryInTurn').length, 4)
      const [sent] = play.script.callsOf('submitOrder')
      assert.equal(sent?.onTheSpot, true)
      const from = play.script.callsOf('prepareEntryInTurn').at(-1)!.at
      // The window of the sample is a minute; the clock of the workflow lies between the two calls.
      assert.ok(sent.input.notAfter! >= addMinutes(from, 1) && sent.input.notAfter! <= addMinutes(sent.at, 1))
    })

    it('tell what it waits for, and cost no history, however long that takes', async () => {
      const play = await stage.begin({}, waits(100_000))
      await play.script.called('prepareEntryInTurn')
      assert.equal((await play.progress()).waitsFor, 'earlier signals of the account in AAPL (earlier)')
      const before = (await play.history()).length
      await letPass(5)
      assert.equal((await play.history()).length, before)
      await play.withdraw()
      await play.result()
    })

    it('and it is withdrawn meanwhile: cancelled, nothing is sent', async () => {
      const play = await stage.begin({}, waits(100_000))
      await play.script.called('prepareEntryInTurn')
      assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
      await play.result()
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('and it is withdrawn twice: the second is told so', async () => {
      const play = await stage.begin({}, (script) => {
        waits(100_000)(script)
        script.answer('recordCancelled', databaseDown, databaseDown)
      })
      await play.script.called('prepareEntryInTurn')
      const first = play.withdraw()
      await play.script.called('recordCancelled')
      const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
      assert.match(message, /withdrawn already/)
      await first
      await play.result()
    })

    it('and it expires meanwhile: cancelled as EXPIRED, nothing is sent', async () => {
      const validUntil = await stage.minutesFromNow(2)
      const play = await stage.begin({ validUntil, staleAfter: validUntil }, waits(100_000))
      await play.script.called('prepareEntryInTurn')
      await letPass(2)
      const outcome = await play.result()
      assert.deepEqual([outcome.status, outcome.reason], ['cancelled', 'EXPIRED'])
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('and it is valid until an instant: not sent after that, however late its turn', async () => {
      const validUntil = await stage.minutesFromNow(2)
      const play = await stage.begin({ validUntil, staleAfter: validUntil }, waits(1))
      await play.result()
      assert.equal(play.script.inputs('submitOrder')[0]?.notAfter, validUntil)
    })
  })

  it('that the books know to have been taken by a worker that was lost: a withdrawal is refused, the entry is sent', async () => {
    const play = await stage.begin({}, (script) => {
      waits(100_000)(script)
      script.answer('recordCancelled', () => 'too_late')
      script.answer('prepareEntry', ({ quantity }) => ({ outcome: 'ready', quantity, advisories: [] }))
    })
    await play.script.called('prepareEntryInTurn')
    const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
    assert.match(message, /about to be sent|is being sent|has an entry order/)
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.sent(play.entryId).length, 1)
  })

  it('in whose denial a withdrawal comes: the denial stands, and the withdrawal is told that', async () => {
    const play = await stage.begin({}, (script) =>
      script
        .answer('prepareEntry', () => ({ outcome: 'denied', code: 'MODE_MISMATCH', detail: 'why' }))
        .answer('recordNotPlaced', databaseDown, databaseDown),
    )
    await play.script.called('recordNotPlaced', 2)
    await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
    assert.equal((await play.result()).reason, 'MODE_MISMATCH')
  })
})
