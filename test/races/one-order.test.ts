import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '#test/chaos/random.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { senderOn } from '#test/service/sent-signal.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'

/**
 * Many who want the same at once, on the whole service: however they meet, the broker holds one order. On every
 * change a tenth of the rounds is run; `npm test -- races` runs them all.
 */
const ALL = process.env['RACES'] === 'all'
const rounds = (all: number): number => (ALL ? all : all / 10)

/** Shares of every order here. */
const SHARES = 10
/** Dollars: the market, a limit at which an order rests, and a price at which that order fills. */
const [MARKET, LIMIT, CROSSED] = [100, 90, 80]
/** The venue looks at resting orders this often, in milliseconds. */
const TICK = 250

describe('one order, always', function () {
  this.timeout(ALL ? 1_200_000 : 120_000)
  const service = useStack()
  let person: ApiClient

  before(async () => {
    const { stack } = service
    person = await stack.signIn()
    const unlimited = { maxOrdersPerMinute: null, maxOrdersPerDay: null }
    assert.equal((await person.put(`/settings/risk/${stack.accountId}`, unlimited)).status, 200)
  })

  const { send: post } = senderOn(service)
  const ordersOf = async (symbols: ReadonlySet<string>): Promise<Map<string, LedgerOrder[]>> =>
    Map.groupBy(
      (await service.stack.venue.ledger()).orders.filter(({ symbol }) => symbols.has(symbol)),
      ({ symbol }) => symbol,
    )

  const untilExecuted = (signalId: string) =>
    eventually(
      async () => {
        const { body } = await service.stack.api.get(`/signals/${signalId}`)
        assert.equal(body.data.status, 'executed')
      },
      { within: 30_000 },
    )

  /** Plays so many rounds, some side by side, each with its number and a symbol of its own; answers the orders. */
  async function play(
    name: string,
    count: number,
    sideBySide: number,
    round: (number: number, symbol: string) => Promise<void>,
  ): Promise<Map<string, LedgerOrder[]>> {
    const symbols = Array.from({ length: count }, (_, number) => `ZT${name}${lettersOf(number)}`)
    let next = 0
    await Promise.all(
      Array.from({ length: sideBySide }, async () => {
        for (let number = next++; number < count; number = next++) await round(number, symbols[number]!)
      }),
    )
    return ordersOf(new Set(symbols))
  }

  it(`one order, always of fifty posts of one sourceId, ${rounds(200)} times`, async () => {
    const orders = await play('POST', rounds(200), 2, async (_, symbol) => {
      const wish = { symbol, sourceId: `post-${symbol}-${randomUUID()}` }
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(wish)))
      // A server that is too busy says so, and is asked again.
      const taken = [...answers.filter(({ status }) => status !== 503), await post(wish)]
      const made = taken.filter(({ status }) => status !== 200)
      assert.ok(made.length <= 1, `made by ${made.length}: ${answers.map(({ status }) => status).join(' ')}`)
      const ids = new Set(taken.map(({ body }) => body.signal.id as string))
      assert.equal(ids.size, 1)
      for (const id of ids) await untilExecuted(id)
    })
    assert.equal(orders.size, rounds(200))
    for (const [symbol, { length }] of orders) assert.equal(length, 1, symbol)
  })

  it(`one order, always of twenty approvals of one signal, ${rounds(50)} times`, async () => {
    const orders = await play('APPR', rounds(50), 4, async (_, symbol) => {
      const { body } = await post({ symbol, executeMode: 'pending' })
      const approve = async (): Promise<ApiAnswer> => {
        const answer = await person.post(`/signals/${body.signal.id}/process`, {})
        // A server that is too busy says so, and is asked again, whether it has done it or not.
        return answer.status === 503 ? approve() : answer
      }
      const answers = await Promise.all(Array.from({ length: 20 }, approve))
      const refusals = answers.filter(({ status }) => status !== 200 && status !== 202)
      for (const { status, body: refused } of refusals)
        assert.deepEqual([status, refused.code], [409, 'SIGNAL_NOT_PENDING'])
      await untilExecuted(body.signal.id)
    })
    assert.equal(orders.size, rounds(50))
    for (const [symbol, { length }] of orders) assert.equal(length, 1, symbol)
  })

  it(`one order, always of a replacement that races the fill, ${rounds(500)} seeds`, async function () {
    const seed = Number(process.env['RACES_SEED'] ?? randomInt(1_000_000))
    console.log(`      seed ${seed} (RACES_SEED)`)
    const went = { replaced: 0, rejected: 0 }
    const orders = await play('REPL', rounds(500), 10, async (number, symbol) => {
      const sourceId = `replace-${symbol}-${randomUUID()}`
      const wish = { symbol, sourceId, orderType: 'limit', limitPrice: LIMIT, timeInForce: 'gtc' }
      await service.stack.venue.pin(symbol, MARKET)
      await untilExecuted((await post(wish)).body.signal.id)
      const random = new Random(seed + 1_000 * number)
      // The fill comes at a tick after the price has crossed; the replacement at any moment around it.
      const [fillAfter, replaceAfter] = [0, 1].map(() => random.fraction() * 2 * TICK)
      const [answer] = await Promise.all([
        pause(replaceAfter).then(() => post({ ...wish, replaceExisting: true })),
        pause(fillAfter).then(() => service.stack.venue.pin(symbol, CROSSED)),
      ])
      if (answer.status === 400) assert.equal(answer.body.code, 'REPLACE_REFUSED_FILLED')
      else assert.ok([201, 202].includes(answer.status), JSON.stringify(answer.body))
      went[answer.status === 400 ? 'rejected' : 'replaced'] += 1
      await eventually(
        async () => {
          const { positions } = (await service.stack.api.get(`/positions?symbol=${symbol}`)).body
          assert.equal(positions[0]?.quantity, SHARES)
        },
        { within: 60_000 },
      )
    })
    console.log(`      ${went.replaced} were replaced before they filled, ${went.rejected} had filled`)
    for (const [symbol, all] of orders) {
      const bought = all.reduce((sum, order) => sum + Number(order.filled_qty), 0)
      assert.equal(bought, SHARES, `${symbol}: ${JSON.stringify(all)}`)
      assert.ok(
        all.every(({ status }) => status === 'filled' || status === 'canceled'),
        symbol,
      )
    }
    assert.ok(went.replaced > 0 && went.rejected > 0, `the race went one way only: ${JSON.stringify(went)}`)
  })
})
