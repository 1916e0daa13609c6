import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { presentCursor } from '#contract/desktop.ts'
import { fileMailbox } from '#api/mail/mail.ts'
import type { Route } from '#api/route/route.ts'
import { ROUTES } from '#api/routes.ts'
import { addAdministrator } from '../support/administrator.ts'
import { renewProof, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { askRaw } from '../support/raw-request.ts'
import { useApi } from '../support/use-api.ts'

const UNKNOWN = 'unheardOf'
const ID = randomUUID()
/** Parameters of paths that are no ids of records. */
const TEXTS: Readonly<Record<string, string>> = {
  symbol: 'AAPL',
  userCode: 'WDJB-MJHT',
  file: 'start.js',
  secret: 'none',
}

/** What the query of a route must hold. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /api/v1/assets': '?search=AAPL',
  'GET /api/v1/market/quotes': '?symbols=AAPL',
  'GET /api/v1/market/bars': '?symbol=AAPL&timeframe=1d&from=2026-03-02T00:00:00Z',
  'GET /api/v1/desktop/sync/changes': `?since=${presentCursor(new Date())}`,
}

interface Fault {
  code: string
  field: string
}
interface Refusal {
  code?: string
  error: string
  details?: Fault[]
}

describe('input that a route does not declare', function () {
  this.timeout(120_000)
  let person: Person
  let desktop: string
  // With a mailbox, so that every route there can be is there.
  const api = useApi({
    mailbox: fileMailbox('/nonexistent/mailbox.jsonl'),
    identity: { PUBLIC_URL: 'http://127.0.0.1:3000' },
  })
  before(async () => {
    person = await addAdministrator(api)
    const { em } = api.database
    const { userId } = person
    await em.execute(`update users set plan = 'PRO' where id = ?`, [userId])
    const session = randomUUID()
    await em.execute(
      `insert into sessions (id, user_id, kind, name, ip, expires_at)
       values (?, ?, 'desktop', 'x', '::1', now() + interval '1 day')`,
      [session, userId],
    )
    desktop = await storeToken(api, userId, {})
    await em.execute(`update access_tokens set kind = 'desktop', session_id = ? where user_id = ?`, [
      session,
      userId,
    ])
  })
  beforeEach(() => renewProof(api, person))

  /** Sends a request with all that the guard of the route asks for. */
  async function ask(
    { name, method, access: { credentials } }: Route,
    target: string,
    body?: string,
  ): Promise<{ status: number; answer: Refusal }> {
    const credential = credentials.includes('jwt') ? person.jwt : desktop
    const { status, text } = await askRaw(
      api.address,
      method,
      target,
      {
        ...(credentials.length > 0 && { Authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body,
    )
    assert.ok(text.startsWith('{'), `${name} ${target} answered ${status} ${text.slice(0, 100)}`)
    return { status, answer: JSON.parse(text) as Refusal }
  }

  /** Hooks take whatever their senders write, and tell strangers nothing of it. */
  const isForSenders = ({ name, access: { credentials } }: Route): boolean =>
    credentials.includes('hook') || name === 'POST /api/v1/telegram/:channelId'

  const filled = (address: string, ids: Readonly<Record<string, string>> = {}): string =>
    address.replaceAll(/:(\w+)/g, (_, parameter: string) => TEXTS[parameter] ?? ids[parameter] ?? ID)

  const assertRefused = (
    { status, answer }: { status: number; answer: Refusal },
    { name }: Route,
    expected: Fault,
  ): void => {
    const said = `${name}: ${status} ${JSON.stringify(answer)}`
    assert.equal(status, 400, said)
    assert.ok(['VALIDATION_ERROR', 'INVALID_ORDER'].includes(answer.code ?? answer.error), said)
    assert.ok(
      answer.details?.some(({ code, field }) => code === expected.code && field === expected.field),
      said,
    )
  }

  for (const route of ROUTES.filter((one) => one.name !== 'GET /mailbox' && !isForSenders(one)))
    it(`input that a route does not declare is refused by ${route.name}: an unknown key in the query`, async () => {
      const answer = await ask(route, `${filled(route.address)}?${UNKNOWN}=1`)
      assertRefused(answer, route, { code: 'unrecognized_key', field: UNKNOWN })
    })

  it('input that a route does not declare is refused by GET /mailbox like all that comes without its secret: nothing is there', async () => {
    const route = ROUTES.find(({ name }) => name === 'GET /mailbox')!
    const { status, answer } = await ask(route, `/mailbox?${UNKNOWN}=1`)
    assert.deepEqual([status, answer.code], [404, 'NOT_FOUND'])
  })

  for (const route of ROUTES.filter((one) => one.body && !isForSenders(one)))
    it(`input that a route does not declare is refused by ${route.name}: an unknown key in the body`, async () => {
      const answer = await ask(route, filled(route.address), JSON.stringify({ [UNKNOWN]: 1 }))
      assertRefused(answer, route, { code: 'unrecognized_key', field: UNKNOWN })
    })

  for (const route of ROUTES.filter(({ body }) => !body))
    it(`input that a route does not declare is refused by ${route.name}: a body, which it does not take`, async () => {
      const target = filled(route.address) + (QUERIES[route.name] ?? '')
      const named = await ask(route, target, JSON.stringify({ [UNKNOWN]: 1 }))
      assertRefused(named, route, { code: 'unrecognized_key', field: UNKNOWN })
      for (const [body, code] of [
        ['[]', 'invalid_type'],
        ['no JSON', 'invalid_json'],
        [`"${'x'.repeat(100_000)}"`, 'unexpected_body'],
      ] as const)
        assertRefused(await ask(route, target, body), route, { code, field: '' })
    })

  it('input that a route does not declare is an empty object where there is no body: clients that send one with every POST are served', async () => {
    const route = ROUTES.find(({ name }) => name === 'GET /api/v1/me')!
    assert.equal((await ask(route, route.address, '{}')).status, 200)
  })

  it('input that a route does not declare is no other record when an id is spelled in capitals, wherever a path names one', () => {
    for (const route of ROUTES)
      for (const [parameter, { schema }] of Object.entries(route.path))
        if (!(parameter in TEXTS)) assert.equal(schema.parse(ID.toUpperCase()), ID, route.name)
  })

  it('input that a route does not declare is the same as an absent record where the text of a path is no id', async () => {
    for (const route of ROUTES.filter(({ method }) => method === 'GET'))
      for (const [parameter, { absent }] of Object.entries(route.path)) {
        if (absent === undefined || parameter in TEXTS) continue
        const { status, answer } = await ask(route, filled(route.address, { [parameter]: 'x' }))
        assert.deepEqual([status, answer.code ?? answer.error], [404, absent], route.name)
      }
  })
})
