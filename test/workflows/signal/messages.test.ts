import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { WorkflowNotFoundError } from '@temporalio/client'
import fc from 'fast-check'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderStatus } from '#domain/order/order.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  databaseDown,
  placesNothing,
  unknownOutcome,
} from '#test/support/step-answers.ts'

type Notified = readonly [status: OrderStatus, filledQuantity: Decimal]

/** An order for ten shares that is filled in steps and ends; what a broker would report, in order. */
const orderLife = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 4 }),
    fc.constantFrom<OrderStatus[]>('CANCELLED', 'EXPIRED'),
  )
  .map(([fills, end]): Notified[] => {
    const rising = fills.toSorted((a, b) => a - b)
    const last = rising.at(-1) ?? 0
    return [
      ['OPEN', '0'],
      ...rising.filter((fill) => fill < 10).map((fill): Notified => ['PARTIALLY_FILLED', `${fill}`]),
      [last === 10 ? 'FILLED' : end, `${last}`],
    ]
  })

/** The same reports as they may arrive: some lost, some twice, in any order; the end of the order always comes. */
const arrival = orderLife.chain((life) => {
  const end = life.at(-1)!
  return fc.tuple(fc.shuffledSubarray([...life, ...life]), fc.nat()).map(([reports, at]) => ({
    end,
    reports: reports.includes(end) ? reports : reports.toSpliced(at % (reports.length + 1), 0, end),
  }))
})

