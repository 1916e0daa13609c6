import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { alpacaRejections } from '#test/brokers/alpaca-answers.ts'
import { EXIT_AT_ONCE, exitAfter } from '../desk.ts'
import type { Story } from '../story.ts'

/** `npm test -- stories` plays the times of the measured case; otherwise they are shorter. */
const IS_LONG = process.env['STORIES'] === 'long'
const REFUSED_MS = IS_LONG ? 120_000 : 40_000
/** Of 120 s at most 12 requests: in a shorter time one for every ten seconds, and those that were under way. */
const MOST_REQUESTS = IS_LONG ? 12 : 8

/** A broker that refuses requests because there were too many. */
export const REFUSED: readonly Story[] = [
  {
    title: `is asked at most ${MOST_REQUESTS} times in ${REFUSED_MS / 1_000} s of 429 with Retry-After: 10`,
    async play({ broker, until }) {
      await sleep(2_000)
      const since = Date.now()
      const to = since + REFUSED_MS
      broker.answer({
        until: to,
        status: 429,
        body: alpacaRejections.rateLimit,
        headers: { 'retry-after': '10' },
      })
      await sleep(REFUSED_MS)
      const refused = broker.requests.filter(({ at }) => at >= since && at < to)
      const paths = Object.entries(Object.groupBy(refused, ({ path }) => path))
      const told = paths.map(([path, requests]) => `${path} ${requests!.length}`).join(', ')
      assert.ok(refused.length <= MOST_REQUESTS, `${refused.length} requests: ${told}`)
      await until(() => assert.ok(broker.countRequests('GET /v2/account', to) > 0, 'it is asked again'))
    },
  },
  {
    title: 'is named as the cause where an exit is due',
    async play(desk) {
      const { broker } = desk
      const { id, entry } = await desk.openResting('CAUSE', EXIT_AT_ONCE)
      const over = broker.answer({
        status: 429,
        body: alpacaRejections.rateLimit,
        headers: { 'retry-after': '30' },
      })
      broker.fill(entry)
      const alert = await desk.untilAlert('unprotected_position')
      assert.match(alert.message, /limit/i)
      assert.doesNotMatch(alert.message, /ScheduleToClose|activity/i)
      over()
      await desk.untilClosed(id, 60_000)
    },
  },
  {
    title: 'keeps no exit in that is due after the refusals',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('AFTER', exitAfter(1))
      await desk.untilExit(id, 'scheduled')
      broker.answer({
        until: Date.now() + 20_000,
        status: 429,
        body: alpacaRejections.rateLimit,
        headers: { 'retry-after': '5' },
      })
      const exit = await desk.order(id, 'exit', 90_000)
      const filledAt = Date.parse(desk.orders(id, 'entry')[0]!.filled_at!)
      const late = Date.parse(exit.created_at) - filledAt - 60_000
      assert.ok(late >= 0 && late < 6_000, `it left ${late} ms after its time`)
      await desk.untilExit(id, 'filled')
    },
  },
]
