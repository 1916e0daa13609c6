import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'

describe('the health of the worker', function () {
  this.timeout(120_000)
  const service = useStack()
  const ask = async (address: string) => {
    const response = await fetch(address, { signal: AbortSignal.timeout(2_000) })
    return { status: response.status, body: (await response.json()) as { down?: string[] } }
  }
  const ofService = () => ask(`${service.stack.addresses.api}/readyz`)

  it('shows in /readyz of the API within 5 s after the last worker was killed, and when one is back', async () => {
    const { worker } = service.stack.parts
    await worker.kill()
    await eventually(async () => assert.deepEqual((await ofService()).body.down, ['worker']), {
      within: 5_000,
    })
    await worker.start()
    await eventually(async () => assert.equal((await ofService()).status, 200), { within: 5_000 })
  })

  it('the health of the worker is never up with the wrong keys: such a worker refuses to start and says why', async () => {
    const { stack } = service
    const keyFile = join(stack.logFolder, 'wrong-keys.json')
    writeFileSync(
      keyFile,
      JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64') } }),
    )
    await stack.parts.worker.stop()
    const start = stack.parts.worker.start({ KEY_FILE: keyFile }, 0)
    start.catch(() => {})
    await eventually(() => assert.match(stack.parts.worker.logTail(), /KEY_FILE lacks key/), {
      within: 20_000,
    })
    await assert.rejects(start)
    await stack.parts.worker.start()
  })
})
