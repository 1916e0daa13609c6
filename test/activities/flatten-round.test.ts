import assert from 'node:assert/strict'
import { beginFlatByClose } from '#activities/flatten/by-close.ts'
import { flattenRound, type EntryStopper } from '#activities/flatten/round.ts'
import { SessionCalendar } from '#activities/brokers.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import { insertFlattening, type NewFlattening } from '#db/flatten/flattenings.ts'
import { readLines } from '#db/flatten/lines.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { Signal } from '#db/entities/index.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { orderByHandId } from '#db/order/by-hand.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { acceptanceOf, entryIdOf } from '#test/support/placed-by-hand.ts'
import { createStrategy, orderReport } from '#test/support/factories.ts'
import { letPass } from '#test/support/let-pass.ts'
import { newFlattening } from '#test/support/new-flattening.ts'
import { held } from '#test/support/sample-position.ts'
import { allDaySessions, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const long = (symbol: string, quantity: `${number}` = '10') => ({ ...held(quantity, 'LONG'), symbol })

describe('a round of closing everything', () => {
  let { desk, em, account, broker, opened, placed } = {} as ActivityDesk
  /** Milliseconds by which the clock of the rounds is ahead. */
  let ahead: number
  /** What was asked to end, by client order id. */
  let stopped: string[]
  useDesk((given) => {
    ;({ desk, em, account, broker, opened, placed } = given)
    broker.sessions = allDaySessions()
    ahead = 0
    stopped = []
  })
  const target = () => ({ scope: 'account', userId: account.userId, accountId: account.id }) as const
  const now = () => Date.now() + ahead
  const inMs = (milliseconds: number) => new Date(now() + milliseconds).toISOString()
  const stopper: EntryStopper = {
    stop: async ({ clientOrderId }) => void stopped.push(clientOrderId),
  }
  const deps = () => {
    const brokerFor = async () => broker
    return { em, brokerFor, forget: () => {}, calendar: new SessionCalendar(brokerFor, now), stopper, now }
  }
  /** A request for the whole account, unless told otherwise. */
  async function asked(changes: Partial<NewFlattening> = {}): Promise<string> {
    const flattening = newFlattening(account, inMs(60_000), changes)
    assert.ok(await insertFlattening(em, flattening, null))
    return flattening.id
  }
  const round = (id: string) => flattenRound(deps(), id)
  const ordersOf = async (id: string) => (await round(id)).orders
  const inShort = ({ symbol, ask, quantity }: ByHandTerms) => `${ask.side} ${quantity} ${symbol}`
  const idOf = ({ signalId }: ByHandTerms) => orderByHandId(signalId)
  const orders = async (id: string) => (await ordersOf(id)).map(inShort)
  const lines = async (id: string) =>
    (await readLines(em, [id])).map(({ symbol, status }) => `${symbol} ${status}`)
  const become =
    (status: 'FILLED' | 'REJECTED' | 'OPEN', code: string | null = null) =>
    async (id: string) => {
      const at = new Date(now())
      await em.execute(
        'update orders set status = ?, ended_at = ?, reason = ?, updated_at = ? where id = ?',
        [status, status === 'OPEN' ? null : at, code, at, id],
      )
      await em.execute(
        'update signals set status = ?, status_reason = ? where id = (select signal_id from orders where id = ?)',
        [status === 'REJECTED' ? 'rejected' : 'executed', code, id],
      )
    }
  const refused = become('REJECTED', 'BROKER_ERROR')
  const alerts = () =>
    em.execute<{ message: string; over: boolean; open: boolean }[]>(
      `select message, (data ->> 'hasEnded')::boolean as over, resolved_at is null as open from alerts
       where kind = 'not_flat' and account_id = ?`,
      [account.id],
    )

  it('closes a long position by a sale and a short one by a purchase, with parts of a share, and by no second order', async () => {
    broker.positions = [long('AAPL', '10.5'), { ...held('10', 'SHORT'), symbol: 'F' }]
    const id = await asked()
    const both = await Promise.all([ordersOf(id), ordersOf(id)])
    const stored = both.flat()
    assert.deepEqual(stored.map(inShort).toSorted(), ['BUY 10 F', 'SELL 10.5 AAPL'])
    assert.ok(stored.every(({ ask, orderType }) => ask.reducesOnly && orderType === 'market'))
    assert.deepEqual(await orders(id), [])
    for (const terms of stored) await become('FILLED')(idOf(terms))
    broker.positions = []
    const { hasEnded } = await round(id)
    assert.deepEqual([hasEnded, await lines(id)], [true, ['AAPL closed', 'F closed']])
    broker.positions = [long('AAPL')]
    assert.deepEqual(await orders(id), [], 'it is over')
  })

  it('tries again what was refused, after a pause, and says what is given up', async () => {
    broker.positions = [long('AAPL')]
    const id = await asked()
    for (let tries = 1; tries <= 6; tries += 1) {
      const [order] = await ordersOf(id)
      assert.ok(order, `order ${tries}`)
      await refused(idOf(order))
      assert.deepEqual(await orders(id), [], 'right after the refusal')
      ahead += 300_000
    }
    assert.deepEqual([(await round(id)).orders, await lines(id)], [[], ['AAPL failed']])
    const [alert] = await alerts()
    assert.match(alert!.message, /10 AAPL \(BROKER_ERROR\. It was tried 6 times\)/)
  })

  it('sends nothing after a full stop that comes between two tries, and goes on when it is lifted', async () => {
    broker.positions = [long('AAPL')]
    const id = await asked({ alarmAt: inMs(1_000) })
    await refused(idOf((await ordersOf(id))[0]!))
    await setHalt(em, target(), { level: 'fullStop', reason: 'enough', by: 'ann' })
    ahead += 60_000
    const { orders: none, hasEnded, standing } = await round(id)
    assert.deepEqual([none, hasEnded, await lines(id)], [[], false, ['AAPL held']])
    assert.match(standing, /Trading is stopped.*enough/)
    assert.match((await alerts())[0]!.message, /10 AAPL \(Trading is stopped/)
    await setHalt(em, target(), { level: 'reduceOnly', reason: 'enough', by: 'ann' })
    assert.deepEqual(await orders(id), ['SELL 10 AAPL'])
    await liftHalt(em, target(), 'ann')
    broker.positions = []
    await become('FILLED')((await readLines(em, [id]))[0]!.orderId!)
    assert.equal((await round(id)).hasEnded, true)
    assert.equal((await alerts())[0]!.open, false)
  })

  describe('before a close', () => {
    const byClose = (closesIn: number) =>
      asked({ cause: 'close', day: '2026-03-02', closesAt: inMs(closesIn), alarmAt: inMs(closesIn / 2) })

    it('a round of closing everything sends until the close and nothing from then on, and says what is held', async () => {
      broker.positions = [long('AAPL')]
      const id = await byClose(600_000)
      const [order] = await ordersOf(id)
      await refused(idOf(order!))
      ahead = 590_000
      assert.equal((await ordersOf(id)).length, 1, 'while there is time')
      await refused((await readLines(em, [id]))[0]!.orderId!)
      assert.deepEqual([(await alerts())[0]?.over], [false])
      ahead = 600_001
      const last = await round(id)
      assert.deepEqual([last.orders, last.hasEnded], [[], true])
      const [alert] = await alerts()
      assert.deepEqual([alert!.over, alert!.open], [true, true])
      assert.match(alert!.message, /held still: 10 AAPL/)
    })

    it('a round of closing everything after the close sends no first order, and asks no entry to end', async () => {
      broker.positions = [long('AAPL')]
      await restingEntry('MSFT')
      const id = await byClose(1_000)
      ahead = 1_001
      const { orders: none, hasEnded } = await round(id)
      assert.deepEqual([none, hasEnded, stopped], [[], true, []])
    })

    it('a round of closing everything is not over at once where nothing is held: an entry may come to be known', async () => {
      const id = await byClose(600_000)
      assert.equal((await round(id)).hasEnded, false)
      ahead = 16_000
      assert.equal((await round(id)).hasEnded, true)
    })

    const begin = () => beginFlatByClose(deps())
    const setFlat = (minutes: number, includeManual = true) =>
      em.execute('update accounts set flat_by_close = ?::jsonb where id = ?', [
        JSON.stringify({ minutes, includeManual }),
        account.id,
      ])
    // The same days throughout a test that passes midnight.
    const begunAt = Date.now()
    const sessionEndsIn = (minutes: number) => {
      broker.sessions = [0, 1_440].map((later) => ({
        date: new Date(begunAt + later * 60_000).toISOString().slice(0, 10),
        opensAt: inMs((later - 300) * 60_000),
        closesAt: inMs((later + minutes) * 60_000),
      }))
    }

    it('a round of closing everything is begun once for each setting and close, not before its minutes, and by a decree that ends the session earlier', async () => {
      await setFlat(15)
      sessionEndsIn(200)
      assert.deepEqual(await begin(), { begun: [], next: null })
      sessionEndsIn(16)
      const { begun, next } = await begin()
      assert.deepEqual([begun, Math.abs(Date.parse(next!) - now() - 60_000) < 1_000], [[], true])
      ahead = 61_000
      const looks = await Promise.all([begin(), begin()])
      assert.equal(looks.flatMap((look) => look.begun).length, 1)
      ahead += 400_000
      sessionEndsIn(5)
      assert.deepEqual((await begin()).begun, [], 'the one under way learns of the other close')
      await em.execute(`update flattenings set status = 'done', ended_at = now() where user_id = ?`, [
        account.userId,
      ])
      await setFlat(20)
      assert.equal((await begin()).begun.length, 1, 'a setting that is changed on the day is another one')
      const rows = await em.execute<{ left: string }[]>(
        'select extract(epoch from closes_at - alarm_at) as left from flattenings where user_id = ? order by created_at desc limit 1',
        [account.userId],
      )
      assert.ok(Math.abs(Number(rows[0]!.left) - 150) < 5, 'begun late, half of the time that is left')
    })
  })

  /** An entry that rests at the broker, and has a workflow that can be asked to end it. */
  async function restingEntry(symbol: string): Promise<ByHandTerms> {
    const terms = await placed({ symbol })
    await applyOrderReport(em, account.id, acceptanceOf(terms))
    await become('OPEN')(idOf(terms))
    await em.execute('update signals set workflow_started_at = now() where id = ?', [terms.signalId])
    return terms
  }

  it('stops entries from before the request and closes what they fill meanwhile, and leaves later ones and what they open', async () => {
    const before = await restingEntry('OLD')
    // Instants are compared in milliseconds, and these three may come within one.
    await em.execute(`update signals set accepted_at = accepted_at - interval '2 seconds'`)
    broker.positions = [long('AAPL')]
    const id = await asked()
    await em.execute(`update flattenings set created_at = created_at - interval '1 second' where id = ?`, [
      id,
    ])
    await restingEntry('NEW')
    assert.deepEqual([await orders(id), stopped], [['SELL 10 AAPL'], [entryIdOf(before)]])
    broker.positions = [long('OLD'), long('NEW')]
    await become('FILLED')(idOf(before))
    assert.deepEqual(await orders(id), ['SELL 10 OLD'])
    assert.equal(stopped.length, 1)
    broker.positions = [long('NEW')]
    for (const { orderId } of await readLines(em, [id])) await become('FILLED')(orderId!)
    assert.deepEqual([(await round(id)).hasEnded, await lines(id)], [true, ['AAPL closed', 'OLD closed']])
  })

  it('closes what an older entry fills in a symbol whose position was closed a moment before', async () => {
    const before = await restingEntry('OLD')
    await em.execute(`update signals set accepted_at = accepted_at - interval '2 seconds'`)
    broker.positions = [long('OLD')]
    const id = await asked()
    const [closing] = await ordersOf(id)
    await become('FILLED')(idOf(closing!))
    broker.positions = []
    assert.deepEqual(await orders(id), [])
    await become('FILLED')(idOf(before))
    broker.positions = [long('OLD')]
    assert.deepEqual(await orders(id), [], 'the broker may still show the position that was closed')
    ahead = 20_000
    assert.deepEqual(await orders(id), ['SELL 10 OLD'])
  })

  it('cancels an order that still works 15 seconds after its position is gone, and is not over before it has ended', async () => {
    broker.positions = [long('AAPL')]
    const id = await asked()
    const [order] = await ordersOf(id)
    await become('OPEN')(idOf(order!))
    broker.positions = []
    assert.deepEqual([(await round(id)).hasEnded, stopped], [false, []])
    ahead = 15_001
    assert.deepEqual([(await round(id)).hasEnded, stopped], [false, [entryIdOf(order!)]])
    await become('REJECTED', 'STALE')(idOf(order!))
    assert.equal((await round(id)).hasEnded, true)
  })

  it('reports what the broker does not, once that is late, and has not ended', async () => {
    const id = await asked({ alarmAt: inMs(1_000) })
    broker.outage = new Error('no answer')
    assert.equal((await round(id)).hasEnded, false)
    assert.deepEqual(await alerts(), [])
    ahead = 1_001
    await round(id)
    assert.match((await alerts())[0]!.message, /what the broker did not report \(no answer\)/)
  })

  describe('counts by the executions', () => {
    let own: Signal
    let strategyId: string
    /** A signal of a strategy has bought four shares, and another signal three. */
    beforeEach(async () => {
      strategyId = (await createStrategy(em, { userId: account.userId })).id
      own = await bought('4', { strategyId })
      await bought('3')
      await letPass(em, 60_000)
    })
    const bought = async (quantity: `${number}`, fields: Partial<Signal> = {}): Promise<Signal> => {
      const signal = await desk.accepted(fields)
      const filled = { status: 'FILLED', filledQuantity: quantity, avgFillPrice: '100' } as const
      const filledAt = new Date().toISOString()
      await recordAccepted(em, orderReport(signal, { quantity, ...filled, filledAt }))
      return signal
    }
    const signalsOnly = { includeManual: false }
    const ofStrategy = () => ({ scope: 'strategy', scopeId: strategyId, includeManual: false }) as const
    for (const [title, shown, changes, expected] of [
      ['all that is shown, unowned shares too', long('AAPL'), () => ({}), ['SELL 10 AAPL']],
      ['the shares of signals where others stay', long('AAPL'), () => signalsOnly, ['SELL 7 AAPL']],
      ['the shares of a strategy alone', long('AAPL'), ofStrategy, ['SELL 4 AAPL']],
      ['no shares of signals on the other side', held('10', 'SHORT'), () => signalsOnly, []],
      ['shares that the broker does not show', null, () => ({}), ['SELL 7 AAPL']],
      ['no symbol that was not asked for', long('AAPL'), () => ({ symbols: ['MSFT'] }), []],
    ] as [string, BrokerPosition | null, () => Partial<NewFlattening>, string[]][])
      it(`a round of closing everything takes ${title}`, async () => {
        broker.positions = shown === null ? [] : [shown]
        const stored = await ordersOf(await asked(changes()))
        assert.deepEqual(stored.map(inShort), expected)
        if (changes === ofStrategy) assert.deepEqual(stored[0]!.ask.owners, [own.id])
      })
  })

  it('takes shares of a signal that the broker has not shown yet as held', async () => {
    await opened()
    await letPass(em, 60_000)
    broker.positions = [long('AAPL', '4')]
    assert.deepEqual(await orders(await asked()), ['SELL 10 AAPL'])
  })
})
