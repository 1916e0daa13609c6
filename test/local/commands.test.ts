import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { findLastingPort, ownPorts } from '#test/support/lasting-port.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

const command = (name: string) => fileURLToPath(new URL(`../../local/${name}`, import.meta.url))

describe('npm start', () => {
  const folder = useTemporaryFolder()

  /** Runs a command to its end, with a data folder and ports of its own. */
  async function run(name: string, args: string[], settings: Record<string, string> = {}) {
    const env: NodeJS.ProcessEnv = { ...process.env, ...(await ownPorts()), DATA_DIR: folder.path('data') }
    for (const part of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'VENUE_URL']) delete env[part]
    return new Promise<{ code: number; output: string }>((resolve) => {
      const child = execFile(
        process.execPath,
        [command(name), ...args],
        { env: { ...env, ...settings } },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      )
      child.stdin?.end()
    })
  }

  it('explains itself when asked for help', async () => {
    const { code, output } = await run('main.js', ['--help'])
    assert.equal(code, 0)
    for (const setting of [
      'DATA_DIR',
      'PORT_BASE',
      'API_PORT',
      'DATABASE_URL',
      'TEMPORAL_ADDRESS',
      'npm run reset',
    ])
      assert.ok(output.includes(setting), setting)
    assert.equal(existsSync(folder.path('data')), false)
  })

  it('refuses a word that it does not know', async () => {
    const { code, output } = await run('main.js', ['--prot'])
    assert.equal(code, 1)
    assert.match(output, /Unknown option '--prot'[^]*--webhook-url/)
  })

  it('names every faulty setting, of any part, before it starts anything', async () => {
    const { code, output } = await run('main.js', [], { SIGNAL_TTL: 'soon' })
    assert.equal(code, 1)
    assert.match(output, /SIGNAL_TTL: must be a duration/)
    assert.equal(existsSync(folder.path('data')), false)
  })

  it('names a taken port and its setting', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, output } = await run('main.js', [], { VENUE_PORT: String(port) })
    server.close()
    assert.equal(code, 1)
    assert.match(output, new RegExp(`Port ${port} for the paper venue is taken.*VENUE_PORT`))
  })

  it('names a data folder that cannot be made', async () => {
    writeFileSync(folder.path('file'), '')
    const { code, output } = await run('main.js', [], { DATA_DIR: folder.path('file', 'data') })
    assert.equal(code, 1)
    assert.match(output, /cannot be made .*Set DATA_DIR/)
  })

  it('names the fault of a DATABASE_URL without a server, and leaves no process running', async () => {
    const url = `postgresql://user:secret@127.0.0.1:${await findLastingPort()}/books`
    const { code, output } = await run('main.js', [], { DATABASE_URL: url })
    assert.equal(code, 1)
    assert.match(output, /DATABASE_URL cannot be used: nothing listens at 127\.0\.0\.1/)
    assert.doesNotMatch(output, /secret/)
    assert.equal(existsSync(folder.path('data', 'run.json')), false)
  }).timeout(60_000)

  describe('npm run reset', () => {
    it('wipes nothing without a terminal to ask at', async () => {
      mkdirSync(folder.path('data'))
      writeFileSync(folder.path('data', 'secrets.json'), '{}')
      const { code, output } = await run('commands/reset.ts', [])
      assert.equal(code, 1)
      assert.match(output, /npm run reset -- --yes/)
      assert.equal(readFileSync(folder.path('data', 'secrets.json'), 'utf8'), '{}')
    })

    it('wipes the data folder after the answer yes', async () => {
      mkdirSync(folder.path('data', 'postgres'), { recursive: true })
      writeFileSync(folder.path('data', 'secrets.json'), '{}')
      const { code } = await run('commands/reset.ts', ['--yes'])
      assert.equal(code, 0)
      assert.equal(existsSync(folder.path('data')), false)
    })

    it('leaves a folder alone that npm start has not made', async () => {
      mkdirSync(folder.path('data'))
      writeFileSync(folder.path('data', 'thesis.txt'), '')
      const { code, output } = await run('commands/reset.ts', ['--yes'])
      assert.equal(code, 1)
      assert.match(output, /left alone/)
      assert.ok(existsSync(folder.path('data', 'thesis.txt')))
    })
  })
})
