import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceUrl } from '#local/servers/service-database.ts'
import { runStatement } from '#local/servers/postgres.ts'
import { requireParts } from '#local/start/external-parts.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { connectTemporal } from '#test/support/temporal-client.ts'
import { TemporalCluster } from '#test/support/temporal-cluster.ts'
import { VenueDesk, type LedgerOrder } from '#test/support/venue-desk.ts'
import { useTemporaryFolder } from '../local/temporary-folder.ts'
import { ordersAtVenue } from '#test/service/sent-signal.ts'

/** Milliseconds between two signals. */
const EVERY = 500
/** Milliseconds of load before the move; the exits of the first minute are due during it or soon after. */
const BEFORE = 65_000
/** Milliseconds in which everything works again after the death of a process. */
const WORKS_AGAIN_WITHIN = 90_000
/** Signals whose price is known; more are not sent. */
const MOST = 900
/** Milliseconds from the plan of a signal to its entry, where it is scheduled: as long as an exit waits. */
const AHEAD = 60_000
/** Milliseconds by which an order that was due during the move may be late, all that stood still included. */
const LATE_AT_MOST = 90_000

const KINDS = ['immediate', 'later', 'scheduled', 'approval', 'resting'] as const
type Kind = (typeof KINDS)[number]

/** One signal as its sender knows it. */
interface Sent {
  kind: Kind
  symbol: string
  id: string
  /** UTC instant of the entry where it is scheduled. */
  entryAt: number | null
  /** How often it was refused or not answered. */
  refusals: number
}

