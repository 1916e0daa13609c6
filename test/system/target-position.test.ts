import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Faults } from '#test/faults/fault-plan.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, heldAtVenue, shown } from './sent-signal.ts'

/** Where the worker dies between the order that closes and the one that opens; each in a symbol of its own. */
const DEATHS = {
  ZTTB: { point: 'before recordClosed', mode: 'crash' },
  ZTTC: { point: 'after recordClosed', mode: 'crash' },
  ZTTD: { point: 'after recordAccepted of the entry', mode: 'crash' },
} as const

describe('signals with a target position, on the whole service', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-target-'))
  const planFile = join(folder, 'plan.json')
  const service = useStack({ worker: faultyWorker(planFile, DEATHS) })
  after(() => rmSync(folder, { recursive: true }))

  const send = (symbol: string, targetPosition: number | string, changes: object = {}) =>
    service.stack.api.post('/signals', buyNow(service.stack, { symbol, targetPosition, ...changes }))
  const untilHeld = (symbol: string, quantity: number, within = 20_000) =>
    eventually(async () => assert.equal(Number(await heldAtVenue(service.stack, symbol)), quantity), {
      within,
    })
  const pinned = async (symbol: string): Promise<string> => {
    await service.stack.venue.pin(symbol, 100)
    return symbol
  }
  const tradedIn = async (symbol: string): Promise<string[]> =>
    (await service.stack.venue.ledger()).orders
      .filter((order) => order.symbol === symbol)
      .map(({ side, qty }) => `${side} ${Number(qty)}`)

  it('go from side to side, close before they open, and trade nothing when they are repeated', async () => {
    const symbol = await pinned('ZTTA')
    for (const target of [10, -10, 10, -10, 10, 0]) {
      const [first, again] = await Promise.all([send(symbol, String(target)), send(symbol, target)])
      for (const { status, body } of [first, again]) assert.ok(status < 300, JSON.stringify(body))
      await untilHeld(symbol, target)
      const later = await send(symbol, target)
      assert.deepEqual([later.status, later.body.success], [200, true], JSON.stringify(later.body))
      assert.equal(later.body.message, `${symbol} is at its target of ${target} already; nothing was sent`)
      const { status, statusReason, targetPosition } = await shown(service.stack, later.body.signal.id)
      assert.deepEqual([status, statusReason, targetPosition], ['cancelled', 'AT_TARGET', target])
    }
    const back = ['sell 10', 'sell 10', 'buy 10', 'buy 10']
    assert.deepEqual(await tradedIn(symbol), ['buy 10', ...back, ...back, 'sell 10'])
  })

  it('trade what is missing, with the exit for what is opened', async () => {
    const symbol = await pinned('ZTTE')
    await send(symbol, 4)
    await untilHeld(symbol, 4)
    const more = await send(symbol, 10, { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    assert.equal(more.status, 201, JSON.stringify(more.body))
    await untilHeld(symbol, 10)
    const { action, quantity, exit } = await shown(service.stack, more.body.signal.id)
    assert.deepEqual([action, quantity, exit !== null], ['openLong', 6, true])
    const less = await send(symbol, 7, { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    await untilHeld(symbol, 7)
    const closed = await shown(service.stack, less.body.signal.id)
    assert.deepEqual([closed.action, closed.quantity, closed.exit], ['closeLong', 3, null])
  })

  it('cancel an order of ours that leads away from the target', async () => {
    const symbol = await pinned('ZTTF')
    await send(symbol, 10, { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' })
    const flat = await send(symbol, 0)
    assert.ok(flat.status < 300, JSON.stringify(flat.body))
    await eventually(async () => {
      const [order] = (await service.stack.venue.ledger()).orders.filter((one) => one.symbol === symbol)
      assert.equal(order?.status, 'canceled')
    })
    await eventually(async () =>
      assert.equal((await shown(service.stack, flat.body.signal.id)).statusReason, 'AT_TARGET'),
    )
  })

  for (const symbol of Object.keys(DEATHS) as (keyof typeof DEATHS)[])
    it(`end at the target though the worker dies ${DEATHS[symbol].point}`, async () => {
      await pinned(symbol)
      // Its end is not recorded before its exit.
      await send(symbol, 10, { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
      const { worker } = service.stack.parts
      if (symbol !== 'ZTTD') await untilHeld(symbol, 10)
      const { ended } = worker
      const turned = send(symbol, -10).catch((error: unknown) => error)
      await eventually(() => assert.ok(Faults.struckIn(planFile).includes(symbol)), { within: 20_000 })
      await Promise.all([ended, turned])
      await worker.start()
      await untilHeld(symbol, -10, 60_000)
      assert.deepEqual(await tradedIn(symbol), ['buy 10', 'sell 10', 'sell 10'])
    })

  it('end at the last of random targets, whatever is repeated and however often the worker dies', async () => {
    const seed = Number(process.env['TARGET_SEED'] ?? Date.now() % 1_000_000)
    const rounds = Number(process.env['TARGET_ROUNDS'] ?? 1)
    for (let round = 0; round < rounds; round += 1) await playRandomTargets(seed + round)
  })

  async function playRandomTargets(seed: number): Promise<void> {
    const random = randomFrom(seed)
    const { worker } = service.stack.parts
    const last = new Map<string, number>()
    const play = async (symbol: string): Promise<void> => {
      await pinned(symbol)
      for (let step = 0; step < 5; step += 1) {
        const target = Math.floor(random() * 5 - 2) * 6
        last.set(symbol, target)
        for (let times = random() < 0.4 ? 2 : 1; times > 0; times -= 1) {
          const { status, body } = await send(symbol, target)
          assert.ok(status < 300, `seed ${seed}: ${JSON.stringify(body)}`)
        }
        await setTimeout(random() * 400)
      }
    }
    const symbols = Array.from({ length: 4 }, (_, number) => `ZTT${seed}${number}`)
    const played = Promise.all(symbols.map(play))
    for (let kills = 0; kills < 2; kills += 1) {
      await setTimeout(500 + random() * 1_500)
      await worker.kill()
      await worker.start()
    }
    await played
    for (const symbol of symbols)
      await eventually(
        async () =>
          assert.equal(
            Number(await heldAtVenue(service.stack, symbol)),
            last.get(symbol),
            `seed ${seed}, ${symbol}: ${(await tradedIn(symbol)).join(', ')}`,
          ),
        { within: 40_000 },
      )
  }
})

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
