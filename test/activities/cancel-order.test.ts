import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cancelOrder } from '#activities/order/cancel.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { orderReport } from '#test/support/factories.ts'
import { filled } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const AT = '2026-03-02T15:00:05.000Z'

describe('an order that its broker is asked to cancel', () => {
  const id = randomUUID()
  let broker: ScriptedBroker
  beforeEach(() => {
    broker = new ScriptedBroker()
  })

  const asked = async (onlyIfUnfilled: boolean, quantity: Decimal): Promise<string[]> => {
    const order: OrderReport = { ...orderReport({ id }), ...filled(quantity, AT) }
    assert.equal(order.clientOrderId, clientOrderIdFor(id, 'entry', 1))
    broker.put(order)
    const { report } = await cancelOrder(
      { brokerFor: async () => broker },
      { accountId: 'account', brokerOrderId: order.brokerOrderId, onlyIfUnfilled },
    )
    return [report?.status ?? 'unknown', report?.filledQuantity ?? '']
  }

  it('an order that its broker is asked to cancel is reported as it is after the cancel', async () => {
    assert.deepEqual(await asked(true, '0'), ['CANCELLED', '0'])
  })

  it('works on when its cancel requires that it has no fill, and it has one', async () => {
    assert.deepEqual(await asked(true, '4'), ['OPEN', '4'])
    assert.equal(broker.requests.get('cancelOrder') ?? 0, 0)
  })

  it('keeps its fill when it must be cancelled in any case', async () => {
    assert.deepEqual(await asked(false, '4'), ['CANCELLED', '4'])
  })
})
