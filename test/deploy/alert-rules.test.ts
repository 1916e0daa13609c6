import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { ALERT_KINDS } from '#domain/alert/alert.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { tool } from '#test/support/tools.ts'
import { alertRules } from './alert-rules.ts'

const FOLDER = join(REPOSITORY, 'deploy/prometheus')

/** Values of series, 15 s apart, in the notation of promtool: `0x80` is 81 times 0, `0+5x80` grows by 5 each time. */
type Samples = Record<string, string>

const API = 'job="durable-trader-api",instance="api"'
const WORKER = 'job="durable-trader-worker",instance="worker"'
const SIGNALS = `route="POST /api/v1/signals",${API}`
const requests = (labels: string) => `durable_trader_http_requests_total{${labels},${API}}`
const ofBroker = (outcome: string) =>
  `durable_trader_broker_request_duration_seconds_count{broker="alpaca",outcome="${outcome}",${WORKER}}`
const duration = (le: string) => `durable_trader_http_request_duration_seconds_bucket{le="${le}",${SIGNALS}}`
const taskWait = (le: string, queue = 'signals') =>
  `temporal_workflow_task_schedule_to_start_latency_seconds_bucket{le="${le}",task_queue="${queue}",${WORKER}}`
const scheduledWait = (le: string) => taskWait(le, 'signals-scheduled')
const gauge = (name: string) => `durable_trader_${name}{${API}}`
const alertsOpen = (kind: string) => `durable_trader_alerts_open{kind="${kind}",${API}}`
const refusals = (reason: string) => `durable_trader_signals_refused_total{reason="${reason}",${API}}`
const workRefused = (kind: string) => `durable_trader_work_refused_total{kind="${kind}",${API}}`

const waitingStatements = `durable_trader_database_connections{pool="trading",state="waiting",${API}}`
const brokerClock = `durable_trader_broker_clock_difference_seconds{broker="alpaca",${WORKER}}`
const budgetUsed = (le: string) =>
  `durable_trader_broker_budget_used_ratio_bucket{broker="alpaca",le="${le}",${WORKER}}`
const budgetUsedCount = `durable_trader_broker_budget_used_ratio_count{broker="alpaca",${WORKER}}`

/** An installation at work that no rule complains of. */
const HEALTHY: Samples = {
  [`up{${API}}`]: '1x80',
  [`up{${WORKER}}`]: '1x80',
  [gauge('workers')]: '1x80',
  [gauge('ledger_up')]: '1x80',
  [gauge('workflows_failing')]: '0x80',
  [gauge('temporal_up')]: '1x80',
  [waitingStatements]: '0x80',
  [gauge('disk_free_bytes')]: '60x80',
  [gauge('disk_size_bytes')]: '100x80',
  // A segment that was archived at the second attempt.
  [gauge('log_archive_failing')]: '0x30 1x2 0x46',
  [gauge('database_clock_difference_seconds')]: '0.02x80',
  // Brokers tell whole seconds.
  [brokerClock]: '0.6x80',
  [budgetUsed('0.9')]: '0+30x80',
  [budgetUsed('+Inf')]: '0+30x80',
  [budgetUsedCount]: '0+30x80',
  [`temporal_workflow_failed_total{${WORKER}}`]: '0x80',
  [taskWait('0.1')]: '0+30x80',
  [taskWait('1')]: '0+30x80',
  [taskWait('10')]: '0+30x80',
  [taskWait('+Inf')]: '0+30x80',
  // A burst of a thousand scheduled signals that are sent within a minute, as at the opening of the exchange.
  [scheduledWait('10')]: '0x20 220x60',
  [scheduledWait('100')]: '0x20 1000x60',
  [scheduledWait('+Inf')]: '0x20 1000x60',
  [`durable_trader_event_loop_delay_seconds{${WORKER}}`]: '0.02x80',
  [`nodejs_eventloop_lag_p99_seconds{${API}}`]: '0.02x80',
  [requests('route="POST /api/v1/signals",status="201"')]: '0+30x80',
  [requests('route="GET /api/v1/orders",status="500"')]: '0x80',
  // Says that something else is not ready, and is no failure of the API.
  [requests('route="GET /readyz",status="503"')]: '0+30x80',
  [duration('0.1')]: '0+30x80',
  [duration('2.5')]: '0+30x80',
  [duration('+Inf')]: '0+30x80',
  [`durable_trader_exits{state="late",${API}}`]: '0x80',
  // Exits that wait for their time are usual.
  [`durable_trader_exits{state="waiting",${API}}`]: '40x80',
  [gauge('unknown_outcome_age_seconds')]: '3x80',
  [gauge('feed_lag_seconds')]: '14x80',
  [ofBroker('200')]: '0+30x80',
  [ofBroker('none')]: '0+1x80',
  [ofBroker('429')]: '0x80',
  [refusals('INSUFFICIENT_BUYING_POWER')]: '0+1x80',
  [refusals('ORDER_RATE_EXCEEDED')]: '0x80',
  [workRefused('entries')]: '0x80',
  // Who looks things up too fast loses no signal.
  [workRefused('broker')]: '0+30x80',
  ...Object.fromEntries(ALERT_KINDS.map((kind) => [alertsOpen(kind), '0x80'])),
}

