import assert from 'node:assert/strict'
import { IS_LONG } from '#test/support/generators.ts'
import { figuresOf } from './figures.ts'

/** One scenario in the short form: each starts a service of its own. */
const others = IS_LONG ? it : () => {}

describe('a benchmark that measures very little', function () {
  this.timeout(300_000)

  it('a benchmark that measures very little of signals runs to its end and prints the figures of service, floor and bare handler', async () => {
    const text = JSON.stringify(
      await figuresOf('floor', '--signals', '3', '--concurrency', '2', '--warm-up', '2'),
    )
    for (const name of ['service', 'floor', 'koa']) assert.ok(text.includes(name), `${name} is missing`)
  })

  others(
    'a benchmark that measures very little of a burst lets every scheduled signal out, and tells when',
    async () => {
      const figures = await figuresOf('burst', '--signals', '3', '--exits', '0')
      const { firstOrder, lastOrder } = figures as { firstOrder: number; lastOrder: number }
      assert.ok(firstOrder > 0 && lastOrder >= firstOrder, JSON.stringify(figures))
    },
  )

  others(
    'a benchmark that measures very little of a mass that waits tells what signals take beside it, and when a killed worker is back',
    async () => {
      const { beside, fill, workerBackAfter } = (await figuresOf(
        'masses',
        '--waiting',
        '20',
        '--signals',
        '2',
      )) as {
        beside: { p50: number }
        fill: { waiting: number; memory: { worker: number } }[]
        workerBackAfter: number
      }
      assert.deepEqual(
        fill.map(({ waiting }) => waiting),
        [2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
      )
      for (const { memory } of fill) assert.ok(memory.worker > 0)
      assert.ok(beside.p50 > 0 && workerBackAfter > 0)
    },
  )

  others(
    'a benchmark that measures very little of lists asks for every list by HTTP and by its bare statement',
    async () => {
      // With fewer rows some of the lists find nothing.
      const { lists } = (await figuresOf('api', '--rows', '10000', '--calls', '1')) as {
        lists: { name: string; http: { p50: number }; sql: { p50: number } }[]
      }
      assert.ok(lists.length >= 27, `${lists.length} lists`)
      for (const { name, http, sql } of lists) assert.ok(http.p50 > 0 && sql.p50 > 0, name)
    },
  )

  others(
    'a benchmark that measures very little of a flood tells of every step what was accepted, and when its orders left',
    async () => {
      const { steps } = (await figuresOf('flood', '--callers', '2,3', '--seconds', '1', '--tokens', '2')) as {
        steps: { callers: number; acceptedPerSecond: number; left: object | null }[]
      }
      assert.deepEqual(
        steps.map(({ callers }) => callers),
        [2, 3],
      )
      for (const { acceptedPerSecond, left } of steps) assert.ok(acceptedPerSecond > 0 && left !== null)
    },
  )
})
