import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Faults } from '#test/faults/fault-plan.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { BrokerSite } from '#test/support/broker-site.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Part } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'

/** How an order by hand is asked for: its path and body, and the id that its answer names. */
const WAYS = {
  ticket: {
    request: (accountId: string, symbol: string) => ({
      path: '/orders',
      body: { accountId, symbol, side: 'SELL', orderType: 'MARKET', quantity: 10, reduceOnly: true },
    }),
    named: ({ body }: ApiAnswer): string => body.order.id,
  },
  close: {
    request: (accountId: string, symbol: string) => ({
      path: `/positions/${accountId}/${symbol}/close`,
      body: { quantity: 10 },
    }),
    named: ({ body }: ApiAnswer): string => body.orders[0].order.id,
  },
  flatten: {
    request: (accountId: string, symbol: string) => ({
      path: '/positions/flatten',
      body: { accountId, symbols: [symbol] },
    }),
    named: ({ body }: ApiAnswer): string => body.flatten.id,
  },
} as const
type Way = keyof typeof WAYS

/** Where the processes of the API die. Nobody waits for the start of a flattening. */
const API_DEATHS: Record<Way, readonly string[]> = {
  ticket: ['api.before_commit', 'api.after_commit', 'api.after_start'],
  close: ['api.before_commit', 'api.after_commit', 'api.after_start'],
  flatten: ['api.before_commit', 'api.after_commit'],
}
const WORKER_DEATHS = [
  'after prepareEntry',
  'before broker.submitOrder of the entry',
  'after broker.submitOrder of the entry',
  'after recordAccepted of the entry',
]
/** So many ask each process at once. */
const AT_ONCE = 3

const CASES = (Object.keys(WAYS) as Way[]).flatMap((way, number) => {
  const symbolOf = (where: string, place: number): string =>
    `ZTKEY${where}${lettersOf(number)}N${lettersOf(place)}`
  return [
    ...API_DEATHS[way].map((point, place) => ({ way, point, symbol: symbolOf('A', place), of: 'API' })),
    ...WORKER_DEATHS.map((point, place) => ({ way, point, symbol: symbolOf('W', place), of: 'worker' })),
  ]
})
const PLAN = Object.fromEntries(
  CASES.flatMap(({ of, symbol, point }) =>
    of === 'worker' ? [[symbol, { point, mode: 'crash' as const }]] : [],
  ),
)

/** Whatever dies, and to whichever process it is repeated: of one key there is one order at the broker. */
describe('an order by hand that is sent many times, to two processes,', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-keys-'))
  const planFile = join(folder, 'plan.json')
  const service = useStack({ worker: faultyWorker(planFile, PLAN) })
  let apis: readonly { part: Part; api: ApiClient }[]
  after(() => rmSync(folder, { recursive: true }))

  before(async () => {
    const { stack } = service
    apis = [{ part: stack.parts.api, api: stack.api }, await stack.addApi()]
    await apis[1]!.part.start()
    const site = new BrokerSite(stack.addresses.venue, stack.venueKeys)
    for (const { symbol } of CASES)
      await site.place({
        client_order_id: `bought-${symbol}`,
        symbol,
        side: 'buy',
        qty: '10',
        type: 'market',
        time_in_force: 'day',
      })
    await eventually(
      async () => {
        const rows = await stack.query<{ symbol: string }>('select symbol from positions')
        const held = new Set(rows.map(({ symbol }) => symbol))
        assert.ok(CASES.every(({ symbol }) => held.has(symbol)))
      },
      { within: 60_000 },
    )
  })

  /** Repeated until it is answered. */
  async function ask(api: ApiClient, way: Way, symbol: string, key: string): Promise<string> {
    const { path, body } = WAYS[way].request(service.stack.accountId, symbol)
    for (;;) {
      const answer = await api.post(path, body, 3_500, { 'idempotency-key': key }).catch(() => null)
      if (answer !== null && answer.status < 500) {
        assert.ok(answer.status < 300, JSON.stringify(answer.body))
        return WAYS[way].named(answer)
      }
      await sleep(200)
    }
  }

  async function assertOneOrder(symbol: string): Promise<void> {
    const { stack } = service
    await eventually(
      async () => {
        const rows = await stack.query<{ status: string; filled: number }>(
          `select status, filled_quantity::float as filled from orders
           where symbol = '${symbol}' and role = 'manual' and end_acknowledged_at is not null`,
        )
        assert.deepEqual(rows, [{ status: 'FILLED', filled: 10 }])
      },
      { within: 40_000 },
    )
    const orders = (await stack.venue.ledger()).orders.filter((order) => order.symbol === symbol)
    assert.deepEqual(
      orders.map(({ side, filled_qty }) => `${side} ${filled_qty}`),
      ['buy 10', 'sell 10'],
    )
  }

  for (const { way, point, symbol, of } of CASES)
    it(`a ${way}, and the ${of} dies ${of === 'API' ? 'at ' : ''}${point}: is one order`, async () => {
      const { worker } = service.stack.parts
      const deaths = (): number =>
        apis.reduce(
          (sum, { part }) => sum + part.logTail(400_000).split(`failpoint ${point}: crash`).length - 1,
          0,
        )
      const deathsBefore = deaths()
      if (of === 'API')
        for (const { part } of apis) {
          await part.kill()
          await part.start({ FAILPOINT: `${point}:crash` })
        }
      const key = randomUUID()
      const asking = Promise.all(
        apis.flatMap(({ api }) => Array.from({ length: AT_ONCE }, () => ask(api, way, symbol, key))),
      )
      const isDone = Promise.allSettled([asking.then(() => assertOneOrder(symbol))]).then(() => true)
      // Whoever stores it dies, and so does whoever else comes to that point.
      while (!(await Promise.race([isDone, sleep(200, false)])))
        for (const part of [worker, ...apis.map((one) => one.part)]) if (!part.isRunning) await part.start()
      assert.equal(new Set(await asking).size, 1)
      assert.ok(
        of === 'API' ? deaths() > deathsBefore : Faults.struckIn(planFile).includes(symbol),
        'it died',
      )
      await assertOneOrder(symbol)
    })
})
