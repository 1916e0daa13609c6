import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { add, multiply, negate, subtract, type Decimal } from '#domain/money/decimal.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { CONTROL_SECRET } from '#test/support/venue-desk.ts'
import { VenueClient, type Json } from './venue-client.ts'

describe('the venue as a process', () => {
  let folder: string
  const running = new Set<ChildProcess>()
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'venue-'))))
  afterEach(async () => {
    for (const child of running) await kill(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function spawnVenue(port: number, dataFile = join(folder, 'data', 'venue.sqlite')) {
    const child = spawn(process.execPath, ['venue/main.ts'], {
      env: {
        ...process.env,
        VENUE_PORT: String(port),
        VENUE_DATA: dataFile,
        VENUE_CONTROL_SECRET: CONTROL_SECRET,
        LOG_LEVEL: 'info',
        LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += data.toString('utf8')))
    child.stderr.on('data', (data: Buffer) => (output += data.toString('utf8')))
    const exited = once(child, 'exit').then(([code]) => {
      running.delete(child)
      return code as number | null
    })
    return { child, exited, output: () => output }
  }

  async function startedVenue(port: number) {
    const venue = spawnVenue(port)
    const client = new VenueClient(`http://127.0.0.1:${port}`)
    for (;;) {
      const isUp = await client.call('GET', '/venue/health').then(
        () => true,
        () => false,
      )
      if (isUp) return { ...venue, client }
      if (venue.child.exitCode !== null) throw new Error(venue.output())
      await sleep(25)
    }
  }

  it('keeps every acknowledged order exactly once, groups whole, and cash and positions equal to the fills, through SIGKILLs', async () => {
    const port = await freePort()
    const acknowledged: string[] = []
    const groups = { sent: 0, moved: [] as string[] }
    let sent = 0
    for (let life = 0; life < 4; life += 1) {
      const { child, client, exited } = await startedVenue(port)
      setTimeout(() => child.kill('SIGKILL'), 150 + 130 * life)
      const groupSender = sendGroups(await withGroups(client), groups)
      const senders = [0, 1, 2].map(async () => {
        for (;;) {
          const id = `order-${sent++}`
          const side = sent % 3 === 0 ? 'sell' : 'buy'
          const symbol = side === 'sell' ? `ZTSEL${lettersOf(sent % 5)}` : `ZTBUY${lettersOf(sent % 5)}`
          const answer = await client
            .submit({ client_order_id: id, symbol, side, qty: '2' })
            .catch(() => null)
          if (!answer) return
          assert.equal(answer.status, 200, JSON.stringify(answer.body))
          acknowledged.push(id)
        }
      })
      await Promise.all([...senders, groupSender])
      await exited
    }
    const { client } = await startedVenue(port)
    await sleep(500)
    checkGroups(await (await withGroups(client)).ledger(), groups.moved)
    const ledger = await client.ledger()
    const recorded: string[] = ledger.orders.map((order: Json) => order.client_order_id)
    assert.ok(acknowledged.length > 20, `only ${acknowledged.length} orders were sent`)
    assert.equal(new Set(recorded).size, recorded.length)
    assert.deepEqual(
      acknowledged.filter((id) => !recorded.includes(id)),
      [],
    )
    const accepted = ledger.submissions.filter(({ outcome }: Json) => outcome === 'accepted')
    assert.equal(accepted.length, recorded.length)
    let cash: Decimal = ledger.account.openingCash
    const shares: Record<string, Decimal> = {}
    for (const order of ledger.orders) {
      assert.equal(order.status, 'filled')
      assert.equal(
        order.fills.reduce((sum: Decimal, { qty }: Json) => add(sum, qty), '0'),
        order.qty,
      )
      for (const { qty, price } of order.fills) {
        const signed = order.side === 'buy' ? qty : negate(qty)
        cash = subtract(cash, multiply(signed, price))
        shares[order.symbol] = add(shares[order.symbol] ?? '0', signed)
      }
    }
    assert.equal(ledger.account.cash, cash)
    assert.deepEqual(
      Object.fromEntries(ledger.positions.map(({ symbol, qty }: Json) => [symbol, qty])),
      shares,
    )
  })

  it('keeps pinned prices, accounts and the progress of the fault script through a SIGKILL', async () => {
    const port = await freePort()
    const first = await startedVenue(port)
    await first.client.pin('AAPL', '77')
    await first.client.script({ on: 'submit', mode: '500', times: 2 })
    assert.equal((await first.client.submit()).status, 500)
    await kill(first.child, 'SIGKILL')
    const { client } = await startedVenue(port)
    assert.equal((await client.submit()).status, 500)
    assert.equal((await client.submitAndAwait({})).filled_avg_price, '77')
  })

  it('gives a copy of its ledger while orders flow, which holds every order acknowledged before and whole ones only', async () => {
    const { client } = await startedVenue(await freePort())
    const acknowledged: string[] = []
    const until = { hasEnded: false }
    const send = async (sender: number) => {
      for (let order = 0; !until.hasEnded; order += 1) {
        const id = `order-${sender}-${order}`
        await client.submit({ client_order_id: id, symbol: `ZTBUY${lettersOf(sender)}`, qty: '2' })
        acknowledged.push(id)
      }
    }
    const senders = [0, 1, 2].map(send)
    while (acknowledged.length < 30) await sleep(10)
    const before = [...acknowledged]
    const authorization = `Bearer ${CONTROL_SECRET}`
    const copy = await fetch(`${client.url}/venue/ledger.sqlite`, { headers: { authorization } })
    assert.equal(copy.status, 200)
    writeFileSync(join(folder, 'copy.sqlite'), Buffer.from(await copy.arrayBuffer()))
    until.hasEnded = true
    await Promise.all(senders)
    await eventually(() =>
      assert.deepEqual(
        readdirSync(join(folder, 'data')).filter((name) => name.startsWith('copy')),
        [],
      ),
    )
    assert.equal((await fetch(`${client.url}/venue/ledger.sqlite`)).status, 401)

    const port = await freePort()
    spawnVenue(port, join(folder, 'copy.sqlite'))
    const restored = new VenueClient(`http://127.0.0.1:${port}`)
    const ledger: Json = await eventually(() => restored.ledger())
    const recorded: string[] = ledger.orders.map((order: Json) => order.client_order_id)
    assert.deepEqual(
      before.filter((id) => !recorded.includes(id)),
      [],
    )
    for (const { status, fills } of ledger.orders)
      assert.deepEqual([status, fills.length > 0], ['filled', true])
  })

  it('exits 0 on SIGTERM', async () => {
    const { child, exited } = await startedVenue(await freePort())
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
  })

  it('exits 1 with one line that names a taken port', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo
    const { exited, output } = spawnVenue(port)
    assert.equal(await exited, 1)
    assert.equal(output().trim(), `Port ${port} is taken: set VENUE_PORT to a free one`)
    blocker.close()
  })

  it('exits 1 with one line about a data file that another venue uses, or that is none', async () => {
    const port = await freePort()
    await startedVenue(port)
    const second = spawnVenue(await freePort())
    assert.equal(await second.exited, 1)
    assert.match(second.output().trim(), /^The data file .* cannot be used: another process is using it$/)
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'These are notes and no database. '.repeat(10))
    const third = spawnVenue(await freePort(), file)
    assert.equal(await third.exited, 1)
    assert.match(third.output().trim(), /^The data file .* cannot be used: file is not a database$/)
  })
})

