import assert from 'node:assert/strict'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { askRaw } from '../support/raw-request.ts'

const HOOKS_URL = 'https://hooks.example.com'
const HOOK = '/hooks/5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f/x'
const EVERYTHING_ELSE = [
  '/',
  '/docs',
  '/healthz',
  '/mailbox',
  '/hooks',
  HOOK,
  '/api/v1/hooks',
  '//healthz',
  '/hooks/../healthz',
]

describe('an address for hooks alone', function () {
  this.timeout(60_000)
  let api: ApiServer
  let plain: ApiServer
  before(async () => {
    api = await startApi({ identity: { PUBLIC_URL: 'http://127.0.0.1:3000', HOOKS_URL } })
    plain = await startApi({ identity: { PUBLIC_URL: 'http://127.0.0.1:3000' } })
  })
  after(() => Promise.all([api.stop(), plain.stop()]))

  const answers = (of: ApiServer, target: string, headers: Record<string, string>) =>
    askRaw(of.address, 'GET', target, headers)

  for (const [way, headers] of Object.entries({
    'by its name': { Host: 'hooks.example.com' },
    'through a proxy that names this machine': { Host: '127.0.0.1:3000', 'X-Forwarded-For': '203.0.113.9' },
    'through a tunnel': { Host: '127.0.0.1:3000', 'CF-Connecting-IP': '203.0.113.9' },
  }))
    it(`an address for hooks alone shows nothing else to a request ${way}`, async () => {
      for (const target of EVERYTHING_ELSE) {
        const { status, text } = await answers(api, target, headers)
        assert.equal(status, 404, target)
        assert.match(text, /NOT_FOUND/, target)
      }
    })

  it('an address for hooks alone takes nothing from the person at this machine', async () => {
    for (const target of ['/', '/docs', '/healthz'])
      assert.equal((await answers(api, target, {})).status, 200, target)
  })

  it('an address for hooks alone is nothing that a service without one has', async () => {
    assert.equal((await answers(plain, '/healthz', { 'X-Forwarded-For': '203.0.113.9' })).status, 200)
  })

  it('an address for hooks alone lets a request of a sender on to its hook', async () => {
    const sent = (headers: Record<string, string>) => askRaw(api.address, 'POST', HOOK, headers, '{}')
    const [outside, inside] = await Promise.all([sent({ Host: 'hooks.example.com' }), sent({})])
    assert.equal(outside.status, inside.status)
  })
})
