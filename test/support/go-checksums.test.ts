import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'
import { verifyingGo } from './go-program.ts'
import { tool } from './tools.ts'

describe('a program that Go builds', () => {
  const folder = useTemporaryFolder()

  it('a program that Go builds is held against the log of checksums, also where that is turned off', async () => {
    const go = await tool('go')
    const settings = folder.path('go.env')
    writeFileSync(settings, 'GOSUMDB=off\nGONOSUMDB=*\nGOPRIVATE=*\n')
    const careless = { ...process.env, GOENV: settings, GOPRIVATE: '*', GOTOOLCHAIN: 'local' }
    const used = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
      const { stdout } = await promisify(execFile)(go, ['env', '-json', 'GOSUMDB', 'GONOSUMDB'], { env })
      return JSON.parse(stdout)
    }
    assert.deepEqual(await used({ ...careless, GOSUMDB: '' }), { GOSUMDB: 'off', GONOSUMDB: '*' })
    for (const GOSUMDB of ['', 'off', 'own.example.test+1+key'])
      assert.deepEqual(await used(verifyingGo({ ...careless, GOSUMDB })), {
        GOSUMDB: 'sum.golang.org',
        GONOSUMDB: 'none',
      })
  })

  it('a program that Go builds is held against a mirror of that log, which Go knows by its key, and no other log', () => {
    const mirror = 'sum.golang.org https://sum.example.test'
    assert.equal(verifyingGo({ GOSUMDB: mirror })['GOSUMDB'], mirror)
    assert.equal(verifyingGo({ GOSUMDB: 'sum.golang.org.example.test+1+key' })['GOSUMDB'], 'sum.golang.org')
    assert.equal(verifyingGo({})['GOSUMDB'], 'sum.golang.org')
  })
})
