import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { BrokerGates } from '#brokers/gates.ts'
import { BrokerBudgetSpent, BrokerBusy, type RequestClass, type RequestPass } from '#brokers/port.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import type { Database } from '#db/engine/database.ts'
import type { RequestNews } from '#domain/account/request-gate-sync.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { createConnection } from '#test/support/factories.ts'

const NEWS: RequestNews = { requests: 0, refused: null, isOpen: false }

describe('what processes know of the requests to a broker together', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })
  const exchange: ReturnType<typeof gateExchange> = (news) => gateExchange(database.em)(news)
  const change = (set: string, ...values: unknown[]) =>
    database.em.execute(`update broker_gates set ${set} where connection_id = ?`, values)
  const newConnection = async () => (await createConnection(database.em)).id

  /** A process of its own, and the connection as it knows it. */
  const gateIn = (connectionId: string, now?: () => number) => {
    const gates = new BrokerGates({ perMinute: () => 200, exchange, ...(now && { now }) })
    const gate = gates.of({ brokerType: 'alpaca', baseUrl: 'http://broker', credentials: {}, connectionId })
    return async (kind: RequestClass): Promise<RequestPass | BrokerBusy> => {
      try {
        return await gate.enter(kind)
      } catch (error) {
        if (error instanceof BrokerBusy) return error
        throw error
      }
    }
  }
  const isLeft = (asked: RequestPass | BrokerBusy): asked is RequestPass => !(asked instanceof BrokerBusy)

  it('what processes know of the requests to a broker together is the sum of the requests of the last minute, from any sender', async () => {
    const connectionId = await newConnection()
    const tell = async (requests: number) =>
      (await exchange([{ ...NEWS, connectionId, requests }]))[0]!.requests
    assert.equal(await tell(3), 3)
    assert.equal(await tell(0), 3)
    const sums = await Promise.all(Array.from({ length: 20 }, () => tell(2)))
    assert.equal(Math.max(...sums), 43)
    const pass = (slots: number) => change('slot = slot - ?', slots, connectionId)
    await pass(3)
    assert.equal(await tell(1), 44)
    await pass(4)
    assert.equal(await tell(0), 1, 'the slots of more than a minute ago are forgotten')
    await pass(1_000)
    assert.equal(await tell(5), 5)
  })

  it('holds nothing back that was written before the clock of the database was moved back', async () => {
    const [connectionId, other] = [await newConnection(), await newConnection()]
    const refused = { wait: 60_000, othersWait: 90_000, isReported: true }
    const waits = await exchange([
      { ...NEWS, connectionId, requests: 150, refused },
      { ...NEWS, connectionId: other, refused },
    ])
    assert.ok(waits.every(({ wait, othersWait }) => wait > 59_000 && othersWait > 89_000))
    await database.em.execute(
      `update broker_gates set slot = slot + 360, not_before = not_before + interval '1 hour',
         others_not_before = others_not_before + interval '1 hour'`,
    )
    const known = await exchange([{ ...NEWS, connectionId, requests: 2 }])
    const of = (id: string) => known.find((each) => each.connectionId === id)
    assert.deepEqual(of(connectionId), {
      connectionId,
      requests: 2,
      wait: 0,
      othersWait: 0,
      isReported: true,
    })
    assert.equal(of(other)?.wait, 0)
    assert.equal((await exchange([{ ...NEWS, connectionId, requests: 3 }]))[0]!.requests, 5)
  })

  it('what processes know of the requests to a broker together is the longest of the waits, until the broker answers again', async () => {
    const connectionId = await newConnection()
    const waitsAfter = async (news: Partial<RequestNews>) => {
      const [known] = await exchange([{ ...NEWS, connectionId, ...news }])
      return [Math.round(known!.wait / 1_000), Math.round(known!.othersWait / 1_000), known!.isReported]
    }
    for (const refused of [
      { wait: 10_000, othersWait: 14_000, isReported: true },
      { wait: 1_500, othersWait: 4_000, isReported: false },
    ])
      assert.deepEqual(await waitsAfter({ refused }), [10, 14, true])
    assert.deepEqual(await waitsAfter({ isOpen: true }), [10, 14, true], 'an answer from before the refusal')
    await change('not_before = now()', connectionId)
    assert.deepEqual(await waitsAfter({}), [0, 14, true])
    assert.deepEqual(await waitsAfter({ isOpen: true }), [0, 0, true])
  })

  it('reports every connection that waits, and no other that was not asked for or is gone', async () => {
    const [waiting, idle] = [await newConnection(), await newConnection()]
    const gone = '00000000-0000-4000-8000-000000000000'
    const refused = { wait: 60_000, othersWait: 64_000, isReported: true }
    await exchange([{ ...NEWS, connectionId: waiting, refused }])
    const told = await exchange([
      { ...NEWS, connectionId: gone, requests: 1 },
      { ...NEWS, connectionId: idle, requests: 2 },
    ])
    const requestsOf = (id: string) => told.find(({ connectionId }) => connectionId === id)?.requests
    assert.deepEqual([requestsOf(gone), requestsOf(idle)], [undefined, 2])
    const known = (await exchange([])).map(({ connectionId }) => connectionId)
    assert.ok(known.includes(waiting) && !known.includes(idle))
  })

  it('keeps a second process from asking during a wait, and within the budget of both', async () => {
    const connectionId = await newConnection()
    // Time stands until all have been answered: a request does not wait for a slow database for ever.
    let stopped: number | null = performance.now()
    const now = () => stopped ?? performance.now()
    const [first, second] = [gateIn(connectionId, now), gateIn(connectionId, now)]
    const together = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? first : second)('comparison')),
    )
    const left = together.filter(isLeft)
    assert.ok(left.length >= 130 && left.length <= 150, `${left.length} of 140 and a portion left`)
    assert.ok(together.every((asked) => isLeft(asked) || asked instanceof BrokerBudgetSpent))
    stopped = null
    left[0]!.over(429, { 'retry-after': '20' })
    await eventually(async () => {
      await pause(300)
      const asked = await second('orders')
      assert.ok(asked instanceof BrokerBusy && asked.retryAfterMs > 15_000)
    })
  })

  it('holds up no order while PostgreSQL does not answer', async () => {
    const connectionId = await newConnection()
    const ask = gateIn(connectionId)
    const lock = database.em.fork()
    await lock.begin()
    await lock.execute('lock table broker_gates in access exclusive mode')
    try {
      for (let order = 0; order < 20; order += 1) {
        const began = performance.now()
        assert.ok(isLeft(await ask('orders')))
        assert.ok(performance.now() - began < 100, 'an order waited for the database')
      }
      const began = performance.now()
      assert.ok(isLeft(await ask('comparison')))
      assert.ok(performance.now() - began < 2_000, 'a comparison waited for the database for long')
    } finally {
      await lock.rollback()
    }
  })
})
