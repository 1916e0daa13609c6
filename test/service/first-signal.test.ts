import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '#client/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('a webhook on the whole service', function () {
  this.timeout(30_000)
  const service = useStack()
  const send = (changes: object = {}) => service.stack.api.post('/signals', buyNow(service.stack, changes))

  it('a webhook on the whole service is answered 201 executed with its orderId when the broker takes the order', async () => {
    const { stack } = service
    const { status, body } = await send()
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.signal.status, 'executed')
    assert.match(body.signal.orderId, /^[0-9a-f-]{36}$/)
    await eventually(async () => {
      const { body: order } = await stack.api.get(`/orders/${body.signal.orderId}`)
      assert.equal(order.status, 'FILLED')
      assert.equal(order.signalId, body.signal.id)
    })
    const { body: list } = await stack.api.get('/orders?status=FILLED')
    assert.ok(list.orders.some((order: { id: string }) => order.id === body.signal.orderId))
  })

  it('a webhook on the whole service is tried, sent, watched and its order read by the first steps of the reference, with the typed client', async () => {
    const { addresses, token } = service.stack
    const ask = createClient(addresses.api, token)
    const accounts = await ask('GET /api/v1/accounts')
    assert.ok(accounts.status === 200)
    const body = {
      symbol: 'ZTSTEPS',
      action: 'openLong',
      accountId: accounts.body.accounts[0]!.id,
      quantity: 10,
      executeMode: 'immediate',
      sourceId: `steps-${randomUUID()}`,
    } as const
    const tried = await ask('POST /api/v1/signals', { body: { ...body, dryRun: true } })
    assert.ok(tried.status === 200 && 'dryRun' in tried.body)
    assert.equal(tried.body.dryRun.outcome, 'ready')
    const sent = await ask('POST /api/v1/signals', { body })
    assert.ok(sent.status === 201)
    const { id, orderId } = sent.body.signal
    const timeline = await ask('GET /api/v1/signals/{id}/events', { path: { id } })
    assert.ok(timeline.status === 200)
    assert.equal(timeline.body.data.events[0]?.kind, 'received')
    const order = await ask('GET /api/v1/orders/{orderId}', { path: { orderId: orderId! } })
    assert.ok(order.status === 200)
    assert.deepEqual([order.body.symbol, order.body.quantity, order.body.signalId], ['ZTSTEPS', 10, id])
  })

  it('a webhook on the whole service with an immediate exit ends flat: entry and exit are filled and no position is left', async () => {
    const { stack } = service
    const { body } = await send({ symbol: 'ZTFLAT', exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(stack, body.signal.id)
    await eventually(async () => {
      const { body: held } = await stack.api.get('/positions?symbol=ZTFLAT')
      assert.deepEqual(held.positions, [])
    })
    assert.deepEqual(
      (await stack.venue.ledger()).positions.filter(({ symbol }) => symbol === 'ZTFLAT'),
      [],
    )
  })

  it('a webhook on the whole service that opens a short is covered by its exit', async () => {
    const { body } = await send({ symbol: 'ZTSHRT', action: 'openShort', exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(service.stack, body.signal.id)
    const [entry, exit] = ordersAtVenue(await service.stack.venue.ledger(), body.signal.id)
    assert.deepEqual([entry!.side, exit!.side], ['sell', 'buy'])
  })

  it('sent again with its sourceId is answered 200 with the same signal and adds no order', async () => {
    const sourceId = `again-${randomUUID()}`
    const first = await send({ sourceId, exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(service.stack, first.body.signal.id)
    const before = await service.stack.venue.ledger()
    const second = await send({ sourceId, exitTriggerType: 'immediate' })
    assert.equal(second.status, 200)
    assert.equal(second.body.signal.id, first.body.signal.id)
    assert.equal(second.body.advisories, undefined)
    assert.deepEqual(
      (await service.stack.venue.ledger()).submissions.length,
      before.submissions.length,
      'nothing was sent to the broker',
    )
  })

  it('sent fifty times at once with one sourceId makes one signal and one order', async () => {
    const sourceId = `fifty-${randomUUID()}`
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ symbol: 'ZTFIFTY', sourceId })))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      statuses.slice(-1),
      `one made it, the others found it: ${statuses.join(' ')}`,
    )
    assert.ok([201, 202].includes(statuses.at(-1)!))
    assert.equal(new Set(answers.map(({ body }) => body.signal.id)).size, 1)
    await endOf(service.stack, answers[0]!.body.signal.id)
    const ledger = await service.stack.venue.ledger()
    assert.equal(ledger.orders.filter(({ symbol }) => symbol === 'ZTFIFTY').length, 1)
  })

  it('a webhook on the whole service with a limit waits until the price crosses it, fills, and is then closed', async () => {
    const { stack } = service
    await stack.venue.pin('ZTLIMIT', 100)
    const { status, body } = await send({
      symbol: 'ZTLIMIT',
      orderType: 'limit',
      limitPrice: 95,
      timeInForce: 'gtc',
      exitTriggerType: 'immediate',
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.signal.status, 'executed')
    assert.equal(body.advisories[0].code, 'exit_rule_tif_may_not_terminate')
    // The answer leaves before the acceptance is recorded.
    await eventually(async () =>
      assert.equal((await stack.api.get(`/orders/${body.signal.orderId}`)).body.status, 'OPEN'),
    )
    assert.equal((await shown(stack, body.signal.id)).exit.status, 'waiting')
    await stack.venue.pin('ZTLIMIT', 94)
    await assertOneEntryOneExit(stack, body.signal.id)
    assert.ok((await shown(stack, body.signal.id)).avgFillPrice <= 95)
  })

  for (const timeInForce of ['ioc', 'fok'])
    it(`a webhook on the whole service with ${timeInForce} fills at once or not at all`, async () => {
      const { stack } = service
      const symbol = `ZT${timeInForce.toUpperCase()}`
      await stack.venue.pin(symbol, 100)
      const limit = { symbol, orderType: 'limit', timeInForce, exitTriggerType: 'immediate' }
      const [possible, hopeless] = [
        await send({ ...limit, limitPrice: 105 }),
        await send({ ...limit, limitPrice: 95 }),
      ]
      await assertOneEntryOneExit(stack, possible.body.signal.id)
      const { id } = hopeless.body.signal
      assert.deepEqual(await endOf(stack, id), {
        status: 'executed',
        reason: null,
        entryFilled: '0',
        exitFilled: '0',
      })
      const [entry, ...others] = ordersAtVenue(await stack.venue.ledger(), id)
      assert.deepEqual([entry!.status, others], ['canceled', []])
      const { exit } = await shown(stack, id)
      assert.deepEqual([exit.status, exit.reason], ['cancelled', 'ENTRY_NOT_FILLED'])
    })

  it('a webhook on the whole service that the broker rejects is answered 400 with the reason, and its sourceId is free again', async () => {
    const sourceId = `refused-${randomUUID()}`
    const refused = await send({ symbol: 'XXNONE', sourceId })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.success, false)
    assert.equal(refused.body.code, 'INVALID_ORDER')
    assert.match(refused.body.error, /XXNONE/)
    const again = await send({ sourceId })
    assert.equal(again.status, 201)
    assert.notEqual(again.body.signal.id, refused.body.details[0].signalId)
  })

  it('a webhook on the whole service with a faulty body names every fault at once, in both documented forms', async () => {
    const { status, body } = await send({
      symbol: 'not a symbol',
      quantity: -1,
      orderType: 'limit',
      executeMode: 'scheduled',
      exitTriggerType: 'minutesAfterEntry',
      surprise: true,
    })
    assert.equal(status, 400)
    assert.equal(body.success, false)
    assert.equal(body.code, 'VALIDATION_ERROR')
    const fields = body.details.map(({ field }: { field: string }) => field)
    for (const field of [
      'symbol',
      'quantity',
      'limitPrice',
      'scheduledProcessAt',
      'exitTriggerMinutes',
      'surprise',
    ])
      assert.ok(fields.includes(field), `${field} is named among ${fields.join(', ')}`)
    for (const { code, message, path, field } of body.details) {
      assert.equal(typeof code, 'string')
      assert.equal(typeof message, 'string')
      assert.equal(path.join('.'), field)
    }
  })

  it('shows its story in the timeline', async () => {
    const { body } = await send({ symbol: 'ZTSTORY', exitTriggerType: 'immediate' })
    await endOf(service.stack, body.signal.id)
    const { body: timeline } = await service.stack.api.get(`/signals/${body.signal.id}/events`)
    const kinds: string[] = timeline.data.events.map(({ kind }: { kind: string }) => kind)
    assert.equal(kinds[0], 'received')
    assert.equal(kinds.at(-1), 'closed')
    assert.equal(kinds.filter((kind) => kind === 'acknowledged').length, 2, kinds.join(' '))
  })
})
