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

  it('of signals runs to its end and prints the figures of service, floor and bare handler', async () => {
    const figures = await figuresOf('bench/main.ts', '--signals', '3', '--concurrency', '2')
    const text = JSON.stringify(figures)
    for (const name of ['service', 'floor', 'koa']) assert.ok(text.includes(name), `${name} is missing`)
  })

  it('of a burst lets every scheduled signal out, and tells when', async () => {
    const figures = await figuresOf('bench/burst/main.ts', '--signals', '3', '--exits', '0')
    const { firstOrder, lastOrder } = figures as { firstOrder: number; lastOrder: number }
    assert.ok(firstOrder > 0 && lastOrder >= firstOrder, JSON.stringify(figures))
  })
})
