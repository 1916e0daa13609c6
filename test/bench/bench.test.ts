import assert from 'node:assert/strict'
import { figuresOf } from './figures.ts'

describe('a benchmark that measures very little', function () {
  this.timeout(300_000)
  let ofSignals: object
  let ofBurst: object
  let ofFlood: object
  let ofMasses: object
  let ofLists: object
  before(async () => {
    // Both wait most of the time, for exits and for the instant of the burst.
    ;[ofSignals, ofBurst, ofFlood, ofMasses, ofLists] = await Promise.all([
      figuresOf('floor', '--signals', '3', '--concurrency', '2', '--warm-up', '2'),
      figuresOf('burst', '--signals', '3', '--exits', '0'),
      figuresOf('flood', '--callers', '2,3', '--seconds', '1', '--tokens', '2'),
      figuresOf('masses', '--waiting', '20', '--signals', '2'),
      // With fewer rows some of the lists find nothing.
      figuresOf('api', '--rows', '10000', '--calls', '1'),
    ])
  })

  it('a benchmark that measures very little of signals runs to its end and prints the figures of service, floor and bare handler', () => {
    const text = JSON.stringify(ofSignals)
    for (const name of ['service', 'floor', 'koa']) assert.ok(text.includes(name), `${name} is missing`)
  })

  it('a benchmark that measures very little of a burst lets every scheduled signal out, and tells when', () => {
    const { firstOrder, lastOrder } = ofBurst as { firstOrder: number; lastOrder: number }
    assert.ok(firstOrder > 0 && lastOrder >= firstOrder, JSON.stringify(ofBurst))
  })

  it('a benchmark that measures very little of a mass that waits tells what signals take beside it, and when a killed worker is back', () => {
    const { beside, fill, workerBackAfter } = ofMasses as {
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
  })

  it('a benchmark that measures very little of lists asks for every list by HTTP and by its bare statement', () => {
    const { lists } = ofLists as { lists: { name: string; http: { p50: number }; sql: { p50: number } }[] }
    assert.ok(lists.length >= 27, `${lists.length} lists`)
    for (const { name, http, sql } of lists) assert.ok(http.p50 > 0 && sql.p50 > 0, name)
  })

  it('a benchmark that measures very little of a flood tells of every step what was accepted, and when its orders left', () => {
    const { steps } = ofFlood as {
      steps: { callers: number; acceptedPerSecond: number; left: object | null }[]
    }
    assert.deepEqual(
      steps.map(({ callers }) => callers),
      [2, 3],
    )
    for (const { acceptedPerSecond, left } of steps) assert.ok(acceptedPerSecond > 0 && left !== null)
  })
})