/** A client of an account that has nothing but groups of orders. */
async function withGroups(client: VenueClient): Promise<VenueClient> {
  const keys = { keyId: 'groups', secretKey: 's' }
  await client.call('POST', '/venue/accounts', { ...keys, cash: '1000000' }).catch(() => null)
  return new VenueClient(client.url, keys)
}

/** Opens positions with two levels, moves their stops, and lets the one or the other be reached, until the venue is gone. */
async function sendGroups(client: VenueClient, groups: { sent: number; moved: string[] }): Promise<void> {
  const levels = { take_profit: { limit_price: '110' }, stop_loss: { stop_price: '90' } }
  try {
    for (;;) {
      const symbol = `ZTGRP${lettersOf(groups.sent++)}`
      await client.pin(symbol, '100')
      const { body } = await client.submit({ symbol, qty: '2', order_class: 'bracket', ...levels })
      const stop = await client.call('PATCH', `/v2/orders/${body.legs[1].id}`, { stop_price: '95' })
      groups.moved.push(stop.body.id)
      await client.pin(symbol, groups.sent % 2 === 0 ? '80' : '120')
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

/** Every order that was moved has one in its place, and of two levels one has filled, or both work. */
function checkGroups({ orders, positions }: Json, moved: readonly string[]): void {
  assert.ok(moved.length > 3, `only ${moved.length} orders were moved`)
  const ids = new Set(orders.map(({ id }: Json) => id))
  assert.ok(moved.every((id) => ids.has(id)))
  for (const { id, status, replaced_by: by } of orders) {
    const inItsPlace = orders.filter(({ replaces }: Json) => replaces === id).map((order: Json) => order.id)
    assert.deepEqual(inItsPlace, status === 'replaced' ? [by] : [])
  }
  for (const group of Map.groupBy<string, Json>(orders, ({ symbol }: Json) => symbol).values()) {
    const [entry, ...levels] = group.filter(({ status }) => status !== 'replaced')
    assert.deepEqual([entry.status, entry.filled_qty], ['filled', '2'])
    const isOpen = positions.some(({ symbol }: Json) => symbol === entry.symbol)
    assert.deepEqual(
      levels.map(({ status }) => status).toSorted((a: string, b: string) => a.localeCompare(b)),
      isOpen ? ['held', 'new'] : ['canceled', 'filled'],
    )
  }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
