import assert from 'node:assert/strict'
import { Random } from '#test/chaos/random.ts'
import { anyScript } from './any-script.ts'
import { barsOf } from './chart.ts'
import { Strategy, type Fill } from './emulator.ts'
import { strategyMessage } from './message.ts'
import type { MessageKind, Script } from './scripts.ts'
import { templatesOf } from './templates.ts'

const START = new Date('2026-03-02T14:30:00Z')
const CHART = { ticker: 'AAPL', exchange: 'NASDAQ', interval: '1' }
const ACCOUNT = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

/** Plays the closes; what the script asks for at the last close is not filled. */
function fillsOf({ closes, pyramiding = 1, atClose }: Omit<Script, 'title' | 'message'>): Fill[] {
  const strategy = new Strategy({ pyramiding })
  return barsOf(closes, START).flatMap((bar, place) => {
    const fills = strategy.play(bar)
    atClose(strategy, place)
    return fills
  })
}
const shortly = (fills: Fill[]) =>
  fills.map(({ action, contracts, id, position }) => `${action} ${contracts} ${id} -> ${position}`)

describe('the messages that people are asked to send', () => {
  const kinds: MessageKind[] = ['steps', 'target']

  for (const kind of kinds)
    for (const { from, text } of templatesOf(kind, ACCOUNT)) {
      it(`leave no placeholder of a strategy open: ${from}, ${kind}`, () => {
        const [fill] = fillsOf({
          closes: [100, 100],
          atClose: (strategy) => strategy.entry('long', 'long', 3),
        })
        const message = strategyMessage(text, CHART, fill!, START)
        assert.doesNotMatch(message, /\{\{/)
        JSON.parse(message)
      })

      it(`name no two orders alike, though a whole bar comes in one second: ${from}, ${kind}`, () => {
        for (let seed = 0; seed < 300; seed += 1) {
          const fills = fillsOf(anyScript(new Random(seed), kind))
          const ids = fills.map(
            (each) => JSON.parse(strategyMessage(text, CHART, each, each.bar.time)).sourceId as string,
          )
          assert.equal(new Set(ids).size, ids.length, `seed ${seed}: ${shortly(fills).join(', ')}`)
        }
      })
    }
})
