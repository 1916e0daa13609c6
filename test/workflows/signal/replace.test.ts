import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderStatus } from '#domain/order/order.ts'
import type { Answers } from '#test/support/recording-activities.ts'
import { refused } from '#test/support/rejections.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  databaseDown,
  fails,
  placesNothing,
  stands,
  times,
  unknownOutcome,
  waitsForEarlierSignals,
} from '#test/support/step-answers.ts'

const cancelled = stands('CANCELLED')
const open = stands('OPEN')
const unreachable = fails('no answer', 'OutcomeUnknown')
/** All requests of one cancel fail. */
const outage = times(12, unreachable)
const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc', exit: exitAtOnce } as const
const inDoubt = [unknownOutcome, unknownOutcome, accepts]
const granted = { warning: null }

describe('a newer signal with the same sourceId', () => {
  const stage = useStage()

  /** A signal whose entry works at a broker that answers cancels like this. */
  async function working(
    cancelOrder: Answers['cancelOrder'] = [],
    answers: Answers = {},
  ): Promise<SignalPlay> {
    const play = await stage.begin(gtcLimit, { cancelOrder, ...answers })
    await play.script.accepted('entry')
    return play
  }
  /** Who took the place of the signal, and the order whose end is recorded with that. */
  const replacedBy = (play: SignalPlay) =>
    play.script
      .inputs('recordReplaced')
      .map(({ replacement, acknowledges }) => [replacement.row['by'], acknowledges])
  async function endsSuperseded(play: SignalPlay, by: string, acknowledges: string | null): Promise<void> {
    const { status, reason } = await play.result()
    assert.deepEqual([status, reason], ['cancelled', 'SUPERSEDED'])
    assert.deepEqual(replacedBy(play), [[by, acknowledges]])
  }
  /** The filled shares leave, and no newer signal was stored. */
  async function exitsWhole(play: SignalPlay, quantity: Decimal): Promise<void> {
    assert.equal((await play.fillExit()).exitFilled, quantity)
    assert.deepEqual(replacedBy(play), [])
  }

  describe('before the entry is sent', () => {
    for (const executeMode of ['scheduled', 'pending'] as const)
      it(`a newer signal with the same sourceId replaces a ${executeMode} signal, which ends cancelled as SUPERSEDED`, async () => {
        const play = await stage.begin({ executeMode, scheduledAt: stage.minutesFromNow(60) })
        assert.deepEqual(await play.replace('later'), granted)
        await endsSuperseded(play, 'later', null)
        assert.equal(play.script.inputs('recordReplaced')[0]?.working, null)
        assert.deepEqual(play.orderIds, [])
      })

    it('a newer signal with the same sourceId replaces a signal that waits for earlier ones', async () => {
      const play = await stage.begin({}, { prepareEntry: times(100, waitsForEarlierSignals) })
      await play.script.called('prepareEntry')
      assert.deepEqual(await play.replace(), granted)
      await endsSuperseded(play, 'the sender', null)
      assert.deepEqual(play.orderIds, [])
    })

    it('a newer signal with the same sourceId waits for the order that a crashed worker had decided to send, and then for its cancel', async () => {
      const play = await stage.begin(
        { ...gtcLimit, executeMode: 'pending' },
        { recordReplaced: [() => 'too_late'], cancelOrder: [cancelled] },
      )
      assert.deepEqual(await play.replace(), granted)
      assert.equal((await play.result()).reason, 'SUPERSEDED')
      assert.deepEqual(
        replacedBy(play).map(([, acknowledges]) => acknowledges),
        [null, play.entryId],
      )
    })
  })

  describe('while the entry is sent and its outcome is unknown', () => {
    it('a newer signal with the same sourceId while the outcome of the entry is unknown waits; the entry is accepted: it is cancelled and the newer signal stored', async () => {
      const play = await stage.begin(gtcLimit, { submitOrder: inDoubt, cancelOrder: [cancelled] })
      await play.script.called('submitOrder', 2)
      assert.deepEqual(await play.replace(), granted)
      await endsSuperseded(play, 'the sender', play.entryId)
    })

    it('a newer signal with the same sourceId while the outcome of the entry is unknown waits; the entry is rejected: there is nothing to replace any more', async () => {
      const rejects = placesNothing('rejected', 'INVALID_ORDER', 'no')
      const play = await stage.begin(gtcLimit, { submitOrder: [unknownOutcome, unknownOutcome, rejects] })
      await play.script.called('submitOrder', 2)
      await refused(play.replace(), 'SIGNAL_ENDED')
      assert.equal((await play.result()).status, 'rejected')
    })
  })

  describe('while the entry works', () => {
    it('a newer signal with the same sourceId while the entry works unfilled: it is cancelled first; both happen in one record', async () => {
      const play = await working([cancelled])
      assert.deepEqual(await play.replace(), granted)
      await endsSuperseded(play, 'the sender', play.entryId)
      assert.equal(play.script.inputs('cancelOrder')[0]?.onlyIfUnfilled, true)
      assert.equal(play.script.inputs('recordClosed').length, 1)
    })

    it('a newer signal with the same sourceId while the entry works, partly filled at the broker: rejected with the filled quantity, the order works on and gets its exit', async () => {
      const play = await working([stands('PARTIALLY_FILLED', '4')])
      const { message, details } = await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
      assert.equal(message, '4 of 10 shares filled')
      assert.deepEqual(details, [{ filled: '4', total: '10' }])
      await play.tell(play.entryId, 'FILLED', '10')
      await exitsWhole(play, '10')
    })

    it('a newer signal with the same sourceId while the entry works, partly filled in the ledger: rejected without a request to the broker', async () => {
      const play = await working()
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
      assert.deepEqual(play.script.inputs('cancelOrder'), [])
      await play.tell(play.entryId, 'CANCELLED', '4')
      await exitsWhole(play, '4')
    })

    const whileCancelled: [OrderStatus, Decimal][] = [
      ['FILLED', '10'],
      ['CANCELLED', '3'],
      ['CANCELLED', '0'],
    ]
    for (const [end, quantity] of whileCancelled)
      it(`a newer signal with the same sourceId while the entry works and ends while its cancel is pending (${end} with ${quantity}): ${quantity === '0' ? 'replaced' : 'rejected, and the filled shares get their exit'}`, async () => {
        const play = await working([open])
        const answer = play.replace()
        await play.script.called('cancelOrder')
        await play.tell(play.entryId, end, quantity)
        if (quantity === '0') {
          assert.deepEqual(await answer, granted)
          return endsSuperseded(play, 'the sender', play.entryId)
        }
        await refused(answer, 'REPLACE_REFUSED_FILLED')
        return exitsWhole(play, quantity)
      })

    it('a newer signal with the same sourceId while the entry works and fills while its cancel is pending, before the feed reports it: the broker is asked again, and it is rejected', async () => {
      const play = await working([open, stands('FILLED', '10')])
      await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
      await exitsWhole(play, '10')
    })
  })

  describe('whose cancel fails at the broker', () => {
    it('a newer signal with the same sourceId whose cancel fails at the broker is stored with a warning; the cancel of the old order is requested until it has ended', async () => {
      const play = await working([...outage, cancelled])
      const { warning } = await play.replace()
      assert.match(warning ?? '', /has not cancelled the old order yet \(no answer\)/)
      await endsSuperseded(play, 'the sender', null)
      const { accountId } = play.terms
      const brokerOrderId = `broker-${play.entryId}`
      assert.deepEqual(play.script.inputs('recordReplaced')[0]?.working, { accountId, brokerOrderId })
      assert.deepEqual(play.closed.acknowledges, [{ clientOrderId: play.entryId, filledQuantity: '0' }])
      assert.deepEqual(play.closed.exit, { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' })
    })

    it('a newer signal with the same sourceId whose cancel fails at the broker and has filled when the newer signal is about to be stored: rejected, and it gets its exit', async () => {
      const play: SignalPlay = await working(outage, {
        recordReplaced: [
          (_, at) => ({
            filled: reportOf(play.sent(play.entryId)[0]!, at, { status: 'FILLED', ...filled('10', at) }),
          }),
        ],
      })
      await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
      const { status, exitFilled } = await play.fillExit()
      assert.deepEqual([status, exitFilled], ['executed', '10'])
    })

    it('a newer signal with the same sourceId whose cancel fails at the broker has the broker asked again after 1, 5 and every 15 minutes to cancel the old order, until it has ended', async () => {
      const play = await working(times(100, open))
      await play.replace()
      const before = play.script.inputs('cancelOrder').length - 1
      await stage.letPass(60)
      const asked = play.script
        .callsOf('cancelOrder')
        .slice(before)
        .map(({ at }) => Date.parse(at) / 60_000)
      const minutes = asked.slice(1).map((at, index) => Math.round(at - asked[index]!))
      assert.deepEqual(minutes, [1, 5, 15, 15, 15])
      await play.tell(play.entryId, 'CANCELLED', '0')
      await endsSuperseded(play, 'the sender', null)
    })

    /** What comes of the old order later on. */
    const LATER: Record<string, [act: (play: SignalPlay) => Promise<unknown>, exitFilled: Decimal]> = {
      'and fills late: the position gets its exit': [
        async (play) => {
          await play.tell(play.entryId, 'FILLED', '10')
          await play.fillExit()
        },
        '10',
      ],
      'and is then rejected by the broker': [
        async (play) => {
          await play.tell(play.entryId, 'REJECTED', '0')
          await play.result()
          assert.equal(play.closed.rejected, false)
        },
        '0',
      ],
      'and is replaced a second time: there is nothing to replace any more': [
        async (play) => {
          await refused(play.replace('second'), 'SIGNAL_ENDED')
          await play.tell(play.entryId, 'CANCELLED', '0')
        },
        '0',
      ],
      'answers a person who cancels the exit of the old one, whose late fill then has none': [
        async (play) => {
          assert.equal((await play.cancelExit()).status, 'cancelled')
          await play.tell(play.entryId, 'FILLED', '10')
          await play.result()
          assert.deepEqual(play.exits, [])
        },
        '0',
      ],
      'and its exit is cancelled while it fills late: the fill stays': [
        async (play) => {
          const answer = play.cancelExit()
          await play.tell(play.entryId, 'FILLED', '10')
          assert.equal((await answer).status, 'cancelled')
          await play.result()
          assert.equal(play.script.inputs('recordExitCancelled').length, 1)
        },
        '0',
      ],
    }
    for (const [title, [act, exitFilled]] of Object.entries(LATER))
      it(`a newer signal with the same sourceId whose cancel fails at the broker ${title}; the signal stays cancelled`, async () => {
        const play = await working(times(100, open))
        assert.match((await play.replace()).warning ?? '', /has not cancelled/)
        await act(play)
        await endsSuperseded(play, 'the sender', null)
        assert.equal((await play.result()).exitFilled, exitFilled)
      })
  })

  it('a newer signal with the same sourceId after the entry has filled, its exit waiting: rejected, and the exit stays planned', async () => {
    const play = await stage.begin({ exit: exitAfter(30) })
    await play.fillEntry()
    await play.script.called('scheduleExit')
    await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
    await play.script.accepted('exit')
    await refused(play.replace(), 'REPLACE_REFUSED_FILLED')
    await exitsWhole(play, '10')
  })

  it('a newer signal with the same sourceId after the entry has ended unfilled, its end being recorded: rejected as ended, and the signal ends', async () => {
    const play = await working([], { recordClosed: [databaseDown, databaseDown] })
    await play.tell(play.entryId, 'EXPIRED', '0')
    await play.script.called('recordClosed', 2)
    await refused(play.replace(), 'SIGNAL_ENDED')
    assert.equal((await play.result()).status, 'executed')
  })

  it('a newer signal with the same sourceId three times at once, and the entry is partly filled: all are rejected', async () => {
    const play = await working([stands('PARTIALLY_FILLED', '4')])
    const three = ['a', 'b', 'c'].map((by) => refused(play.replace(by), 'REPLACE_REFUSED_FILLED'))
    await Promise.all(three)
    await play.tell(play.entryId, 'CANCELLED', '4')
    await exitsWhole(play, '4')
  })
})
