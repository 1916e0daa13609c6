import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '#local/processes/process-identity.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

describe('npm start, as a whole', function () {
  this.timeout(180_000)
  const folder = useTemporaryFolder()
  let installation: LocalInstallation

  beforeEach(async () => (installation = await LocalInstallation.plan(folder.path('data'))))
  afterEach(() => installation.stop('SIGTERM'))

  async function buyOne(
    sourceId: string,
  ): Promise<{ status: number; signal: { id: string; status: string } }> {
    const { apiUrl, token, accountId } = installation.credentials()
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
    await installation.start()
    assert.ok(
      installation.output.includes(installation.credentials().token),
      'the token is shown at the first start',
    )
    const [, mailbox] = /Mailbox +(http\S+)/.exec(installation.output)!
    assert.equal((await fetch(mailbox!)).status, 200, 'the printed address opens the mailbox')
    assert.equal((await fetch(mailbox!.split('?')[0]!)).status, 404)
    const [, webApp] = /Web app +(http\S+)/.exec(installation.output)!
    const page = await fetch(webApp!, { headers: { accept: 'text/html' } })
    assert.match(await page.text(), /<div id="app">/, 'the printed address opens the web app')
    const { code, output } = await installation.startAgain()
    assert.equal(code, 1)
    assert.match(
      output.trim(),
      /^Durable Trader already runs on \S+ \(process \d+\)\. Stop it, or set DATA_DIR.*$/,
    )
    const bought = await buyOne('first')
    assert.equal(bought.status, 201)

    const api = installation.parts().find(({ name }) => name === 'API')
    assert.ok(api)
    process.kill(api.pid, 'SIGKILL')
    while (!installation.output.includes('API works again.')) await sleep(50)

    const running = installation.parts()
    assert.deepEqual(running.map(({ name }) => name).toSorted(), [
      'API',
      'Paper venue',
      'PostgreSQL',
      'Temporal',
    ])
    await installation.stop('SIGINT')
    assert.deepEqual(running.filter(isRunning), [])
    assert.equal(existsSync(folder.path('data', 'run.json')), false)

    await installation.start()
    assert.match(installation.output, /Web app: unchanged/)
    assert.ok(!installation.output.includes(installation.credentials().token), 'the token is not shown again')
    const again = await buyOne('first')
    assert.equal(again.status, 200)
    assert.equal(again.signal.id, bought.signal.id)

    const left = installation.parts()
    await installation.stop('SIGKILL')
    // The guardian notices, and stops what is left in order.
    while (existsSync(folder.path('data', 'run.json'))) await sleep(50)
    assert.deepEqual(left.filter(isRunning), [])
  })
})
