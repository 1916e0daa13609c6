import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { periodically, type Part } from '#config/periodically.ts'
import { eventually } from '#test/support/eventually.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'

const NEVER = 600_000

describe('work that is done periodically', () => {
  let rounds: number
  let part: ReturnType<typeof periodically>
  const { log, lines } = loggerInMemory()
  const start = (everyMs: number, work: Parameters<typeof periodically>[2]): Part => {
    rounds = 0
    part = periodically(
      'counting',
      everyMs,
      (stopping) => {
        rounds += 1
        return work(stopping)
      },
      log,
    )
    part.start()
    return part
  }
  const untilRounds = (least: number) => eventually(() => assert.ok(rounds >= least, String(rounds)))
  afterEach(() => part.stop())

  it('begins at once and comes again until it is stopped', async () => {
    start(1, async () => {})
    assert.equal(rounds, 1)
    await untilRounds(3)
    await part.stop()
    const done = rounds
    await pause(20)
    assert.equal(rounds, done)
  })

  it('waits as long as it says itself, or until it is asked for', async () => {
    start(1, async () => NEVER)
    await pause(20)
    assert.equal(rounds, 1)
    part.soon()
    await untilRounds(2)
  })

  it('work that is done periodically that is asked for while it is under way is done again', async () => {
    start(NEVER, async () => {
      if (rounds === 1) part.soon()
      await pause(5)
    })
    await untilRounds(2)
    await pause(20)
    assert.equal(rounds, 2)
  })

  it('work that is done periodically that fails is reported with its name and done again', async () => {
    start(1, async () => {
      throw new Error('not counted')
    })
    await untilRounds(2)
    const { work, err } = lines[0] as unknown as { work: string; err: Error }
    assert.deepEqual([work, err.message], ['counting', 'not counted'])
  })

  it('work that is done periodically has ended when its stop resolves, and learns that it must stop', async () => {
    let hasEnded = false
    start(NEVER, async (stopping) => {
      while (!stopping.aborted) await pause(1)
      hasEnded = true
    })
    await part.stop()
    assert.ok(hasEnded)
  })
})
