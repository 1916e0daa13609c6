import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '#db/engine/database.ts'
import type { Move, Trade } from '#domain/signal/move.ts'
import { accept } from '#api/intake/accept.ts'
import type { Caller } from '#api/http/caller.ts'
import type { Principal } from '#api/http/principal.ts'
import { readSignalRequest, type SignalRequest } from '#contract/signal/request.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, heldAtVenue, shown } from '#test/service/sent-signal.ts'

const BUY: Trade = {
  kind: 'trade',
  direction: 'buy',
  whenFlat: 'open',
  whenOpposite: 'reverse',
  whenSame: 'nothing',
}
const SELL: Trade = { ...BUY, direction: 'sell' }
const CLOSE: Move = { kind: 'close', side: null, part: null }
const NO_SHORT: Move = { ...SELL, whenFlat: 'refuse', whenOpposite: 'close' }

/** With 10 held: the shares that are bought, or sold below zero, one order after the other; or why there is none. */
type Orders = number[] | 'AT_TARGET' | 'SHORT_NOT_ALLOWED'

const TABLE: [word: string, move: Move, quantity: number, when: Record<'flat' | 'long' | 'short', Orders>][] =
  [
    ['buy', BUY, 10, { flat: [10], long: 'AT_TARGET', short: [10, 10] }],
    ['sell', SELL, 10, { flat: [-10], long: [-10, -10], short: 'AT_TARGET' }],
    ['close', CLOSE, 1, { flat: 'AT_TARGET', long: [-10], short: [10] }],
    ['close 50 %', { ...CLOSE, part: { percent: '50' } }, 1, { flat: 'AT_TARGET', long: [-5], short: [5] }],
    ['buy that reduces', { ...BUY, whenOpposite: 'reduce' }, 4, { flat: [4], long: 'AT_TARGET', short: [4] }],
    [
      'sell that goes not short',
      NO_SHORT,
      10,
      { flat: 'SHORT_NOT_ALLOWED', long: [-10], short: 'AT_TARGET' },
    ],
    ['buy that adds', { ...BUY, whenSame: 'add' }, 5, { flat: [5], long: [5], short: [10, 5] }],
  ]
const HELD = { flat: 0, long: 10, short: -10 } as const

