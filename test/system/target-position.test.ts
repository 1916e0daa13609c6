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
import { heldAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

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

  const { pinned, send: post, untilHeld } = senderOn(service)
  const send = (symbol: string, targetPosition: number | string, changes: object = {}) =>
    post({ symbol, targetPosition, ...changes })
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
    it('end at the last of random targets, with any repetition and however often the worker dies', async function () {
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