const FROM_API = { job: 'durable-trader-api', instance: 'api' }
const FROM_WORKER = { job: 'durable-trader-worker', instance: 'worker' }

/** What is different of an installation ten minutes before the rule is asked, and which labels its alert has. */
interface Trouble {
  samples: Samples
  labels?: Record<string, string>
}

/** Kinds of alerts of which some are open in an installation without trouble. */
const USUAL: ReadonlySet<string> = new Set(['ended_unfilled', 'hook_first_request', 'sender_silent'])

/** For each rule a trouble that it is there for. */
const TROUBLES: Record<string, Trouble> = {
  NoApi: { samples: { [`up{${API}}`]: '0x80' } },
  ApiDown: { samples: { [`up{${API}}`]: '0x80' }, labels: FROM_API },
  WorkerDown: { samples: { [`up{${WORKER}}`]: '0x80' }, labels: FROM_WORKER },
  NoWorker: { samples: { [gauge('workers')]: '0x80' } },
  LedgerUnreachable: { samples: { [gauge('ledger_up')]: '0x80' } },
  TemporalUnreachable: { samples: { [gauge('temporal_up')]: '0x80' } },
  ConnectionsExhausted: {
    samples: { [waitingStatements]: '4x80' },
    labels: { ...FROM_API, pool: 'trading', state: 'waiting' },
  },
  DiskFillsUp: { samples: { [gauge('disk_free_bytes')]: '15x80' }, labels: FROM_API },
  DiskFull: { samples: { [gauge('disk_free_bytes')]: '4x80' }, labels: FROM_API },
  LogArchiveFailing: { samples: { [gauge('log_archive_failing')]: '1x80' } },
  ClockWrong: { samples: { [gauge('database_clock_difference_seconds')]: '3x80' }, labels: FROM_API },
  WorkflowsFailing: { samples: { [gauge('workflows_failing')]: '2x80' } },
  // Its series begins with the first failure.
  WorkflowEndedByFailure: { samples: { [`temporal_workflow_failed_total{${WORKER}}`]: '_x38 1x40' } },
  TasksWaitLong: {
    samples: { [taskWait('0.1')]: '0x80', [taskWait('1')]: '0+20x80' },
    labels: { task_queue: 'signals' },
  },
  ScheduledTasksWaitLong: {
    samples: {
      [scheduledWait('10')]: '0+2x80',
      [scheduledWait('100')]: '0+9x80',
      [scheduledWait('+Inf')]: '0+9x80',
    },
    labels: { task_queue: 'signals-scheduled' },
  },
  EventLoopSlow: {
    samples: { [`durable_trader_event_loop_delay_seconds{${WORKER}}`]: '0.9x80' },
    labels: FROM_WORKER,
  },
  ApiErrors: { samples: { [requests('route="GET /api/v1/orders",status="500"')]: '0+5x80' } },
  SignalsSlow: { samples: { [duration('0.1')]: '0x80', [duration('2.5')]: '0+10x80' } },
  ExitsLate: { samples: { [`durable_trader_exits{state="late",${API}}`]: '1x80' } },
  OutcomeUnknown: { samples: { [gauge('unknown_outcome_age_seconds')]: '0+15x80' } },
  BrokerUnavailable: {
    samples: { [ofBroker('200')]: '0x80', [ofBroker('none')]: '0+30x80' },
    labels: { broker: 'alpaca' },
  },
  BrokerBudgetSpent: { samples: { [ofBroker('429')]: '0+2x80' }, labels: { broker: 'alpaca' } },
  BrokerBudgetLow: {
    samples: { [budgetUsed('0.9')]: '0+20x80' },
    labels: { broker: 'alpaca' },
  },
  FeedLags: { samples: { [gauge('feed_lag_seconds')]: '0+15x80' } },
  PushRefused: {
    samples: { [`durable_trader_notifications_total{kind="waiting",outcome="refused",${API}}`]: '0+1x80' },
  },
  RunawaySignals: { samples: { [requests('route="POST /api/v1/signals",status="201"')]: '0+300x80' } },
  SignalsTurnedAway: { samples: { [workRefused('entries')]: '0+1x80' } },
  SignalsDeniedByRate: { samples: { [refusals('ORDER_RATE_EXCEEDED')]: '0+1x80' } },
  ...Object.fromEntries(
    // A few of these are usual.
    ALERT_KINDS.map((kind) => [
      ruleOf(kind),
      { samples: { [alertsOpen(kind)]: USUAL.has(kind) ? '21x80' : '1x80' } },
    ]),
  ),
}

