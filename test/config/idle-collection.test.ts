import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROCESS = `
  import { idleCollection } from ${JSON.stringify(new URL('../../config/idle-collection.ts', import.meta.url).href)}
  const collected = []
  const gc = globalThis.gc
  globalThis.gc = (options) => { collected.push(options.execution); return gc(options) }
  const part = idleCollection({ warn: console.error })
  part.start()
  await new Promise((resolve) => setTimeout(resolve, 300))
  await part.stop()
  console.log(collected.join())`

describe('the collection of garbage in an idle process', () => {
  const collectedBy = async (...flags: string[]): Promise<string> => {
    const args = [...flags, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', PROCESS]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    })
    return stdout.trim()
  }

  it('happens once it has grown, where Node lets it', async () => {
    assert.equal(await collectedBy('--expose-gc'), 'async')
  })
})
