import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Faults } from '#test/faults/fault-plan.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Part } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'

/** Where the worker dies, in orders of which symbol. */
const DEATHS = {
  ZTHANDWRK: { point: 'after prepareEntry', mode: 'crash' },
  ZTHANDWRKA: { point: 'before broker.submitOrder of the entry', mode: 'crash' },
  ZTHANDWRKB: { point: 'after broker.submitOrder of the entry', mode: 'crash' },
  ZTHANDWRKC: { point: 'before recordAccepted of the entry', mode: 'crash' },
  ZTHANDWRKD: { point: 'after recordAccepted of the entry', mode: 'crash' },
} as const
/** Where a step never ends, so that nothing is heard of the attempt that it is a part of. */
const HANGS = {
  ZTHANDHNGA: { point: 'before prepareEntry', mode: 'hang' },
  ZTHANDHNGB: { point: 'after prepareEntry', mode: 'hang' },
  ZTHANDHNGC: { point: 'before broker.submitOrder of the entry', mode: 'hang' },
  ZTHANDHNGD: { point: 'after broker.submitOrder of the entry', mode: 'hang' },
  ZTHANDHNGE: { point: 'before recordAccepted of the entry', mode: 'hang' },
  ZTHANDHNGF: { point: 'after recordAccepted of the entry', mode: 'hang' },
} as const

/** Processes that are killed around every step of a manual order, and a broker that gives no usable answer. */
describe('a manual order, while something stops in the middle,', function () {
  this.timeout(90_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-failpoints-'))
  const planFile = join(folder, 'plan.json')
  const service = useStack({ worker: faultyWorker(planFile, { ...DEATHS, ...HANGS }) })
  after(() => rmSync(folder, { recursive: true }))

  const place = (symbol: string, key: string) => {
    const { api, accountId } = service.stack
    const order = { accountId, symbol, side: 'BUY', orderType: 'MARKET', quantity: 10 }
    return api.post('/orders', order, 3_500, { 'idempotency-key': key })
  }
  const atVenue = async (symbol: string) =>
    (await service.stack.venue.ledger()).orders.filter((order) => order.symbol === symbol)

  /** Starts a part anew, so that it dies at the place given. */
  async function arm(part: Part, point: string): Promise<void> {
    await part.kill()
    await part.start({ FAILPOINT: `${point}:crash` })
  }
  async function struck(part: Part, point: string): Promise<void> {
    await eventually(() => assert.ok(part.logTail(200_000).includes(`failpoint ${point}: crash`)))
    assert.deepEqual(await part.ended, { code: null, signal: 'SIGKILL' })
  }

  /** One order at the venue, filled, and the ledger holds it settled: whatever happened on the way. */
  async function assertOneOrder(symbol: string): Promise<void> {
    const { stack } = service
    await eventually(
      async () => {
        const rows = await stack.query<{ status: string; filled: number; settled: boolean }>(
          `select status, filled_quantity::float as filled, end_acknowledged_at is not null as settled
           from orders where symbol = '${symbol}'`,
        )
        assert.deepEqual(rows, [{ status: 'FILLED', filled: 10, settled: true }])
      },
      { within: 40_000 },
    )
    const orders = await atVenue(symbol)
    assert.deepEqual(
      orders.map(({ status, filled_qty }) => [status, filled_qty]),
      [['filled', '10']],
    )
  }

  for (const [number, { point, stored }] of [
    { point: 'api.before_commit', stored: false },
    { point: 'api.after_commit', stored: true },
    { point: 'api.after_start', stored: true },
  ].entries())
    it(`the API at ${point}: is ${stored ? 'carried out by itself' : 'not there'}, and one order when it is sent again`, async () => {
      const { api } = service.stack.parts
      const symbol = `ZTHANDAPI${lettersOf(number)}`
      const key = randomUUID()
      await arm(api, point)
      assert.ok((await place(symbol, key).catch((error: unknown) => error)) instanceof Error, 'no answer')
      await struck(api, point)
      await api.start()
      await service.stack.untilReady()
      if (stored) await assertOneOrder(symbol)
      const again = await place(symbol, key)
      assert.ok((stored ? [200] : [201, 202]).includes(again.status), JSON.stringify(again.body))
      await assertOneOrder(symbol)
    })

  for (const [symbol, { point }] of Object.entries(DEATHS))
    it(`the worker that dies ${point}: ends in one order`, async () => {
      const { worker } = service.stack.parts
      const { status, body } = await place(symbol, randomUUID())
      assert.ok([201, 202].includes(status), JSON.stringify(body))
      await eventually(() => assert.ok(Faults.struckIn(planFile).includes(symbol)))
      assert.deepEqual(await worker.ended, { code: null, signal: 'SIGKILL' })
      await worker.start()
      await assertOneOrder(symbol)
    })

  for (const [symbol, { point }] of Object.entries(HANGS))
    it(`a step that hangs ${point}: ends in one order`, async () => {
      const { status, body } = await place(symbol, randomUUID())
      assert.ok([201, 202].includes(status), JSON.stringify(body))
      await assertOneOrder(symbol)
      assert.ok(Faults.struckIn(planFile).includes(symbol))
    })
})
