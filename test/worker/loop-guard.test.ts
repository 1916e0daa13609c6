import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { News, Order } from './fixtures/guarded-process.ts'

const PROGRAM = fileURLToPath(new URL('fixtures/guarded-process.ts', import.meta.url))
/** Milliseconds between two looks of the guard, ten of which it waits. */
const LOOK_EVERY = 200
const PRELOAD = `--import=${new URL('../../config/workflow-threads.ts', import.meta.url).href}`

describe('the guard of workflow threads', function () {
  this.timeout(60_000)
  let child: ChildProcess
  const begin = (execArgv: string[]): void => {
    child = fork(PROGRAM, [String(LOOK_EVERY)], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  }
  afterEach(() => child.kill('SIGKILL'))

  const order = (what: Order): void => void child.send(what)
  async function news(): Promise<News> {
    const [told] = (await once(child, 'message', { signal: AbortSignal.timeout(20_000) })) as [News]
    return told
  }

  it('lets a thread inside its sandbox longer than the SDK would, and ends one that does not leave', async () => {
    begin([PRELOAD])
    order('enter')
    assert.equal(await news(), 'inside')
    await sleep(1_000)
    order('release')
    assert.equal(await news(), 'left')
    order('enter')
    assert.equal(await news(), 'inside')
    const since = performance.now()
    assert.equal(await news(), 'ended')
    assert.ok(performance.now() - since > 8 * LOOK_EVERY, 'not before ten looks')
    order('enter')
    assert.equal(await news(), 'inside')
    assert.equal(await news(), 'timed out', 'from then on the watchdog at each entry')
  })

  it('the guard of workflow threads does not take the time in which the whole process was stopped for a loop', async () => {
    begin([PRELOAD])
    order('enter')
    assert.equal(await news(), 'inside')
    await sleep(2 * LOOK_EVERY)
    child.kill('SIGSTOP')
    await sleep(12 * LOOK_EVERY)
    child.kill('SIGCONT')
    await sleep(3 * LOOK_EVERY)
    order('release')
    assert.equal(await news(), 'left')
  })

  it('leaves the watchdog to the SDK where threads were not prepared', async () => {
    begin([])
    order('enter')
    assert.equal(await news(), 'inside')
    assert.equal(await news(), 'timed out')
  })
})
