import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '#test/chaos/random.ts'
import { anyScript } from './any-script.ts'
import { barsOf } from './chart.ts'
import { Strategy, type Fill } from './emulator.ts'
import { strategyMessage } from './message.ts'
import type { MessageKind, Script } from './scripts.ts'
import { send } from './sender.ts'
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

describe('the broker emulator of the played TradingView', () => {
  it('turns a position by one order for the old position and the new one', () => {
    const fills = fillsOf({
      closes: [100, 100, 100, 100],
      atClose(strategy, bar) {
        if (bar % 2 === 0) strategy.entry('long', 'long', 10)
        else strategy.entry('short', 'short', 10)
      },
    })
    assert.deepEqual(shortly(fills), ['buy 10 long -> 10', 'sell 20 short -> -10', 'buy 20 long -> 10'])
  })

  it('turns by the first of three opposite entries alone: -3 becomes 3, as LuxAlgo/PineTS#231 measured', () => {
    const fills = fillsOf({
      pyramiding: 3,
      closes: [100, 100, 100],
      atClose(strategy, bar) {
        for (const name of ['a', 'b', 'c']) strategy.entry(name, bar === 0 ? 'short' : 'long', 1)
      },
    })
    assert.deepEqual(shortly(fills).slice(3), ['buy 4 a -> 1', 'buy 1 b -> 2', 'buy 1 c -> 3'])
  })

  it('adds no entry beyond pyramiding', () => {
    const fills = fillsOf({
      pyramiding: 2,
      closes: [100, 100, 100, 100, 100],
      atClose: (strategy) => strategy.entry('long', 'long', 5),
    })
    assert.deepEqual(shortly(fills), ['buy 5 long -> 5', 'buy 5 long -> 10'])
  })

  it('fills priced exits of one bar on its path, the nearest first', () => {
    const fills = fillsOf({
      closes: [100, 100, 120],
      atClose(strategy, bar) {
        if (bar !== 0) return
        strategy.entry('long', 'long', 10)
        strategy.exit({ id: 'far', of: 'long', shares: 6, limit: 115 })
        strategy.exit({ id: 'near', of: 'long', shares: 4, limit: 105 })
        strategy.exit({ id: 'stop', of: 'long', shares: 10, stop: 90 })
      },
    })
    assert.deepEqual(shortly(fills), ['buy 10 long -> 10', 'sell 4 near -> 6', 'sell 6 far -> 0'])
  })
})

describe('the message of a played alert', () => {
  const [fill] = fillsOf({
    closes: [100, 100],
    atClose: (strategy) => strategy.entry('long', 'short', 3, { alertMessage: 'openShort' }),
  })

  it('the message of a played alert has the values of the order, the position and the bar as text', () => {
    const template =
      '{{strategy.order.action}} {{strategy.order.contracts}} {{strategy.order.comment}} {{strategy.position_size}} ' +
      '{{strategy.market_position}} {{strategy.market_position_size}} {{strategy.prev_market_position}} ' +
      '{{strategy.prev_market_position_size}} {{ticker}} {{time}} {{timenow}} {{plot_0}}'
    assert.equal(
      strategyMessage(template, CHART, fill!, new Date('2026-03-02T14:31:02.700Z')),
      'sell 3 long -3 short 3 flat 0 AAPL 2026-03-02T14:31:00Z 2026-03-02T14:31:02Z {{plot_0}}',
    )
  })
})

describe('the messages that people are told to send', () => {
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

describe('the played sender', () => {
  const TIMES = { givenUpAfter: 300, repeatedAfter: 20 }
  let server: Server
  let answers: (number | 'none')[]
  let got: string[]
  let url: string

  before(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => (body += String(part)))
      request.on('end', () => {
        got.push(body)
        const status = answers.shift() ?? 200
        if (status !== 'none') response.writeHead(status).end('{}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const statuses = async (...planned: (number | 'none')[]) => {
    answers = planned
    got = []
    const tries = await send(url, '{}', TIMES)
    await sleep(TIMES.repeatedAfter * 3)
    assert.equal(got.length, tries.length)
    return tries.map(({ status }) => status)
  }

  it('repeats the same message after 500 to 599, three times', async () => {
    assert.deepEqual(await statuses(503, 500, 599, 502, 200), [503, 500, 599, 502])
    assert.deepEqual(new Set(got), new Set(['{}']))
    assert.deepEqual(await statuses(503, 201), [503, 201])
  })

  it('the played sender never repeats after 504, 4xx or a time-out', async () => {
    for (const status of [504, 400, 401, 404, 409, 422, 429])
      assert.deepEqual(await statuses(status), [status])
    assert.deepEqual(await statuses('none'), [null])
  })
})
