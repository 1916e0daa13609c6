import assert from 'node:assert/strict'
import { cancelBlockingOrders } from '#activities/order/cancel.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { createSignal, orderReport } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { orderIn } from '#test/support/ledger.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

describe('orders of ours that are cancelled so that another one can be placed', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let broker: ScriptedBroker
  let exit: OrderReport
  let accountId: string
  beforeEach(async () => {
    broker = new ScriptedBroker()
    const signal = await createSignal(em, { status: 'executed', exitRule: exitAtOnce })
    accountId = signal.accountId
    exit = orderReport(signal, { role: 'exit', orderType: 'limit', limitPrice: '110' })
    await recordAccepted(em, exit)
  })
  const cancelled = async (): Promise<void> => {
    const { live } = await readSymbolState(em, accountId, 'AAPL')
    await cancelBlockingOrders(
      { em, brokerFor: async () => broker, now: Date.now },
      accountId,
      'closer-e1',
      live,
    )
  }
  const isUnsettled = { type: 'OutcomeUnknown' }

  it('orders of ours that are cancelled so that another one can be placed have ended in the ledger when the other one goes on', async () => {
    broker.put(exit)
    await cancelled()
    assert.equal((await orderIn(em, exit.clientOrderId)).status, 'CANCELLED')
  })

  it('orders of ours that are cancelled so that another one can be placed are waited for while their broker has not ended them, or does not show them', async () => {
    broker.put(exit)
    broker.cancels = 'pending'
    await assert.rejects(cancelled(), isUnsettled)
    broker.accepted.clear()
    broker.cancelOrder = async () => 'requested'
    await assert.rejects(cancelled(), isUnsettled)
    assert.equal((await orderIn(em, exit.clientOrderId)).status, 'OPEN')
  })
})
