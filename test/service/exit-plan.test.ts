import assert from 'node:assert/strict'
import { compare } from '#domain/money/decimal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { accepted, endOf, heldAtVenue, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

const WORKING = ['new', 'accepted', 'partially_filled', 'held']

describe('exit plans on the whole service', function () {
  this.timeout(90_000)
  const service = useStack()

  /** A signal with an exit plan, whose entry fills at 100. */
  async function opened(symbol: string, changes: object): Promise<string> {
    await service.stack.venue.pin(symbol, 100)
    return accepted(service.stack, { symbol, ...changes })
  }
  /** Also the parts of an order that the venue has named itself. */
  const exitsOf = async (signalId: string): Promise<LedgerOrder[]> => {
    const ledger = await service.stack.venue.ledger()
    const named = ledger.orders.map((order) => ({
      ...order,
      client_order_id: order.sender_order_id ?? order.client_order_id,
    }))
    return ordersAtVenue({ ...ledger, orders: named }, signalId, 'exit')
  }
  /** Waits until these types of orders of the exit work at the venue, and returns them. */
  const untilAtVenue = async (signalId: string, types: readonly string[]): Promise<LedgerOrder[]> => {
    const working = async () => (await exitsOf(signalId)).filter(({ status }) => WORKING.includes(status))
    await eventually(async () =>
      assert.deepEqual((await working()).map(({ type }) => type).toSorted(), types),
    )
    return working()
  }
  async function assertClosed(signalId: string, symbol: string): Promise<void> {
    const outcome = await endOf(service.stack, signalId)
    assert.equal(outcome.exitFilled, outcome.entryFilled)
    assert.equal(Number(await heldAtVenue(service.stack, symbol)), 0)
    const { exit, protection } = await shown(service.stack, signalId)
    assert.equal(protection === null, false)
    assert.ok(exit === null || exit.status === 'filled', JSON.stringify(exit))
    assert.deepEqual(
      (await exitsOf(signalId)).filter(({ status }) => WORKING.includes(status)),
      [],
      'nothing is left at the broker',
    )
  }

  it('an exit lies at the venue as stop and target in one, and the target that fills takes the stop away', async () => {
    const symbol = 'ZTPA'
    const id = await opened(symbol, { protection: { stop: { percent: 2 }, target: { percent: 4 } } })
    await untilAtVenue(id, ['limit', 'stop'])
    await service.stack.venue.pin(symbol, 104.1)
    await assertClosed(id, symbol)
    const filled = (await exitsOf(id)).filter(({ filled_qty }) => compare(filled_qty, '0') > 0)
    assert.deepEqual(
      filled.map(({ type, limit_price }) => [type, Number(limit_price)]),
      [['limit', 104]],
    )
  })

  it('changes of an exit that come at once are all in it, and the stop lies at the venue where its owner moved it', async () => {
    const id = await opened('ZTPD', { protection: { stop: { price: 90 }, target: { price: 110 } } })
    await untilAtVenue(id, ['limit', 'stop'])
    const changes = [{ stop: { price: 97 } }, { target: { price: 120 } }]
    const patch = (change: object) => service.stack.api.patch(`/signals/${id}/protection`, change)
    const answers = await Promise.all(changes.map(patch))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    await eventually(async () => {
      const { atBroker } = (await shown(service.stack, id)).plan!
      assert.deepEqual([atBroker?.stopPrice, atBroker?.limitPrice], [97, 120])
    })
  })

  it('a stop follows the price at the venue, and closes the position while no worker is there', async () => {
    const symbol = 'ZTPB'
    const id = await opened(symbol, { protection: { stop: { percent: 4 }, trail: { percent: 2 } } })
    await untilAtVenue(id, ['stop'])
    await service.stack.venue.pin(symbol, 110)
    await eventually(
      async () => {
        const { plan } = await shown(service.stack, id)
        assert.deepEqual([plan?.best, plan?.atBroker?.stopPrice], [110, 107.8])
      },
      { within: 20_000 },
    )
    const { worker } = service.stack.parts
    await worker.kill()
    await service.stack.venue.pin(symbol, 107)
    await eventually(async () => assert.equal(Number(await heldAtVenue(service.stack, symbol)), 0))
    await worker.start()
    await assertClosed(id, symbol)
  })

  it('a target that the venue cannot keep beside a stop is watched, and sold by a limit once it is reached', async () => {
    const symbol = 'ZTPC'
    const id = await opened(symbol, {
      quantity: 10.5,
      protection: { stop: { percent: 2 }, target: { percent: 4 } },
    })
    await untilAtVenue(id, ['stop'])
    assert.deepEqual((await shown(service.stack, id)).plan?.keptHere, ['target'])
    await service.stack.venue.pin(symbol, 105)
    await assertClosed(id, symbol)
    assert.deepEqual(
      (await exitsOf(id)).map(({ type, status }) => [type, status]),
      [
        ['stop', 'canceled'],
        ['limit', 'filled'],
      ],
    )
  })
})