describe('messages to the workflow of a signal', () => {
  const stage = useStage()
  async function working(...[changes, answers]: Parameters<typeof stage.begin>): Promise<SignalPlay> {
    const play = await stage.begin(changes, answers)
    await play.script.accepted('entry')
    return play
  }
  /** The values that the search attribute for the status took after the start. */
  const statusesOf = ({ run }: SignalPlay) =>
    run.attributes.filter(({ name }) => name === 'SignalStatus').map(({ value }) => value)

  describe('orderChanged', () => {
    it('orderChanged before the main function runs: kept, and the entry counts as ended once accepted', async () => {
      const play = await stage.beginWithMessage({}, ({ signalId, symbol, quantity, acceptedAt }) =>
        reportOf(
          {
            clientOrderId: clientOrderIdFor(signalId, 'entry', 1),
            symbol,
            side: 'BUY',
            quantity,
            orderType: 'market',
            limitPrice: null,
            stopPrice: null,
            timeInForce: 'day',
            extendedHours: false,
          },
          acceptedAt,
          { status: 'FILLED', ...filled('10', acceptedAt) },
        ),
      )
      assert.equal((await play.result()).entryFilled, '10')
      assert.deepEqual(play.script.order, ['prepareEntry', 'submitOrder', 'recordAccepted', 'recordClosed'])
    })

    it('orderChanged while the acceptance is being recorded: the report is not lost', async () => {
      const play = await stage.begin({ exit: exitAtOnce }, { recordAccepted: [databaseDown, databaseDown] })
      await play.script.accepted('entry', 2)
      await play.tell(play.entryId, 'FILLED', '10')
      assert.equal((await play.fillExit()).exitFilled, '10')
    })

    it('orderChanged that comes twice: the same as once', async () => {
      const play = await working({ exit: exitAfter(1) })
      for (const id of [play.entryId, play.exitId()]) {
        await play.script.accepted(id === play.entryId ? 'entry' : 'exit')
        for (const [status, quantity] of [
          ['PARTIALLY_FILLED', '4'],
          ['FILLED', '10'],
        ] as const)
          await Promise.all([
            play.tell(id, status, quantity),
            play.tell(id, status, quantity).catch(() => {}),
          ])
      }
      assert.equal((await play.result()).exitFilled, '10')
      for (const step of ['scheduleExit', 'recordClosed'] as const)
        assert.equal(play.script.inputs(step).length, 1)
    })

    it('orderChanged of an order of another signal: changes nothing', async () => {
      const play = await working()
      await play.tell(play.entryId, 'FILLED', '10', {
        clientOrderId: clientOrderIdFor(randomUUID(), 'entry', 1),
      })
      assert.equal((await play.progress()).waitsFor, 'the entry order to end')
      await play.tell(play.entryId, 'FILLED', '10')
      assert.equal((await play.result()).entryFilled, '10')
    })

    it('reports of the entry order, lost, doubled and in any order, lead to the same exit for the filled shares', async () => {
      await fc.assert(
        fc.asyncProperty(arrival, async ({ end: [, filledInTheEnd], reports }) => {
          const play = await working(
            { orderType: 'limit', limitPrice: '100', exit: exitAfter(30) },
            { submitOrder: [accepts, acceptsFilled] },
          )
          for (const [status, filledQuantity] of reports)
            try {
              await play.tell(play.entryId, status, filledQuantity)
            } catch (error) {
              // Without a fill the story is over as soon as the end is told.
              if (!(error instanceof WorkflowNotFoundError) || filledInTheEnd !== '0') throw error
            }
          const { status, entryFilled, exitFilled } = await play.result()
          assert.deepEqual([status, entryFilled, exitFilled], ['executed', filledInTheEnd, filledInTheEnd])
          assert.deepEqual(play.exits, filledInTheEnd === '0' ? [] : [`x1 ${filledInTheEnd}`])
        }),
        { numRuns: 100 },
      )
    })
  })

  describe('awaitEntry', () => {
    it('awaitEntry answers with our order id when the broker has accepted, the same every time, and also once the entry has ended', async () => {
      const { play, answer } = await stage.beginAndAwaitEntry({ exit: exitAfter(30) })
      const orderId = `order ${play.entryId}`
      assert.deepEqual(answer, { status: 'executed', orderId, reason: null, detail: null })
      assert.deepEqual(await play.awaitEntry(), answer)
      await play.fillEntry()
      await play.script.called('scheduleExit')
      assert.deepEqual(await play.awaitEntry(), answer)
      await play.fillExit()
      assert.equal(play.sent(play.entryId).length, 1)
    })

    it('awaitEntry sent while the outcome is unknown: answers when that is known', async () => {
      const play = await stage.begin({}, { submitOrder: [unknownOutcome, unknownOutcome] })
      await play.script.called('submitOrder', 2)
      assert.equal((await play.awaitEntry()).status, 'executed')
    })
  })

  it('signalProgress answers in words in every phase, and after the end', async () => {
    const play = await working({ exit: exitAfter(30) })
    const says = async (waitsFor: string | null, until: string | null = null): Promise<void> =>
      assert.deepEqual(await play.progress(), { status: 'executed', waitsFor, until })
    await says('the entry order to end')
    await play.fillEntry()
    await play.script.called('scheduleExit')
    await says('the exit time', stage.minutesFromNow(30))
    await play.script.accepted('exit')
    await says('the exit order to end')
    await play.fillExit()
    await says(null)
  })

  describe('the details for operators', () => {
    it('the details for operators are the order, its status and the reason of its wait', async () => {
      const order = { orderType: 'limit', limitPrice: '187.50', timeInForce: 'gtc' } as const
      const play = await working({ ...order, exit: exitAfter(30) })
      await stage.settle()
      for (const detail of [
        '**Buy 10 AAPL limit 187.5 (gtc)**, then exit at market 30 minutes after the entry',
        'status: **executed**',
        'waits for the entry order to end',
        `order ${play.entryId}: BUY 10 AAPL, OPEN, filled 0`,
      ])
        assert.ok(play.run.details.includes(detail), play.run.details)
      await play.tell(play.entryId, 'CANCELLED', '0')
      await play.result()
      assert.match(play.run.details, /- ended/)
    })

    it('the details for operators give the reason for which nothing was placed', async () => {
      const answer = placesNothing('rejected', 'INSUFFICIENT_FUNDS', 'buying power 12.40')
      const play = await stage.begin({}, { submitOrder: [answer] })
      await play.result()
      assert.match(play.run.details, /status: \*\*rejected\*\* \(INSUFFICIENT_FUNDS\): buying power 12\.40/)
    })

    it('a signal is found by its status: every change of it becomes a search attribute, and only changes do', async () => {
      const straight = await stage.begin({}, { submitOrder: [acceptsFilled] })
      await straight.result()
      assert.deepEqual(statusesOf(straight), ['executed'])
      const doubtful = await working({}, { submitOrder: [unknownOutcome] })
      await doubtful.tell(doubtful.entryId, 'REJECTED', '0')
      await doubtful.result()
      assert.deepEqual(statusesOf(doubtful), ['transmitted', 'executed', 'rejected'])
    })
  })
})
