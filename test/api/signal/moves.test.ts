import assert from 'node:assert/strict'
import { newSignal, mayOpen, alwaysOpens } from '#api/signal/new-signal.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import type { Move, Trade } from '#domain/signal/move.ts'
import { read } from './support/body.ts'

const REVERSE = { whenFlat: 'open', whenOpposite: 'reverse', whenSame: 'nothing' } as const
const BUY: Trade = { kind: 'trade', direction: 'buy', ...REVERSE }
const COVERS: Move = { ...BUY, whenFlat: 'refuse', whenOpposite: 'close' }
const CLOSE: Move = { kind: 'close', side: 'SHORT', part: null }

describe('a request with a move', () => {
  const SIZED = { quantity: 5, quantityType: 'percentEquity' }
  const EXIT = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 5 }
  const requestWith = (changes: Partial<SignalRequest>): SignalRequest => ({
    ...read({ ...SIZED, ...EXIT }),
    ...changes,
  })
  const stored = (changes: Partial<SignalRequest>) =>
    newSignal({ userId: 'user', credential: 'access' }, requestWith(changes), new Date(0), 60_000)

  it('a request with a move is a signal whose target has the move, its size, its exit, and what the sender takes for held', () => {
    const senderHolds = { side: 'FLAT' } as const
    const { action, quantity, quantityType, exitRule, target } = stored({ move: BUY, senderHolds })
    assert.deepEqual([action, quantity, quantityType], ['openLong', '5', 'percentEquity'])
    const sized = { ...BUY, quantity: '5', quantityType: 'percentEquity' }
    assert.deepEqual(target, { position: '1', at: null, exit: exitRule, move: sized, senderHolds })
  })

  it('a request with a move is one that closes and has no exit, before its order is known, where it can open nothing', () => {
    for (const move of [COVERS, CLOSE]) {
      const { action, exitRule, target } = stored({ move })
      assert.deepEqual([action, exitRule, target?.position], ['closeShort', null, '0'])
    }
  })

  it('surely opens nothing, and may open what its move may', () => {
    for (const [move, opens] of [
      [BUY, true],
      [{ ...COVERS, whenSame: 'add' }, true],
      [COVERS, false],
      [CLOSE, false],
    ] as [Move, boolean][]) {
      const request = requestWith({ move })
      assert.deepEqual([alwaysOpens(request), mayOpen(request)], [false, opens])
    }
  })
})
