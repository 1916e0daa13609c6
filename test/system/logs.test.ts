import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow } from '#test/service/sent-signal.ts'

describe('the logs of a running service', function () {
  this.timeout(60_000)
  const service = useStack({ api: { EMBEDDED_WORKER: 'on' } })

  const linesOf = (part: string): Record<string, unknown>[] =>
    readFileSync(join(service.stack.logFolder, `${part}.log`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        assert.match(line, /^\{.*\}$/, `${part}.log`)
        return JSON.parse(line) as Record<string, unknown>
      })

  before(async () => {
    const { stack } = service
    const { status } = await stack.api.post('/signals', buyNow(stack, {}))
    assert.ok(status === 201 || status === 202)
  })

  for (const part of ['api', 'worker', 'venue'])
    it(`hold lines of JSON alone, each with its instant and level: ${part}.log`, () => {
      const lines = linesOf(part)
      assert.ok(lines.length > 0)
      for (const { time, level } of lines) {
        assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.match(String(level), /^(info|warn|error)$/)
      }
    })

  it('say where the messages and the secret of their page are kept', () => {
    const { messages, secretFile } = linesOf('api').find(({ secretFile }) => secretFile !== undefined)!
    assert.equal(secretFile, `${String(messages)}.secret`)
    assert.ok(existsSync(secretFile))
  })
})
