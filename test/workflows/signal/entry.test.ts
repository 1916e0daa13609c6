import assert from 'node:assert/strict'
import {
  accepts,
  acceptsFilled,
  acceptsUnheard,
  busy,
  databaseDown,
  fails,
  placesNothing,
  takenBack,
  unknownOutcome,
} from '../../support/step-answers.ts'
import { exitAfter, signalTerms } from '../../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

describe('the entry of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  it('the entry of a signal is sent by its terms, with the first entry id and the instant after which it is too old', async () => {
    const play = await stage.begin(
      {
        action: 'openShort',
        symbol: 'MSFT',
        quantity: '2.5',
        orderType: 'stopLimit',
        limitPrice: '410.25',
        stopPrice: '411',
        timeInForce: 'gtc',
      },
      (script) => script.answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.deepEqual(play.script.inputs('submitOrder'), [
      {
        accountId: play.terms.accountId,
        request: {
          clientOrderId: play.entryId,
          symbol: 'MSFT',
          side: 'SELL_SHORT',
          quantity: '2.5',
          orderType: 'stopLimit',
          limitPrice: '410.25',
          stopPrice: '411',
          timeInForce: 'gtc',
          extendedHours: false,
        },
        unknownSince: null,
        sendBefore: play.terms.sendBefore,
      },
    ])
  })

  it('filled at once without an exit rule: recorded, closed, no exit', async () => {
    const play = await stage.begin({}, (script) => script.answer('submitOrder', acceptsFilled))
    assert.deepEqual(await play.result(), {
      status: 'executed',
      reason: null,
      entryFilled: '10',
      exitFilled: '0',
    })
    // The attempt that sends the entry records both, so that the workflow has nothing more to do.
    assert.deepEqual(play.script.order, ['prepareEntry', 'submitOrder', 'recordAccepted', 'recordClosed'])
    const [closed] = play.script.inputs('recordClosed')
    assert.deepEqual(closed?.acknowledges, [{ clientOrderId: play.entryId, filledQuantity: '10' }])
    assert.equal(closed.exit, null)
    assert.equal(closed.rejected, false)
    assert.equal(closed.message, 'The entry is filled: 10 of 10 shares at 100')
  })

  it('accepted, and later reported filled by the feed: closed with that report and not before', async () => {
    const play = await stage.begin()
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    assert.deepEqual(await play.progress(), {
      status: 'executed',
      waitsFor: 'the entry order to end',
      until: null,
    })
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).entryFilled, '10')
  })

  for (const end of ['CANCELLED', 'EXPIRED'] as const) {
    it(`accepted and ${end} without a fill: still executed, its exit cancelled as ENTRY_NOT_FILLED`, async () => {
      const play = await stage.begin({ exit: exitAfter(5) })
      await play.script.accepted('entry')
      await play.tell(play.entryId, end, '0', { reason: 'by the broker' })
      assert.equal((await play.result()).status, 'executed')
      const [closed] = play.script.inputs('recordClosed')
      assert.deepEqual(closed?.exit, { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' })
      assert.equal(closed.message, `The entry order ended ${end} without a fill (by the broker)`)
      assert.deepEqual(play.script.inputs('planExit'), [])
    })
  }

  it('accepted and then rejected by the broker: rejected', async () => {
    const play = await stage.begin({ exit: exitAfter(5) })
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'REJECTED', '0', { reason: 'halted' })
    const outcome = await play.result()
    assert.equal(outcome.status, 'rejected')
    assert.equal(outcome.reason, 'BROKER_ERROR')
    const [closed] = play.script.inputs('recordClosed')
    assert.equal(closed?.rejected, true)
    assert.deepEqual(closed.exit, { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' })
  })

  it('ends without an order when the ledger has its end, which an execution recorded that is lost', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry({ exit: exitAfter(5) }, (script) =>
      script.answer('prepareEntry', () => ({
        outcome: 'ended',
        status: 'cancelled',
        reason: 'SUPERSEDED',
        detail: 'Replaced by a newer signal',
      })),
    )
    assert.deepEqual(await play.result(), {
      status: 'cancelled',
      reason: 'SUPERSEDED',
      entryFilled: '0',
      exitFilled: '0',
    })
    assert.equal(answer.status, 'cancelled')
    assert.deepEqual(play.script.order, ['prepareEntry'])
  })

  it('the entry of a signal that is too old when it is decided on ends as one that is too old when it is sent', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry({ action: 'closeLong' }, (script) =>
      script.answer('prepareEntry', () => ({
        outcome: 'denied',
        code: 'STALE',
        detail: 'the position was not shown',
      })),
    )
    assert.equal((await play.result()).status, 'error')
    assert.deepEqual([answer.status, answer.reason], ['error', 'STALE'])
    assert.equal(play.script.inputs('recordNotPlaced')[0]?.outcome, 'not_placed')
  })

  describe('that cannot be placed', () => {
    const cases = [
      ['denied', 'TRADING_STOPPED', 'rejected'],
      ['rejected', 'INSUFFICIENT_FUNDS', 'rejected'],
      ['stale', 'STALE', 'error'],
      ['conflict', 'DUPLICATE_CLIENT_ORDER_ID', 'error'],
    ] as const
    for (const [outcome, code, status] of cases) {
      it(`the entry of a signal that cannot be placed because it is ${outcome}: ${status} with ${code}, told to whoever waits, sent once`, async () => {
        const { play, answer } = await stage.beginAndAwaitEntry({ exit: exitAfter(5) }, (script) =>
          script.answer('submitOrder', placesNothing(outcome, code, 'in the words of the broker')),
        )
        assert.deepEqual(await play.result(), {
          status,
          reason: code,
          entryFilled: '0',
          exitFilled: '0',
        })
        assert.deepEqual(answer, {
          status,
          orderId: null,
          reason: code,
          detail: 'in the words of the broker',
        })
        assert.deepEqual(play.script.order, ['prepareEntry', 'submitOrder', 'recordNotPlaced'])
        const [recorded] = play.script.inputs('recordNotPlaced')
        assert.equal(recorded?.outcome, status === 'rejected' ? 'rejected' : 'not_placed')
        assert.equal(recorded.code, code)
      })
    }
  })

  it('the entry of a signal whose decision was taken back is decided on anew, and sent under the same id', async () => {
    const play = await stage.begin({}, (script) =>
      script.answer('submitOrder', takenBack('everything was stopped'), acceptsFilled),
    )
    assert.equal((await play.result()).status, 'executed')
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'recordClosed',
    ])
    assert.equal(play.sent(play.entryId).length, 2)
  })

  it('the entry of a signal whose decision was taken back can be withdrawn before it is decided on anew', async () => {
    const play = await stage.begin({ sendBefore: await stage.minutesFromNow(60) }, (script) =>
      script
        .answer('submitOrder', takenBack('everything was stopped'))
        .answer(
          'prepareEntry',
          () => ({ outcome: 'ready', quantity: '10', advisories: [] }),
          ...Array.from({ length: 20 }, () => fails('everything is stopped', 'Halted')),
        ),
    )
    await play.script.called('prepareEntry', 3)
    assert.equal((await play.withdraw('ann@example.test')).status, 'cancelled')
    assert.equal((await play.result()).status, 'cancelled')
  })

  describe('whose outcome is unknown', () => {
    it('the entry of a signal whose outcome is unknown is recorded as transmitted, then sent again under the same id until the broker tells', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', unknownOutcome, unknownOutcome, acceptsFilled),
      )
      assert.equal((await play.result()).status, 'executed')
      assert.deepEqual(play.script.order, [
        'prepareEntry',
        'submitOrder',
        'recordTransmitted',
        'submitOrder',
        'submitOrder',
        'recordAccepted',
        'recordClosed',
      ])
      const [first, ...again] = play.script.inputs('submitOrder')
      const [transmitted] = play.script.inputs('recordTransmitted')
      assert.equal(first?.unknownSince, null)
      assert.equal(transmitted?.cause, 'the broker did not answer within 5000 ms')
      for (const attempt of again) assert.deepEqual(attempt, { ...first, unknownSince: transmitted.at })
      assert.deepEqual(
        play.script.callsOf('submitOrder').map(({ onTheSpot }) => onTheSpot),
        [true, false, false],
      )
    })

    it('the entry of a signal whose outcome is unknown because nothing was heard of the attempt that checked and sent it: checked again, and looked up before it is sent', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', acceptsUnheard, acceptsFilled),
      )
      assert.equal((await play.result()).status, 'executed')
      assert.deepEqual(
        play.script.order.filter((step) => step !== 'recordAccepted'),
        ['prepareEntry', 'submitOrder', 'prepareEntry', 'recordTransmitted', 'submitOrder', 'recordClosed'],
      )
      const [first, second] = play.script.callsOf('submitOrder')
      assert.equal(first?.input.unknownSince, null)
      const since = second?.input.unknownSince
      assert.ok(since && since <= first.at, `unknown since ${since}, first tried at ${first.at}`)
      assert.deepEqual(
        play.script.inputs('recordTransmitted').map(({ at }) => at),
        [since],
      )
    })

    it('the entry of a signal whose outcome is unknown is unknown since the first attempt began', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', unknownOutcome, acceptsFilled),
      )
      await play.result()
      const [first] = play.script.callsOf('submitOrder')
      const since = play.script.inputs('submitOrder')[1]?.unknownSince
      assert.ok(since && since <= first!.at, `unknown since ${since}, first tried at ${first?.at}`)
    })

    it('the entry of a signal whose outcome is unknown and then rejected by the broker: rejected', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', unknownOutcome, placesNothing('rejected', 'INVALID_ORDER', 'no')),
      )
      assert.equal((await play.result()).status, 'rejected')
      assert.deepEqual(play.script.order, [
        'prepareEntry',
        'submitOrder',
        'recordTransmitted',
        'submitOrder',
        'recordNotPlaced',
      ])
    })

    it('the entry of a signal whose outcome is unknown because of an unexpected error: treated as unknown too', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', fails('unexpected end of JSON input', 'SyntaxError'), acceptsFilled),
      )
      await play.result()
      assert.equal(play.script.inputs('recordTransmitted').length, 1)
    })

    it('the entry of a signal whose outcome is unknown has status transmitted in answers and queries', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', unknownOutcome, unknownOutcome, unknownOutcome, acceptsFilled),
      )
      await play.script.called('submitOrder', 2)
      assert.deepEqual(await play.progress(), {
        status: 'transmitted',
        waitsFor:
          'the broker to say whether it has the entry order (the broker did not answer within 5000 ms)',
        until: null,
      })
      await play.result()
    })
  })

  it('delayed by a busy broker: not recorded as transmitted, because nothing was placed', async () => {
    const play = await stage.begin({}, (script) => script.answer('submitOrder', busy, busy, acceptsFilled))
    assert.equal((await play.result()).status, 'executed')
    assert.deepEqual(play.script.inputs('recordTransmitted'), [])
    assert.equal(play.sent(play.entryId).length, 3)
  })

  it('accepted while the database is down: only the record is repeated, never the submission', async () => {
    const outage = Array.from({ length: 6 }, () => databaseDown)
    const play = await stage.begin({}, (script) =>
      script.answer('submitOrder', accepts).answer('recordAccepted', ...outage),
    )
    await play.script.accepted('entry', 2)
    // The feed hears of the fill before the ledger does.
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).entryFilled, '10')
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      ...Array.from({ length: 7 }, () => 'recordAccepted'),
      'recordClosed',
    ])
    const inputs = play.script.inputs('recordAccepted')
    for (const input of inputs) assert.deepEqual(input, inputs[0])
  })

  it('rejected while the database is down: the rejection is recorded later, and the order is sent once', async () => {
    const play = await stage.begin({}, (script) =>
      script
        .answer('submitOrder', placesNothing('rejected', 'INSUFFICIENT_FUNDS', 'no funds'))
        .answer('recordNotPlaced', databaseDown, databaseDown, databaseDown),
    )
    assert.equal((await play.result()).reason, 'INSUFFICIENT_FUNDS')
    assert.equal(play.script.inputs('submitOrder').length, 1)
    assert.equal(play.script.inputs('recordNotPlaced').length, 4)
  })

  it('the entry of a signal of a signal started twice: the second start is refused', async () => {
    const { signalId } = signalTerms()
    const first = await stage.begin({ signalId }, (script) => script.answer('submitOrder', accepts))
    await assert.rejects(stage.begin({ signalId }), /already started/i)
    await first.fillEntry()
    await first.result()
    assert.equal(first.sent(first.entryId).length, 1)
  })
})
