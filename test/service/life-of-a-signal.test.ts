import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { scheduledQueueOf } from '#workflows/signal/queue-contract.ts'
import { buyNow, endOf, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('the life of a signal on the whole service', function () {
  this.timeout(60_000)
  const service = useStack()
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const send = (changes: object = {}) => service.stack.api.post('/signals', buyNow(service.stack, changes))
  const entriesOf = async (id: string) => ordersAtVenue(await service.stack.venue.ledger(), id, 'entry')
  const held = async (symbol: string) =>
    (await service.stack.venue.ledger()).positions.find((position) => position.symbol === symbol)?.qty ?? '0'
  const untilStatus = (id: string, status: string) =>
    eventually(async () => assert.equal((await shown(service.stack, id)).status, status), { within: 20_000 })
  /** A local time in UTC, so many seconds from now. */
  const inSeconds = (seconds: number): string =>
    new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 23)
  const timeline = async (id: string): Promise<string[]> =>
    (await service.stack.api.get(`/signals/${id}/events`)).body.data.events.map(
      ({ message }: { message: string }) => message,
    )
  /** Far below the market: it rests. */
  const resting = { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }
  const pinned = async (symbol: string, price = 100) => {
    await service.stack.venue.pin(symbol, price)
    return symbol
  }

  describe('scheduled', () => {
    it('a signal that is scheduled is executed when its time has come, and not before', async () => {
      const { status, body } = await send({
        executeMode: 'scheduled',
        scheduledProcessAt: inSeconds(2),
        timezone: 'UTC',
      })
      assert.deepEqual([status, body.signal.status], [202, 'scheduled'])
      assert.deepEqual(await entriesOf(body.signal.id), [])
      await untilStatus(body.signal.id, 'executed')
      const [entry] = await entriesOf(body.signal.id)
      assert.ok(entry!.created_at >= body.signal.scheduledAt)
    })

    for (const [entry, changes, exitStatus] of [
      ['is filled, while its exit waits', {}, 'scheduled'],
      ['rests', { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }, 'waiting'],
    ] as const)
      it(`leaves the queue of scheduled signals some seconds after its entry ${entry}, and a cancel is heard there`, async () => {
        const { stack } = service
        const handleOf = (id: string) => client.workflow.getHandle(workflowIdFor(id))
        const client = await stack.temporal()
        const { body } = await send({
          symbol: await pinned('ZTMOVE'),
          executeMode: 'scheduled',
          scheduledProcessAt: inSeconds(2),
          timezone: 'UTC',
          exitTriggerType: 'minutesAfterEntry',
          exitTriggerMinutes: 30,
          ...changes,
        })
        const { id } = body.signal
        const queueOf = async (): Promise<string> => (await handleOf(id).describe()).taskQueue
        assert.equal(await queueOf(), scheduledQueueOf('signals'))
        await untilStatus(id, 'executed')
        await eventually(async () => assert.equal(await queueOf(), 'signals'), { within: 15_000 })
        const { orderId, exit } = await shown(stack, id)
        assert.equal(exit.status, exitStatus)
        const { status } =
          exitStatus === 'scheduled'
            ? await stack.api.delete(`/signals/${id}/exit`)
            : await stack.api.delete(`/orders/${orderId}`)
        assert.ok(status < 300, `${status}`)
        await endOf(stack, id)
      })

    it('a signal that is scheduled is withdrawn before its time and never sent; a second time it is too late', async () => {
      const { body } = await send({
        executeMode: 'scheduled',
        scheduledProcessAt: inSeconds(3_600),
        timezone: 'UTC',
      })
      const withdrawn = await service.stack.api.delete(`/signals/${body.signal.id}`)
      assert.deepEqual([withdrawn.status, withdrawn.body.data.signal.status], [200, 'cancelled'])
      assert.equal((await endOf(service.stack, body.signal.id)).reason, 'WITHDRAWN')
      const again = await service.stack.api.delete(`/signals/${body.signal.id}`)
      assert.deepEqual([again.status, again.body.code], [409, 'SIGNAL_NOT_CANCELLABLE'])
    })
  })

  describe('pending', () => {
    const wait = async (changes: object = {}): Promise<string> => {
      const { status, body } = await send({ executeMode: 'pending', ...changes })
      assert.deepEqual([status, body.signal.status], [201, 'pending'])
      return body.signal.id
    }

    it('approved by twenty people at once becomes one order', async () => {
      const id = await wait()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => person.post(`/signals/${id}/process`, {})),
      )
      for (const { status, body } of answers)
        assert.ok(status === 200 || (status === 409 && body.code === 'SIGNAL_NOT_PENDING'), `${status}`)
      assert.ok(answers.some(({ status }) => status === 200))
      assert.equal((await entriesOf(id)).length, 1)
      assert.ok(
        (await timeline(id)).some((message) =>
          message.startsWith(`Approved by ${service.stack.person.email}`),
        ),
      )
    })

    it('a signal that is pending is sent with the edits of the person who approves', async () => {
      const symbol = await pinned('ZTEDIT')
      const id = await wait({ symbol, orderType: 'limit', limitPrice: 90 })
      const { status, body } = await person.post(`/signals/${id}/process`, { quantity: 3, limitPrice: 95 })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.data.signal.quantity, body.data.signal.limitPrice], [3, 95])
      const [entry] = await entriesOf(id)
      assert.deepEqual([entry!.qty, Number(entry!.limit_price)], ['3', 95])
    })

    it('refused at its approval is answered 422 with the code', async () => {
      const id = await wait({ symbol: 'XXNONE' })
      const { status, body } = await person.post(`/signals/${id}/process`, {})
      assert.deepEqual([status, body.code], [422, 'INVALID_ORDER'])
    })

    it('a signal that is pending is declined for a reason, and cannot be approved any more', async () => {
      const id = await wait()
      const { status, body } = await person.post(`/signals/${id}/reject`, { reason: 'not today' })
      assert.deepEqual(
        [status, body.data.signal.status, body.data.signal.statusReason],
        [200, 'rejected', 'DECLINED'],
      )
      assert.equal((await person.post(`/signals/${id}/process`, {})).status, 409)
      assert.deepEqual(await entriesOf(id), [])
    })

    it('expires when no decision was taken by then', async () => {
      const id = await wait({ validUntil: inSeconds(1.5), timezone: 'UTC' })
      await untilStatus(id, 'cancelled')
      const { status, body } = await person.post(`/signals/${id}/process`, {})
      assert.deepEqual([status, body.code], [409, 'SIGNAL_NOT_PENDING'])
      assert.match(body.error, /EXPIRED/)
    })

    it('pending signals in numbers are approved and declined at once', async () => {
      const [a, b, c] = await Promise.all([wait(), wait(), wait()])
      const approved = await person.post('/signals/process', { ids: [a, b] })
      assert.deepEqual(
        approved.body.data.results.map((line: { success: boolean; signal: { status: string } }) => [
          line.success,
          line.signal.status,
        ]),
        [
          [true, 'executed'],
          [true, 'executed'],
        ],
      )
      const declined = await person.post('/signals/reject', { ids: [b, c] })
      assert.deepEqual(
        declined.body.data.results.map(({ success }: { success: boolean }) => success),
        [false, true],
      )
    })
  })

  describe('replaced', () => {
    const replace = (sourceId: string, changes: object = {}) =>
      send({ sourceId, replaceExisting: true, ...changes })
    const expectReplaced = async (answer: ApiAnswer, old: string) => {
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      const before = await shown(service.stack, old)
      assert.deepEqual([before.status, before.statusReason], ['cancelled', 'SUPERSEDED'])
    }

    it('a signal replaced while it waits is cancelled without an order', async () => {
      const sourceId = randomUUID()
      const first = await send({ sourceId, executeMode: 'pending' })
      await expectReplaced(await replace(sourceId), first.body.signal.id)
      assert.deepEqual(await entriesOf(first.body.signal.id), [])
    })

    it('a signal replaced with an unfilled order has it cancelled first', async () => {
      const symbol = await pinned('ZTREST')
      const sourceId = randomUUID()
      const first = await send({ symbol, sourceId, ...resting })
      const second = await replace(sourceId, { symbol, ...resting, limitPrice: 61 })
      await expectReplaced(second, first.body.signal.id)
      assert.deepEqual(
        (await entriesOf(first.body.signal.id)).map(({ status }) => status),
        ['canceled'],
      )
      assert.equal((await entriesOf(second.body.signal.id)).length, 1)
    })

    it('a signal replaced with a filled order is refused', async () => {
      const sourceId = randomUUID()
      const first = await send({ sourceId })
      await eventually(async () =>
        assert.equal((await shown(service.stack, first.body.signal.id)).filledQuantity, 10),
      )
      const { status, body } = await replace(sourceId)
      assert.deepEqual([status, body.code], [400, 'REPLACE_REFUSED_FILLED'])
      assert.match(body.error, /10/)
      assert.equal((await shown(service.stack, first.body.signal.id)).status, 'executed')
    })

    it('a signal replaced after its order ended unfilled is cancelled by the ledger', async () => {
      const symbol = await pinned('ZTIOCS')
      const sourceId = randomUUID()
      const first = await send({ symbol, sourceId, ...resting, timeInForce: 'ioc' })
      await endOf(service.stack, first.body.signal.id)
      await expectReplaced(await replace(sourceId, { symbol }), first.body.signal.id)
    })

    it('a signal replaced before its order is sent was created all the same, and its sender is not asked to try again', async () => {
      const symbol = await pinned('ZTTWIX')
      await send({ symbol })
      await eventually(async () => assert.equal(await held(symbol), '10'))
      await service.stack.venue.script([{ on: 'fill', mode: 'delay', delayMs: 3_000, symbol }])
      await send({ symbol, action: 'closeLong' })
      const sourceId = randomUUID()
      const short = { symbol, action: 'openShort', quantity: 5 }
      const first = send({ ...short, sourceId })
      await eventually(async () => {
        const { body } = await service.stack.api.get(`/signals?sourceId=${sourceId}`)
        assert.equal(body.data.total, 1)
      })
      const second = await replace(sourceId, { ...short, quantity: 4 })
      await service.stack.venue.clearScript()
      const { status, body } = await first
      assert.deepEqual(
        [status, body.success, body.signal?.status],
        [201, true, 'cancelled'],
        JSON.stringify(body),
      )
      assert.match(second.body.message, new RegExp(`takes the place of signal ${body.signal.id}`))
      await untilStatus(second.body.signal.id, 'executed')
      assert.deepEqual(await entriesOf(body.signal.id), [])
    })

    it('a signal replaced by two at once ends with one that lives', async () => {
      const symbol = await pinned('ZTDUEL')
      const sourceId = randomUUID()
      await send({ symbol, sourceId, ...resting })
      const answers = await Promise.all(
        [62, 63].map((limitPrice) => replace(sourceId, { symbol, ...resting, limitPrice })),
      )
      // Within two seconds a busy machine may have come no further than to store the second one.
      assert.ok(
        answers.every(({ status }) => status === 201 || status === 202),
        JSON.stringify(answers.map(({ body }) => body)),
      )
      await eventually(async () => {
        const { body } = await service.stack.api.get(`/signals?sourceId=${sourceId}`)
        const statuses: string[] = body.data.signals.map(({ status }: { status: string }) => status)
        assert.deepEqual(
          statuses.filter((status) => status !== 'cancelled'),
          ['executed'],
        )
      })
      const working = (await service.stack.venue.ledger()).orders.filter(
        (order) => order.symbol === symbol && order.status !== 'canceled',
      )
      assert.equal(working.length, 1)
    })
  })

  it('a signal on the whole service that reverses a position sells first and sells short only when that is filled', async () => {
    const symbol = await pinned('ZTTURN')
    const bought = await send({ symbol })
    await untilStatus(bought.body.signal.id, 'executed')
    await eventually(async () => assert.equal(await held(symbol), '10'))
    await service.stack.venue.script([{ on: 'fill', mode: 'delay', delayMs: 1_500, symbol }])
    const close = await send({ symbol, action: 'closeLong' })
    const open = await send({ symbol, action: 'openShort', quantity: 5 })
    await service.stack.venue.clearScript()
    await Promise.all([close, open].map(({ body }) => untilStatus(body.signal.id, 'executed')))
    await eventually(async () => assert.equal(await held(symbol), '-5'))
    const [sold] = await entriesOf(close.body.signal.id)
    const [shorted] = await entriesOf(open.body.signal.id)
    assert.ok(sold!.filled_at! <= shorted!.created_at)
  })

  it('a signal on the whole service that closes more than is held is reduced to the held shares, and says so', async () => {
    const symbol = await pinned('ZTMORE')
    const bought = await send({ symbol })
    await untilStatus(bought.body.signal.id, 'executed')
    await eventually(async () => assert.equal(await held(symbol), '10'))
    const { body } = await send({ symbol, action: 'closeLong', quantity: 25 })
    const [sold] = await entriesOf(body.signal.id)
    assert.equal(sold!.qty, '10')
    const signal = await shown(service.stack, body.signal.id)
    const codes = signal.advisories.map(({ code }: { code: string }) => code)
    assert.ok(codes.includes('quantity_reduced_to_position'), codes.join(', '))
  })

  it('a signal on the whole service of an amount or a share of the equity becomes whole shares, or parts where the broker takes them', async () => {
    const symbol = await pinned('ZTSIZE', 300)
    const dollars = await send({ symbol, quantityType: 'dollarAmount', quantity: 1_000, timeInForce: 'gtc' })
    assert.equal((await entriesOf(dollars.body.signal.id))[0]!.qty, '3')
    const part = await send({ symbol, quantityType: 'dollarAmount', quantity: 100 })
    assert.match((await entriesOf(part.body.signal.id))[0]!.qty, /^0\.3333/)
    const percent = await send({ symbol, quantityType: 'percentEquity', quantity: 0.01, timeInForce: 'gtc' })
    const { body: accounts } = await service.stack.api.get('/accounts')
    const expected = (accounts.accounts[0].equity * 0.0001) / 300
    const [bought] = await entriesOf(percent.body.signal.id)
    assert.ok(Math.abs(Number(bought!.qty) - expected) <= 1, `${bought!.qty} is about ${expected}`)
  })

  it('good till a date has its order cancelled then', async () => {
    const symbol = await pinned('ZTGTDS')
    const { body } = await send({
      symbol,
      ...resting,
      timeInForce: 'gtd',
      expiresAt: `${inSeconds(2)}Z`,
      exitTriggerType: 'immediate',
    })
    await endOf(service.stack, body.signal.id)
    const [entry] = await entriesOf(body.signal.id)
    assert.equal(entry!.status, 'canceled')
    const { exit } = await shown(service.stack, body.signal.id)
    assert.deepEqual([exit.status, exit.reason], ['cancelled', 'ENTRY_NOT_FILLED'])
  })

  it('a signal on the whole service whose exit is cancelled by a person keeps its position', async () => {
    const symbol = await pinned('ZTKEEP')
    const { body } = await send({ symbol, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    await eventually(async () =>
      assert.equal((await shown(service.stack, body.signal.id)).exit.status, 'scheduled'),
    )
    const { status, body: answer } = await service.stack.api.delete(`/signals/${body.signal.id}/exit`)
    assert.deepEqual([status, answer.data.signal.exit.status], [200, 'cancelled'])
    await endOf(service.stack, body.signal.id)
    assert.equal(await held(symbol), '10')
  })

  it('tried out shows the order, the hours and every verdict, and leaves no trace', async () => {
    const symbol = await pinned('ZTTEST')
    const { status, body } = await send({ symbol, dryRun: true, exitTriggerType: 'immediate' })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.dryRun.outcome, body.dryRun.order.quantity], ['ready', 10])
    assert.ok(body.dryRun.verdicts.length > 10)
    assert.ok(Math.abs(Date.parse(body.dryRun.exitAt) - Date.now()) < 10_000)
    const { body: list } = await service.stack.api.get(`/signals?symbol=${symbol}`)
    assert.equal(list.data.total, 0)
  })
})
