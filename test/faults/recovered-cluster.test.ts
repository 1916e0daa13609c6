import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyBase } from '#local/backup/base-copies.ts'
import { runStatement } from '#local/servers/postgres.ts'
import { findLastingPort } from '#test/support/lasting-port.ts'
import { makePassword, makeVenueKeyId, makeVenueSecret } from '#local/start/secrets.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { archivingTo, finishRecovery, makeBackUpUser, putInPlace } from '#test/support/recovery.ts'
import { TemporalCluster } from '#test/support/temporal-cluster.ts'
import { VenueDesk } from '#test/support/venue-desk.ts'
import { VenueProcess } from '#test/support/venue-process.ts'
import { useTemporaryFolder } from '../local/temporary-folder.ts'
import { ordersAtVenue } from '#test/service/sent-signal.ts'

/** Milliseconds from the first signals to the entries of those that are scheduled: the halt has to be lifted by then. */
const SCHEDULED_IN = 480_000
/** The longest time that a segment of the log waits to be archived, as docs/operate/back-up.md has it, with time for a busy machine. */
const ARCHIVED_WITHIN_MS = 120_000

/** Signals that come at once at the target instant: some are known then, each in whatever step. */
const IN_FLIGHT = 24

const exitIn = (minutes: number) => ({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: minutes })
const AT_ONCE = { exitTriggerType: 'immediate' }

/** PostgreSQL does not know the zone Z when it reads this setting. */
const asPostgresHasIt = (instant: string): string => instant.replace('T', ' ').replace('Z', '+00')

