import assert from 'node:assert/strict'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { sharesAfter, type AttributedExecution } from '#domain/position/ownership.ts'
import { replayShares } from './share-replay.ts'
import type { LedgerOrder } from './venue-desk.ts'

const [FIRST, SECOND] = ['6f0a5a51-51f1-4a3c-8a39-000000000001', '6f0a5a51-51f1-4a3c-8a39-000000000002']

/** Its fills, as shares by the second of their time. */
const order = (id: string, side: 'buy' | 'sell', fills: Record<number, `${number}`>): LedgerOrder =>
  ({
    id,
    client_order_id: id,
    symbol: 'AAPL',
    side,
    position_intent: `${side}_to_${side === 'buy' ? 'open' : 'close'}`,
    created_at: '2026-01-05T15:00:00Z',
    fills: Object.entries(fills).map(([second, qty]) => ({
      execution_id: `${id}-${second}`,
      qty,
      price: '100',
      fee: '0',
      at: `2026-01-05T15:00:0${second}Z`,
    })),
  }) as unknown as LedgerOrder

const opened = (signalId: string, quantity: `${number}`, orderFilled: `${number}`): AttributedExecution => ({
  side: 'BUY',
  quantity,
  orderFilled,
  origin: { role: 'entry', signalId },
})

describe('the shares that the ledger of a broker shows', () => {
  it('the shares that the ledger of a broker shows are sold at its site the oldest first, also of entries that filled in turn', () => {
    const { closedByOthers, faults } = replayShares(
      [
        order(clientOrderIdFor(FIRST, 'entry', 1), 'buy', { 1: '5', 3: '8' }),
        order(clientOrderIdFor(SECOND, 'entry', 1), 'buy', { 2: '2' }),
        order('1a086a4e', 'sell', { 4: '6' }),
      ],
      () => 'openLong',
      () => [],
    )
    assert.deepEqual(
      [[...closedByOthers], faults],
      [
        [
          [FIRST, '5'],
          [SECOND, '1'],
        ],
        [],
      ],
    )
    const ledger = sharesAfter([
      opened(FIRST, '5', '5'),
      opened(SECOND, '2', '2'),
      opened(FIRST, '8', '13'),
      { side: 'SELL', quantity: '6', orderFilled: '6', origin: { role: 'stranger' } },
    ])
    assert.deepEqual([ledger.of(FIRST), ledger.of(SECOND)], ['8', '1'])
  })
})
