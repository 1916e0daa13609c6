import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue, shown } from '#test/service/sent-signal.ts'
import { stopwatch, tell } from './played-page.ts'

describe('the runbook about an API that is down, played through', function () {
  this.timeout(240_000)
  const service = useStack()

  const lives = async (): Promise<boolean> => {
    const answer = await fetch(`${service.stack.addresses.api}/healthz`, {
      signal: AbortSignal.timeout(1_000),
    }).catch(() => null)
    return answer?.status === 200
  }
  const untilReady = () =>
    eventually(async () => assert.equal((await fetch(`${service.stack.addresses.api}/readyz`)).status, 200), {
      within: 60_000,
      every: 100,
    })

  it('killed: an exit leaves at its instant without an API, and once it is started everything is ready', async () => {
    const { stack } = service
    const { body } = await stack.api.post(
      '/signals',
      buyNow(stack, { symbol: 'ZTNOAPI', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
    )
    const { id } = body.signal
    await eventually(async () => assert.equal((await shown(stack, id)).exit.status, 'scheduled'))
    const dueAt = Date.parse((await shown(stack, id)).exit.submitAt)
    await stack.parts.api.kill()
    const since = stopwatch()
    assert.equal(await lives(), false)
    await assert.rejects(fetch(`${stack.addresses.apiMetrics}/metrics`))
    tell(`api-down, killed: no answer after ${since()} s`)
    const exit = await eventually(
      async () => {
        const [found] = ordersAtVenue(await stack.venue.ledger(), id, 'exit')
        assert.equal(found?.status, 'filled')
        return found
      },
      { within: 90_000 },
    )
    const late = (Date.parse(exit.created_at) - dueAt) / 1_000
    assert.ok(late >= 0 && late < 5, `the exit was ${late} s late`)
    tell(`api-down, killed: the exit left ${late.toFixed(1)} s after its instant, without an API`)
    const start = stopwatch()
    await stack.parts.api.start()
    await untilReady()
    tell(`api-down, killed: everything is ready ${start()} s after its start`)
    assert.equal((await shown(stack, id)).exit.status, 'filled')
  })

  it('hanging: /healthz gives no answer, and killed and started it is ready', async () => {
    const { api } = service.stack.parts
    process.kill(api.pid, 'SIGSTOP')
    assert.equal(await lives(), false)
    const since = stopwatch()
    await api.kill()
    await api.start()
    await untilReady()
    tell(`api-down, hanging: everything is ready ${since()} s after the kill`)
  })

  it('the runbook about an API that is down, played through with errors: the answers and the metric name DATABASE_UNAVAILABLE, which ends with PostgreSQL’s return', async () => {
    const { stack } = service
    await stack.parts.postgres.kill()
    const { status, body } = await stack.api.post('/signals', buyNow(stack))
    assert.deepEqual([status, body.code], [503, 'DATABASE_UNAVAILABLE'])
    assert.equal(await lives(), true)
    const told = await (await fetch(`${stack.addresses.apiMetrics}/metrics`)).text()
    assert.match(told, /^durable_trader_http_errors_total\{code="DATABASE_UNAVAILABLE"\} [1-9]/m)
    await stack.parts.postgres.start()
    const since = stopwatch()
    await untilReady()
    tell(`api-down, with errors: everything is ready ${since()} s after PostgreSQL answers`)
  })
})
