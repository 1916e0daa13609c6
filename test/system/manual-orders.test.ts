import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Settings } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { closeAfter } from '#test/chaos/timing.ts'
import { buyNow, endOf, shown as signalShown, senderOn } from '#test/service/sent-signal.ts'

describe('a manual order on the whole service', function () {
  this.timeout(60_000)
  const venue: Record<string, string> = {}
  /** When the session ends, in less than an hour, as on a short day; UTC milliseconds. */
  let closesAt = 0
  before(() => {
    const close = closeAfter(Date.now())
    venue['VENUE_CLOSE'] = close.local
    closesAt = close.at
  })
  const service = useStack({ venue: venue satisfies Settings })

  const place = (changes: object = {}, headers: Record<string, string> = {}): Promise<ApiAnswer> => {
    const { stack } = service
    const order = { symbol: 'ZTHAND', side: 'BUY', orderType: 'MARKET', quantity: 10, ...changes }
    return stack.api.post('/orders', { accountId: stack.accountId, ...order }, 10_000, headers)
  }
  const shown = async (id: string) => (await service.stack.api.get(`/orders/${id}`)).body
  const becomes = (id: string, status: string) =>
    eventually(async () => assert.equal((await shown(id)).status, status))
  const atVenue = async (symbol: string) =>
    (await service.stack.venue.ledger()).orders.filter((order) => order.symbol === symbol)
  const { held, send, untilHeld } = senderOn(service)
  /** An order that rests far below the market. */
  const resting = (symbol: string) => ({ symbol, orderType: 'LIMIT', limitPrice: 60, timeInForce: 'GTC' })
  const rest = async (symbol: string) => {
    await service.stack.venue.pin(symbol, 100)
    const { status, body } = await place(resting(symbol))
    assert.equal(status, 201, JSON.stringify(body))
    return body.order.id as string
  }

  it('sent fifty times at once with one key is one order', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const notifiedOf = async (): Promise<ApiAnswer> => {
      const answer = await place({ symbol: 'ZTKEYED' }, headers)
      // A server that is too busy says so, names no order, and is asked again.
      return answer.status === 503 ? notifiedOf() : answer
    }
    const answers = await Promise.all(Array.from({ length: 50 }, notifiedOf))
    const said = answers
      .map(({ status, body }) => `${status} ${body.order?.id ?? JSON.stringify(body)}`)
      .join('\n')
    const placed = answers.map(({ status }) => status).filter((status) => status !== 200)
    // None, where the server placed it and could not say so in time.
    assert.ok(placed.length <= 1 && placed.every((status) => status === 201 || status === 202), said)
    assert.equal(new Set(answers.map(({ body }) => body.order?.id)).size, 1, said)
    await becomes(answers[0]!.body.order.id, 'FILLED')
    assert.equal((await atVenue('ZTKEYED')).length, 1)
  })

  describe('that works', () => {
    it('a manual order on the whole service that works and fills while it is being cancelled keeps the fill', async () => {
      const { api, venue } = service.stack
      const id = await rest('ZTRACE')
      await Promise.all([api.delete(`/orders/${id}`), venue.pin('ZTRACE', 50)])
      await eventually(async () => assert.match((await shown(id)).status, /FILLED|CANCELLED/))
      const { filledQuantity } = await shown(id)
      assert.equal(await held('ZTRACE'), String(filledQuantity))
    })
  })

  describe('by closing positions', () => {
    it('asked for by twenty requests at once closes the held shares and no more', async () => {
      const { api, accountId } = service.stack
      const { body: bought } = await place({ symbol: 'ZTRUSH' })
      await becomes(bought.order.id, 'FILLED')
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => api.post(`/positions/${accountId}/ZTRUSH/close`, {})),
      )
      for (const { status, body } of answers)
        assert.ok([201, 202, 404, 409, 422].includes(status), `${status} ${JSON.stringify(body)}`)
      await eventually(async () => assert.equal(await held('ZTRUSH'), '0'))
      const sold = (await atVenue('ZTRUSH')).filter(({ side }) => side === 'sell')
      assert.deepEqual(
        sold.map(({ filled_qty }) => filled_qty),
        ['10'],
      )
    })

    it('closes everything: a position whose exit rests, one without, and an entry that works, once for each key', async () => {
      const { stack } = service
      const { api, accountId, venue } = stack
      for (const symbol of ['ZTFLATA', 'ZTFLATB', 'ZTFLATC']) await venue.pin(symbol, 100)
      const exit = { exitTriggerType: 'immediate', exitOrderType: 'stop', exitStopPrice: 60 }
      const { body } = await api.post('/signals', buyNow(stack, { symbol: 'ZTFLATA', ...exit }))
      await eventually(async () =>
        assert.equal((await signalShown(stack, body.signal.id)).exit.status, 'submitted'),
      )
      await place({ symbol: 'ZTFLATB', side: 'SELL', quantity: 4 })
      const entry = await place(resting('ZTFLATC'))
      const headers = { 'idempotency-key': randomUUID() }
      const flatten = () => api.post('/positions/flatten', { accountId }, 10_000, headers)
      const first = await flatten()
      assert.equal(first.status, 202, JSON.stringify(first.body))
      await eventually(async () => {
        const { body: told } = await api.get(`/positions/flatten/${first.body.flatten.id}`)
        assert.deepEqual(
          [told.flatten.status, ...told.flatten.lines.map((line: { status: string }) => line.status)],
          // Those of the tests before this one, too.
          ['done', ...told.flatten.lines.map(() => 'closed')],
          JSON.stringify(told),
        )
      })
      assert.deepEqual((await venue.ledger()).positions, [])
      await becomes(entry.body.order.id, 'CANCELLED')
      assert.equal((await endOf(stack, body.signal.id)).exitFilled, '0')
      const again = await flatten()
      assert.deepEqual([again.status, again.body.flatten.id], [200, first.body.flatten.id])
      const sold = (await atVenue('ZTFLATA')).filter(
        ({ side, filled_qty }) => side === 'sell' && filled_qty !== '0',
      )
      assert.deepEqual(
        sold.map(({ filled_qty }) => filled_qty),
        ['10'],
      )
      const { body: latest } = await api.get('/positions/flatten')
      assert.equal(latest.flattens[0].id, first.body.flatten.id)
    })

    for (const [title, symbol, isReversal] of [
      ['an entry that is on its way to its broker', 'ZTONWAY', false],
      ['a reversal whose close is on its way', 'ZTTURNS', true],
    ] as const)
      it(`closes everything with ${title}, and is not done before that can open nothing`, async () => {
        const { api, accountId, venue } = service.stack
        await venue.pin(symbol, 100)
        if (isReversal) await send({ symbol }).then(() => untilHeld(symbol, 10))
        await venue.script([{ on: 'submit', mode: 'late', hangMs: 900, symbol }])
        const sending = send({ symbol, ...(isReversal && { targetPosition: -10 }) })
        await setTimeout(300)
        const { body } = await api.post('/positions/flatten', { accountId }, 10_000)
        await sending
        const flattened = async () => (await api.get(`/positions/flatten/${body.flatten.id}`)).body.flatten
        await eventually(async () => assert.equal((await flattened()).status, 'done'))
        assert.equal(await held(symbol), '0')
        await setTimeout(2_000)
        assert.equal(await held(symbol), '0', JSON.stringify(await flattened()))
      })

    it('an account that is flat by the close holds nothing before a short session ends, by hand neither, and is alarmed while a stop keeps it from that', async () => {
      const { stack } = service
      const { api, accountId } = stack
      const person = await stack.signIn()
      const ofSignal = await api.post('/signals', buyNow(stack, { symbol: 'ZTEVEA' }))
      const byHand = await place({ symbol: 'ZTEVEB', side: 'SELL', quantity: 4 })
      await becomes(byHand.body.order.id, 'FILLED')
      await eventually(async () => assert.equal(await held('ZTEVEA'), '10', JSON.stringify(ofSignal.body)))
      const entry = await rest('ZTEVEC')
      await person.put(`/settings/halt/${accountId}`, { level: 'fullStop', reason: 'drill' })
      const setting = { flatByClose: { minutes: 120, includeManual: true } }
      assert.equal((await person.patch(`/accounts/${accountId}`, setting)).status, 200)
      await (await stack.temporal()).schedule.getHandle('flat-by-close').trigger()
      const newest = async () => (await api.get('/positions/flatten?limit=1')).body.flattens[0]
      // Half of the time that is left is not waited for.
      const alarmNow = `update flattenings set alarm_at = now() where cause = 'close' returning id`
      await eventually(async () => assert.equal((await stack.query(alarmNow)).length, 1))
      const alerts = async () => (await api.get('/alerts?kind=not_flat')).body.data.alerts
      const told = /not yet: 10 ZTEVEA \(Trading is stopped.* 4 ZTEVEB \(.* the session ends at/
      await eventually(async () => assert.match((await alerts())[0]?.message, told))
      assert.equal((await person.delete(`/settings/halt/${accountId}`)).status, 200)
      await eventually(async () => assert.deepEqual((await stack.venue.ledger()).positions, []))
      assert.ok(Date.now() < closesAt)
      await eventually(async () => assert.deepEqual(await alerts(), []))
      const { cause, lines } = await newest()
      assert.equal(cause, 'close')
      assert.ok(lines.every(({ status }: { status: string }) => status === 'closed'))
      await becomes(entry, 'CANCELLED')
      assert.equal((await place({ symbol: 'ZTEVED' })).body.error, 'FLAT_BY_CLOSE')
      await person.patch(`/accounts/${accountId}`, { flatByClose: null })
    })
  })
})
