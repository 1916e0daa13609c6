import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { addDays } from '#domain/wall-time.ts'
import { dateAt } from '#test/support/scripted-alpaca/days.ts'
import { EXIT_AT_ONCE } from '../desk.ts'
import type { Story } from '../story.ts'

const MINUTE = 60_000
const beforeClose = (minutes: number) => ({
  exitTriggerType: 'minutesBeforeClose',
  exitTriggerMinutes: minutes,
})

/** Days of trading that are told oddly, or become others. */
export const CALENDAR: readonly Story[] = [
  {
    title: 'one empty calendar keeps no exit in',
    async play(desk) {
      desk.broker.answer({ to: 'GET /v2/calendar', times: 1, status: 200, body: [] })
      const id = await desk.open('EMPTY', EXIT_AT_ONCE)
      await desk.untilClosed(id, 60_000)
      await desk.untilQuiet(90_000)
    },
  },
  {
    title: 'a calendar that ends too early keeps no exit in',
    async play(desk) {
      const yesterday = addDays(dateAt(Date.now()), -1)
      desk.broker.answer({
        to: 'GET /v2/calendar',
        times: 1,
        status: 200,
        body: [{ date: yesterday, open: '09:30', close: '16:00' }],
      })
      const id = await desk.open('ENDED', EXIT_AT_ONCE)
      await desk.untilClosed(id, 60_000)
    },
  },
  {
    title: 'on a half day an exit before the close leaves before that close',
    async play(desk) {
      const closesAt = desk.broker.days.closeIn(1.5)
      const id = await desk.open('HALF', beforeClose(1))
      const exit = await desk.order(id, 'exit', 120_000)
      const left = closesAt - Date.parse(exit.created_at)
      assert.ok(left > MINUTE - 6_000 && left <= MINUTE, `it left ${left} ms before the close`)
      await desk.untilExit(id, 'filled')
    },
  },
  {
    title: 'a close that moves forward takes the exit with it',
    async play(desk) {
      const { days } = desk.broker
      days.closeIn(30)
      const id = await desk.open('EARLIER', beforeClose(2))
      await desk.untilExit(id, 'scheduled')
      const closesAt = days.closeIn(3.2)
      const exit = await desk.order(id, 'exit', 140_000)
      assert.ok(Date.parse(exit.created_at) < closesAt - MINUTE, 'it leaves before the new close')
      await desk.untilExit(id, 'filled')
    },
  },
  {
    title: 'an exit whose day falls away moves to the next day, says so, and keeps its distance to the close',
    async play(desk) {
      const { days } = desk.broker
      const today = dateAt(Date.now())
      days.closeIn(3)
      const id = await desk.open('MOURNING', beforeClose(1))
      const before = await desk.untilExit(id, 'scheduled')
      days.set.set(today, null)
      await desk.until(
        async () => assert.ok((await desk.shown(id)).exit.submitAt > before.exit.submitAt, 'it has moved'),
        150_000,
      )
      const { exit } = await desk.shown(id)
      const { closesAt } = days.sessionAt(Date.now())
      assert.equal(Date.parse(exit.submitAt), closesAt - MINUTE)
      assert.ok(exit.reason)
      assert.deepEqual(desk.orders(id, 'exit'), [])
      await desk.untilAlert('unprotected_position', /not leave on the day/)
      await sleep(500)
      assert.ok(
        (await desk.timeline(id)).filter((it) => /exit/i.test(it)).length >= 2,
        'the timeline says it',
      )
    },
  },
]
