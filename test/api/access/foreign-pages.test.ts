import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { createAddressLimits } from '#api/access/address-limits.ts'
import { createLimits, type Limits } from '#api/access/limits.ts'
import { fileMailbox } from '#api/mail/mail.ts'
import { ROUTES } from '#api/routes.ts'
import { startApi, type Answer, type ApiServer, type CallOptions } from '../support/api-server.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { addPerson, PASSWORD, type Person } from '../support/person.ts'
import { askRaw } from '../support/raw-request.ts'

const OWN = 'http://127.0.0.1:3000'
const LISTED = 'https://desk.example.com'
const ID = '8f14e45f-ceea-467f-a0e6-6f1a3c0d2b11'
/** As browsers tell of the page that sends. */
const ELSEWHERE: Record<string, Record<string, string>> = {
  'of another site': { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  'of another site, in a browser that says no more': { Origin: 'https://evil.example' },
  'of another site, whose origin is withheld': { 'Sec-Fetch-Site': 'cross-site' },
  'in a box': { Origin: 'null' },
  'on another port of the host': { Origin: 'http://127.0.0.1:9999', 'Sec-Fetch-Site': 'same-site' },
  'on another port, whose origin is withheld': { 'Sec-Fetch-Site': 'same-site' },
  'under another name of this machine': { Origin: 'http://localhost:3000' },
  'whose name begins like ours': { Origin: `${OWN}.evil.example` },
  'by another scheme': { Origin: 'https://127.0.0.1:3000' },
  'that a browser which is not sure takes for ours': { Origin: OWN, 'Sec-Fetch-Site': 'cross-site' },
  'of two origins': { Origin: `${OWN}, https://evil.example` },
}
const FORMS = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
]

