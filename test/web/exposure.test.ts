import assert from 'node:assert/strict'
import { exposureOf, exposureParts } from '#web/position/exposure.ts'

const long = (marketValue: number) => ({ side: 'LONG', marketValue }) as const
/** As brokers say it: the value of a short position is below zero; some say it without its sign. */
const short = (marketValue: number) => ({ side: 'SHORT', marketValue }) as const

describe('the exposure of positions', () => {
  for (const [name, positions, gross, net, words] of [
    ['nothing', [], 0, 0, []],
    ['a long position', [long(1_200)], 1_200, 1_200, []],
    ['a short position', [short(-800)], 800, -800, ['long $0.00', 'short $800.00', 'net −$800.00']],
    [
      'a short position without its sign',
      [short(800)],
      800,
      -800,
      ['long $0.00', 'short $800.00', 'net −$800.00'],
    ],
    [
      'as much long as short',
      [long(100_000), short(-100_000)],
      200_000,
      0,
      ['long $100,000.00', 'short $100,000.00', 'net $0.00'],
    ],
    [
      'several of both',
      [long(10), short(-20), long(30.5), short(-40)],
      100.5,
      -19.5,
      ['long $40.50', 'short $60.00', 'net −$19.50'],
    ],
  ] as const)
    it(`the exposure of positions is gross, with both sides and their difference: ${name}`, () => {
      const exposure = exposureOf(positions)
      assert.deepEqual([exposure.gross, exposure.net], [gross, net])
      assert.deepEqual(exposureParts(exposure), words)
    })
})
