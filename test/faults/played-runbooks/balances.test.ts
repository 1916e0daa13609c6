import assert from 'node:assert/strict'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { instantToLocal } from '#domain/time/wall-time.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { Settings } from '#test/support/part.ts'
import { PlayedPage, secondsBetween, stopwatch, tell } from './played-page.ts'

/** The balances of a day are asked for five minutes after its close: here in the next two, but not at once. */
const CLOSED_AGO = 3 * 60_000

describe('the runbook about balances of a day, played through', function () {
  this.timeout(300_000)
  const venue: Record<string, string> = {}
  before(() => {
    const closed = new Date(Date.now() - CLOSED_AGO).toISOString()
    const time = instantToLocal(closed, NYSE_ZONE).time.slice(0, 5)
    venue['VENUE_CLOSE'] = time === '00:00' ? '23:59' : time
  })
  const service = useStack({ venue: venue satisfies Settings })
  const page = new PlayedPage('snapshot-overdue', () => service.stack)

  it('the runbook about balances of a day, played through without a worker they are overdue, and once one runs they are recorded and the alert ends', async () => {
    const { stack } = service
    const due = await eventually(
      async () => {
        const [plan] = await stack.query<{ at: string }>('select due_at::text as at from snapshot_schedules')
        assert.ok(plan)
        return new Date(plan.at).toISOString()
      },
      { within: 30_000 },
    )
    await stack.parts.worker.kill()
    const alert = await page.raised({ within: 180_000 })
    tell(
      `snapshot-overdue: alert ${secondsBetween(due, alert.raisedAt)} s after the balances were to be recorded`,
    )
    await page.metricShows(1)
    assert.match(alert.message, /no worker runs/)
    const [[row] = []] = await page.statements()
    assert.equal(row?.['message'], alert.message)
    await stack.parts.worker.start()
    const since = stopwatch()
    await page.over(alert, { within: 90_000 })
    tell(`snapshot-overdue: over ${since()} s after a worker takes tasks`)
    const recorded = await stack.query('select from balance_snapshots')
    assert.equal(recorded.length, 1)
    await page.metricShows(0)
  })
})
