import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { buyNow } from '#test/service/sent-signal.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { startPrometheus, type RunningPrometheus } from '#test/support/servers.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { Stack } from '#test/support/stack.ts'
import { tool } from '#test/support/tools.ts'
import { panelQueries, type DeliveredQuery } from './panels.ts'

/** What is put in the place of Grafana's variable. */
const RATE_INTERVAL = '2m'

/** Panels that are empty as long as nothing fails. */
const EMPTY_WHILE_ALL_IS_WELL = ['Failed activities']

interface Config {
  global: Record<string, string>
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
}

/** The configuration that is delivered, with the addresses of a stack in the place of those that it names. */
function configFor(stack: Stack): object {
  const folder = join(REPOSITORY, 'deploy/prometheus')
  const config = parse(readFileSync(join(folder, 'prometheus.yml'), 'utf8')) as Config
  const addresses: Record<string, string> = {
    'durable-trader-api': stack.addresses.apiMetrics,
    'durable-trader-worker': stack.addresses.metrics,
    'durable-trader-venue': stack.addresses.venue,
  }
  return {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'alerts.yml')],
    scrape_configs: config.scrape_configs.map((job) => ({
      ...job,
      static_configs: [{ targets: [new URL(addresses[job.job_name]!).host] }],
    })),
  }
}

describe('a Prometheus that scrapes a running installation', function () {
  this.timeout(180_000)
  before('no service is started without it', () => tool('prometheus'))
  const service = useStack({ venue: { VENUE_REQUESTS_PER_MINUTE: '2000' } })
  let prometheus: RunningPrometheus
  before(async () => {
    prometheus = await startPrometheus(configFor(service.stack))
  })
  after(() => prometheus?.stop())

  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`${prometheus.address}/api/v1/${path}`)
    const { status, data, error } = (await response.json()) as Record<string, unknown>
    assert.equal(status, 'success', `${path}: ${String(error)}`)
    return data
  }
  const seriesOf = async (expr: string): Promise<{ value: [number, string] }[]> => {
    const data = await ask(
      `query?query=${encodeURIComponent(expr.replaceAll('$__rate_interval', RATE_INTERVAL))}`,
    )
    return (data as { result: { value: [number, string] }[] }).result
  }

  /** Those that have no series yet; each is asked until it has one with a number. */
  let unanswered = panelQueries()
  const askUnanswered = async (): Promise<void> => {
    const left: DeliveredQuery[] = []
    for (const query of unanswered) {
      const series = await seriesOf(query.expr)
      if (!series.some(({ value: [, value] }) => value !== 'NaN')) left.push(query)
    }
    unanswered = left
  }

  it('finds series with numbers for every query of every panel but those about trouble', async () => {
    const { stack } = service
    assert.ok(unanswered.length > 35, 'the queries were not found')
    const send = (changes: object) => stack.api.post('/signals', buyNow(stack, changes), 20_000)
    await send({ symbol: 'ZTHELD', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 })
    await stack.venue.pin('ZTPOOR', 90_000)
    // Its alert stays open: nothing that this sender sends is accepted.
    const person = await stack.signIn()
    const token = await person.post('/tokens', { label: 'refused', scopes: ['signals:write'] })
    const refusedSender = new ApiClient(stack.addresses.api, token.body.data.token)
    await eventually(
      async () => {
        // A series that begins with its first event has no rate before its second one.
        await send({ symbol: 'ZTSOLD', exitTriggerType: 'immediate' })
        await send({ symbol: 'ZTPOOR', quantity: 50_000 })
        await refusedSender.post('/signals', buyNow(stack, { quantity: -1 }), 20_000)
        await askUnanswered()
        assert.deepEqual(
          unanswered.filter(({ of }) => !EMPTY_WHILE_ALL_IS_WELL.includes(of)),
          [],
        )
      },
      { within: 60_000, every: 1_000 },
    )
    assert.deepEqual(unanswered.map(({ of }) => of).toSorted(), EMPTY_WHILE_ALL_IS_WELL)
  })

  it('finds series for the queries about trouble when a broker is away', async () => {
    const { stack } = service
    await stack.parts.venue.stop()
    await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTLATE' }), 20_000)
    await eventually(
      async () => {
        await askUnanswered()
        assert.deepEqual(unanswered, [])
      },
      { within: 60_000, every: 500 },
    )
    await stack.parts.venue.start()
  })
})
