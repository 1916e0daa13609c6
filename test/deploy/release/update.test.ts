import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { tool } from '#test/support/tools.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'

/** The release before: UPDATE_FROM, a tag or another name of a commit; by default the newest tag, or this commit where none is. */
const previous = async (): Promise<string> => {
  const wanted = process.env['UPDATE_FROM']
  if (wanted) return wanted
  const tags = execFileSync(await tool('git'), ['tag', '--list', 'v*', '--sort=-version:refname'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  })
  return tags.split('\n')[0] || 'HEAD'
}

/**
 * The data of an installation of the release before, made by its own code out of its own archive, taken over by this
 * code as by `git pull`, `npm ci`, `npm start`.
 */
describe('an update', function () {
  this.timeout(900_000)
  const folder = useTemporaryFolder()
  let running: LocalInstallation | undefined
  afterEach(() => running?.stop('SIGTERM'))

  async function unpack(release: string): Promise<string> {
    const path = folder.path('previous')
    mkdirSync(path)
    const archive = execFileSync(await tool('git'), ['archive', release], {
      cwd: REPOSITORY,
      maxBuffer: 1 << 30,
    })
    execFileSync(await tool('tar'), ['--extract', '--directory', path], { input: archive })
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, stdio: 'pipe' })
    return path
  }
  const asToken = ({ apiUrl, token }: { apiUrl: string; token: string }) =>
    new ApiClient(new URL(apiUrl).origin, token)

  it('finishes every signal that waited under the release before', async () => {
    const release = await previous()
    const begun = await LocalInstallation.plan(folder.path('data'), {}, await unpack(release))
    running = begun
    await begun.start()
    const credentials = begun.credentials()
    const before = asToken(credentials)
    const send = async (symbol: string, changes: object): Promise<string> => {
      const terms = { symbol, action: 'openLong', accountId: credentials.accountId, quantity: 2 }
      const { status, body } = await before.post('/signals', { ...terms, ...changes }, 30_000)
      assert.ok(status === 201 || status === 202, JSON.stringify(body))
      return body.signal.id as string
    }
    const due = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 90_000)
    const waiting = {
      exit: await send('AAPL', {
        executeMode: 'immediate',
        exitTriggerType: 'minutesAfterEntry',
        exitTriggerMinutes: 2,
      }),
      approval: await send('MSFT', { executeMode: 'pending', exitTriggerType: 'immediate' }),
      time: await send('AMD', {
        executeMode: 'scheduled',
        scheduledProcessAt: due.toISOString().slice(0, 19),
        timezone: 'UTC',
        exitTriggerType: 'immediate',
      }),
      fill: await send('NVDA', {
        executeMode: 'immediate',
        orderType: 'limit',
        // Within the collar, and below any price of that day.
        limitPrice: 75,
        timeInForce: 'gtc',
        exitTriggerType: 'immediate',
      }),
    }
    await begun.stop('SIGTERM')

    const updated = begun.runBy(REPOSITORY)
    running = updated
    await updated.start()
    const api = asToken(credentials)
    const { email, password } = credentials
    const { body } = await api.post('/auth/login', { email, password })
    const trader = new ApiClient(new URL(credentials.apiUrl).origin, body.data.accessToken)
    const approved = await trader.post(`/signals/${waiting.approval}/process`, {}, 30_000)
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    const shown = async (id: string) => (await api.get(`/signals/${id}`)).body.data
    const resting = await shown(waiting.fill)
    assert.equal(resting.status, 'executed')
    const cancelled = await trader.delete(`/orders/${resting.orderId}`)
    assert.ok(cancelled.status < 300, JSON.stringify(cancelled.body))
    for (const id of [waiting.exit, waiting.approval, waiting.time])
      await eventually(
        async () => {
          const { status, exit } = await shown(id)
          assert.deepEqual([status, exit.status], ['executed', 'filled'])
        },
        { within: 240_000, every: 500 },
      )
    await eventually(async () => assert.equal((await shown(waiting.fill)).exit.status, 'cancelled'))
    const { code, output } = await updated.run('admin', ['reconcile', '--wait', '10'])
    assert.equal(code, 0, output)
    console.log(`      from ${release}; ${output.trim().split('\n').at(-1)}`)
  })
})