describe('the service on a Temporal cluster', function () {
  this.timeout(1_800_000)
  const folder = useTemporaryFolder()
  let installation: LocalInstallation | undefined
  let cluster: TemporalCluster | undefined
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(installation?.output, cluster?.logs())
    await installation?.stop('SIGTERM')
    await cluster?.close()
  })

  it('the service on a Temporal cluster loses and doubles nothing while it moves there, each process is killed and signals keep coming', async () => {
    const settings = { RATE_LIMITS: 'off', VENUE_CASH: '1000000000', LOG_FORMAT: 'json' }
    const service = await LocalInstallation.plan(folder.path('data'), settings)
    installation = service
    await service.start()
    cluster = await TemporalCluster.plan(folder.path('temporal'))
    await cluster.startPostgres()
    const temporalAddress = await cluster.startTemporal()
    const { accountId, apiUrl, token, email, password, ...venue } = service.credentials()
    const origin = new URL(apiUrl).origin
    const api = new ApiClient(origin, token)
    const desk = new VenueDesk(venue.venueUrl, venue.venueKeyId, venue.venueControlSecret)

    for (let index = 0; index < MOST; index++) await desk.pin(symbolOf(index), 100)

    const sender = new AbortController()
    const sending: Promise<Sent>[] = []
    const load = (async () => {
      for (let index = 0; index < MOST && !sender.signal.aborted; index++) {
        sending.push(send(api, accountId, index))
        await sleep(EVERY)
      }
    })()
    const running = load.then(() => Promise.all(sending))
    // Looked at below; a fault on the way must not end the process before.
    running.catch(() => {})
    await sleep(BEFORE)

    const databaseUrl = databaseOf(service)
    const stopAsked = Date.now()
    const before = await unfinished(databaseUrl)
    await service.stop('SIGTERM')
    const stopped = Date.now()
    service.environment['TEMPORAL_ADDRESS'] = temporalAddress
    await service.start()
    const started = Date.now()
    const comparisons: string[] = []
    // As operators are told to: again when a part could not be compared.
    await eventually(
      async () => {
        const { code, output } = await service.run('admin', ['reconcile', '--wait', '120'])
        comparisons.push(output.trim())
        assert.equal(code, 0, output)
      },
      { within: 180_000, every: 1_000 },
    )
    const reconciled = Date.now()

    const client = await connectTemporal(temporalAddress, join(service.folder, 'keys.json'))
    const inCluster = await eventually(
      async () => {
        const waiting = await unfinished(databaseUrl)
        for (const id of before.filter((each) => waiting.includes(each)))
          assert.equal(
            (await client.workflow.getHandle(`signal-${id}`).describe()).status.name,
            'RUNNING',
            id,
          )
        return waiting
      },
      { within: 60_000, every: 500 },
    )
    await client.connection.close()
    const killsBegan = Date.now()
    const kills = await killEach(service, cluster, `${origin}/readyz`)
    const killed = Date.now()
    sender.abort()
    const signals = await running

    const signIn = await api.post('/auth/login', { email, password })
    const person = new ApiClient(origin, signIn.body.data.accessToken)
    for (const { id, kind } of signals) {
      if (kind !== 'approval') continue
      const { status, body } = await person.post(`/signals/${id}/process`, {}, 30_000)
      // Right after the last kill the outcome may come later than the answer.
      assert.ok([200, 202].includes(status), `${status} ${JSON.stringify(body)}`)
    }
    for (const { kind, symbol } of signals) if (kind === 'resting') await desk.pin(symbol, 50)

    await eventually(
      async () => assert.deepEqual(await unfinished(databaseUrl), [], 'signals that have not ended'),
      { within: 240_000, every: 1_000 },
    )
    const ledger = await desk.ledger()
    const lateness: number[] = []
    let stale = 0
    for (const { id, kind, entryAt } of signals) {
      const { status, exit } = (await api.get(`/signals/${id}`)).body.data
      const entries = ordersAtVenue(ledger, id, 'entry')
      const exits = ordersAtVenue(ledger, id, 'exit')
      if (status === 'stale') {
        stale++
        assert.deepEqual([entries, exits], [[], []], `a stale signal ${id} has no order`)
        continue
      }
      assert.equal(status, 'executed', `${kind} ${id}`)
      assert.deepEqual([entries.length, exits.length], [1, 1], `orders of ${kind} ${id}`)
      assert.equal(entries[0]!.status, 'filled', `entry of ${kind} ${id}`)
      assert.deepEqual([exits[0]!.status, exits[0]!.filled_qty], ['filled', entries[0]!.filled_qty], id)
      const isDueInMove = (due: number): boolean => due >= stopAsked && due <= reconciled
      const dueOf = new Map<LedgerOrder, number | null>([
        [entries[0]!, entryAt],
        [exits[0]!, kind === 'later' ? Date.parse(exit.submitAt) : null],
      ])
      for (const [order, due] of dueOf) {
        if (due === null) continue
        const late = Date.parse(order.created_at) - due
        assert.ok(late >= -1_000, `${order.client_order_id} is ${-late} ms early`)
        assert.ok(late < LATE_AT_MOST, `${order.client_order_id} is ${late} ms late`)
        if (isDueInMove(due)) lateness.push(late)
      }
    }
    assert.equal(ledger.orders.length, 2 * (signals.length - stale), 'nobody else has ordered')
    assert.ok(before.length >= 30, `${before.length} signals waited during the move`)
    assert.ok(lateness.length >= 5, `${lateness.length} orders were due during the move`)
    assert.deepEqual(
      ledger.positions.filter(({ qty }) => Number(qty) !== 0),
      [],
      'no position is left',
    )

    const last = await service.run('admin', ['reconcile', '--wait', '0'])
    assert.equal(last.code, 0, last.output)
    assert.match(last.output, /Ledger, Temporal and brokers say the same\./)

    const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1)
    const refused = signals.filter(({ refusals }) => refusals > 0).length
    const entries = ledger.orders.map(({ created_at }) => Date.parse(created_at))
    const resumed = Math.min(...entries.filter((at) => at > stopped))
    console.log(`      signals ${signals.length}, of them repeated ${refused}, stale ${stale}
      waiting at the stop ${before.length}, after the move ${inCluster.length}
      stop ${seconds(stopped - stopAsked)} s, start ${seconds(started - stopped)} s, reconcile ${seconds(reconciled - started)} s
      no order for ${seconds(resumed - stopAsked)} s; ${lateness.length} were due then, late by at most ${seconds(Math.max(...lateness))} s
      killed in ${seconds(killed - killsBegan)} s, one after the other: ${kills.join(', ')}
      ${comparisons.flatMap((output) => output.split('\n').slice(-2)).join('\n      ')}
      ${last.output.trim().split('\n').join('\n      ')}`)
  })
})

