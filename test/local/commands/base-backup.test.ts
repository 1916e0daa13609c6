import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { useTemporaryFolder } from '../temporary-folder.ts'

const COMMAND = fileURLToPath(new URL('../../../local/commands/base-backup.ts', import.meta.url))

describe('base back-ups that are made again and again', function () {
  this.timeout(30_000)
  const folder = useTemporaryFolder()

  /** What the command says until it ends, or until it is ended after some seconds. */
  const begun = (hours: string) =>
    new Promise<{ wasEnded: boolean; code: unknown; output: string }>((resolve) => {
      const at = (name: string) => [`--${name}`, folder.path(name)]
      const args = [COMMAND, ...at('data'), ...at('to'), ...at('wal'), '--every', hours]
      const env = { ...process.env, DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/x' }
      execFile(process.execPath, args, { env, timeout: 5_000 }, (error, stdout, stderr) =>
        resolve({ wasEnded: error?.killed === true, code: error?.code, output: stdout + stderr }),
      )
    })

  it('base back-ups that are made again and again are not due before their time, though it is further away than a timer reaches', async () => {
    mkdirSync(folder.path('to', new Date().toISOString().replaceAll(/[:.]/g, '-')), { recursive: true })
    assert.deepEqual(await begun('600'), { wasEnded: true, code: null, output: '' })
  })

  it('base back-ups that are made again and again are made once a year at least', async () => {
    const { code, output } = await begun('8761')
    assert.equal(code, 2)
    assert.match(output, /--every is at most 8760, not 8761/)
  })
})
