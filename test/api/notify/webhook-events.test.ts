import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import type { Database } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { amendFill } from '#db/position/fill-amendments.ts'
import { recordFills } from '#db/position/fills.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { AlertNotice } from '#domain/alert/alert.ts'
import type { Execution } from '#domain/order/fill.ts'
import { useDatabase } from '../../support/database.ts'
import { createAccount, createSignal, orderReport, withFill } from '../../support/factories.ts'
import { aFill, second } from '../../support/fills.ts'
import { acceptanceOf, placedByHand } from '../../support/placed-by-hand.ts'
import { addWebhook } from '../support/webhooks.ts'

/** Bytes of a body (Standard Webhooks). */
const LARGEST_BODY = 20_000
const CREDENTIALS: AlertNotice = { kind: 'credentials', message: 'The broker rejects the keys', data: {} }

interface WrittenEvent {
  id: string
  type: string
  data: Record<string, unknown>
  at: string
}

describe('events for webhooks', function () {
  this.timeout(60_000)
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    await database.em.execute('delete from channels')
    account = await createAccount(database.em)
    await addWebhook(database.em, account.userId)
  })

  const eventsOf = ({ userId } = account): Promise<WrittenEvent[]> =>
    database.em.execute('select id, type, data, at from webhook_events where user_id = ? order by id', [
      userId,
    ])
  const typesOf = async (of = account) => (await eventsOf(of)).map(({ type }) => type)
  const dataOf = async (type: string) => (await eventsOf()).findLast((event) => event.type === type)!.data
  const addSignal = (fields: Partial<Signal> = {}) =>
    createSignal(database.em, { accountId: account.id, ...fields })
  const changeSignal = ({ id }: Signal, set: string) =>
    database.em.execute(`update signals set ${set} where id = ?`, [id])
  const owner = () => ({ accountId: account.id, userId: account.userId })
  const record = (...fills: Execution[]) =>
    recordFills(database.em, owner(), { fills, fees: [], until: null })
  /** A signal whose order is accepted; without the events so far. */
  async function accepted() {
    const signal = await addSignal()
    const report = orderReport(signal)
    await recordAccepted(database.em, report)
    await database.em.execute('delete from webhook_events')
    return { signal, report }
  }

  it('an event of a signal is written at its acceptance and at each change of its status, and at no other change', async () => {
    const validUntil = new Date('2026-03-02T15:30:00.500Z')
    const signal = await addSignal({ sourceId: 'tv-1', validUntil, quantity: '1.50' })
    assert.deepEqual(await dataOf('signal.queued'), {
      id: signal.id,
      accountId: account.id,
      strategyId: null,
      sourceId: 'tv-1',
      symbol: 'AAPL',
      action: 'openLong',
      quantity: '1.5',
      quantityType: 'fixed',
      status: 'queued',
      statusReason: null,
      filledQuantity: '0',
      avgFillPrice: null,
      validUntil: '2026-03-02T15:30:00.500Z',
    })
    await changeSignal(signal, `status = 'queued', filled_quantity = 0`)
    await changeSignal(signal, `status = 'executed', filled_quantity = 1.5, avg_fill_price = 187.4`)
    await changeSignal(signal, `filled_quantity = 1`)
    assert.deepEqual(await typesOf(), ['signal.queued', 'signal.executed'])
    const { filledQuantity, avgFillPrice } = await dataOf('signal.executed')
    assert.deepEqual([filledQuantity, avgFillPrice], ['1.5', '187.4'])
  })

  it('an event of an approval is written when it is requested and when it ends, with each outcome', async () => {
    const signal = await addSignal({ status: 'pending', executeMode: 'pending' })
    await changeSignal(signal, `status = 'rejected', status_reason = 'DECLINED'`)
    const late = await addSignal()
    await changeSignal(late, `status = 'pending'`)
    assert.deepEqual(
      (await typesOf()).toSorted(),
      [
        'approval.ended',
        'approval.requested',
        'approval.requested',
        'signal.pending',
        'signal.pending',
        'signal.queued',
        'signal.rejected',
      ],
      'a signal may also become pending later',
    )
    const { id, statusReason } = await dataOf('approval.ended')
    assert.deepEqual([id, statusReason], [signal.id, 'DECLINED'])
  })

  it('an event of an exit is written at each change of its status', async () => {
    const signal = await addSignal({ status: 'executed' })
    for (const status of ['scheduled', 'scheduled', 'submitted', 'filled'])
      await changeSignal(signal, `exit_status = '${status}', exit_reason = 'TIME'`)
    await changeSignal(signal, 'exit_status = null')
    assert.deepEqual((await typesOf()).slice(1), ['exit.scheduled', 'exit.submitted', 'exit.filled'])
    assert.deepEqual(await dataOf('exit.filled'), {
      signalId: signal.id,
      accountId: account.id,
      symbol: 'AAPL',
      status: 'filled',
      reason: 'TIME',
      orderId: null,
    })
  })

  it('an event of an order is written when it is placed and at each change of its status', async () => {
    const signal = await addSignal()
    const report = orderReport(signal)
    await recordAccepted(database.em, report)
    for (const filled of ['4', '6', '6', '10'] as const)
      await applyOrderReport(database.em, account.id, withFill(report, filled))
    const types = await typesOf()
    assert.deepEqual(
      types.filter((type) => type.startsWith('order.')),
      ['order.open', 'order.partially_filled', 'order.filled'],
    )
    const { id: _, ...data } = await dataOf('order.filled')
    assert.deepEqual(data, {
      signalId: signal.id,
      accountId: account.id,
      role: 'entry',
      clientOrderId: report.clientOrderId,
      brokerOrderId: report.brokerOrderId,
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'market',
      quantity: '10',
      limitPrice: null,
      stopPrice: null,
      status: 'FILLED',
      filledQuantity: '10',
      avgFillPrice: '100',
      reason: null,
    })
  })

  it('an event of an order by hand names no signal, and none is written of its signal', async () => {
    const terms = await placedByHand(database.em, account)
    await recordAccepted(database.em, acceptanceOf(terms))
    await raiseAlert(
      database.em.fork(),
      { accountId: account.id, signalId: terms.signalId },
      { ...CREDENTIALS, kind: 'fill_after_end' },
    )
    const events = await eventsOf()
    assert.deepEqual(
      events.map(({ type }) => type),
      ['order.pending', 'order.open', 'alert.raised'],
    )
    assert.deepEqual(
      events.map(({ data }) => data['signalId']),
      [null, null, null],
    )
    assert.equal(events[2]!.data['orderId'], events[0]!.data['id'])
  })

  it('an event of a fill is written once for each execution', async () => {
    const { report } = await accepted()
    const fill = aFill({ brokerOrderId: report.brokerOrderId, quantity: '4', price: '187.40' })
    await record(fill)
    await record(fill)
    const events = (await eventsOf()).filter(({ type }) => type.startsWith('fill.'))
    assert.equal(events.length, 1)
    const { orderId, ...data } = events[0]!.data
    assert.ok(orderId)
    assert.deepEqual(data, {
      executionId: fill.executionId,
      brokerOrderId: report.brokerOrderId,
      accountId: account.id,
      symbol: 'AAPL',
      side: 'BUY',
      quantity: '4',
      price: '187.4',
      fees: '0',
      at: '2026-03-02T15:00:00.000Z',
    })
  })

  it('an event of a fill that is amended is written for each correction, also under the same id', async () => {
    const { report } = await accepted()
    const { executionId, ...fill } = aFill({ brokerOrderId: report.brokerOrderId, quantity: '4' })
    await record({ executionId, ...fill })
    for (const quantity of ['3', '3', '2'] as const)
      await amendFill(database.em, owner(), withFill(report, quantity), {
        executionId,
        corrected: { executionId, quantity, price: '99' },
      })
    const amended = (await eventsOf()).filter(({ type }) => type === 'fill.amended')
    assert.deepEqual(
      amended.map(({ data }) => (data['corrected'] as Record<string, unknown>)['quantity']),
      ['3', '2'],
    )
  })

  it('an event of a trade is written when it is opened and when it is closed, and not when it is calculated again', async () => {
    await accepted()
    await record(aFill({ quantity: '10' }))
    await record(aFill({ side: 'SELL', quantity: '10', price: '101', at: second(60) }))
    await record(aFill({ symbol: 'MSFT', at: second(90) }))
    const trades = (await eventsOf()).filter(({ type }) => type.startsWith('trade.'))
    assert.deepEqual(
      trades.map(({ type, data }) => `${type} ${String(data['symbol'])}`),
      ['trade.opened AAPL', 'trade.closed AAPL', 'trade.opened MSFT'],
    )
    const [opened, closed] = trades as [WrittenEvent, WrittenEvent]
    assert.equal(closed.data['id'], opened.data['id'])
    const { quantity, entryPrice, exitPrice, realisedPnl, entryAt, exitAt } = closed.data
    assert.deepEqual([quantity, entryPrice, exitPrice, realisedPnl], ['10', '100', '101', '10'])
    assert.deepEqual([entryAt, exitAt], ['2026-03-02T15:00:00.000Z', '2026-03-02T15:01:00.000Z'])
  })

  it('an event of an alert is written when it is raised and when it is resolved', async () => {
    const subject = { accountId: account.id, signalId: null }
    for (const message of ['The broker rejects the keys', 'The broker still rejects the keys'])
      await raiseAlert(database.em.fork(), subject, { ...CREDENTIALS, message })
    for (let count = 0; count < 2; count += 1) await resolveAlert(database.em.fork(), subject, 'credentials')
    await raiseAlert(database.em.fork(), subject, CREDENTIALS)
    assert.deepEqual(await typesOf(), ['alert.raised', 'alert.resolved', 'alert.raised'])
    const { id, raisedAt, resolvedAt, message, ...data } = await dataOf('alert.resolved')
    assert.ok(id && raisedAt && resolvedAt)
    assert.equal(message, 'The broker still rejects the keys')
    assert.deepEqual(data, {
      kind: 'credentials',
      accountId: account.id,
      signalId: null,
      orderId: null,
      tokenId: null,
      strategyId: null,
      symbol: null,
    })
  })

  it('an event of a halt is written when it is set, replaced and lifted, for all owners of webhooks when it is global', async () => {
    const other = await createAccount(database.em)
    await addWebhook(database.em, other.userId)
    await addWebhook(database.em, other.userId)
    const alone = await createAccount(database.em)
    const target = { scope: 'account', ...owner() } as const
    const pause = { level: 'pauseEntries', reason: null, by: 'ann' } as const
    await setHalt(database.em, target, pause)
    await setHalt(database.em, target, { ...pause, level: 'fullStop' })
    await liftHalt(database.em, target, 'ann')
    assert.deepEqual(await typesOf(), ['halt.set', 'halt.lifted', 'halt.set', 'halt.lifted'])
    const [first, replaced] = await eventsOf()
    assert.ok(first!.data['id'])
    assert.equal(replaced!.data['id'], first!.data['id'])
    await setHalt(database.em, { scope: 'global' }, pause)
    await liftHalt(database.em, { scope: 'global' }, 'ann')
    assert.deepEqual((await typesOf()).slice(4), ['halt.set', 'halt.lifted'])
    assert.deepEqual(await typesOf(other), ['halt.set', 'halt.lifted'])
    assert.deepEqual(await typesOf(alone), [])
  })

  it('an event is written for its own user alone, and for none without a webhook', async () => {
    const alone = await createAccount(database.em)
    await createSignal(database.em, { accountId: alone.id })
    assert.deepEqual([await typesOf(), await typesOf(alone)], [[], []])
  })

  it('an event of a transaction that is rolled back is not written', async () => {
    const signal = await addSignal()
    const failing = database.em.fork().transactional(async (inner) => {
      await inner.execute(`update signals set status = 'executed' where id = ?`, [signal.id])
      throw new Error('rolled back')
    })
    await assert.rejects(failing, /rolled back/)
    assert.deepEqual(await typesOf(), ['signal.queued'])
  })

  it('an event has an id whose text orders it by time, whichever process writes it', async () => {
    const signals = await Promise.all(Array.from({ length: 8 }, () => addSignal()))
    for (const status of ['transmitted', 'executed'])
      for (const signal of signals) await changeSignal(signal, `status = '${status}'`)
    const events = await eventsOf()
    assert.equal(events.length, 24)
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map(({ id }) => id).toSorted(),
    )
    const instants = events.map(({ at }) => Date.parse(at))
    instants.slice(1).forEach((instant, at) => assert.ok(instant >= instants[at]! - 1))
    for (const { id } of events) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  it('an event is smaller than a webhook may be, however long the texts of its cause are', async () => {
    const long = '"😀\u0001'.repeat(20_000)
    const { signal, report } = await accepted()
    await raiseAlert(
      database.em.fork(),
      { accountId: account.id, signalId: null },
      { ...CREDENTIALS, message: long },
    )
    await applyOrderReport(database.em, account.id, { ...report, status: 'REJECTED', reason: long })
    await changeSignal(signal, `status = 'rejected', status_reason = repeat('x', 50000)`)
    await setHalt(
      database.em,
      { scope: 'user', userId: account.userId },
      { level: 'fullStop', reason: long, by: 'ann' },
    )
    const events = await eventsOf()
    assert.deepEqual(events.map(({ type }) => type).toSorted(), [
      'alert.raised',
      'halt.set',
      'order.rejected',
      'signal.rejected',
    ])
    for (const { type, data, at } of events) {
      const body = JSON.stringify({ type, timestamp: at, data })
      assert.ok(Buffer.byteLength(body) < LARGEST_BODY, `${type}: ${Buffer.byteLength(body)} bytes`)
    }
  })

  it('an event holds instants in UTC, in each zone of the session that writes it', async () => {
    const id = randomUUID()
    await database.em.fork().transactional(async (inner) => {
      await inner.execute(`set local timezone = 'America/New_York'`)
      await inner.execute(
        `insert into alerts (id, user_id, account_id, kind, message, raised_at)
         values (?, ?, ?, 'credentials', '', '2026-07-01T13:30:00.25Z')`,
        [id, account.userId, account.id],
      )
    })
    assert.equal((await dataOf('alert.raised'))['raisedAt'], '2026-07-01T13:30:00.250Z')
  })
})
