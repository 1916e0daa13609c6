import assert from 'node:assert/strict'
import { parseClientOrderId } from '#domain/order/order.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { endOf, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

const IN_A_MINUTE = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
const TAKE_PROFIT = { exitTriggerType: 'immediate', exitOrderType: 'limit', exitLimitPrice: 110 }

describe('signals and people who share a position, on the whole service', function () {
  this.timeout(180_000)
  const service = useStack()
  const { held, pinned, send, untilHeld } = senderOn(service)
  const untilExitRests = (signalId: string) =>
    eventually(async () => assert.equal((await shown(service.stack, signalId)).exit.status, 'submitted'), {
      within: 20_000,
    })
  const sellManually = (symbol: string, changes: object = {}) => ({
    accountId: service.stack.accountId,
    symbol,
    side: 'SELL',
    orderType: 'MARKET',
    quantity: 10,
    ...changes,
  })

  describe('with exits a minute later, each in a symbol of its own', () => {
    // They wait for their minute together.
    const stories = {
      async closedByAnother() {
        const symbol = await pinned('ZTSHAA')
        const a = await send({ symbol, ...IN_A_MINUTE })
        await untilHeld(symbol, 10)
        assert.equal((await send({ symbol, action: 'closeLong' })).status, 201)
        await untilHeld(symbol, 0)
        await send({ symbol })
        await untilHeld(symbol, 10)
        await endOf(service.stack, a.body.signal.id, { within: 120_000 })
        assert.equal(ordersAtVenue(await service.stack.venue.ledger(), a.body.signal.id, 'exit').length, 0)
        assert.equal(await held(symbol), '10')
      },
      async closedInPart() {
        const symbol = await pinned('ZTSHAB')
        const a = await send({ symbol, ...IN_A_MINUTE })
        const b = await send({ symbol, sourceId: 'two exits', ...IN_A_MINUTE })
        await untilHeld(symbol, 20)
        await send({ symbol, action: 'closeLong' })
        await untilHeld(symbol, 10)
        for (const { body } of [a, b]) await endOf(service.stack, body.signal.id, { within: 150_000 })
        assert.equal(await held(symbol), '0')
        const refused = (await service.stack.venue.ledger()).submissions.filter(
          ({ client_order_id: id, outcome }) => outcome === 'rejected' && isExitOf([a, b], id),
        )
        assert.deepEqual(refused, [])
      },
      async besideStop() {
        const symbol = await pinned('ZTSHAI')
        const person = await service.stack.signIn()
        await send({ symbol, ...IN_A_MINUTE })
        await untilHeld(symbol, 10)
        const stop = await person.post(
          '/orders',
          sellManually(symbol, { orderType: 'STOP', stopPrice: 90, timeInForce: 'GTC' }),
        )
        assert.equal(stop.status, 201, JSON.stringify(stop.body))
        await untilHeld(symbol, 0, 90_000)
      },
    }
    let told: Record<keyof typeof stories, Promise<PromiseSettledResult<void>>>
    before(() => {
      const settled = async (story: () => Promise<void>) => (await Promise.allSettled([story()]))[0]
      told = {
        closedByAnother: settled(stories.closedByAnother),
        closedInPart: settled(stories.closedInPart),
        besideStop: settled(stories.besideStop),
      }
    })
    const holds = async (story: keyof typeof stories): Promise<void> => {
      const outcome = await told[story]
      if (outcome.status === 'rejected') throw outcome.reason
    }

    it('an exit whose shares another signal has closed leaves those of a later signal alone', () =>
      holds('closedByAnother'))

    it('two exits of one instant close their own shares, when a close has taken some of them', () =>
      holds('closedInPart'))

    it('an exit leaves at its time although a person protects the same shares by a stop', () =>
      holds('besideStop'))
  })

  it('a closing signal closes a position although its own resting exit holds the shares', async () => {
    const symbol = await pinned('ZTSHAD')
    const a = await send({ symbol, ...TAKE_PROFIT })
    await untilExitRests(a.body.signal.id)
    assert.equal((await send({ symbol, action: 'closeLong' })).status, 201)
    await untilHeld(symbol, 0)
    const end = await endOf(service.stack, a.body.signal.id, { within: 30_000 })
    assert.ok(end)
    assert.equal((await shown(service.stack, a.body.signal.id)).exit.status, 'cancelled')
  })

  it('a close right after its open waits for a position that lags, and an exit does too', async () => {
    const [opened, left] = [await pinned('ZTSHAM'), await pinned('ZTSHAN')]
    await service.stack.venue.script([{ on: 'positions', mode: 'behind', lagMs: 3_000 }])
    await send({ symbol: opened })
    const close = await send({ symbol: opened, action: 'closeLong' })
    assert.ok(close.status === 201 || close.status === 202, JSON.stringify(close.body))
    const exited = await send({ symbol: left, exitTriggerType: 'immediate' })
    await endOf(service.stack, close.body.signal.id, { within: 40_000 })
    await endOf(service.stack, exited.body.signal.id, { within: 40_000 })
    await service.stack.venue.clearScript()
    assert.deepEqual([await held(opened), await held(left)], ['0', '0'])
    assert.equal((await shown(service.stack, exited.body.signal.id)).exit.status, 'filled')
  })

  it('opening signals and exits in one burst do not reject each other', async () => {
    const symbol = await pinned('ZTSHAO')
    await service.stack.venue.script([{ on: 'fill', mode: 'delay', delayMs: 400, symbol }])
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send({ symbol, sourceId: `burst ${index}`, exitTriggerType: 'immediate' }),
      ),
    )
    for (const { body } of answers)
      await endOf(service.stack, body.signal?.id ?? body.details[0].signalId, { within: 90_000 })
    await service.stack.venue.clearScript()
    const states = await Promise.all(answers.map(({ body }) => shown(service.stack, body.signal.id)))
    assert.deepEqual(
      states.map(({ status }) => status),
      answers.map(() => 'executed'),
    )
    assert.equal(await held(symbol), '0')
  })

  it('forty webhooks at once do not pass the limit of the position', async () => {
    const symbol = await pinned('ZTSHAL')
    // A broker that is as far away as brokers are.
    await service.stack.venue.script([{ on: 'submit', mode: 'late', hangMs: 300, symbol }])
    const person = await service.stack.signIn()
    const limited = await person.put(`/settings/risk/${service.stack.accountId}`, { maxPositionShares: 10 })
    assert.equal(limited.status, 200, JSON.stringify(limited.body))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send({ symbol, sourceId: `at once ${index}` })),
    )
    const ids: string[] = answers.map(({ body }) => body.signal?.id ?? body.details?.[0]?.signalId)
    await eventually(
      async () => {
        const states = await Promise.all(ids.map((id) => shown(service.stack, id)))
        assert.ok(states.every(({ status }) => status === 'executed' || status === 'rejected'))
      },
      { within: 60_000 },
    )
    await service.stack.venue.clearScript()
    assert.equal(await held(symbol), '10')
    await person.put(`/settings/risk/${service.stack.accountId}`, {})
  })
})

/** True for the client order id of an exit of one of these signals, given as they were answered. */
const isExitOf = (signals: readonly { body: { signal: { id: string } } }[], id: string | null): boolean => {
  const named = parseClientOrderId(id ?? '')
  return named?.role === 'exit' && signals.some(({ body }) => body.signal.id === named.signalId)
}
