import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Random } from '#test/chaos/random.ts'
import { Faults, type FaultPlan } from '#test/faults/fault-plan.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, heldAtVenue, shown } from '#test/service/sent-signal.ts'

/** Deaths of the worker within a round of random targets. */
const KILLS = 1

/** Rounds of random targets; the short form has none. */
const ROUNDS = Number(process.env['TARGET_ROUNDS'] ?? 0)

/** Where the worker dies between the order that closes and the one that opens; each in a symbol of its own. */
const DEATHS: FaultPlan = {
  ZTTC: { point: 'after recordClosed', mode: 'crash' },
  ...(ROUNDS > 0 && { ZTTB: { point: 'before recordClosed', mode: 'crash' } }),
}

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
    for (const target of [10, -10, 10, 0]) {
      const [first, again] = await Promise.all([send(symbol, String(target)), send(symbol, target)])
      for (const { status, body } of [first, again]) assert.ok(status < 300, JSON.stringify(body))
      await untilHeld(symbol, target)
      const later = await send(symbol, target)
      assert.deepEqual([later.status, later.body.success], [200, true], JSON.stringify(later.body))
      assert.equal(later.body.message, `${symbol} is at its target of ${target} already; nothing was sent`)
      const { status, statusReason, targetPosition } = await shown(service.stack, later.body.signal.id)
      assert.deepEqual([status, statusReason, targetPosition], ['cancelled', 'AT_TARGET', target])
    }
    const turns = ['sell 10', 'sell 10', 'buy 10', 'buy 10']
    assert.deepEqual(await tradedIn(symbol), ['buy 10', ...turns, 'sell 10'])
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

  it('trade nothing when they come after a newer one, also when they come at its heels', async () => {
    const symbol = await pinned('ZTTJ')
    const [meant, later] = [2_000, 1_000].map((ago) => new Date(Date.now() - ago).toISOString())
    const stop = await send(symbol, 0, { targetAt: later })
    assert.equal(stop.body.message, `${symbol} is at its target of 0 already; nothing was sent`)
    const ahead = await send(symbol, 10, { targetAt: meant, dryRun: true })
    assert.equal(ahead.body.dryRun.outcome, 'nothing', JSON.stringify(ahead.body))
    const entry = await send(symbol, 10, { targetAt: meant })
    assert.deepEqual([entry.status, entry.body.success], [200, true], JSON.stringify(entry.body))
    const newer = `signal ${stop.body.signal.id}, which came before, says 0 and was meant later, at ${later}`
    assert.equal(
      entry.body.message,
      `The target of 10 ${symbol} was meant at ${meant}; ${newer}. Nothing was sent`,
    )
    const { status, statusReason, targetAt } = await shown(service.stack, entry.body.signal.id)
    assert.deepEqual([status, statusReason, targetAt], ['cancelled', 'TARGET_SUPERSEDED', meant])

    const [turn] = await Promise.all([
      send(symbol, -4, { targetAt: new Date().toISOString() }),
      setTimeout(20).then(() => send(symbol, 10, { targetAt: meant })),
    ])
    assert.ok(turn.status < 300, JSON.stringify(turn.body))
    await untilHeld(symbol, -4)
    assert.deepEqual(await tradedIn(symbol), ['sell 4'])
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

  it('show beforehand what they would trade, also where a person approves them', async () => {
    const symbol = await pinned('ZTTG')
    await send(symbol, 10)
    await untilHeld(symbol, 10)
    const ahead = async (target: number) => (await send(symbol, target, { dryRun: true })).body
    const turn = await ahead(-10)
    assert.deepEqual(
      [turn.dryRun.outcome, turn.dryRun.order.side, turn.dryRun.order.quantity],
      ['ready', 'SELL', 10],
    )
    assert.ok(
      turn.advisories.some(({ message }: { message: string }) =>
        message.endsWith('another signal opens -10'),
      ),
      JSON.stringify(turn.advisories),
    )
    const short = { side: 'SELL_SHORT', quantity: 10, limitPrice: null, stopPrice: null }
    assert.deepEqual(turn.dryRun.follows, short)
    assert.equal((await ahead(4)).dryRun.follows, null)
    const same = await ahead(10)
    assert.deepEqual([same.dryRun.outcome, same.dryRun.order], ['nothing', null])

    const { body } = await send(symbol, 4, { executeMode: 'pending' })
    const { id } = body.signal
    const person = await service.stack.signIn()
    const check = await person.get(`/signals/${id}/check`)
    const { order } = check.body.data.dryRun
    assert.deepEqual([order.side, order.quantity], ['SELL', 6])
    const turned = await send(symbol, -3, { executeMode: 'pending' })
    const { data } = (await person.get(`/signals/${turned.body.signal.id}/check`)).body
    assert.deepEqual(data.dryRun.follows, { ...short, quantity: 3 })
    assert.deepEqual(data.position.after, data.position.before - 13)
    assert.ok(data.cost > data.followingCost && data.followingCost > 0, JSON.stringify(data))
    assert.equal((await person.post(`/signals/${turned.body.signal.id}/reject`, {})).status, 200)
    const edited = await person.post(`/signals/${id}/process`, { quantity: 3 })
    assert.deepEqual([edited.status, edited.body.code], [400, 'VALIDATION_ERROR'])
    assert.equal((await person.post(`/signals/${id}/process`, {})).status, 200)
    await untilHeld(symbol, 4)
  })

  it('close and open nothing while trading may only reduce, which is told', async () => {
    const symbol = await pinned('ZTTH')
    await send(symbol, 10)
    await untilHeld(symbol, 10)
    const person = await service.stack.signIn()
    const halt = `/settings/halt/${service.stack.accountId}`
    assert.equal((await person.put(halt, { level: 'reduceOnly', reason: 'a test' })).status, 200)
    try {
      const first = await send(symbol, -10)
      assert.equal(first.status, 201, JSON.stringify(first.body))
      await untilHeld(symbol, 0)
      await eventually(async () => {
        const told = await service.stack.query<{ status_reason: string; kind: string }>(
          `select s.status_reason, a.kind from signals s join alerts a on a.signal_id = s.id
           where s.continues = '${first.body.signal.id}'`,
        )
        assert.deepEqual(told, [{ status_reason: 'REDUCE_ONLY', kind: 'ended_unfilled' }])
      })
      assert.equal(await heldAtVenue(service.stack, symbol), '0')
    } finally {
      await person.delete(halt)
    }
  })

  for (const [symbol, { point }] of Object.entries(DEATHS))
    it(`end at the target though the worker dies ${point}`, async () => {
      await pinned(symbol)
      // Its end is not recorded before its exit.
      await send(symbol, 10, { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
      const { worker } = service.stack.parts
      await untilHeld(symbol, 10)
      const { ended } = worker
      const turned = send(symbol, -10).catch((error: unknown) => error)
      await eventually(() => assert.ok(Faults.struckIn(planFile).includes(symbol)), { within: 20_000 })
      await Promise.all([ended, turned])
      await worker.start()
      await untilHeld(symbol, -10, 60_000)
      assert.deepEqual(await tradedIn(symbol), ['buy 10', 'sell 10', 'sell 10'])
    })

  if (ROUNDS > 0)
    it('end at the last of random targets, whatever is repeated and however often the worker dies', async function () {
      const seed = Number(process.env['TARGET_SEED'] ?? Date.now() % 1_000_000)
      this.timeout(ROUNDS * 120_000)
      for (let round = 0; round < ROUNDS; round += 1) await playRandomTargets(seed + round)
    })

  async function playRandomTargets(seed: number): Promise<void> {
    const random = new Random(seed)
    const { worker } = service.stack.parts
    const last = new Map<string, number>()
    const play = async (symbol: string): Promise<void> => {
      await pinned(symbol)
      for (let step = 0; step < 5; step += 1) {
        const target = Math.floor(random.fraction() * 5 - 2) * 6
        last.set(symbol, target)
        for (let times = random.fraction() < 0.4 ? 2 : 1; times > 0; times -= 1) {
          const { status, body } = await send(symbol, target)
          assert.ok(status < 300, `seed ${seed}: ${JSON.stringify(body)}`)
        }
        await setTimeout(random.fraction() * 400)
      }
    }
    const symbols = Array.from({ length: 4 }, (_, number) => `ZTT${inLetters(seed)}${inLetters(number)}`)
    const played = Promise.all(symbols.map(play))
    for (let kills = 0; kills < KILLS; kills += 1) {
      await setTimeout(500 + random.fraction() * 1_500)
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

const inLetters = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)]!)
