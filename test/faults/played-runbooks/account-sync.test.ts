import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { PlayedPage, secondsBetween, stopwatch, tell } from './played-page.ts'

describe('the runbook about accounts that are not synced, played through', function () {
  this.timeout(300_000)
  // The worker that follows an account syncs it as well, with the usual settings sixty times in a round.
  const service = useStack({ worker: { ACCOUNT_SYNC_INTERVAL: '20s', BROKER_POLL_INTERVAL: '10m' } })
  const page = new PlayedPage('account-sync-overdue', () => service.stack)
  const schedule = async () => (await service.stack.temporal()).schedule.getHandle('sync-accounts')

  it('the runbook about accounts that are not synced, played through while the schedule is paused: an account is synced on request, and the alert remains until the schedule has gone on for a minute', async () => {
    const { stack } = service
    await eventually(async () => assert.ok(await (await schedule()).describe()))
    await (await schedule()).pause('to see what happens')
    const alert = await page.raised({ within: 240_000 })
    const [due] = await stack.query<{ at: string }>(`select data ->> 'dueAt' as at from alerts`)
    tell(
      `account-sync-overdue: alert ${secondsBetween(due!.at, alert.raisedAt)} s after the round that was missed`,
    )
    await page.metricShows(1)
    const [[row] = []] = await page.statements()
    assert.equal(row?.['account_id'], stack.accountId)
    tell(`account-sync-overdue: ${alert.message}`)
    assert.equal((await (await schedule()).describe()).state.paused, true)

    page.assertReports('POST /api/v1/accounts/:accountId/sync')
    const since = stopwatch()
    const { status, body } = await stack.api.post(`/accounts/${stack.accountId}/sync`, {})
    assert.equal(status, 200, JSON.stringify(body))
    tell(`account-sync-overdue: synced on request after ${since()} s`)

    // The next round is missed as well, so that it stays the same alert until the account is synced again and again.
    await (await schedule()).unpause()
    const again = stopwatch()
    await page.over(alert, { within: 180_000 })
    tell(`account-sync-overdue: over ${again()} s after the schedule goes on`)
    await page.metricShows(0)
  })
})
