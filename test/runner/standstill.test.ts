import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const STANDSTILL = new URL('standstill.ts', import.meta.url).href

describe('the watch for a test process that freezes', function () {
  this.timeout(30_000)
  let child: ChildProcess
  // One that was not heard of in time would run for ever.
  afterEach(() => child.kill('SIGKILL'))

  /** Runs a script under the watch; resolves with the first lines that it prints about `until`, and ends it. */
  async function printedBy(script: string, until: RegExp): Promise<string> {
    const watched = `
      const { watchForStandstill } = await import(${JSON.stringify(STANDSTILL)})
      watchForStandstill(300)
      ${script}`
    child = spawn(process.execPath, ['--input-type=module', '--eval', watched], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (until.test(printed)) child.kill('SIGKILL')
    })
    await once(child, 'close')
    return printed
  }

  it('prints where the code is that lets no timer run, though it awaits again and again', async () => {
    const printed = await printedBy(
      `async function retriesForEver() { for (;;) await null }
       setTimeout(() => retriesForEver(), 100)`,
      /retriesForEver \(/,
    )
    assert.match(printed, /No timer has run for 300 ms \(memory \d+ MB\)/)
  })

  it('prints nothing about a process that waits, and does not keep it alive', async () => {
    assert.equal(await printedBy(`setTimeout(() => {}, 1_500)`, /./), '')
  })
})