/**
 * Kills each process of Temporal and of the service, one after the other, and waits each time until a new one is in its place
 * and everything works.
 */
async function killEach(
  service: LocalInstallation,
  cluster: TemporalCluster,
  readyz: string,
): Promise<string[]> {
  const untilReady = () => eventually(() => requireParts(readyz), { within: WORKS_AGAIN_WITHIN, every: 250 })
  const pidOf = (name: string) => service.parts().find((part) => part.name === name)?.pid
  const own = service.parts().map(({ name }) => name)
  for (const name of cluster.processes()) {
    await cluster.kill(name)
    await untilReady()
  }
  for (const name of own) {
    const pid = pidOf(name)!
    process.kill(-pid, 'SIGKILL')
    await eventually(() => assert.notEqual(pidOf(name) ?? pid, pid, name), { within: WORKS_AGAIN_WITHIN })
    await untilReady()
  }
  return [...cluster.processes(), ...own]
}

/** Sends one signal until it is accepted, as senders are told to: the same `sourceId` whenever it was refused or not answered. */
async function send(api: ApiClient, accountId: string, index: number): Promise<Sent> {
  const kind = KINDS[index % KINDS.length]!
  const symbol = symbolOf(index)
  const entryAt = kind === 'scheduled' ? Math.ceil((Date.now() + AHEAD) / 1_000) * 1_000 : null
  const terms: Record<Kind, object> = {
    immediate: { exitTriggerType: 'immediate' },
    later: { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 },
    scheduled: {
      executeMode: 'scheduled',
      scheduledProcessAt: new Date(entryAt ?? 0).toISOString().slice(0, 19),
      timezone: 'UTC',
      exitTriggerType: 'immediate',
    },
    approval: { executeMode: 'pending', exitTriggerType: 'immediate' },
    // Within the collar, and below the price until that is pinned there.
    resting: { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc', exitTriggerType: 'immediate' },
  }
  const body = {
    symbol,
    accountId,
    action: 'openLong',
    quantity: 2,
    executeMode: 'immediate',
    sourceId: `move-${index}`,
    ...terms[kind],
  }
  for (let refusals = 0; ; refusals++) {
    const answer = await api.post('/signals', body, 10_000).catch(() => null)
    if (answer !== null && answer.status < 300)
      return { kind, symbol, id: answer.body.signal.id as string, entryAt, refusals }
    if (answer !== null) assert.ok([429, 503].includes(answer.status), JSON.stringify(answer.body))
    await sleep(1_000)
  }
}

/** A symbol for each signal, so that no order of one stands in the way of another's. */
const symbolOf = (index: number): string =>
  `ZTM${[676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(index / place) % 26))).join('')}`

function databaseOf({ folder, environment }: LocalInstallation): string {
  const { databasePassword } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
  return serviceUrl(Number(environment['POSTGRES_PORT']), databasePassword, 'durable_trader')
}

/** Ids of signals that wait for a decision, a time, a fill or their exit. */
async function unfinished(databaseUrl: string): Promise<string[]> {
  const { rows } = await runStatement(
    databaseUrl,
    `select id from signals where status in ('pending', 'scheduled', 'queued', 'transmitted')
       or (order_id is not null and closings = 0)`,
  )
  return rows.map(({ id }) => id as string)
}
