import assert from 'node:assert/strict'
import { findAccountConnection } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { noteResting, readProtection, trackProtection, type TrackedProtection } from '#db/exit/protections.ts'
import { decimal, divideDown, type Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { PRICE_COUNTS_FOR_MS } from '#domain/exit/acting-price.ts'
import type { CrossedLevel, Protection, RestingOrder } from '#domain/exit/protection.ts'
import { eventually } from '#test/support/eventually.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { notifiedAt } from '#test/support/told-prices.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { ProtectionAlarm, ProtectionWatch } from '#worker/feed/protection-watch.ts'
import { WatchedPosition } from '#worker/feed/watched-position.ts'

const PLAN: Protection = {
  stop: { percent: '5' },
  target: { percent: '40' },
  trail: { percent: '4' },
  breakEven: null,
  until: 'closed',
}
const RESTING: RestingOrder = { orderType: 'stop', limitPrice: null, stopPrice: '96', timeInForce: 'gtc' }
const HOUR = 3_600_000
const AT = '2026-03-02T15:00:00.000Z'

describe('the watch of prices for exit plans', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let signal: Signal
  let broker: ScriptedBroker
  let crossed: CrossedLevel[]
  let moved: string[]
  const announcer = {
    async exitNews(signalId: string) {
      const level = (await readProtection(em, signalId))?.crossed
      if (level) crossed.push(level)
      else moved.push(signalId)
    },
  }
  const logged = loggerInMemory()
  beforeEach(async () => {
    crossed = []
    moved = []
    broker = new ScriptedBroker()
    broker.sessions = [-1, 0, 1].map((days) => {
      const opens = Date.now() - HOUR + days * 24 * HOUR
      const [opensAt, closesAt] = [opens, opens + 2 * HOUR].map((at) => new Date(at).toISOString())
      return { date: opensAt!.slice(0, 10), opensAt: opensAt!, closesAt: closesAt! }
    })
    signal = await createSignal(em, { protection: PLAN })
    await recordAccepted(em, withFill(orderReport(signal), '4'))
  })

  /** The entry has filled, and the order of the plan lies at the broker. */
  async function place(resting = RESTING): Promise<TrackedProtection> {
    await applyOrderReport(em, signal.accountId, withFill(orderReport(signal), '10'))
    await trackProtection(em, signal.id)
    const report = broker.accept({
      ...orderReport(signal, { role: 'exit', orderType: 'stop', stopPrice: '96' }),
      clientOrderId: clientOrderIdFor(signal.id, 'plan', 1),
    })
    await applyOrderReport(em, signal.accountId, report)
    await noteResting(em, signal.id, resting, 0)
    return (await readProtection(em, signal.id))!
  }
  const watchedAt = (tracked: TrackedProtection, now: () => number) =>
    new WatchedPosition(
      { em, broker, announcer, abilities: { oco: false, trailing: false }, now, log: logged.log },
      tracked,
    )
  const OPEN = Number.NEGATIVE_INFINITY
  /** Everybody trades at this price. */
  async function hearAt(position: WatchedPosition, price: Decimal, at: number) {
    position.hear(notifiedAt(price, at), OPEN)
    await position.work()
    await position.moveOn()
  }

  it('watches a position from the first fills of its entry, and reports a level that was crossed at the first price until the workflow acts', async () => {
    const account = (await findAccountConnection(em, signal.accountId))!
    const stop = new AbortController()
    const watch = new ProtectionWatch({
      em,
      broker,
      announcer,
      account,
      plans: { has: async () => true },
      times: { askEvery: 20, watching: 20, idle: 20 },
      log: logged.log,
    })
    broker.lastPrice = '97'
    const running = watch.run(stop.signal)
    await eventually(async () => assert.equal((await readProtection(em, signal.id))?.price?.price, '97'))
    broker.lastPrice = '95'
    await eventually(() =>
      assert.deepEqual(crossed.slice(0, 1), [{ ...crossed[0], level: 'stop', at: '96', price: '95' }]),
    )
    broker.lastPrice = '101'
    assert.equal((await readProtection(em, signal.id))!.crossed?.price, '95')
    const before = broker.requests.get('getQuotes')!
    await eventually(() => assert.ok(broker.requests.get('getQuotes')! > before + 1))
    await noteResting(em, signal.id, null, 0)
    await eventually(async () => assert.equal((await readProtection(em, signal.id))!.price?.price, '101'))
    // An exit closes the position: no price is needed any more.
    await applyOrderReport(em, signal.accountId, orderReport(signal, { role: 'exit', quantity: '4' }))
    await eventually(async () => {
      const asked = broker.requests.get('getQuotes')
      await new Promise((resolve) => setTimeout(resolve, 60))
      assert.equal(broker.requests.get('getQuotes'), asked)
    })
    stop.abort()
    await running
    // It is told again after a while, as the same.
    assert.equal(new Set(crossed.map(({ level, at, price }) => `${level} ${at} ${price}`)).size, 1)
  })

  it('moves a stop that trails a thousand prices by few requests, and informs its workflow only that it must be placed again', async () => {
    let now = Date.now()
    const position = watchedAt(await place(), () => now)
    for (let cents = 10_000; cents < 12_000; cents += 2) {
      now += 1_000
      await hearAt(position, divideDown(decimal(cents), '100', 2), now)
    }
    const changes = broker.requests.get('changeOrder')!
    assert.ok(changes >= 30 && changes <= 48, `${changes} changes`)
    // From the 40th move on, ever less often, until the workflow has done so.
    assert.deepEqual(crossed, [])
    assert.ok(moved.length <= 4, `${moved.length} messages`)
    const { resting } = (await readProtection(em, signal.id))!
    assert.ok(Number(resting?.stopPrice) > 114.7 && Number(resting?.stopPrice) < 115.2)
    const [told] = await em.execute<{ steps: number }[]>(
      `select count(*)::int as steps from signal_events where signal_id = ? and kind = 'protection_moved'`,
      [signal.id],
    )
    assert.ok(told!.steps <= 2, 'moves within a minute are one step')
  })

  it('holds a move back that the broker has refused, and reports another kind of order ever less often', async () => {
    let now = Date.now()
    const tracked = await place()
    const position = watchedAt(tracked, () => now)
    const hear = (price: Decimal) => hearAt(position, price, now)
    broker.changeOrder = async () => {
      broker.requests.set('changeOrder', (broker.requests.get('changeOrder') ?? 0) + 1)
      return 'refused'
    }
    for (let second = 0; second < 60; second++) {
      await hear('110')
      now += 1_000
    }
    assert.equal(broker.requests.get('changeOrder'), 4)
    await noteResting(em, signal.id, null, 0)
    await em.execute(
      `update orders set order_type = 'limit', limit_price = 140, stop_price = null where signal_id = ? and role = 'exit'`,
      [signal.id],
    )
    position.refresh((await readProtection(em, signal.id))!, now)
    for (let second = 0; second < 60; second++) {
      await hear('110')
      now += 1_000
    }
    assert.equal(moved.length, 4)
  })

  /** A second of each price in turn, of a plan with a target at 110. */
  async function hearing() {
    await em.execute('update signals set protection = ?::jsonb where id = ?', [
      JSON.stringify({ ...PLAN, target: { percent: '10' } }),
      signal.id,
    ])
    let now = Date.now()
    const position = watchedAt(await place(), () => now)
    const hear = async (price: Decimal, seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await hearAt(position, price, now)
        now += 1_000
      }
      return (await readProtection(em, signal.id))!
    }
    return { hear, refresh: async () => position.refresh((await readProtection(em, signal.id))!, now) }
  }

  it('moves the stop on while the workflow works at no target that is reached, and forgets the target once it was left', async () => {
    const { hear } = await hearing()
    assert.equal((await hear('111', 3)).resting?.stopPrice, '96', 'the order is about to be called back')
    const { resting, crossed: noted } = await hear('125', 20)
    assert.deepEqual([resting?.stopPrice, noted?.level], ['120', 'target'])
    assert.equal((await hear('109', 2)).crossed, null)
    assert.deepEqual([...new Set(crossed.map(({ level }) => level))], ['target'])
  })

  it('reports a stop that is reached after a target that the workflow does not work at', async () => {
    const { hear, refresh } = await hearing()
    const { report } = broker.accepted.get(clientOrderIdFor(signal.id, 'plan', 1))!
    await applyOrderReport(em, signal.accountId, { ...report, status: 'CANCELLED', endedAt: AT })
    await noteResting(em, signal.id, null, 0)
    await refresh()
    assert.equal((await hear('111', 7)).crossed?.level, 'target')
    assert.equal((await hear('106', 2)).crossed?.level, 'stop')
    assert.deepEqual(
      crossed.map(({ level }) => level),
      ['target', 'target', 'stop'],
    )
  })

  it('reports a target ever less often while its order is refused each second, and the price stays beyond it', async () => {
    const { hear, refresh } = await hearing()
    for (let second = 0; second < 50; second++) {
      await hear('111', 1)
      // The workflow has tried, and has the stop at the broker again.
      await noteResting(em, signal.id, RESTING, 0)
      await refresh()
    }
    assert.ok(crossed.length >= 3 && crossed.length <= 5, `${crossed.length} messages`)
  })

  it('reports a stop that is reached while a target is being noted', async () => {
    await em.execute('update signals set protection = ?::jsonb where id = ?', [
      JSON.stringify({ ...PLAN, target: { percent: '10' } }),
      signal.id,
    ])
    const now = Date.now()
    const position = watchedAt(await place(), () => now)
    position.hear(notifiedAt('111', now), OPEN)
    const noting = position.work()
    position.hear(notifiedAt('106', now), OPEN)
    await noting
    await position.work()
    assert.deepEqual(
      [crossed.map(({ level }) => level), (await readProtection(em, signal.id))!.crossed?.level],
      [['target', 'stop'], 'stop'],
    )
  })

  it('notifies the owner once no price was fresh for half a minute of a session, until they are', async () => {
    const alarm = new ProtectionAlarm(em, signal.accountId, 0)
    const began = Date.now()
    let now = began
    const position = watchedAt(await place(), () => now)
    /** The same prices are told again and again, and a while later nothing changes. */
    const look = (after: number) => {
      now = began + after
      position.hear(notifiedAt('100', began), OPEN)
      return alarm.look([position], began - HOUR, now)
    }
    const open = async () => em.fork().find(Alert, { accountId: signal.accountId, resolvedAt: null })
    await look(0)
    await look(PRICE_COUNTS_FOR_MS)
    assert.deepEqual(await open(), [])
    await look(PRICE_COUNTS_FOR_MS + 1)
    const [alert] = await open()
    assert.equal(alert?.kind, 'protection_blind')
    assert.match(
      alert.message,
      /At the broker: a stop at 96\. Not at the broker: the target, the trailing of the stop/,
    )
    assert.equal((alert.data as { why: string }).why, 'old')
    now += 10_000
    position.hear(notifiedAt('100', now), OPEN)
    await alarm.look([position], now - HOUR, now + 1_000)
    await alarm.look([position], now - HOUR, now + 7_000)
    assert.deepEqual(await open(), [])
  })
})
