import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_AT_ONCE } from '../desk.ts'
import type { Story } from '../story.ts'

/** Fills that come late, and a broker that is away. */
export const FILLS: readonly Story[] = [
  {
    title: 'a fill after the rejection of the entry gets its exit, and is told once',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('UNDEAD', EXIT_AT_ONCE)
      const entry = await desk.order(id, 'entry')
      broker.end(entry, 'rejected')
      await desk.untilStatus(id, 'rejected')
      await sleep(2_000)
      broker.fillsAtOnce = true
      broker.fill(entry)
      await desk.untilHeld('UNDEAD', '0')
      const told = (await desk.alerts('all')).filter(({ kind }) => kind === 'fill_after_end')
      assert.equal(told.length, 1)
    },
  },
  {
    title: 'an exit that falls due while the broker is away leaves when it is back, once',
    async play(desk) {
      const { broker } = desk
      const { id, entry } = await desk.openResting('AWAY', EXIT_AT_ONCE)
      const back = broker.answer({ status: 503, body: '<html>down</html>' })
      broker.fill(entry)
      await sleep(25_000)
      back()
      await desk.untilClosed(id)
      assert.equal(desk.orders(id, 'exit').length, 1)
      await desk.untilQuiet(90_000)
    },
  },
]
