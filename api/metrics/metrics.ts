import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { GateWatcher } from '#brokers/gates.ts'
import type { BrokerRequest } from '#brokers/observed.ts'
import { REQUEST_CLASSES } from '#brokers/port.ts'
import { brokerTypes } from '#domain/account/broker-types.ts'
import { NEWS_KINDS } from '#db/notify/news.ts'
import type { LedgerNumbers } from '#db/watch/ledger-numbers.ts'
import type { TimedPhase } from '#domain/signal/timing.ts'
import { WORK_KINDS, type WorkKind } from '../http/work-bounds.ts'
import type { DependencyProbes } from './dependency-probes.ts'

/** Seconds. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** At 1 a broker denies requests. */
const BUDGET_BUCKETS = [0.1, 0.25, 0.5, 0.75, 0.9, 1]
/** Seconds: a market order takes milliseconds, a limit order hours. */
const PHASE_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400]

/** Labels are from closed lists, never ids. */
export interface Metrics {
  scrape(): Promise<string>
  observeRequest(request: { route: string; status: number; code: string | null; seconds: number }): void
  observeBrokerRequest(request: BrokerRequest): void
  brokerGates: GateWatcher
  observePhase(phase: TimedPhase, seconds: number): void
  countRefusal(reason: string): void
  countWorkRefused(kind: WorkKind): void
  countNotification(kind: string, outcome: string): void
}

export interface ScrapeSources {
  readLedger(): Promise<LedgerNumbers | null>
  probeDependencies(): Promise<DependencyProbes | null>
}

