import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { askRaw } from '../api/support/raw-request.ts'
import { findFreePort } from '#local/start/ports.ts'

const RUNTIME = fileURLToPath(new URL('fixtures/installed-runtime.ts', import.meta.url))

describe('the metrics of a worker', () => {
  for (const [listensAt, others] of [
    ['127.0.0.1', 403],
    ['localhost', 403],
    ['0.0.0.0', 200],
  ] as const)
    it(`the metrics of a worker that listens at ${listensAt} are answered ${others} under a name that is not of this machine`, async function () {
      this.timeout(20_000)
      const port = await findFreePort()
      const running = spawn(process.execPath, [RUNTIME, listensAt, String(port)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const ended = once(running, 'exit')
      try {
        const [line] = (await once(running.stdout, 'data')) as [Buffer]
        const origin = `http://127.0.0.1:${port}`
        for (const [host, expected] of [
          [`127.0.0.1:${port}`, 200],
          [`localhost:${port}`, 200],
          [`evil.example:${port}`, others],
          ['127.0.0.1.evil.example', others],
        ] as const) {
          const answer = await askRaw(origin, 'GET', '/metrics', { Host: host })
          assert.equal(answer.status, expected, host)
          assert.equal(answer.text.includes('installed 1'), expected === 200, host)
        }
        assert.equal((await askRaw(origin, 'GET', '/', { Host: 'localhost' })).status, 404)
        // What the core serves without asking for a name is not where a page could look for it.
        assert.equal(line.toString().trim().endsWith(`:${port}`), others === 200)
      } finally {
        running.stdin.end()
      }
      assert.deepEqual(await ended, [0, null], 'the door keeps no process that ends')
    })
})