describe('a request that a page elsewhere has a browser send', function () {
  this.timeout(120_000)
  let api: ApiServer
  let store: CountStore
  let limits: Limits
  /** Of the counts by address, in milliseconds. */
  let now = 0
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-web-'))
  let person: Person
  let cookie: string
  let renewalKey: string
  before(async () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    api = await startApi({
      webFolder: folder,
      mailbox: fileMailbox('/nonexistent/mailbox.jsonl'),
      identity: { PUBLIC_URL: OWN, REGISTRATION: 'open' },
      limits: (url) => {
        store = openCountStore(url)
        return (limits = { ...createLimits(store), addresses: createAddressLimits(() => now) })
      },
    })
    person = await addPerson(api)
    const { headers, body } = await api.call('POST', '/api/v1/auth/login', {
      body: { email: person.email, password: PASSWORD, session: 'cookie' },
      headers: { Origin: OWN },
    })
    cookie = headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    renewalKey = body.data.renewalKey
  })
  after(async () => {
    await store.end()
    await api.stop()
    rmSync(folder, { recursive: true })
  })

  const writing = ROUTES.filter(({ method }) => method !== 'GET')
  /** Everything that the database holds, counts of requests among it. */
  async function contents(): Promise<Record<string, string>> {
    const { em } = api.database
    const tables = await em.execute<{ name: string }[]>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
    )
    const all: Record<string, string> = {}
    for (const { name } of tables) {
      const [row] = await em.execute<{ all: string | null }[]>(
        `select md5(string_agg(t::text, '|' order by t::text)) as all from ${name} t`,
      )
      all[name] = String(row!.all)
    }
    return all
  }
  const codeOf = ({ body }: Answer): string => body.code ?? body.error
  const ask = (
    { method, address, body }: (typeof ROUTES)[number],
    headers: Record<string, string>,
    more: CallOptions = {},
  ): Promise<Answer> =>
    api.call(method, address.replaceAll(/:\w+/g, ID), {
      body: JSON.stringify(Object.values(body?.examples ?? {})[0] ?? {}),
      ...more,
      headers: { 'Content-Type': 'application/json', Cookie: cookie, 'Renewal-Key': renewalKey, ...headers },
    })

  it('reaches none of the routes that write: nothing is changed, counted, sent or kept by the browser', async () => {
    assert.ok(writing.length > 50, `${writing.length} routes`)
    const before = await contents()
    const [logged, mails] = [api.log.length, api.mails.length]
    let sent = 0
    for (const route of writing)
      for (const [page, headers] of Object.entries(ELSEWHERE))
        for (const form of IS_LONG ? FORMS : [FORMS[sent % FORMS.length]!]) {
          const answer = await ask(route, { ...headers, 'Content-Type': form }, { token: person.jwt })
          sent += 1
          const shown = `${route.name} by a page ${page} as ${form}`
          assert.deepEqual([answer.status, codeOf(answer)], [403, 'ORIGIN_REFUSED'], shown)
          assert.deepEqual(answer.headers.getSetCookie(), [], shown)
          assert.equal(answer.headers.get('ratelimit-limit'), null, shown)
          assert.equal(answer.headers.get('access-control-allow-origin'), null, shown)
        }
    await api.whenIdle()
    assert.deepEqual(await contents(), before)
    assert.deepEqual([api.gateway.messages.length, api.mails.length - mails], [0, 0])
    const lines = api.log.slice(logged)
    assert.ok(lines.length >= 50 && lines.length < sent, `${lines.length} lines of log for ${sent} requests`)
    assert.ok(lines.every(({ refusedOrigin }) => typeof refusedOrigin === 'string'))
  })

  const LOOKS: [method: string, path: string][] = [
    ['GET', '/'],
    ['GET', '/index.html'],
    ['GET', '/healthz'],
    ['GET', '/healthz?a'],
    ['GET', '/nowhere'],
    ['GET', '/docs'],
    ['GET', '/api/v1/app'],
    ['GET', '/api/v1/signals'],
    ['HEAD', '/api/v1/signals'],
    ['OPTIONS', '/api/v1/auth/login'],
  ]
  const PARTS: Record<string, Record<string, string>> = {
    'as an image': { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    'by a script': { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', Origin: 'https://evil.example' },
    'as a frame': { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
  }

  it('uses up nothing of its viewer’s address by looks either, even by thousands of them', async () => {
    const before = await contents()
    const address = '127.0.0.1'
    const bounds = ['strangers', 'claims', 'files', 'probes'] as const
    const left = () => bounds.map((bound) => limits.addresses.standing(bound, address).remaining)
    const leftBefore = left()
    for (const site of ['cross-site', 'same-site'])
      for (const part of Object.values(PARTS))
        for (const [method, path] of LOOKS) {
          const headers = { 'Sec-Fetch-Site': site, Accept: 'text/html', ...part }
          const { status } = await askRaw(api.address, method, path, headers)
          assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
        }
    assert.deepEqual(left(), leftBefore)
    assert.deepEqual(await contents(), before)
  })

  it('uses up no ticket of an event stream, which is the one look that has an effect', async () => {
    const { ticket } = (await person.call('POST', '/events/ticket')).body.data
    const path = `/api/v1/events?ticket=${ticket}`
    const before = await contents()
    for (const headers of Object.values(ELSEWHERE))
      assert.deepEqual(codeOf(await api.call('GET', path, { headers })), 'ORIGIN_REFUSED')
    assert.deepEqual(await contents(), before)
    assert.equal((await api.call('GET', path, { headers: { 'Sec-Fetch-Site': 'same-origin' } })).status, 200)
  })

  it('a request that a page elsewhere has a browser send differs from those of our own pages, of listed ones and of programs, which all reach their routes', async () => {
    const { port } = new URL(api.address)
    const welcome: Record<string, string>[] = [
      {},
      { Origin: OWN, 'Sec-Fetch-Site': 'same-origin' },
      { Origin: LISTED, 'Sec-Fetch-Site': 'cross-site' },
      { Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' },
      { Origin: `http://localhost:${port}`, Host: `localhost:${port}` },
      { 'Sec-Fetch-Site': 'none' },
    ]
    for (const route of writing)
      for (const headers of welcome) {
        // With nothing that could be done, so that only the way in is tried.
        const address = route.address.replaceAll(/:\w+/g, ID)
        const all = { 'Content-Type': 'application/json', ...headers }
        const { text } = await askRaw(api.address, route.method, address, all, '{"unheardOf":1}')
        assert.doesNotMatch(text, /ORIGIN_REFUSED/, `${route.name} ${JSON.stringify(headers)}`)
      }
  })

  it('a request that a page elsewhere has a browser send may be one of a listed page with a token, but then begins no session in a cookie and uses none', async () => {
    const headers = { Origin: LISTED, 'Sec-Fetch-Site': 'cross-site' }
    await api.database.em.execute('truncate sign_in_counts, request_counts')
    const credentials = { email: person.email, password: PASSWORD }
    const signedIn = await api.call('POST', '/api/v1/auth/login', { body: credentials, headers })
    assert.deepEqual([signedIn.status, signedIn.headers.getSetCookie()], [200, []])
    assert.equal(signedIn.headers.get('access-control-allow-origin'), LISTED)
    for (const [path, body] of [
      ['login', { ...credentials, session: 'cookie' }],
      ['refresh', {}],
      ['logout', {}],
    ] as const) {
      const answer = await api.call('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { ...headers, Cookie: cookie, 'Renewal-Key': renewalKey },
      })
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'ORIGIN_REFUSED'], path)
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
  })

  it('a request that a page elsewhere has a browser send is known behind a proxy by the address of the service, for any host that the proxy passes on', async () => {
    const behind = await startApi({ identity: { PUBLIC_URL: 'https://trader.example.com' } })
    const login = (headers: Record<string, string>) =>
      askRaw(
        behind.address,
        'POST',
        '/api/v1/auth/login',
        { 'Content-Type': 'application/json', ...headers },
        JSON.stringify({ email: 'a@b.example', password: 'x' }),
      )
    const { host } = new URL(behind.address)
    try {
      for (const headers of [{ Host: 'api.internal:3000' }, { Host: 'trader.example.com' }, {}])
        assert.equal((await login({ Origin: 'https://trader.example.com', ...headers })).status, 401)
      for (const headers of [
        { Origin: 'http://api.internal:3000', Host: 'api.internal:3000' },
        { Origin: 'http://trader.example.com', Host: 'trader.example.com' },
        { Origin: `http://${host}` },
      ])
        assert.equal((await login(headers)).status, 403, JSON.stringify(headers))
    } finally {
      await behind.stop()
    }
  })

  it('a request that a page elsewhere has a browser send is not taken for one of ours by the host that it names, as a name does that was made to lead here', async () => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', '127.0.0.1:3000.evil.example'])
      for (const origin of [`http://${host}`, `https://${host}`]) {
        const headers = { Host: host, Origin: origin, 'Sec-Fetch-Site': 'same-origin' }
        const { status } = await askRaw(api.address, 'POST', '/api/v1/auth/login', headers, '{}')
        assert.equal(status, 403, origin)
      }
  })

  it('a request that a page elsewhere has a browser send is JSON or nothing, but for signals and messages to hooks, whose senders may have text alone', async () => {
    const taking = ROUTES.filter(({ body }) => body?.isTextTaken)
    assert.deepEqual(
      taking.map(({ name }) => name),
      ['POST /api/v1/signals', 'POST /hooks/:hookId/:secret', 'POST /hooks/:hookId'],
    )
    now += 60_000
    for (const route of writing.filter(({ body, access }) => body && access.mayBeAnonymous)) {
      await api.database.em.execute('truncate sign_in_counts, request_counts')
      const { status } = await ask(route, { 'Content-Type': 'text/plain', Origin: OWN, Cookie: '' })
      assert.equal(status, 415, route.name)
    }
  })
})
