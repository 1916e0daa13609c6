import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DemoCredentials } from '#local/start/demo.ts'
import { findLastingPort } from '#test/support/lasting-port.ts'
import { isRunning, type ProcessIdentity } from '#local/processes/process-identity.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

const MAIN = fileURLToPath(new URL('../../local/main.ts', import.meta.url))

describe('npm start, as a whole', function () {
  this.timeout(180_000)
  const folder = useTemporaryFolder()
  let environment: NodeJS.ProcessEnv
  let started: ChildProcess | undefined
  let output: string

  beforeEach(async () => {
    environment = { ...process.env, DATA_DIR: folder.path('data') }
    for (const part of [
      'API',
      'TEMPORAL',
      'TEMPORAL_UI',
      'CODEC',
      'POSTGRES',
      'VENUE',
      'METRICS',
      'API_METRICS',
      'API_WORKER_METRICS',
    ])
      environment[`${part}_PORT`] = String(await findLastingPort())
    for (const part of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'VENUE_URL']) delete environment[part]
  })
  afterEach(async () => {
    if (started && started.exitCode === null && started.signalCode === null) await stop('SIGTERM')
  })

  async function start(): Promise<void> {
    output = ''
    const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    started = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    while (!output.includes('Ctrl-C stops everything.')) {
      assert.equal(child.exitCode, null, output)
      await sleep(50)
    }
  }
  async function stop(signal: NodeJS.Signals): Promise<void> {
    assert.ok(started)
    started.kill(signal)
    await once(started, 'exit')
  }
  const children = () =>
    JSON.parse(readFileSync(folder.path('data', 'run.json'), 'utf8')).processes as (ProcessIdentity & {
      name: string
    })[]
  const credentials = (): DemoCredentials =>
    JSON.parse(readFileSync(folder.path('data', 'demo-credentials.json'), 'utf8'))

  async function buyOne(
    sourceId: string,
  ): Promise<{ status: number; signal: { id: string; status: string } }> {
    const { apiUrl, token, accountId } = credentials()
    const response = await fetch(`${apiUrl}/signals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        symbol: 'AAPL',
        action: 'openLong',
        accountId,
        quantity: 1,
        executeMode: 'immediate',
        sourceId,
      }),
    })
    const body = await response.json()
    return { status: response.status, ...(body as { signal: { id: string; status: string } }) }
  }

  it('brings everything up, keeps it up, leaves nothing behind and keeps all data', async () => {
    await start()
    assert.ok(output.includes(credentials().token), 'the token is shown at the first start')
    const [, mailbox] = /Mailbox +(http\S+)/.exec(output)!
    assert.equal((await fetch(mailbox!)).status, 200, 'the printed address opens the mailbox')
    assert.equal((await fetch(mailbox!.split('?')[0]!)).status, 404)
    const [, webApp] = /Web app +(http\S+)/.exec(output)!
    const page = await fetch(webApp!, { headers: { accept: 'text/html' } })
    assert.match(await page.text(), /<div id="app">/, 'the printed address opens the web app')
    const bought = await buyOne('first')
    assert.equal(bought.status, 201)

    const api = children().find(({ name }) => name === 'API')
    assert.ok(api)
    process.kill(api.pid, 'SIGKILL')
    while (!output.includes('API works again.')) await sleep(50)

    const running = children()
    assert.deepEqual(running.map(({ name }) => name).toSorted(), [
      'API',
      'Paper venue',
      'PostgreSQL',
      'Temporal',
      'Worker',
    ])
    await stop('SIGINT')
    assert.deepEqual(running.filter(isRunning), [])
    assert.equal(existsSync(folder.path('data', 'run.json')), false)

    await start()
    assert.match(output, /Web app: unchanged/)
    assert.ok(!output.includes(credentials().token), 'the token is not shown again')
    const again = await buyOne('first')
    assert.equal(again.status, 200)
    assert.equal(again.signal.id, bought.signal.id)

    const left = children()
    await stop('SIGKILL')
    // The guardian notices, and stops what is left in order.
    while (existsSync(folder.path('data', 'run.json'))) await sleep(50)
    assert.deepEqual(left.filter(isRunning), [])
  })
})
