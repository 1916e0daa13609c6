import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import { sizeExit } from '#activities/size-exit.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const ENTRY_ENDED = Date.parse('2026-03-02T15:00:00.000Z')

const held = (quantity: string, side: BrokerPosition['side']): BrokerPosition => ({
  symbol: 'AAPL',
  side,
  quantity,
  availableQuantity: quantity,
  avgCost: '100',
  currentPrice: '100',
  marketValue: '1000',
  unrealisedPnl: '0',
  unrealisedPnlPercent: '0',
  dayChange: null,
  dayChangePercent: null,
})

/** The size of an exit of 10 filled shares, so many milliseconds after the entry has ended. */
function size(position: BrokerPosition | null, side: 'SELL' | 'BUY_TO_COVER', after = 60_000) {
  const broker = new ScriptedBroker()
  broker.positions = position ? [position] : []
  return sizeExit(
    { brokerFor: async () => broker, now: () => ENTRY_ENDED + after },
    {
      accountId: 'account',
      symbol: 'AAPL',
      side,
      filledQuantity: '10',
      entryEndedAt: new Date(ENTRY_ENDED).toISOString(),
    },
  )
}

describe('the size of an exit', () => {
  const table: [string, BrokerPosition | null, 'SELL' | 'BUY_TO_COVER', string][] = [
    ['what was filled, when that is held', held('10', 'LONG'), 'SELL', '10'],
    ['what was filled, when more is held', held('25', 'LONG'), 'SELL', '10'],
    ['what is held, when a person has sold a part', held('4', 'LONG'), 'SELL', '4'],
    ['a fraction, when a fraction is held', held('0.5', 'LONG'), 'SELL', '0.5'],
    ['nothing, when the position was closed', null, 'SELL', '0'],
    ['nothing, when the position was turned around', held('10', 'SHORT'), 'SELL', '0'],
    ['what was filled, of a short position', held('10', 'SHORT'), 'BUY_TO_COVER', '10'],
    ['nothing, when a short position was turned around', held('10', 'LONG'), 'BUY_TO_COVER', '0'],
  ]
  for (const [name, position, side, quantity] of table)
    it(`is ${name}`, async () => {
      assert.deepEqual(await size(position, side), { quantity })
    })

  it('is not decided while the broker may not show the fill yet', async () => {
    for (const position of [null, held('4', 'LONG')])
      await assert.rejects(size(position, 'SELL', 4_999), (error: unknown) => {
        assert.ok(error instanceof ApplicationFailure)
        assert.deepEqual([error.type, error.nonRetryable ?? false], ['OutcomeUnknown', false])
        return true
      })
    assert.deepEqual(await size(held('4', 'LONG'), 'SELL', 5_000), { quantity: '4' })
  })

  it('is decided at once when all that was filled is held', async () => {
    assert.deepEqual(await size(held('10', 'LONG'), 'SELL', 0), { quantity: '10' })
  })
})
