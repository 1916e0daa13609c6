import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** The figures that a benchmark prints when it measures very little. */
async function figuresOf(file: string, ...options: string[]): Promise<object> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(REPOSITORY, file), '--json', ...options],
    { cwd: REPOSITORY, maxBuffer: 2 ** 24 },
  )
  return JSON.parse(stdout) as object
}

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
      figuresOf('bench/main.ts', '--signals', '3', '--concurrency', '2', '--warm-up', '2'),
      figuresOf('bench/burst/main.ts', '--signals', '3', '--exits', '0'),
      figuresOf('bench/flood/main.ts', '--callers', '2,3', '--seconds', '1', '--tokens', '2'),
      figuresOf('bench/masses/main.ts', '--waiting', '20', '--signals', '2'),
      // With fewer rows some of the lists find nothing.
      figuresOf('bench/api/main.ts', '--rows', '10000', '--calls', '1'),
    ])
  })

  it('of signals runs to its end and prints the figures of service, floor and bare handler', () => {
    const text = JSON.stringify(ofSignals)
    for (const name of ['service', 'floor', 'koa']) assert.ok(text.includes(name), `${name} is missing`)
  })

  it('of a burst lets every scheduled signal out, and tells when', () => {
    const { firstOrder, lastOrder } = ofBurst as { firstOrder: number; lastOrder: number }
    assert.ok(firstOrder > 0 && lastOrder >= firstOrder, JSON.stringify(ofBurst))
  })

  it('of a mass that waits tells what signals take beside it, and when a killed worker is back', () => {
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

  it('of lists asks for every list by HTTP and by its bare statement', () => {
    const { lists } = ofLists as { lists: { name: string; http: { p50: number }; sql: { p50: number } }[] }
    assert.ok(lists.length >= 27, `${lists.length} lists`)
    for (const { name, http, sql } of lists) assert.ok(http.p50 > 0 && sql.p50 > 0, name)
  })

  it('of a flood tells of every step what was accepted, and when its orders left', () => {
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

describe('a benchmark of another person beside short floods', function () {
  this.timeout(300_000)
  interface Answered {
    p95: number
    statuses: Record<string, number>
  }
  interface Flood {
    by: string
    signals: Answered
    halts: Answered
    sent: { kind: string; requests: number; statuses: Record<string, number> }[]
    memory: { before: number; most: number; after: number }
    logged: number
    stored: number
  }
  let floor: { signals: Answered; halts: Answered }
  let floods: Flood[]
  before(async () => {
    const figures = await figuresOf('bench/flood/main.ts', '--by', 'all', '--seconds', '2')
    ;({ floor, floods } = figures as { floor: typeof floor; floods: Flood[] })
  })
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0)

  it('has a stranger, one token, and ten tokens of one person send all that they flood with', () => {
    const kinds = floods.map(({ by, sent }) => [by, sent.map(({ kind }) => kind)])
    assert.deepEqual(kinds, [
      ['stranger', ['queries', 'addresses', 'invented tokens', 'unread answers']],
      ['token', ['signals']],
      ['ten-tokens', Array.from({ length: 10 }, () => 'signals')],
    ])
    for (const { by, sent } of floods)
      for (const { kind, requests, statuses } of sent) {
        assert.ok(requests > 0, `${by}: ${kind}`)
        assert.equal(sum(statuses), requests, `${by}: ${kind}`)
      }
  })

  it('tells how the signals and halts of each second were answered, without a flood and beside it', () => {
    for (const { signals, halts } of [floor, ...floods]) {
      assert.deepEqual([sum(signals.statuses), sum(halts.statuses)], [2, 4])
      assert.ok(signals.p95 > 0 && halts.p95 > 0)
    }
    const statuses = [floor.signals, floor.halts].flatMap((answered) => Object.keys(answered.statuses))
    assert.ok(
      statuses.every((status) => ['200', '201', '202'].includes(status)),
      statuses.join(),
    )
  })

  it('tells what floods take of memory, logs and ledger', () => {
    for (const { by, memory, logged } of floods) {
      assert.ok(memory.before > 0 && memory.most >= memory.after, by)
      assert.ok(logged > 0, by)
    }
    assert.ok(floods.find(({ by }) => by === 'token')!.stored > 0, 'the signals of a token are stored')
  })
})
