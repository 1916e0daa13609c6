import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { parseClientOrderId } from '#domain/order/order.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { VenueDesk, type LedgerOrder } from '#test/support/venue-desk.ts'
import { VenueProcess } from '#test/support/venue-process.ts'

const IN_A_MINUTE = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }

describe('an installation that is backed up while it takes orders', function () {
  this.timeout(600_000)
  let top: string
  let installation: LocalInstallation
  let restored: LocalInstallation | undefined
  let brokerThatStayed: VenueProcess | undefined
  let api: ApiClient
  let venue: VenueDesk
  let backup: string
  /** Signals that were answered before the back-up began, while it was made, and after it. */
  const sent = { before: [] as string[], during: [] as string[] }
  let resting: string
  let pending: string
  let approved: string
  let later: string

  before(async () => {
    top = mkdtempSync(join(tmpdir(), 'durable-trader-backup-'))
    // PostgreSQL's own user must be able to pass when we are root.
    chmodSync(top, 0o755)
    installation = await LocalInstallation.plan(join(top, 'data'))
    await installation.start()
    const { apiUrl, token, venueUrl, venueKeyId, venueControlSecret } = installation.credentials()
    api = new ApiClient(new URL(apiUrl).origin, token)
    venue = new VenueDesk(venueUrl, venueKeyId, venueControlSecret)
  })
  after(async () => {
    for (const each of [installation, restored]) await each?.stop('SIGTERM')
    await brokerThatStayed?.stop()
    rmSync(top, { recursive: true, force: true })
  })
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error((restored ?? installation).output)
  })

  async function send(changes: object, client = api): Promise<string> {
    const { accountId } = installation.credentials()
    const signal = { symbol: 'AAPL', action: 'openLong', accountId, quantity: 10, executeMode: 'immediate' }
    const { status, body } = await client.post('/signals', { ...signal, ...changes }, 20_000)
    assert.ok(status < 300, JSON.stringify(body))
    return body.signal.id
  }
  const shown = async (id: string) => (await api.get(`/signals/${id}`)).body.data
  const exitIs = (id: string, status: string, within: number) =>
    eventually(async () => assert.equal((await shown(id)).exit.status, status), { within, every: 500 })
  const to = () => join(top, 'backups')
  const restore = (...args: string[]) => installation.run('restore', args)

  it('an installation that is backed up while it takes orders is copied whole, with its keys in a private file apart', async () => {
    await venue.pin('ZTRESTS', 100)
    const limit = { symbol: 'ZTRESTS', orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' }
    resting = await send({ ...limit, ...IN_A_MINUTE })
    pending = await send({ symbol: 'ZTPENDS', executeMode: 'pending' })
    approved = await send({ symbol: 'ZTAPPROVED', executeMode: 'pending', ...IN_A_MINUTE })
    sent.before.push(await send({ symbol: 'ZTEARLY', ...IN_A_MINUTE }))
    const flow = { hasEnded: false }
    // Ten in a second, at most.
    const flowing = (async () => {
      for (let order = 0; !flow.hasEnded; order += 1, await sleep(100))
        sent.during.push(
          await send({ symbol: `ZTFLOW${String.fromCharCode(65 + (order % 20))}`, ...IN_A_MINUTE }),
        )
    })()
    while (sent.during.length < 3) await sleep(20)
    sent.before.push(...sent.during)
    const began = performance.now()
    const { code, output } = await installation.run('backup', ['--to', to()])
    console.log(
      `    back-up in ${Math.round(performance.now() - began)} ms, ${sent.during.length} signals beside`,
    )
    flow.hasEnded = true
    await flowing
    assert.equal(code, 0, output)
    assert.match(output, /move this file to another place/)

    const [name, keys, ...others] = readdirSync(to()).toSorted()
    assert.deepEqual([keys, others], [`${name}.keys.json`, []])
    backup = join(to(), name!)
    assert.equal(statSync(join(to(), keys!)).mode & 0o777, 0o600)
    assert.equal(
      readFileSync(join(to(), keys!), 'utf8'),
      readFileSync(join(installation.folder, 'keys.json'), 'utf8'),
    )
    assert.deepEqual(
      readdirSync(join(backup, 'data')).toSorted(),
      ['postgres', 'secrets.json', 'venue'],
      'nothing that opens the service to people: no credentials, no messages',
    )
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    const inCopy = new DatabaseSync(join(backup, 'data', 'venue', 'venue.sqlite'), { readOnly: true })
    const entries = inCopy
      .prepare('select clientOrderId as id from orders')
      .all()
      .map(({ id }) => String(id))
    inCopy.close()
    for (const id of sent.before)
      assert.ok(entries.includes(`${id}-e1`), 'the broker in the copy is not older than the ledger')
    assert.ok(manifest.venueAt >= manifest.ledgerAt, 'the broker was copied after the ledger')
  })

  it('leaves nothing that could be restored when its back-up is killed midway, and the next one clears it away', async () => {
    const command = installation.begin('backup', ['--to', to()])
    const cutOff = await eventually(
      () => {
        const [found] = readdirSync(to()).filter((name) => name.endsWith('.partial'))
        assert.ok(found && existsSync(join(to(), found, 'data', 'postgres', 'base')))
        return found
      },
      { within: 30_000, every: 1 },
    )
    command.kill('SIGKILL')
    await once(command, 'exit')
    assert.ok(existsSync(join(to(), cutOff)), 'it was cut off')
    const { code, output } = await restore('--from', join(to(), cutOff), '--to', join(top, 'never'))
    assert.equal(code, 1)
    assert.match(output, /is no complete back-up/)

    const next = await installation.run('backup', ['--to', to(), '--keep', '1'])
    assert.equal(next.code, 0, next.output)
    assert.match(next.output, new RegExp(`removing ${cutOff}, which was cut off`))
    assert.deepEqual(
      readdirSync(to()).filter((name) => name.endsWith('.partial') || backup.endsWith(name)),
      [],
      'the cut-off one and the older one are gone',
    )
    backup = join(to(), readdirSync(to()).toSorted()[0]!)
  })

  it('refuses a target within the data folder', async () => {
    const { code, output } = await installation.run('backup', ['--to', join(installation.folder, 'backups')])
    assert.equal(code, 1)
    assert.match(output, /lies in the data folder/)
  })

  it('an installation that is backed up while it takes orders is not restored from a damaged file, which is named, nor over a folder in use', async () => {
    const damaged = join(top, 'damaged')
    cpSync(backup, damaged, { recursive: true })
    const file = join(damaged, 'data', 'postgres', 'global', 'pg_control')
    const bytes = readFileSync(file)
    bytes[100]! ^= 1
    writeFileSync(file, bytes)
    const never = ['--to', join(top, 'never')]
    const [spoilt, keyless, inUse] = await Promise.all([
      restore('--from', damaged, '--keys', `${backup}.keys.json`, ...never),
      restore('--from', damaged, '--to', join(top, 'never-either')),
      restore('--from', backup),
    ])
    assert.deepEqual([spoilt.code, keyless.code, inUse.code], [1, 1, 1])
    assert.ok(spoilt.output.includes(`${file} is damaged: its SHA-256 is`), spoilt.output)
    assert.match(keyless.output, /keys of this back-up are not at/)
    assert.match(inUse.output, /Durable Trader runs on .* Stop it/)
    assert.deepEqual(
      readdirSync(top).filter((name) => name.startsWith('never')),
      [],
    )
  })

  it('works again after the loss of everything but its broker: no order is doubled, each exit is placed, and what is lost is named', async () => {
    await venue.pin('ZTRESTS', 90)
    await exitIs(resting, 'scheduled', 20_000)
    later = await send({ symbol: 'ZTLATER', ...IN_A_MINUTE })
    await exitIs(later, 'scheduled', 20_000)
    await approve(approved)
    await exitIs(approved, 'scheduled', 20_000)
    await installation.crash()
    assert.match(
      (await installation.run('backup', ['--to', to()])).output,
      /does not run. Start it with npm start/,
    )

    const began = performance.now()
    const seconds = () => Math.round((performance.now() - began) / 1_000)
    const { venueUrl, venueControlSecret, venueKeyId, venueSecretKey } = installation.credentials()
    brokerThatStayed = await VenueProcess.start({
      url: venueUrl,
      ledger: join(installation.folder, 'venue', 'venue.sqlite'),
      keyId: venueKeyId,
      secretKey: venueSecretKey,
      controlSecret: venueControlSecret,
    })
    const folder = join(top, 'restored')
    const { code, output } = await restore('--from', backup, '--to', folder)
    assert.equal(code, 0, output)
    console.log(`    restored after ${seconds()} s`)
    const { environment } = installation
    restored = await LocalInstallation.plan(folder, {
      ...(Object.fromEntries(
        Object.entries(environment).filter(([name]) => name.endsWith('_PORT')),
      ) as Record<string, string>),
      VENUE_URL: venueUrl,
    })
    await restored.start()
    console.log(`    started after ${seconds()} s`)
    const { ledgerAt } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    assert.ok(restored.output.includes(`restored to the state of ${ledgerAt}`), restored.output)
    assert.match(restored.output, /Password {6}as it was; another by \S+\/forgot-password/)
    assert.match(restored.output, /All of it {5}\S+demo-credentials\.json/)
    assert.equal(restored.credentials().password, null)

    const alert = await eventually(
      async () => {
        const [found] = (await api.get('/alerts?kind=set_back')).body.data.alerts
        assert.ok(found)
        return found
      },
      { within: 120_000, every: 500 },
    )
    console.log(`    told after ${seconds()} s: ${alert.message}`)
    assert.ok(
      alert.message.startsWith(`The ledger was rolled back to an earlier state of ${ledgerAt}`),
      alert.message,
    )
    // Those that were accepted after the ledger had been copied, beside what was copied after it.
    const lost = [later]
    for (const id of sent.during) if ((await api.get(`/signals/${id}`)).status === 404) lost.push(id)
    assert.deepEqual(
      sent.before.filter((id) => lost.includes(id)),
      [],
      'what was answered before the back-up is in it',
    )
    assert.equal((await api.get(`/signals/${later}`)).status, 404)
    for (const id of lost) assert.ok(alert.message.includes(`left: order ${id}-e1 (BUY 10 `), alert.message)
    assert.match(
      alert.message,
      /it has bought 10 ZTLATER more than it has sold, and no exit is placed for them/,
    )
    assert.ok(
      alert.details.differences.some(
        ({ message, isMended }: { message: string; isMended: boolean }) =>
          isMended && message === `signal ${approved} waits by the ledger, and its order is at the broker`,
      ),
    )
    assert.match(alert.message, /No position is opened until an administrator has checked/)
    const halts = await restored.run('admin', ['halts'])
    assert.match(halts.output, /reduceOnly {2}everybody .*The ledger was restored to its state of /)

    const inLedger = [...new Set([...sent.before, ...sent.during, resting, approved])].filter(
      (id) => !lost.includes(id),
    )
    for (const id of inLedger)
      await eventually(
        // Also where the ledger had not heard of an exit that was out.
        async () => assert.equal((await shown(id)).exit.status, 'filled', id),
        { within: 60_000, every: 500 },
      )
    console.log(`    every exit is over after ${seconds()} s`)
    const { accountId } = installation.credentials()
    const halted = { symbol: 'HALTED', action: 'openLong', accountId, quantity: 10, executeMode: 'immediate' }
    const denied = await api.post('/signals', halted, 20_000)
    assert.match(JSON.stringify(denied.body), /REDUCE_ONLY/)
    const resumed = await restored.run('admin', ['resume'])
    assert.equal(resumed.code, 0, resumed.output)
    await approve(pending)
    const after = await send({ symbol: 'ZTAFTER', exitTriggerType: 'immediate' })
    await exitIs(after, 'filled', 30_000)

    const { orders, positions } = await venue.ledger()
    const ids = orders.map(({ client_order_id }) => client_order_id)
    assert.equal(new Set(ids).size, ids.length, 'no order is doubled')
    for (const id of [...inLedger, after]) {
      const [entry, exit, ...more] = ordersOf(orders, id)
      assert.deepEqual(more, [], 'one entry and one exit')
      assert.deepEqual([entry?.filled_qty, exit?.filled_qty], ['10', '10'])
    }
    const expected = new Map([['ZTPENDS', 10]])
    for (const id of lost) {
      // Its exit may have been placed before the loss.
      const [entry, exit, ...more] = ordersOf(orders, id)
      assert.deepEqual([entry?.filled_qty, exit?.filled_qty ?? '10', more], ['10', '10', []])
      if (!exit) expected.set(entry!.symbol, (expected.get(entry!.symbol) ?? 0) + 10)
    }
    assert.deepEqual(
      new Map(positions.map(({ symbol, qty }) => [symbol, Number(qty)])),
      expected,
      'no position is left but those of lost signals, and that without an exit',
    )

    const acknowledged = await (await signedIn()).post(`/alerts/${alert.id}/acknowledge`, {})
    assert.equal(acknowledged.status, 200, JSON.stringify(acknowledged.body))
    const compared = await restored.run('admin', ['reconcile'])
    assert.equal(compared.code, 0, compared.output)
  })

  const ordersOf = (orders: readonly LedgerOrder[], signalId: string) =>
    orders.filter(({ client_order_id }) => parseClientOrderId(client_order_id)?.signalId === signalId)

  async function signedIn(): Promise<ApiClient> {
    const { email, password, apiUrl } = installation.credentials()
    const { body } = await api.post('/auth/login', { email, password })
    return new ApiClient(new URL(apiUrl).origin, body.data.accessToken)
  }

  async function approve(id: string): Promise<void> {
    const { status, body } = await (await signedIn()).post(`/signals/${id}/process`, {})
    assert.equal(status, 200, JSON.stringify(body))
  }
})
