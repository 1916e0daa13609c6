import assert from 'node:assert/strict'
import { signalsOf } from '#api/hooks/intake/plan.ts'
import { NOW, settingsWith, understood, ACCOUNTS } from './dialects/support.ts'

describe('the position that the sender of a message believes to be held', () => {
  for (const [name, size, position, held] of [
    ['without a size of its own', { multiplier: null, quantity: null }, '20', '10'],
    ['at a multiplier of 0.5', { multiplier: '0.5', quantity: null }, '10', '5'],
    ['at a multiplier of 3', { multiplier: '3', quantity: null }, '60', '30'],
    ['with a size of its own', { multiplier: null, quantity: '7' }, '7', '7'],
  ] as const)
    it(`the position that the sender of a message believes to be held is sized as its target is, for an account ${name}`, () => {
      const settings = settingsWith({ accounts: [{ accountId: ACCOUNTS[0], ...size }] })
      const message = {
        ticker: 'F',
        action: 'buy',
        market_position: 'long',
        market_position_size: 20,
        prev_market_position: 'long',
        prev_market_position_size: 10,
      }
      for (const instruction of understood('tradingview', message).instructions) {
        assert.equal(instruction.kind, 'trade')
        const [signal] = signalsOf(instruction, settings, NOW)
        assert.equal(signal!.targetPosition, position)
        assert.deepEqual(signal!.senderHolds, { side: 'LONG', shares: held })
      }
    })
})