/** The rule about a kind of alert: UnprotectedPosition of unprotected_position. */
function ruleOf(kind: string): string {
  return kind.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

describe('the routes of deploy/prometheus/alertmanager.yml', function () {
  this.timeout(60_000)
  const file = join(FOLDER, 'alertmanager.yml')
  let amtool: string
  before(async () => {
    amtool = await tool('amtool')
  })

  it('the routes of deploy/prometheus/alertmanager.yml are read by the Alertmanager', async () => {
    await promisify(execFile)(amtool, ['check-config', file])
  })

  it('lead every critical alert to the pager, and every other one to the desk', async () => {
    for (const { alert, labels } of alertRules()) {
      const of = [`alertname=${alert}`, `severity=${labels.severity}`]
      const test = ['config', 'routes', 'test', `--config.file=${file}`, ...of]
      const { stdout } = await promisify(execFile)(amtool, test)
      assert.equal(stdout.trim(), labels.severity === 'critical' ? 'pager' : 'desk', alert)
    }
  })

  it('silence only rules that there are, by rules that there are', () => {
    const { inhibit_rules: inhibitions } = parse(readFileSync(file, 'utf8')) as {
      inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[]
    }
    const rules = alertRules().map(({ alert }) => alert)
    const named = inhibitions
      .flatMap(({ source_matchers, target_matchers }) => [...source_matchers, ...target_matchers])
      .flatMap((matcher) => /^alertname=~?"(.+)"$/.exec(matcher)![1]!.split('|'))
    assert.ok(named.length >= 5)
    assert.deepEqual(
      named.filter((name) => !rules.includes(name)),
      [],
    )
  })
})

describe('the rules of deploy/prometheus/alerts.yml', function () {
  this.timeout(60_000)
  const rules = alertRules()
  let folder: string
  let promtool: string
  before(async () => {
    promtool = await tool('promtool')
    folder = mkdtempSync(join(tmpdir(), 'durable-trader-rules-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const judge = async (tests: { name: string; samples: Samples; expected: Map<string, object[]> }[]) => {
    const file = join(folder, 'rules.test.yml')
    writeFileSync(
      file,
      stringify({
        rule_files: [join(FOLDER, 'alerts.yml')],
        evaluation_interval: '15s',
        tests: tests.map(({ name, samples, expected }) => ({
          name,
          interval: '15s',
          input_series: Object.entries(samples).map(([series, values]) => ({ series, values })),
          alert_rule_test: [...expected].map(([alertname, exp_alerts]) => ({
            eval_time: '10m',
            alertname,
            exp_alerts,
          })),
        })),
      }),
    )
    await promisify(execFile)(promtool, ['test', 'rules', file])
  }

  it('the rules of deploy/prometheus/alerts.yml are read by Prometheus, with the addresses to scrape', async () => {
    await promisify(execFile)(promtool, ['check', 'config', join(FOLDER, 'prometheus.yml')])
  })

  it('each have a severity, a summary and a runbook, and a trouble below that they are there for', () => {
    for (const { alert, labels, annotations } of rules) {
      assert.ok(['critical', 'warning'].includes(labels.severity), alert)
      assert.ok(annotations.summary.length > 20, alert)
      assert.match(annotations.runbook, /^docs\/operate\/runbooks\/[\w-]+\.md$/, alert)
    }
    assert.deepEqual(rules.map(({ alert }) => alert).toSorted(), Object.keys(TROUBLES).toSorted())
  })

  it('the rules of deploy/prometheus/alerts.yml are silent about an installation that works', async () => {
    const silent = new Map(rules.map(({ alert }) => [alert, []]))
    await judge([{ name: 'healthy', samples: HEALTHY, expected: silent }])
  })

  it('fire for the trouble that they are there for, each with its severity and runbook', async () => {
    const tests = rules.map(({ alert, labels: { severity }, annotations }) => {
      const { samples, labels = {} } = TROUBLES[alert]!
      const fired = { exp_labels: { severity, ...labels }, exp_annotations: annotations }
      return {
        name: alert,
        samples: { ...HEALTHY, ...samples },
        expected: new Map([[alert, [fired]]]),
      }
    })
    await judge(tests)
  })
})