function instrumentsIn(registry: Registry) {
  const described = (name: string, help: string, labelNames: string[]) => ({
    name: `durable_trader_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  return {
    counter: (name: string, help: string, labelNames: string[]): Counter =>
      new Counter(described(name, help, labelNames)),
    gauge: (name: string, help: string, labelNames: string[] = []): Gauge =>
      new Gauge(described(name, help, labelNames)),
    histogram: (name: string, help: string, labelNames: string[], buckets: number[]): Histogram =>
      new Histogram({ ...described(name, help, labelNames), buckets }),
  }
}

export function createMetrics({ readLedger, probeDependencies }: ScrapeSources): Metrics {
  const registry = new Registry()
  const { counter, histogram, gauge } = instrumentsIn(registry)
  collectDefaultMetrics({ register: registry })
  const requests = counter('http_requests_total', 'Requests that were answered, by route and HTTP status', [
    'route',
    'status',
  ])
  const durations = histogram(
    'http_request_duration_seconds',
    'From the arrival of a request to its answer',
    ['route'],
    REQUEST_BUCKETS,
  )
  const errors = counter(
    'http_errors_total',
    'Requests that were refused or failed, by the code of the error',
    ['code'],
  )
  const brokerRequests = histogram(
    'broker_request_duration_seconds',
    'Requests of this process to brokers, by kind of broker, and HTTP status or none',
    ['broker', 'outcome'],
    REQUEST_BUCKETS,
  )
  const budget = histogram(
    'broker_budget_used_ratio',
    'Part of the requests of its minute that a connection had used after each request of this process, as its broker says',
    ['broker'],
    BUDGET_BUCKETS,
  )
  const brokerClock = gauge(
    'broker_clock_difference_seconds',
    'By how much the clock of a broker differed from that of this process at its last answer, to half a second',
    ['broker'],
  )
  const brokerRequestsLeft = counter(
    'broker_requests_total',
    'Requests that this process sent to brokers, by kind of broker and purpose',
    ['broker', 'class'],
  )
  const brokerRequestsHeld = counter(
    'broker_requests_held_total',
    'Requests to brokers that did not leave this process, because the limit was reached, or its rest is kept for orders',
    ['broker', 'class', 'why'],
  )
  const brokerLimitWait = gauge(
    'broker_limit_wait_seconds',
    'How long a broker wanted no request of a connection when its limit was reached last; 0 after it was not any more',
    ['broker'],
  )
  for (const { type: broker } of brokerTypes) {
    brokerLimitWait.set({ broker }, 0)
    for (const kind of REQUEST_CLASSES)
      for (const why of ['limit', 'budget']) brokerRequestsHeld.inc({ broker, class: kind, why }, 0)
  }
  const phases = histogram(
    'signal_phase_seconds',
    'How long phases of signals took, by the instants of the ledger; reported by the process that holds the watch',
    ['phase'],
    PHASE_BUCKETS,
  )
  const refusals = counter(
    'signals_refused_total',
    'Signals whose entry was denied, rejected or not placed, by reason; reported by the process that holds the watch',
    ['reason'],
  )
  const workRefused = counter(
    'work_refused_total',
    'Requests for which too much was under way at once, by kind of work',
    ['kind'],
  )
  // From 0, so that the first denial shows as an increase.
  for (const kind of WORK_KINDS) workRefused.inc({ kind }, 0)
  const notifications = counter(
    'notifications_total',
    'Messages that this process sent to push services, by kind and outcome',
    ['kind', 'outcome'],
  )
  for (const kind of NEWS_KINDS) notifications.inc({ kind, outcome: 'refused' }, 0)
  const up = gauge(
    'ledger_up',
    'Whether the ledger could be asked for the numbers of the installation, which are absent otherwise',
  )
  const reportProbes = surroundingsGauges(registry)
  const installation = new Registry()
  const notifyOf = ledgerGauges(installation)
  return {
    async scrape() {
      const surroundings = await probeDependencies()
      if (surroundings !== null) reportProbes(surroundings)
      const numbers = await readLedger()
      up.set(numbers === null ? 0 : 1)
      if (numbers === null) return registry.metrics()
      notifyOf(numbers)
      return `${await registry.metrics()}\n${await installation.metrics()}`
    },
    observeRequest({ route, status, code, seconds }) {
      requests.inc({ route, status })
      durations.observe({ route }, seconds)
      if (code !== null) errors.inc({ code })
    },
    observeBrokerRequest({ brokerType: broker, outcome, seconds, budgetUsed, clockDifference }) {
      brokerRequests.observe({ broker, outcome }, seconds)
      if (budgetUsed !== null) budget.observe({ broker }, budgetUsed)
      if (clockDifference !== null) brokerClock.set({ broker }, clockDifference)
    },
    brokerGates: {
      left: (broker, kind) => brokerRequestsLeft.inc({ broker, class: kind }),
      held: (broker, kind, why) => brokerRequestsHeld.inc({ broker, class: kind, why }),
      waits: (broker, seconds) => brokerLimitWait.set({ broker }, seconds),
    },
    observePhase: (phase, seconds) => phases.observe({ phase }, seconds),
    countRefusal: (reason) => refusals.inc({ reason }),
    countWorkRefused: (kind) => workRefused.inc({ kind }),
    countNotification: (kind, outcome) => notifications.inc({ kind, outcome }),
  }
}

/** Equal in every API process: take the maximum, not the sum. */
function ledgerGauges(registry: Registry): (numbers: LedgerNumbers) => void {
  const { gauge } = instrumentsIn(registry)
  const exits = gauge('exits', 'Exits that wait, are due, are late (15 s), or are parked after trouble', [
    'state',
  ])
  const alerts = gauge('alerts_open', 'Open alerts', ['kind'])
  const guarded = gauge(
    'positions_protected',
    'Positions whose shares all have a close: by levels, a waiting exit, or a working order',
    ['accounts'],
  )
  const unguarded = gauge('positions_unprotected', 'Positions with shares that nothing closes', ['accounts'])
  const priceAge = gauge(
    'watched_price_age_seconds',
    'Age of the oldest price of those that are watched for levels now; 0 when none is',
  )
  const overdue = gauge('overdue', 'Everything that is late by more than 15 s')
  const unknown = gauge('unknown_outcomes', 'Orders that the broker has neither confirmed nor denied to have')
  const unknownAge = gauge('unknown_outcome_age_seconds', 'Age of the oldest of them; 0 when there is none')
  const feedLag = gauge(
    'feed_lag_seconds',
    'Since the comparison of the account that was compared longest ago',
  )
  const unfollowed = gauge('feeds_silent', 'Accounts of whose feed nothing was heard in time')
  const workers = gauge('workers', 'Workers that take tasks')
  const failing = gauge('workflows_failing', 'Workflows whose code fails again and again')
  const archive = gauge(
    'log_archive_failing',
    'Whether the last attempt of PostgreSQL to archive a segment of its log failed, or does not end; 0 where it archives none',
  )
  return (numbers) => {
    for (const [state, count] of Object.entries(numbers.exits)) exits.set({ state }, count)
    for (const [kind, count] of Object.entries(numbers.alerts)) alerts.set({ kind }, count)
    for (const [accounts, counts] of Object.entries(numbers.positions)) {
      guarded.set({ accounts }, counts.protected)
      unguarded.set({ accounts }, counts.unprotected)
    }
    priceAge.set(numbers.watchedPriceAge)
    overdue.set(numbers.overdue)
    unknown.set(numbers.unknownOutcomes)
    unknownAge.set(numbers.unknownOutcomeAge)
    feedLag.set(numbers.feedLag)
    unfollowed.set(numbers.silentFeeds)
    workers.set(numbers.workers)
    failing.set(numbers.failingWorkflows)
    archive.set(numbers.isLogArchiveFailing ? 1 : 0)
  }
}

function surroundingsGauges(registry: Registry): (surroundings: DependencyProbes) => void {
  const { gauge } = instrumentsIn(registry)
  const temporal = gauge('temporal_up', 'Whether Temporal answered this process within a second')
  const connections = gauge(
    'database_connections',
    'Connections of a pool that are used and idle, and statements that are waiting for one',
    ['pool', 'state'],
  )
  const limits = gauge('database_connections_limit', 'Connections of a pool at most', ['pool'])
  const requests = gauge(
    'work_requests',
    'Requests that are under way and waiting for their turn, by kind of work; signals that are stored and sent are entries too',
    ['kind', 'state'],
  )
  const streams = gauge('event_streams', 'Event streams that are open')
  const free = gauge('disk_free_bytes', 'Room on the disk of the data folder')
  const size = gauge('disk_size_bytes', 'Size of the disk of the data folder')
  const clock = gauge(
    'database_clock_difference_seconds',
    'By how much the clock of PostgreSQL differs from that of this process',
  )
  // Without a label a gauge would show 0 before it is known.
  for (const each of [free, size, clock]) each.remove()
  return ({ isTemporalUp, pools, work, openStreams, disk, clockDifference }) => {
    temporal.set(isTemporalUp ? 1 : 0)
    for (const [pool, { limit, ...states }] of Object.entries(pools)) {
      limits.set({ pool }, limit)
      for (const [state, count] of Object.entries(states)) connections.set({ pool, state }, count)
    }
    for (const [kind, { underWay, waiting }] of Object.entries(work)) {
      requests.set({ kind, state: 'under_way' }, underWay)
      requests.set({ kind, state: 'waiting' }, waiting)
    }
    streams.set(openStreams)
    setOrRemove(free, disk?.freeBytes)
    setOrRemove(size, disk?.sizeBytes)
    setOrRemove(clock, clockDifference ?? undefined)
  }
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove()
  else gauge.set(value)
}