describe('a cluster whose PostgreSQL is recovered to a point in time', function () {
  this.timeout(1_200_000)
  const folder = useTemporaryFolder()
  let venue: VenueProcess | undefined
  let cluster: TemporalCluster | undefined
  let installation: LocalInstallation | undefined
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(installation?.output, cluster?.logs())
    await installation?.stop('SIGTERM')
    await cluster?.close()
    await venue?.stop()
  })

  it('goes on with every signal that it knows, sends nothing twice, and names the orders that it has lost', async () => {
    const keys = {
      keyId: makeVenueKeyId(),
      secretKey: makeVenueSecret(),
      controlSecret: makePassword(),
    }
    const venueUrl = `http://127.0.0.1:${await findLastingPort()}`
    venue = await VenueProcess.start({ url: venueUrl, ledger: folder.path('venue.sqlite'), ...keys })
    const desk = new VenueDesk(venueUrl, keys.keyId, keys.controlSecret)

    const [archive, bases] = [folder.path('archive'), folder.path('base')]
    const archiving = { ...archivingTo(archive), archive_timeout: '60s' }
    mkdirSync(bases)
    cluster = await TemporalCluster.plan(folder.path('stores'))
    const data = cluster.postgresFolder
    await cluster.startPostgres(archiving)
    const databaseUrl = await cluster.serviceDatabase()
    const backUpUrl = await makeBackUpUser(cluster.asSuperuser('durable_trader'))
    const service = await LocalInstallation.plan(folder.path('data'), {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: await cluster.startTemporal(),
      RATE_LIMITS: 'off',
      VENUE_URL: venueUrl,
      VENUE_KEY_ID: keys.keyId,
      VENUE_SECRET_KEY: keys.secretKey,
      VENUE_CONTROL_SECRET: keys.controlSecret,
    })
    installation = service
    await service.start()

    const { accountId, apiUrl, token, email, password } = service.credentials()
    const origin = new URL(apiUrl).origin
    const api = new ApiClient(origin, token)
    const person = async () => {
      const { body } = await api.post('/auth/login', { email, password })
      return new ApiClient(origin, body.data.accessToken)
    }
    const post = async (path: string, body: object, client = api) => {
      const answer = await client.post(path, body, 30_000)
      assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const orderOf = (symbol: string, changes: object) => ({
      accountId,
      symbol,
      action: 'openLong',
      quantity: 10,
      executeMode: 'immediate',
      ...changes,
    })
    const send = async (symbol: string, changes: object): Promise<string> =>
      (await post('/signals', orderOf(symbol, changes))).signal.id
    const sendHand = async (symbol: string, side: string): Promise<string> =>
      (await post('/orders', { accountId, symbol, side, orderType: 'MARKET', quantity: 10 })).order.id
    const approve = async (id: string) => post(`/signals/${id}/process`, {}, await person())
    const callOff = async (id: string) => {
      const { status, body } = await api.delete(`/signals/${id}`)
      assert.equal(status, 200, JSON.stringify(body))
    }
    const shown = async (id: string) => (await api.get(`/signals/${id}`)).body.data
    const exitWaits = (id: string) =>
      eventually(async () => assert.equal((await shown(id)).exit.status, 'scheduled'), { within: 30_000 })
    const exitIsFilledAtVenue = (id: string, within: number) =>
      eventually(
        async () => assert.equal(ordersAtVenue(await desk.ledger(), id, 'exit')[0]?.status, 'filled'),
        { within, every: 500 },
      )
    const nowAtPostgres = async () =>
      (await runStatement(databaseUrl, 'select clock_timestamp() as now')).rows[0].now as Date
    const reconcile = (wait: number) => service.run('admin', ['reconcile', '--wait', String(wait)])

    const scheduledFor = new Date(Date.now() + SCHEDULED_IN)
    const scheduled = {
      executeMode: 'scheduled',
      scheduledProcessAt: scheduledFor.toISOString().slice(0, 19),
      timezone: 'UTC',
      ...AT_ONCE,
    }
    const resting = { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' }
    await desk.pin('ZTBREST', 100)
    const before = {
      waits: await send('ZTBWAITS', exitIn(5)),
      rests: await send('ZTBREST', { ...resting, ...exitIn(1) }),
      scheduled: await send('ZTBSCHED', scheduled),
      pending: await send('ZTBPEND', { executeMode: 'pending', ...AT_ONCE }),
      approvedSince: await send('ZTBAPPR', { executeMode: 'pending', ...exitIn(1) }),
      calledOffSince: await send('ZTBCALL', scheduled),
    }
    await exitWaits(before.waits)

    const began = performance.now()
    const base = await copyBase({ url: backUpUrl, data, to: bases, wal: archive, keep: 1 }, () => {})
    const backedUp = performance.now()
    const between = {
      waits: await send('ZTMWAITS', exitIn(5)),
      exitsSince: await send('ZTMEXITS', exitIn(1)),
      scheduled: await send('ZTMSCHED', scheduled),
      pending: await send('ZTMPEND', { executeMode: 'pending', ...AT_ONCE }),
    }
    for (const id of [between.waits, between.exitsSince]) await exitWaits(id)
    assert.deepEqual(
      ordersAtVenue(await desk.ledger(), between.exitsSince, 'exit'),
      [],
      'the exit is not due',
    )
    const sending = Array.from({ length: IN_FLIGHT }, (_, index) =>
      send(`ZTIN${String.fromCharCode(65 + index)}`, index % 2 === 0 ? AT_ONCE : exitIn(4)),
    )
    await Promise.race(sending)
    const target = (await nowAtPostgres()).toISOString()
    const inFlight = await Promise.all(sending)
    // What is committed in the same millisecond is before the target.
    await eventually(async () => assert.ok((await nowAtPostgres()).toISOString() > target))

    const after = {
      held: await send('ZTAHELD', exitIn(60)),
      sold: await send('ZTASOLD', AT_ONCE),
      pending: await send('ZTAPEND', { executeMode: 'pending' }),
    }
    const hand = await sendHand('ZTAHAND', 'BUY')
    await approve(before.approvedSince)
    await callOff(before.calledOffSince)
    for (const id of [after.sold, ...inFlight.filter((_, index) => index % 2 === 0)])
      await exitIsFilledAtVenue(id, 30_000)
    await exitIsFilledAtVenue(between.exitsSince, 120_000)
    const { rows } = await runStatement(databaseUrl, 'select pg_walfile_name(pg_current_wal_lsn()) as last')
    await eventually(() => assert.ok(existsSync(join(archive, rows[0].last)), 'the log is archived'), {
      within: ARCHIVED_WITHIN_MS,
    })
    const atLoss = await desk.ledger()

    const lost = performance.now()
    const secondsSince = (start: number, end = performance.now()): string =>
      ((end - start) / 1_000).toFixed(1)
    await Promise.all([cluster.crash(), service.crash()])
    rmSync(data, { recursive: true, maxRetries: 5 })
    await desk.pin('ZTBREST', 90)

    await putInPlace(data, { base, archive, instant: asPostgresHasIt(target) })
    cluster = await TemporalCluster.plan(folder.path('stores'))
    await cluster.startPostgres(archiving)
    await finishRecovery(cluster.asSuperuser('postgres'))
    const recoveredAfter = secondsSince(lost)
    const recovered = await runStatement(
      databaseUrl,
      `select s.id, exists (select from orders o where o.signal_id = s.id) as "hasEntry" from signals s
       where s.id in ('${inFlight.join("','")}')`,
    )
    const knownInFlight = recovered.rows.map(({ id }) => id as string)
    const entriesUnheard = recovered.rows.filter(({ hasEntry }) => !hasEntry).length
    const marked = await service.run('admin', ['restored', target])
    assert.equal(marked.code, 0, marked.output)
    service.environment['TEMPORAL_ADDRESS'] = await cluster.startTemporal()
    await service.start()
    const startedAfter = secondsSince(lost)
    assert.deepEqual(
      ordersAtVenue(await desk.ledger(), before.rests, 'entry').map(({ status }) => status),
      ['filled'],
    )

    const halts = await service.run('admin', ['halts'])
    assert.match(halts.output, /reduceOnly {2}everybody .*The ledger was restored to its state of /)
    const denied = await api.post('/signals', orderOf('HALTED', {}), 30_000)
    assert.match(JSON.stringify(denied.body), /REDUCE_ONLY/)
    const alert = await eventually(
      async () => {
        const [found] = (await api.get('/alerts?kind=set_back')).body.data.alerts
        assert.ok(found)
        return found
      },
      { within: 240_000, every: 500 },
    )
    const notifiedAfter = secondsSince(lost)
    const lostInFlight = inFlight.filter((id) => !knownInFlight.includes(id))
    for (const id of [...Object.values(after), ...lostInFlight])
      assert.equal((await api.get(`/signals/${id}`)).status, 404)
    const lostOrders = atLoss.orders.filter(({ client_order_id: id }) =>
      [...Object.values(after), hand, ...lostInFlight].some((origin) => id.startsWith(origin)),
    )
    const named = await reconcile(0)
    assert.equal(named.code, 1, named.output)
    const left = [...named.output.matchAll(/^LEFT {4}(.+)$/gm)].map(([, message]) => message!)
    assert.deepEqual(
      left.toSorted(),
      lostOrders
        .map(
          ({ client_order_id: id, side, symbol }) =>
            `order ${id} (${side.toUpperCase()} 10 ${symbol}, FILLED with 10 filled) is at the broker and not in the ledger`,
        )
        .toSorted(),
    )
    const told = alert.details.differences.filter(({ isMended }: { isMended: boolean }) => !isMended)
    assert.deepEqual(told.map(({ message }: { message: string }) => message).toSorted(), left.toSorted())

    // As the runbook has it: what was decided since is decided again, then the halt is lifted.
    await callOff(before.calledOffSince)
    const unwanted = (await desk.ledger()).positions.filter(({ symbol }) =>
      lostOrders.some((order) => order.symbol === symbol),
    )
    for (const { symbol } of unwanted) await sendHand(symbol, 'SELL')
    const resumed = await service.run('admin', ['resume'])
    assert.equal(resumed.code, 0, resumed.output)
    assert.ok(new Date() < scheduledFor, 'the halt was lifted before what is scheduled came due')
    const liftedAfter = secondsSince(lost)
    await post(`/alerts/${alert.id}/acknowledge`, {}, await person())
    for (const { pending } of [before, between]) await approve(pending)

    const { calledOffSince, ...goesOn } = before
    const known = [...Object.values(goesOn), ...Object.values(between), ...knownInFlight]
    for (const id of known)
      await eventually(
        async () => {
          const { status } = (await shown(id)).exit
          // By the recovered ledger its exit was to come, and the position is found closed.
          const isClosed = status === 'cancelled' && ordersAtVenue(atLoss, id, 'exit').length === 1
          assert.ok(status === 'filled' || isClosed, JSON.stringify(await shown(id)))
        },
        { within: SCHEDULED_IN, every: 1_000 },
      )
    assert.equal((await shown(calledOffSince)).status, 'cancelled')
    const settled = await eventually(
      async () => {
        const { code, output } = await reconcile(0)
        assert.equal(code, 0, output)
        return output
      },
      { within: 60_000, every: 1_000 },
    )

    const ledger = await desk.ledger()
    for (const id of known) {
      const [entry, exit, ...more] = ordersAtVenue(ledger, id)
      assert.deepEqual(more, [], `one entry and one exit of ${id}`)
      assert.deepEqual([entry?.filled_qty, exit?.filled_qty], ['10', '10'])
      assert.deepEqual([entry?.side, exit?.side], ['buy', 'sell'])
    }
    for (const order of atLoss.orders)
      assert.equal(ledger.orders.filter(({ client_order_id: id }) => id === order.client_order_id).length, 1)
    // Beside those of known signals: the lost ones, and those by hand that close what was left of them.
    const expected = 2 * known.length + lostOrders.length + unwanted.length
    assert.equal(ledger.orders.length, expected, 'nobody else has ordered')
    assert.deepEqual(
      ledger.positions.filter(({ qty }) => Number(qty) !== 0),
      [],
    )
    const archiver = await runStatement(
      databaseUrl,
      'select failed_count::int as failed from pg_stat_archiver',
    )
    assert.deepEqual(archiver.rows, [{ failed: 0 }])
    console.log(`      base back-up ${secondsSince(began, backedUp)} s
      after the loss: PostgreSQL recovered ${recoveredAfter} s, everything started ${startedAfter} s, told ${notifiedAfter} s, halt lifted ${liftedAfter} s
      known ${known.length} signals, of them sent at the target instant ${knownInFlight.length} of ${IN_FLIGHT}, ${entriesUnheard} without their entry in the ledger; orders lost ${lostOrders.length}
      named: ${named.output.trim().split('\n').at(-1)}
      in the end: ${settled.trim().split('\n').join(' ')}`)
  })
})