describe('signals with a move, on the whole service', function () {
  this.timeout(180_000)
  const service = useStack()
  let database: Database
  let userId: string
  before(async () => {
    const { addresses, accountId } = service.stack
    database = await openDatabase(addresses.database, 4)
    const [row] = await service.stack.query<{ user_id: string }>(
      `select user_id from accounts where id = '${accountId}'`,
    )
    userId = row!.user_id
  })
  after(() => database?.close(true))

  const caller = (): Caller => ({
    em: database.em.fork(),
    principal: { userId, tradingMode: 'PAPER', tokenId: null, bounds: {} } as Principal,
    requestId: randomUUID(),
    receivedAt: performance.now(),
    ip: '127.0.0.1',
    userAgent: 'test',
    deviceToken: null,
    beforeDatabaseDeadline: <T>(work: Promise<T>) => work,
    limitOfStatement: () => 5_000,
    actorName: () => Promise.resolve('ada@example.com'),
    noteWait() {},
    requireSender() {},
    noteSignal() {},
  })

  /** Stored as the API stores it; the supervisor of the service begins it. Returns its id. */
  async function store(symbol: string, changes: Partial<SignalRequest>): Promise<string> {
    const body = { ...buyNow(service.stack), symbol }
    const request = { ...readSignalRequest(body, Date.now()), ...changes }
    const deps = { signalTtl: 60_000, maxWaiting: 500, failpoint: () => {} }
    const wish = { requests: [request], source: JSON.stringify(body), group: null }
    const { unbegun } = await accept(deps as never, caller(), wish)
    return unbegun[0]!.id
  }
  const ordersIn = async (symbol: string): Promise<number[]> =>
    (await service.stack.venue.ledger()).orders
      .filter((order) => order.symbol === symbol)
      .map(({ side, qty }) => Number(qty) * (side === 'buy' ? 1 : -1))

  /** A symbol of which so many shares are held. */
  async function holding(symbol: string, shares: number): Promise<string> {
    await service.stack.venue.pin(symbol, 100)
    if (shares === 0) return symbol
    const { status, body } = await service.stack.api.post(
      '/signals',
      buyNow(service.stack, { symbol, targetPosition: shares }),
    )
    assert.ok(status < 300, JSON.stringify(body))
    await untilHeld(symbol, shares)
    return symbol
  }
  const untilHeld = (symbol: string, shares: number) =>
    eventually(async () => assert.equal(Number(await heldAtVenue(service.stack, symbol)), shares), {
      within: 30_000,
    })
  const untilEnded = (id: string, statusReason: string) =>
    eventually(async () => assert.equal((await shown(service.stack, id)).statusReason, statusReason), {
      within: 30_000,
    })

  it('trade what the word means for what is held: a table', async () => {
    const plays = TABLE.flatMap(([word, move, quantity, when], row) =>
      (['flat', 'long', 'short'] as const).map((standing, column) => ({
        what: `${word} while ${standing}`,
        move,
        quantity: `${quantity}` as const,
        held: HELD[standing],
        orders: when[standing],
        symbol: `ZTM${'ABCDEFG'[row]}${'ABC'[column]}`,
      })),
    )
    for (const { symbol, held } of plays) await holding(symbol, held)
    const ids = await Promise.all(
      plays.map(({ symbol, move, quantity }) => store(symbol, { move, quantity })),
    )
    await Promise.all(
      plays.map(async ({ symbol, orders, held, what }, index) => {
        if (typeof orders === 'string') await untilEnded(ids[index]!, orders)
        const sent = typeof orders === 'string' ? [] : orders
        await untilHeld(
          symbol,
          sent.reduce((sum, shares) => sum + shares, held),
        )
        assert.deepEqual((await ordersIn(symbol)).slice(held === 0 ? 0 : 1), sent, what)
      }),
    )
  })

  it('go to the other side for an amount: all is closed, and then opened for it, with its exit', async () => {
    const symbol = await holding('ZTMX', 10)
    const exit = {
      trigger: 'minutesAfterEntry',
      minutes: 30,
      clockTime: null,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
    } as const
    const id = await store(symbol, { move: SELL, quantity: '400', quantityType: 'dollarAmount', exit })
    await untilHeld(symbol, -4)
    assert.deepEqual(await ordersIn(symbol), [10, -10, -4])
    const first = await shown(service.stack, id)
    assert.deepEqual(
      [first.action, first.quantity, first.quantityType, first.exit],
      ['closeLong', 10, 'fixed', null],
    )
    const [next] = await service.stack.query<{ id: string }>(
      `select id from signals where continues = '${id}'`,
    )
    const second = await shown(service.stack, next!.id)
    assert.deepEqual(
      [second.action, second.quantity, second.quantityType],
      ['openShort', 400, 'dollarAmount'],
    )
    assert.notEqual(second.exit, null)
  })

  it('notify the owner once where their sender takes another position for held', async () => {
    const symbol = await holding('ZTMY', 10)
    const claim = { side: 'SHORT', shares: '10' } as const
    const id = await store(symbol, { move: BUY, senderHolds: claim })
    await untilEnded(id, 'AT_TARGET')
    const { advisories } = await shown(service.stack, id)
    const difference = `its strategy expects 10 ${symbol} short, but 10 of its own ${symbol} are held or on order, long: an earlier alert was missed or refused, or another sender traded`
    assert.deepEqual(advisories, [{ code: 'position_differs', message: difference }])
    const { body } = await service.stack.api.get('/alerts?kind=sender_position_differs')
    const [alert, ...others] = body.data.alerts
    assert.deepEqual([alert.symbol, others], [symbol, []])
    assert.ok(alert.message.includes(difference), alert.message)
  })

  it('signals with a move are shown before a person approves them as what they would trade, and are worked out when they are let go', async () => {
    const symbol = await holding('ZTMZ', 10)
    const pending = { executeMode: 'pending' } as const
    const [turns, adds] = [
      await store(symbol, { ...pending, move: SELL, quantity: '4' }),
      await store(symbol, { ...pending, move: BUY, quantity: '4' }),
    ]
    const person = await service.stack.signIn()
    const check = async (id: string) => (await person.get(`/signals/${id}/check`)).body.data.dryRun
    const turned = await check(turns)
    assert.deepEqual([turned.outcome, turned.order.side, turned.order.quantity], ['ready', 'SELL', 10])
    assert.equal((await check(adds)).outcome, 'nothing')
    assert.equal((await shown(service.stack, adds)).wish, `Buy 4 ${symbol}, by position`)
    const edited = await person.post(`/signals/${adds}/process`, { quantity: 3 })
    assert.deepEqual([edited.status, edited.body.code], [400, 'VALIDATION_ERROR'])
    assert.equal((await person.post(`/signals/${turns}/process`, {})).status, 200)
    await untilHeld(symbol, -4)
    const { order } = await check(adds)
    assert.deepEqual([order.side, order.quantity], ['BUY_TO_COVER', 4])
  })
})
