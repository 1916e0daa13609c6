import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { useTemporaryFolder } from '../local/temporary-folder.ts'

const FOLDER = join(REPOSITORY, 'deploy/prometheus')
const ROUTES = join(FOLDER, 'alertmanager.yml')
/** Addresses with every character that could mean something to the program that writes them. */
const RECEIVERS = {
  ALERT_PAGER_URL: `https://pager.example.com/v1?key=a&to=b#c%20d;e"f$HOME/*[x]`,
  ALERT_DESK_URL: 'http://10.0.0.5:8080/desk',
}

type Config = { receivers: { name: string; webhook_configs: { url: string }[] }[] }

describe('the start of the Alertmanager', () => {
  const folder = useTemporaryFolder()
  const start = (environment: Record<string, string>, routes = ROUTES, command = ['echo', 'begun', 'a b']) =>
    spawnSync('sh', [join(FOLDER, 'start-alertmanager.sh'), routes, folder.path('config.yml'), ...command], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/nowhere', ...environment },
    })
  const config = () => parse(readFileSync(folder.path('config.yml'), 'utf8')) as Config

  it('puts the receivers of the environment into the routes, with any content, and becomes the command', () => {
    const { status, stdout, stderr } = start(RECEIVERS)
    assert.deepEqual([status, stdout, stderr], [0, 'begun a b\n', ''])
    assert.deepEqual(
      config().receivers.map(({ name, webhook_configs }) => [name, webhook_configs.map(({ url }) => url)]),
      [
        ['pager', [RECEIVERS.ALERT_PAGER_URL]],
        ['desk', [RECEIVERS.ALERT_DESK_URL]],
      ],
    )
    const asDelivered = parse(readFileSync(ROUTES, 'utf8')) as Config
    assert.deepEqual({ ...config(), receivers: [] }, { ...asDelivered, receivers: [] })
    assert.equal(statSync(folder.path('config.yml')).mode & 0o077, 0, 'the addresses are secrets')
  })

  it('ends with the name of a receiver that is missing or no address, and never shows it', () => {
    for (const name of Object.keys(RECEIVERS))
      for (const value of [
        '',
        'pager-secret.example.com',
        'ftp://secret',
        'https://',
        ...["'", '|', '\\', ' ', '\n'].map((character) => `https://secret${character}x`),
      ]) {
        const { status, stdout, stderr } = start({ ...RECEIVERS, [name]: value })
        assert.deepEqual([status, stdout], [1, ''], value)
        assert.ok(stderr.startsWith(`start-alertmanager.sh: ${name} `), stderr)
        assert.ok(!stderr.includes('secret'), stderr)
      }
    const { stderr } = start({ ALERT_DESK_URL: RECEIVERS.ALERT_DESK_URL })
    assert.match(stderr, /ALERT_PAGER_URL is not set: it says where alerts are sent\. Set it in \.env/)
  })
})
