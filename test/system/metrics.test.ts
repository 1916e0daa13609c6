import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { deliveredQueries, namesIn } from '#test/deploy/panels.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, shown } from '#test/service/sent-signal.ts'

/** Series of a page by their name and labels, in the order of these. */
type Series = Map<string, number>

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/

/** Counters of the SDK that are not told before the first failure, by their names in its source. */
const TOLD_AFTER_A_FAILURE: Record<string, string> = {
  temporal_workflow_failed_total: 'workflow_failed',
  temporal_activity_execution_failed_total: 'activity_execution_failed',
}
/** Of Prometheus itself: whether it could scrape, and what it adds to every series. */
const ADDED_BY_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] }

/** Reads the text format of Prometheus. */
function seriesOf(page: string): Series {
  const found: Series = new Map()
  for (const line of page.split('\n')) {
    const [, name, labels = '', value] = SERIES.exec(line) ?? []
    if (name !== undefined) found.set(`${name}{${labels.split(',').toSorted().join(',')}}`, Number(value))
  }
  return found
}

describe('the metrics of the API, a worker and the paper venue', function () {
  this.timeout(120_000)
  const service = useStack({ venue: { VENUE_REQUESTS_PER_MINUTE: '10000' } })
  /** Everything that was told while the tests ran: names of series, and their labels. */
  const told = { metrics: new Set<string>(), labels: new Set<string>() }
  const scrape = async (address: string, path = '/metrics'): Promise<{ page: string; series: Series }> => {
    const response = await fetch(address + path)
    assert.equal(response.status, 200)
    const page = await response.text()
    const series = seriesOf(page)
    for (const name of series.keys()) {
      told.metrics.add(name.split('{')[0]!)
      for (const [, label] of name.matchAll(/(\w+)="/g)) told.labels.add(label!)
    }
    return { page, series }
  }
  const ofApi = () => scrape(service.stack.addresses.apiMetrics)

  it('show a signal with an exit: requests, phases, exits, alerts, broker requests', async () => {
    const { stack } = service
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }
    const { body: held } = await stack.api.post(
      '/signals',
      buyNow(stack, { symbol: 'ZTHELD', ...exit }),
      20_000,
    )
    const { body: sold } = await stack.api.post(
      '/signals',
      buyNow(stack, { symbol: 'ZTSOLD', exitTriggerType: 'immediate' }),
      20_000,
    )
    const { status } = await stack.api.post('/signals', buyNow(stack, { quantity: -1 }))
    assert.equal(status, 400)
    await stack.api.get(`/signals/${held.signal.id}`)
    await eventually(async () => assert.equal((await shown(stack, sold.signal.id)).exit.status, 'filled'), {
      within: 30_000,
    })
    const { page, series } = await eventually(
      async () => {
        const found = await ofApi()
        for (const phase of ['exit_sent', 'closed'])
          assert.equal(
            found.series.get(`durable_trader_signal_phase_seconds_count{phase="${phase}"}`),
            1,
            phase,
          )
        return found
      },
      { within: 20_000, every: 500 },
    )
    const value = (name: string) => series.get(name)
    assert.equal(value('durable_trader_http_requests_total{route="POST /api/v1/signals",status="201"}'), 2)
    assert.equal(value('durable_trader_http_requests_total{route="POST /api/v1/signals",status="400"}'), 1)
    assert.equal(value('durable_trader_http_request_duration_seconds_count{route="POST /api/v1/signals"}'), 3)
    assert.equal(value('durable_trader_http_errors_total{code="VALIDATION_ERROR"}'), 1)
    assert.ok(value('durable_trader_http_requests_total{route="GET /api/v1/signals/:id",status="200"}')! >= 2)
    for (const phase of ['checked', 'sent', 'acknowledged', 'total', 'filled'])
      assert.equal(value(`durable_trader_signal_phase_seconds_count{phase="${phase}"}`), 2, phase)
    assert.ok(value('durable_trader_signal_phase_seconds_sum{phase="total"}')! < 40)
    assert.equal(value('durable_trader_exits{state="waiting"}'), 1)
    for (const state of ['due', 'late', 'parked'])
      assert.equal(value(`durable_trader_exits{state="${state}"}`), 0)
    assert.equal(value('durable_trader_alerts_open{kind="unprotected_position"}'), 0)
    assert.equal(value('durable_trader_unknown_outcomes{}'), 0)
    assert.equal(value('durable_trader_workers{}'), 1)
    assert.equal(value('durable_trader_ledger_up{}'), 1)
    assert.ok(value('durable_trader_feed_lag_seconds{}')! < 30)
    assert.ok(value('nodejs_eventloop_lag_p99_seconds{}')! > 0)

    assert.equal(value('durable_trader_temporal_up{}'), 1)
    assert.equal(value('durable_trader_event_streams{}'), 0)
    for (const state of ['under_way', 'waiting'])
      assert.equal(value(`durable_trader_work_requests{kind="entries",state="${state}"}`), 0)
    assert.equal(value('durable_trader_work_refused_total{kind="entries"}'), 0)
    assert.ok(value('durable_trader_database_clock_difference_seconds{}')! < 2)
    assert.ok(value('durable_trader_disk_free_bytes{}')! > 0)
    assert.ok(value('durable_trader_disk_free_bytes{}')! < value('durable_trader_disk_size_bytes{}')!)
    for (const pool of ['trading', 'stopping', 'ordinary']) {
      assert.ok(value(`durable_trader_database_connections_limit{pool="${pool}"}`)! > 0)
      assert.equal(value(`durable_trader_database_connections{pool="${pool}",state="waiting"}`), 0)
    }

    const { page: workerPage, series: ofWorker } = await scrape(stack.addresses.metrics)
    const orders = [...ofWorker].filter(([name]) =>
      name.startsWith('durable_trader_broker_request_duration_seconds_count'),
    )
    assert.ok(
      orders.some(
        ([name, count]) => name.includes('broker="paper"') && name.includes('outcome="200"') && count >= 3,
      ),
      JSON.stringify(orders),
    )
    assert.ok(ofWorker.get('durable_trader_broker_budget_used_ratio_bucket{broker="paper",le="0.1"}')! > 0)
    assert.ok(ofWorker.get('durable_trader_broker_clock_difference_seconds{broker="paper"}')! < 2)
    assert.ok(ofWorker.get('durable_trader_database_connections_limit{pool="worker"}')! > 0)
    assert.ok([...ofWorker.keys()].some((name) => name.startsWith('temporal_workflow_completed_total')))

    for (const queue of ['signals', 'signals-scheduled'])
      assert.ok(
        [...ofWorker.keys()].some(
          (name) =>
            name.startsWith('temporal_worker_task_slots_available{') &&
            name.includes(`task_queue="${queue}"`),
        ),
        `the slots of ${queue}`,
      )

    const { page: venuePage, series: ofVenue } = await scrape(stack.addresses.venue, '/venue/metrics')
    const venueOrders =
      'durable_trader_venue_request_duration_seconds_count{route="POST /v2/orders",status="200"}'
    assert.equal(ofVenue.get(venueOrders), 3)
    for (const each of [page, workerPage, venuePage]) {
      for (const secret of [held.signal.id, sold.signal.id, stack.accountId, stack.token])
        assert.ok(!each.includes(secret))
      // Not even one of somebody else's making.
      assert.doesNotMatch(each, /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/)
    }
  })

  it('show trouble: exits that are late, alerts, refusals, and a ledger that is away', async () => {
    const { stack } = service
    await stack.venue.pin('ZTPOOR', 90_000)
    await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTPOOR', quantity: 50_000 }), 20_000)
    await eventually(
      async () => {
        const { page } = await ofApi()
        assert.match(page, /^durable_trader_signals_refused_total\{reason="[A-Z_]+"\} 1$/m)
      },
      { within: 20_000, every: 500 },
    )
    await stack.parts.worker.stop()
    await stack.query(
      `update signals set exit_due_at = now() - interval '20 seconds' where symbol = 'ZTHELD'`,
    )
    await eventually(
      async () => {
        const { series } = await ofApi()
        assert.equal(series.get('durable_trader_exits{state="late"}'), 1)
        assert.equal(series.get('durable_trader_alerts_open{kind="action_overdue"}'), 1)
        assert.equal(series.get('durable_trader_workers{}'), 0)
      },
      { within: 20_000, every: 500 },
    )
    await stack.parts.postgres.stop()
    await eventually(async () => {
      const { series } = await ofApi()
      assert.equal(series.get('durable_trader_ledger_up{}'), 0)
      assert.equal(series.get('durable_trader_workers{}'), undefined)
      assert.equal(series.get('durable_trader_database_clock_difference_seconds{}'), undefined)
    })
    await stack.parts.postgres.start()
    await stack.parts.worker.start()
    await stack.parts.temporal.stop()
    await eventually(async () => {
      const { series } = await ofApi()
      assert.equal(series.get('durable_trader_temporal_up{}'), 0)
    })
    await stack.parts.temporal.start()
  })

  it('the metrics of the API, a worker and the paper venue are in the tables of docs/operate/watching.md, ours alone and all of them', () => {
    const page = readFileSync(join(REPOSITORY, 'docs/operate/watching.md'), 'utf8')
    const tables = page.slice(page.indexOf('\n### Metrics\n'), page.indexOf('\n### Rules and alarms\n'))
    const documented = tables.matchAll(/`(durable_trader_\w+)`/g)
    const ofHistograms = /^(durable_trader_\w+_(?:seconds|ratio))_(?:bucket|sum|count)$/
    const ours = [...told.metrics]
      .filter((name) => name.startsWith('durable_trader_'))
      .map((name) => ofHistograms.exec(name)?.[1] ?? name)
    assert.deepEqual(
      [...new Set(ours)].toSorted(),
      [...new Set([...documented].map(([, name]) => name!))].toSorted(),
    )
  })

  it('show all that the panels of the dashboard and the rules of Prometheus ask for', () => {
    const source = readFileSync(
      join(
        createRequire(import.meta.url).resolve('@temporalio/core-bridge/package.json'),
        '../sdk-core/crates/sdk-core/src/telemetry/metrics.rs',
      ),
      'utf8',
    )
    for (const [metric, name] of Object.entries(TOLD_AFTER_A_FAILURE)) {
      assert.ok(source.includes(`"${name}"`), name)
      told.metrics.add(metric)
    }
    const queries = deliveredQueries()
    assert.ok(queries.length > 50, 'the queries were not found')
    for (const { of, expr } of queries) {
      const { metrics, labels } = namesIn(expr)
      assert.ok(metrics.length > 0, `${of}: ${expr}`)
      for (const metric of metrics)
        assert.ok(
          told.metrics.has(metric) || ADDED_BY_PROMETHEUS.metrics.includes(metric),
          `${of}: ${metric}`,
        )
      for (const label of labels)
        assert.ok(told.labels.has(label) || ADDED_BY_PROMETHEUS.labels.includes(label), `${of}: ${label}`)
    }
  })
})
