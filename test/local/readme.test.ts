import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { LocalInstallation } from '#test/support/installation.ts'
import { tool } from '#test/support/tools.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

/** The blocks of commands in README.md, without the indentation of a list. */
const BLOCKS = [...read('README.md').matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent, text]) =>
  text!.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
)

describe('the commands in README.md', function () {
  this.timeout(240_000)
  const folder = useTemporaryFolder()
  let installation: LocalInstallation
  let untried: string[]

  beforeEach(async () => {
    await tool('curl')
    untried = [...BLOCKS]
    installation = await LocalInstallation.plan(folder.path('.data'))
  })
  afterEach(() => installation?.stop('SIGTERM'))

  /** The one block with that part. */
  function block(part: string): string {
    const found = BLOCKS.filter((each) => each.includes(part))
    assert.equal(found.length, 1, `blocks of README.md with ${part}`)
    untried = untried.filter((each) => each !== found[0])
    return found[0]!
  }

  /** Runs a block in the folder above `.data`, in a shell that has run the block of variables, until the output is enough. */
  function run(commands: string, isEnough = (_output: string): boolean => false): Promise<string> {
    const shell = spawn('sh', ['-ec', `${block('API=')}\n${commands}`], {
      cwd: folder.path(),
      env: installation.environment,
      detached: true,
    })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk) => {
        output += String(chunk)
        if (isEnough(output)) process.kill(-shell.pid!, 'SIGTERM')
      })
    return new Promise((resolve, reject) => {
      shell.on('error', reject)
      shell.on('close', () => resolve(output))
    })
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  const answerOf = async (commands: string): Promise<any> => JSON.parse(await run(commands))

  /** The address of a new hook for the paper account, as the web app makes one. */
  async function newHook(): Promise<string> {
    const { apiUrl, email, password, accountId } = installation.credentials()
    const { origin } = new URL(apiUrl)
    const { body: signedIn } = await new ApiClient(origin, '').post('/auth/login', { email, password })
    const person = new ApiClient(origin, signedIn.data.accessToken)
    const hook = { name: 'Alerts', kind: 'tradingview', accountIds: [accountId] }
    const { status, body } = await person.post('/hooks', hook)
    assert.equal(status, 201, JSON.stringify(body))
    return body.data.url
  }

  it('the commands in README.md work as they are, in the order in which the page has them', async () => {
    const { scripts } = JSON.parse(read('package.json'))
    assert.deepEqual(
      [block('npm ci && npm start'), block('npm ci && npm test')].map((line) =>
        line.replace('npm ci && ', ''),
      ),
      ['npm start', 'npm test'],
    )
    assert.match(scripts.start, / local\/main\.js$/)
    assert.match(scripts.test, / test\/runner\/main\.ts$/)
    await installation.start()

    const first = await answerOf(block('my-first-signal'))
    assert.equal(first.signal.status, 'executed', JSON.stringify(first))
    assert.match(first.signal.orderId, /^[0-9a-f-]{36}$/)
    assert.equal((await answerOf(block('my-first-signal'))).signal.id, first.signal.id)

    const opened = Promise.withResolvers<void>()
    const stream = run(block('/events?'), (output) => {
      opened.resolve()
      return output.includes('MSFT')
    })
    await opened.promise
    const planned = await answerOf(block('"protection"'))
    assert.equal(planned.signal.status, 'executed', JSON.stringify(planned))
    assert.match(await stream, new RegExp(planned.signal.id))

    installation.environment['HOOK'] = await newHook()
    const told = await answerOf(block('buy 10 NVDA'))
    assert.equal(told.outcome, 'accepted', JSON.stringify(told))

    for (const option of ['--webhook-url', '--public-url']) {
      await installation.stop('SIGTERM')
      const [, options] = /^npm start -- (.+)$/.exec(block(option))!
      await installation.start(...options!.split(' '))
      assert.ok(installation.output.includes(options!.split(' ')[1]!))
    }
    assert.deepEqual(untried, [], 'commands of README.md that this test does not try')
  })
})
