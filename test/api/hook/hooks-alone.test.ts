import assert from 'node:assert/strict'
import type { ApiServer } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { askRaw } from '../support/raw-request.ts'

const WEBHOOK_URL = 'https://hooks.example.com'
const HOOK = '/hooks/5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f/x'
const EVERYTHING_ELSE = [
  HOOK,
  ...'/ /docs /healthz /mailbox /hooks /api/v1/hooks //healthz /hooks/../healthz'.split(' '),
]

/** Ways to write a host in the header `Host`: in capitals, with a port, with a final dot. */
const spellingsOf = (name: string): string[] =>
  [name, name.toUpperCase(), name.replace(/^\w/, (first) => first.toUpperCase())].flatMap((cased) =>
    ['', '.'].flatMap((dot) => ['', ':80', ':443', ':8443', ':3000', ':'].map((port) => cased + dot + port)),
  )

/** Hosts that are neither that of people nor this machine, by which a tunnel or proxy may call. */
const OTHERS = [
  ...spellingsOf('hooks.example.com'),
  ...spellingsOf('elsewhere.example'),
  ...spellingsOf('trader.example.com.evil.example'),
  'hooks.example.com..',
  'hooks%2Eexample.com',
  'trader.example.com@hooks.example.com',
  'xtrader.example.com',
  '203.0.113.9',
  '[2001:db8::1]',
  'localhost.example',
  '127.0.0.1.example',
]

describe('an address for hooks alone', () => {
  const at = (publicUrl: string, hooksUrl?: string) =>
    useApi({ identity: { PUBLIC_URL: publicUrl, ...(hooksUrl && { WEBHOOK_URL: hooksUrl }) } })
  const api = at('http://127.0.0.1:3000', WEBHOOK_URL)
  const plain = at('http://127.0.0.1:3000')
  const beside = at('https://trader.example.com', WEBHOOK_URL)
  const sameName = at('https://trader.example.com:8443', 'https://trader.example.com')

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

  it('an address for hooks alone shows nothing else to a request by a host that is not that of people, however it is written', async () => {
    for (const host of OTHERS)
      for (const [of, target] of [
        [api, '/healthz'],
        [beside, '/api/v1/hooks'],
      ] as const) {
        const { status } = await answers(of, target, { Host: host })
        // What is no host at all is refused before.
        const isRefused = status === 404 || (status === 400 && !/^[\w.:-]+$/.test(host))
        assert.ok(isRefused, `${host} ${target}: ${status}`)
      }
  })

  it('an address for hooks alone leaves people their own, however its host is written, and this machine', async () => {
    const here = ['localhost:3000', 'LOCALHOST', '127.0.0.1:3000', '[::1]:3000']
    for (const host of [...spellingsOf('trader.example.com'), ...here])
      assert.equal((await answers(beside, '/healthz', { Host: host })).status, 200, host)
    const passed = { Host: 'trader.example.com', 'X-Forwarded-For': '203.0.113.9' }
    assert.equal((await answers(beside, '/healthz', passed)).status, 200)
  })

  it('an address for hooks alone shows nothing else through a proxy that writes the name of this machine, also beside an address of people elsewhere', async () => {
    const headers = { Host: '127.0.0.1:3000', 'X-Forwarded-For': '203.0.113.9' }
    assert.equal((await answers(beside, '/healthz', headers)).status, 404)
  })

  it('an address for hooks alone differs by its port from that of people at the same name', async () => {
    const asked = (host: string) => answers(sameName, '/healthz', { Host: host })
    for (const host of ['trader.example.com:8443', 'TRADER.example.com.:8443'])
      assert.equal((await asked(host)).status, 200, host)
    const others = [
      'trader.example.com',
      'Trader.example.com:443',
      'trader.example.com.',
      'trader.example.com:80',
    ]
    for (const host of others) assert.equal((await asked(host)).status, 404, host)
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
