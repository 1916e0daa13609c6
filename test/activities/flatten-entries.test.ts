import assert from 'node:assert/strict'
import { flattenRound } from '#activities/flatten/round.ts'
import { SessionCalendar } from '#activities/brokers.ts'
import type { Signal } from '#db/entities/index.ts'
import { findFlattening, insertFlattening, type NewFlattening } from '#db/flatten/flattenings.ts'
import { readLines } from '#db/flatten/lines.ts'
import { recordCrossed } from '#db/signal/reversal.ts'
import { recordAccepted, recordTransmitted } from '#db/signal/ledger.ts'
import { FLATTEN_PATIENCE_MS } from '#domain/position/flatten.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { closeFilled } from '#test/support/close-filled.ts'
import { allDaySessions, codeOf, filledNow, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'
import { ENTRY_KINDS } from '#test/support/entry-kinds.ts'
import { orderReport } from '#test/support/factories.ts'
import { signalIn } from '#test/support/ledger.ts'
import { newFlattening } from '#test/support/new-flattening.ts'
import { held } from '#test/support/sample-position.ts'

describe('closing everything while entries are on their way', () => {
  let { desk, em, account, broker } = {} as ActivityDesk
  let ahead: number
  let stopped: string[]
  useDesk((given) => {
    ;({ desk, em, account, broker } = given)
    broker.sessions = allDaySessions()
    ahead = 0
    stopped = []
  })
  const now = () => Date.now() + ahead
  const inMs = (milliseconds: number) => new Date(now() + milliseconds).toISOString()
  const round = (id: string) => {
    const brokerFor = async () => broker
    return flattenRound(
      {
        em,
        brokerFor,
        forget: () => {},
        calendar: new SessionCalendar(brokerFor, now),
        stopper: { stop: async ({ clientOrderId }) => void stopped.push(clientOrderId) },
        now,
      },
      id,
    )
  }
  async function asked(changes: Partial<NewFlattening> = {}): Promise<string> {
    const flattening = newFlattening(account, inMs(60_000), changes)
    await insertFlattening(em, flattening, null)
    return flattening.id
  }
  const byClose = (closesIn: number) =>
    asked({ cause: 'close', day: '2026-03-02', closesAt: inMs(closesIn), alarmAt: inMs(closesIn / 2) })
  const hasEnded = async (id: string) => (await round(id)).hasEnded
  const statusOf = async (id: string) => (await findFlattening(em, account.userId, id))!.status
  const lines = async (id: string) =>
    (await readLines(em, [id])).map(({ symbol, side, status }) => `${side} ${symbol} ${status}`)
  /** A round that closes what is held: its one order fills, and the broker shows nothing any more. */
  async function closes(id: string): Promise<string[]> {
    const { orders } = await round(id)
    for (const { signalId } of orders)
      await em.execute(`update orders set status = 'FILLED', ended_at = now() where signal_id = ?`, [
        signalId,
      ])
    broker.positions = []
    return orders.map(({ ask, quantity, symbol }) => `${ask.side} ${quantity} ${symbol}`)
  }
  const alerts = async () =>
    (
      await em.execute<{ message: string }[]>(
        `select message from alerts where kind = 'not_flat' and account_id = ?`,
        [account.id],
      )
    ).map(({ message }) => message)
  const sentEarlier = { acceptedAt: new Date(Date.now() - 60_000) }
  const entryBefore = (fields: Partial<Signal> = {}) => desk.accepted({ ...sentEarlier, ...fields })
  const entryOf = ({ id }: Signal) => clientOrderIdFor(id, 'entry', 1)
  const transmitted = async (): Promise<Signal> => {
    const signal = await entryBefore()
    await recordTransmitted(em, signal.id, new Date().toISOString(), 'no answer')
    return signal
  }
  const fills = async (signal: Signal) => {
    await recordAccepted(em, filledNow(orderReport(signal)))
    broker.positions = [held('10', 'LONG')]
  }

  it('closing everything withdraws an entry in the ledger whose workflow has written nothing yet, and is done once it cannot be sent', async () => {
    const signal = await entryBefore()
    const later = await desk.accepted({ acceptedAt: new Date(Date.now() + 60_000) })
    const id = await asked()
    assert.deepEqual([await hasEnded(id), stopped], [false, [entryOf(signal)]])
    const { check } = await desk.attempt(signal)
    assert.ok(check.completed)
    assert.deepEqual([codeOf(check.result), broker.submissions], ['ended', []])
    assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'done'])
    assert.equal((await signalIn(em, later.id)).status, 'queued', 'it came later')
  })

  it('closing everything cancels an order by hand in the ledger whose workflow has written nothing yet', async () => {
    const { signalId } = await desk.placed()
    const id = await asked()
    await em.execute(`update signals set accepted_at = accepted_at - interval '1 second'`)
    assert.equal(await hasEnded(id), false)
    const [row] = await em.execute<{ status: string }[]>('select status from orders where signal_id = ?', [
      signalId,
    ])
    assert.deepEqual([row!.status, await hasEnded(id)], ['CANCELLED', true])
  })

  it('closing everything waits for the answer of a broker that may have an entry, and closes what it opens', async () => {
    const signal = await transmitted()
    const id = await asked()
    assert.deepEqual([await hasEnded(id), stopped], [false, [entryOf(signal)]])
    ahead = 61_000
    assert.equal(await hasEnded(id), false)
    assert.match((await alerts())[0]!, new RegExp(`may still open a position: signal ${signal.id} in AAPL`))
    await fills(signal)
    assert.deepEqual(await closes(id), ['SELL 10 AAPL'])
    assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'done'])
  })

  it('closing everything by the calendar has not ended with an entry that the broker may or may not have', async () => {
    await transmitted()
    const id = await byClose(600_000)
    ahead = 300_000
    assert.equal(await hasEnded(id), false)
    ahead = 600_001
    assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'failed'])
    assert.match((await alerts())[0]!, /^Everything was to be closed, and this may still open a position/)
  })

  it('closing everything by the calendar leaves entries alone that are not decided: they are denied', async () => {
    const signal = await entryBefore()
    const id = await byClose(600_000)
    ahead = 16_000
    assert.deepEqual([await hasEnded(id), stopped], [true, []])
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
  })

  const reversal = async (): Promise<Signal> => {
    await desk.opened(sentEarlier)
    const signal = await entryBefore(ENTRY_KINDS.reverses)
    await recordAccepted(em, filledNow(orderReport(signal, { side: 'SELL' })))
    return signal
  }
  /** The id of the second signal. */
  const cross = async ({ id }: Signal): Promise<string | undefined> => {
    await recordCrossed(em, id, new Date().toISOString(), closeFilled())
    const [next] = await em.execute<{ id: string }[]>('select id from signals where continues = ?', [id])
    return next?.id
  }

  it('closing everything stops a reversal between its two orders', async () => {
    const signal = await reversal()
    const id = await asked()
    assert.equal(await hasEnded(id), false)
    assert.equal(await cross(signal), undefined)
    assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'done'])
  })

  it('closing everything withdraws the second signal of a reversal that came before it, although that is stored later', async () => {
    const signal = await reversal()
    const id = await asked()
    const second = await cross(signal)
    assert.ok(second)
    assert.equal(await hasEnded(id), false)
    assert.equal((await signalIn(em, second)).status, 'cancelled')
    assert.equal(await hasEnded(id), true)
  })

  it('closing everything sells no shares that a later signal buys before the fill of its order is looked at', async () => {
    broker.positions = [held('10', 'LONG')]
    const id = await asked()
    assert.deepEqual(await closes(id), ['SELL 10 AAPL'])
    await fills(await desk.accepted({ acceptedAt: new Date(Date.now() + 1_000) }))
    for (ahead of [0, 16_000]) assert.deepEqual((await round(id)).orders, [])
    assert.deepEqual([await statusOf(id), await lines(id)], ['done', ['LONG AAPL closed']])
  })

  it('closing everything leaves what a later signal has bought out of a position that it still closes', async () => {
    await fills(await desk.accepted({ acceptedAt: new Date(Date.now() + 1_000) }))
    broker.positions = [held('15', 'LONG')]
    assert.deepEqual(await closes(await asked()), ['SELL 5 AAPL'])
  })

  describe('and orders that were not placed here', () => {
    const foreign = (side: 'BUY' | 'SELL' = 'BUY', symbol = 'AAPL') =>
      broker.accept(
        {
          clientOrderId: `by-hand-${symbol}`,
          symbol,
          side,
          quantity: '5',
          orderType: 'limit',
          limitPrice: '90',
          stopPrice: null,
          timeInForce: 'gtc',
          extendedHours: false,
        },
        { submittedAt: sentEarlier.acceptedAt.toISOString() },
      )

    it('closing everything names orders at the broker that can open a position, goes on while they work, and fails where they stay', async () => {
      foreign()
      const id = await asked()
      assert.equal(await hasEnded(id), false)
      const { openings } = (await findFlattening(em, account.userId, id))!
      assert.match(
        openings[account.id]![0]!.detail,
        /^BUY 5 AAPL limit \(.* at the broker\) was not placed here/,
      )
      ahead = FLATTEN_PATIENCE_MS
      assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'failed'])
      assert.match((await alerts())[0]!, /this may still open a position: BUY 5 AAPL limit/)
      assert.ok(broker.accepted.get('by-hand-AAPL')!.report.status === 'OPEN', 'it is not cancelled')
    })

    it('closing everything is done once the order at the broker has ended, and closes what that has bought', async () => {
      const order = foreign()
      const id = await asked()
      assert.equal(await hasEnded(id), false)
      broker.put(filledNow(order))
      broker.positions = [held('5', 'LONG')]
      assert.deepEqual(await closes(id), ['SELL 5 AAPL'])
      assert.deepEqual([await hasEnded(id), await statusOf(id)], [true, 'done'])
    })

    for (const [title, changes, isDone] of [
      ['of another symbol', { symbols: ['MSFT'] }, true],
      ['where shares that no signal has bought stay', { includeManual: false }, true],
      ['of a symbol that it closes', { symbols: ['AAPL'] }, false],
    ] as [string, Partial<NewFlattening>, boolean][])
      it(`closing everything ${isDone ? 'does not wait' : 'waits'} for an order at the broker ${title}`, async () => {
        foreign()
        assert.equal(await hasEnded(await asked(changes)), isDone)
      })

    it('closing everything names no order at the broker that reduces the position, until that is closed', async () => {
      foreign('SELL')
      broker.positions = [held('10', 'LONG')]
      const id = await asked()
      const named = async () => (await findFlattening(em, account.userId, id))!.openings[account.id]!.length
      await closes(id)
      assert.equal(await named(), 0)
      assert.deepEqual([await hasEnded(id), await named()], [false, 1])
    })
  })
})
