import assert from 'node:assert/strict'
import { NYSE_ZONE, nyseSessions } from '#domain/time/nyse.ts'
import { earliestFill } from '#domain/order/fill.ts'
import { resolveExitTime } from '#domain/exit/schedule.ts'
import type { TimeInForce } from '#domain/order/order.ts'

describe('the first instant at which an order can be filled', () => {
  // Sessions from 14:30 to 21:00 UTC; 28 February 2026 is a Saturday.
  const sessions = nyseSessions('2026-02-27', '2026-03-10')
  const fill = (sentAt: string, timeInForce: TimeInForce = 'day', extendedHours = false): string =>
    earliestFill({ timeInForce, extendedHours }, sentAt, sessions)

  const cases: [name: string, found: string, expected: string][] = [
    ['in a session, is at once', fill('2026-03-02T15:00:00.000Z'), '2026-03-02T15:00:00.000Z'],
    ['before the open, is the open', fill('2026-03-02T13:00:00.000Z'), '2026-03-02T14:30:00.000Z'],
    ['on a Saturday, is the open of Monday', fill('2026-02-28T15:00:00.000Z'), '2026-03-02T14:30:00.000Z'],
    [
      'for the closing auction, is the close',
      fill('2026-03-02T15:00:00.000Z', 'cls'),
      '2026-03-02T21:00:00.000Z',
    ],
    [
      'for an opening auction that has passed, is the next one',
      fill('2026-03-02T15:00:00.000Z', 'opg'),
      '2026-03-03T14:30:00.000Z',
    ],
    [
      'for extended hours, is at once',
      fill('2026-03-02T13:00:00.000Z', 'day', true),
      '2026-03-02T13:00:00.000Z',
    ],
    [
      'without a session that is late enough, is at once',
      fill('2026-03-10T22:00:00.000Z'),
      '2026-03-10T22:00:00.000Z',
    ],
  ]
  for (const [name, found, expected] of cases) it(name, () => assert.equal(found, expected))

  it('the first instant at which an order can be filled has the exit 30 minutes after a market order of a Saturday at 10:00 on Monday', () => {
    const filledAt = fill('2026-02-28T15:00:00.000Z')
    const exit = { trigger: 'minutesAfterEntry', minutes: 30, clockTime: null, timeInForce: 'day' } as const
    assert.deepEqual(resolveExitTime(exit, { endedAt: filledAt, filledAt }, sessions, NYSE_ZONE), {
      submitAt: '2026-03-02T15:00:00.000Z',
      reason: null,
    })
  })
})
