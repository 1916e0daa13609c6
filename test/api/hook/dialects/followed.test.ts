import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Instruction } from '#domain/hook/message.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import { cases } from '#test/support/generators.ts'
import { understood } from './support.ts'

const sideOf = (position: number): string => (position > 0 ? 'long' : position < 0 ? 'short' : 'flat')

/** The position after an instruction, once all its orders have filled. */
function after(position: number, instruction: Instruction): number {
  if (instruction.kind !== 'trade') return position
  const { body, move } = instruction
  if (body['targetPosition'] !== undefined) return Number(body['targetPosition'])
  assert.ok(move !== null)
  if (move.kind === 'close') {
    const isOther = move.side !== null && (move.side === 'LONG') !== position > 0
    const shares =
      move.part === null
        ? Number.POSITIVE_INFINITY
        : 'shares' in move.part
          ? Number(move.part.shares)
          : Number.NaN
    return isOther ? position : Math.sign(position) * Math.max(0, Math.abs(position) - shares)
  }
  const step = (move.direction === 'buy' ? 1 : -1) * Number(body['quantity'])
  if (position === 0) return move.whenFlat === 'open' ? step : 0
  if (Math.sign(position) === Math.sign(step)) return move.whenSame === 'add' ? position + step : position
  if (move.whenOpposite === 'reverse') return step
  if (move.whenOpposite === 'close') return 0
  return Math.sign(position) * Math.max(0, Math.abs(position) - Math.abs(step))
}

/** The forms of message by which a strategy can be followed to the share. */
const FORMS: readonly [HookKind, string, (before: number, now: number) => object][] = [
  [
    'tradingview',
    'the size now',
    (_, now) => ({ market_position: sideOf(now), market_position_size: Math.abs(now) }),
  ],
  ['tradingview', 'its signed position', (_, now) => ({ position_size: now })],
  [
    'tradingview',
    'both sides, the size before and the contracts',
    (before, now) => ({
      action: now > before ? 'buy' : 'sell',
      contracts: Math.abs(now - before),
      market_position: sideOf(now),
      prev_market_position: sideOf(before),
      prev_market_position_size: Math.abs(before),
    }),
  ],
  [
    'openalgo',
    'its position',
    (before, now) => ({ symbol: 'F', action: now > before ? 'BUY' : 'SELL', position_size: now }),
  ],
]

describe('a strategy that is followed by its messages', () => {
  for (const [kind, what, form] of FORMS)
    it(`a strategy that reports ${what} (${kind}) leaves us with what it holds, after anything it does`, () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 30 }), (positions) => {
          let [theirs, ours] = [0, 0]
          for (const now of positions.filter((position, at) => position !== (positions[at - 1] ?? 0))) {
            const message = { ...(kind === 'tradingview' && { ticker: 'F' }), ...form(theirs, now) }
            for (const instruction of understood(kind, message, { mayShort: true }).instructions)
              ours = after(ours, instruction)
            theirs = now
            assert.equal(ours, theirs, JSON.stringify(message))
          }
        }),
        { numRuns: cases(500) },
      )
    })
})
