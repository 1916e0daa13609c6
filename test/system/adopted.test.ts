import assert from 'node:assert/strict'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { ordersAtVenue, senderOn, shown } from '#test/service/sent-signal.ts'

const PLAN = { stop: { percent: 5 }, target: { percent: 10 } }

describe('a plan for shares that are held already, on the whole service', function () {
  this.timeout(180_000)
  const service = useStack()
  const { pinned, sent, untilHeld } = senderOn(service)
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const byHand = async (symbol: string, side: 'BUY' | 'SELL', quantity: number): Promise<void> => {
    const { status, body } = await person.post('/orders', {
      accountId: service.stack.accountId,
      symbol,
      side,
      orderType: 'MARKET',
      quantity,
    })
    assert.equal(status, 201, JSON.stringify(body))
  }
  const protect = (symbol: string, plan: object = PLAN) =>
    person.post(`/positions/${service.stack.accountId}/${symbol}/protection`, plan)
  const untilShown = (symbol: string, quantity: number) =>
    eventually(
      async () => {
        const { body } = await person.get(`/positions?symbol=${symbol}`)
        assert.equal(body.positions[0]?.quantity, quantity, JSON.stringify(body))
      },
      { within: 20_000 },
    )
  const working = async (signalId: string): Promise<string[]> =>
    ordersAtVenue(await service.stack.venue.ledger(), signalId, 'exit')
      .filter(({ status, sender_order_id: chain }) => chain == null && ['new', 'held'].includes(status))
      .map(({ qty, type }) => `${type} ${qty}`)
  const untilWorks = (signalId: string, orders: string[], within = 20_000) =>
    eventually(async () => assert.deepEqual(await working(signalId), orders), { within })

  it('a plan for shares that are held already is for all that no signal owns, and grows and shrinks with them', async () => {
    const symbol = await pinned('ZTADPA')
    await byHand(symbol, 'BUY', 10)
    await untilShown(symbol, 10)
    const { status, body } = await protect(symbol)
    assert.equal(status, 200, JSON.stringify(body))
    const { id } = body.signal
    await untilWorks(id, ['limit 10'])
    await sent({ symbol, quantity: 4 })
    await untilHeld(symbol, 14)
    await untilWorks(id, ['limit 10'])
    await byHand(symbol, 'BUY', 5)
    await untilHeld(symbol, 19)
    await untilWorks(id, ['limit 15'], 60_000)
    await byHand(symbol, 'SELL', 3)
    await untilHeld(symbol, 16)
    await untilWorks(id, ['limit 12'], 60_000)
    const listed = async (query: string): Promise<string[]> =>
      (await person.get(`/signals?symbol=${symbol}${query}`)).body.data.signals.map(
        (one: { id: string }) => one.id,
      )
    assert.deepEqual(await listed('&origin=adopted'), [id])
    assert.ok(!(await listed('')).includes(id), 'what senders sent is listed without it')
  })

  it('a plan for shares that are held already sells them at its level through the death of the worker, and ends', async () => {
    const symbol = await pinned('ZTADPB')
    await byHand(symbol, 'BUY', 6)
    await untilShown(symbol, 6)
    const { body } = await protect(symbol)
    const { id } = body.signal
    await untilWorks(id, ['limit 6'])
    const { worker } = service.stack.parts
    await worker.kill()
    await service.stack.venue.pin(symbol, 111)
    await untilHeld(symbol, 0)
    await worker.start()
    await eventually(
      async () => {
        const { exit } = await shown(service.stack, id)
        assert.equal(exit.status, 'filled')
      },
      { within: 60_000 },
    )
  })

  it('a plan for shares that are held already is refused where exits of signals cover all of them, and sent again it is changed', async () => {
    const symbol = await pinned('ZTADPC')
    const none = await protect(symbol)
    assert.match(JSON.stringify([none.status, none.body]), /^\[404,.*POSITION_NOT_FOUND/)
    await sent({ symbol, protection: { stop: { percent: 5 } } })
    await untilHeld(symbol, 10)
    await untilShown(symbol, 10)
    const refused = await protect(symbol)
    assert.deepEqual([refused.status, JSON.stringify(refused.body).includes('NOTHING_TO_ADOPT')], [409, true])
    await byHand(symbol, 'BUY', 2)
    await untilShown(symbol, 12)
    const first = await protect(symbol, { stop: { percent: 5 } })
    await untilWorks(first.body.signal.id, ['stop 2'])
    const again = await protect(symbol, { target: { percent: 10 } })
    assert.equal(again.body.signal.id, first.body.signal.id)
    await untilWorks(first.body.signal.id, ['limit 2'])
    const nothing = { stop: null, target: null, trail: null, breakEven: null }
    const ended = await person.patch(`/signals/${first.body.signal.id}/protection`, nothing)
    assert.equal(ended.status, 200, JSON.stringify(ended.body))
    await untilWorks(first.body.signal.id, [])
    await eventually(async () => {
      const { body } = await protect(symbol)
      assert.notEqual(body.signal.id, first.body.signal.id)
      await untilWorks(body.signal.id, ['limit 2'])
    })
  })

  it('a plan for shares that are held already is given to signals that have ended without an exit, through the death of the worker', async () => {
    const symbol = await pinned('ZTADPD')
    const [one, other] = [await sent({ symbol, quantity: 4 }), await sent({ symbol, quantity: 3 })]
    await untilHeld(symbol, 7)
    await byHand(symbol, 'BUY', 2)
    await untilShown(symbol, 9)
    const { status, body } = await protect(symbol, { stop: { percent: 5 } })
    assert.equal(status, 200, JSON.stringify(body))
    const adopter = body.signal.id
    for (const [id, order] of [
      [one, 'stop 4'],
      [other, 'stop 3'],
      [adopter, 'stop 2'],
    ] as const)
      await untilWorks(id, [order])
    const { worker } = service.stack.parts
    await worker.kill()
    await service.stack.venue.pin(symbol, 94)
    await untilHeld(symbol, 0)
    await worker.start()
    for (const id of [one, other, adopter])
      await eventually(async () => assert.equal((await shown(service.stack, id)).exit.status, 'filled'), {
        within: 60_000,
      })
    const late = await person.patch(`/signals/${one}/protection`, {
      target: { percent: 30 },
    })
    assert.deepEqual(
      [late.status, late.body.code],
      [409, 'PROTECTION_NOT_CHANGEABLE'],
      JSON.stringify(late.body),
    )
    const { body: alerts } = await person.get('/alerts')
    assert.ok(!JSON.stringify(alerts).includes('fill_after_end'), 'nothing was filled late')
  })

  it('a plan for shares that are held already counts again after an end, can be ended, and follows a cancelled exit', async () => {
    const symbol = await pinned('ZTADPF')
    const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }
    const [timed, plain] = [await sent({ symbol, quantity: 5, ...exit }), await sent({ symbol, quantity: 4 })]
    await untilHeld(symbol, 9)
    await untilShown(symbol, 9)
    const planned = async (id: string, plan: object): Promise<void> => {
      const { status, body } = await person.patch(`/signals/${id}/protection`, plan)
      assert.equal(status, 200, JSON.stringify(body))
    }
    const nothing = { stop: null, target: null, trail: null, breakEven: null }
    await planned(plain, { stop: { percent: 5 } })
    await untilWorks(plain, ['stop 4'])
    await planned(plain, nothing)
    await untilWorks(plain, [])
    await eventually(async () => assert.equal((await protect(symbol)).status, 200), { within: 20_000 })
    await untilWorks(plain, ['limit 4'])
    assert.equal((await protect(symbol)).status, 200, 'repeated, it is done')
    const { status } = await person.delete(`/signals/${timed}/exit`)
    assert.ok(status < 300)
    await eventually(
      async () => {
        const { body } = await person.patch(`/signals/${timed}/protection`, { stop: { percent: 5 } })
        assert.equal(body.code, 'PROTECTION_NOT_CHANGEABLE', JSON.stringify(body))
      },
      { within: 20_000 },
    )
    await service.stack.venue.pin(symbol, 112)
    await untilHeld(symbol, 5)
  })

  it('a plan for shares that are held already is given by a message to a hook, for what the hook manages', async () => {
    const symbol = await pinned('ZTADPE')
    await byHand(symbol, 'BUY', 6)
    await untilShown(symbol, 6)
    const hookOf = async (manages: string): Promise<string> => {
      const { accountId } = service.stack
      const hook = { name: manages, kind: 'tradingview', accountIds: [accountId], manages }
      const { status, body } = await person.post('/hooks', hook)
      assert.equal(status, 201, JSON.stringify(body))
      return body.data.url
    }
    const say = async (url: string, message: object) => {
      const text = JSON.stringify({ ticker: symbol, ...message })
      const headers = { 'Content-Type': 'text/plain' }
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: text,
      })
      return [answer.status, await answer.text()] as const
    }
    const plan = { action: 'protect', stop_loss_percent: 5 }
    const own = await hookOf('own')
    const [refused, why] = await say(own, plan)
    assert.ok(refused >= 400 && why.includes('NOTHING_TO_ADOPT'), why)
    assert.equal((await say(own, { action: 'buy', quantity: 3 }))[0], 200)
    await untilHeld(symbol, 9)
    await untilShown(symbol, 9)
    const [done, told] = await say(own, { ...plan, stop_loss_percent: 6 })
    assert.equal(done, 200, told)
    const signalOf = async (origin: string): Promise<string> =>
      (await person.get(`/signals?symbol=${symbol}&origin=${origin}`)).body.data.signals[0].id
    await untilWorks(await signalOf('hook'), ['stop 3'])
    const [taken, words] = await say(await hookOf('position'), plan)
    assert.equal(taken, 200, words)
    await untilWorks(await signalOf('adopted'), ['stop 6'])
  })
})
