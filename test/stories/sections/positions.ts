import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_AT_ONCE, exitAfter, type Desk } from '../desk.ts'
import type { Story } from '../story.ts'

const SHOWN_EMPTY_MS = 25_000

/** Buys, waits until the fill is old, and has positions shown as empty for a while. */
async function holdUnseen(desk: Desk, symbol: string): Promise<void> {
  const id = await desk.open(symbol)
  await desk.untilFilled(id, 10)
  await sleep(20_000)
  desk.broker.shown.positions = () => []
  setTimeout(() => (desk.broker.shown.positions = (rows) => rows), SHOWN_EMPTY_MS)
  await sleep(2_000)
}

/** Positions that the broker shows oddly for a while, or changes for good. */
export const POSITIONS: readonly Story[] = [
  {
    title: 'positions shown as empty do not make "close all" a success, and the shares are sold',
    async play(desk) {
      await holdUnseen(desk, 'ALLOFIT')
      const { status, body } = await desk.ask('/positions/flatten')
      assert.equal(status, 202, JSON.stringify(body))
      await desk.untilHeld('ALLOFIT', '0', 90_000)
    },
  },
  {
    title: 'closeLong waits while the position is not shown, and sells it then',
    async play(desk) {
      await holdUnseen(desk, 'UNSEEN')
      const { status, body } = await desk.send({ symbol: 'UNSEEN', action: 'closeLong' })
      assert.equal(status, 202, JSON.stringify(body))
      await desk.untilHeld('UNSEEN', '0', 90_000)
    },
  },
  {
    title: 'an exit waits while the position is not shown, alerts, and sells it then',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('WAITING', EXIT_AT_ONCE)
      const entry = await desk.order(id, 'entry')
      broker.shown.positions = () => []
      broker.fillsAtOnce = true
      broker.fill(entry)
      await desk.untilAlert('unprotected_position')
      broker.shown.positions = (rows) => rows
      await desk.untilClosed(id, 90_000)
    },
  },
  {
    title: 'a forced sale of a part by the broker is reported, and the exit sells the rest',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('FORCED', exitAfter(1))
      await desk.untilExit(id, 'scheduled')
      const sale = broker.byHand({
        symbol: 'FORCED',
        side: 'sell',
        qty: '6',
        type: 'market',
        position_intent: 'sell_to_close',
      })
      broker.fill(sale)
      await desk.untilHeld('FORCED', '0', 100_000)
      assert.deepEqual(desk.sizes(id, 'exit'), ['4'])
      const told = (await desk.alerts('all')).map(({ message }) => message)
      assert.ok(
        told.some((message) => /6/.test(message) && /FORCED/.test(message)),
        JSON.stringify(told),
      )
    },
  },
  {
    title: 'a short position that the broker buys in is reported, and nothing is bought for it',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('BUYIN', { action: 'openShort', ...exitAfter(1) })
      await desk.untilExit(id, 'scheduled')
      const order = { symbol: 'BUYIN', side: 'buy', qty: '10', type: 'market' } as const
      broker.fill(broker.byHand({ ...order, position_intent: 'buy_to_close' }))
      await desk.until(async () => assert.notEqual((await desk.shown(id)).exit.status, 'scheduled'), 100_000)
      assert.equal(desk.held('BUYIN'), '0')
      assert.deepEqual(desk.orders(id, 'exit'), [])
      const told = (await desk.alerts('all')).map(({ message }) => message)
      assert.ok(
        told.some((message) => /BUYIN/.test(message)),
        JSON.stringify(told),
      )
    },
  },
]
