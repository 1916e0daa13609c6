import assert from 'node:assert/strict'
import { ROUTES as DECLARED } from '#api/routes.ts'
import { policyOf } from '#test/api/support/access-policy.ts'
import { randomUUID } from 'node:crypto'
import { addAdministrator } from '../support/administrator.ts'
import { signalBody, type Answer } from '../support/api-server.ts'
import { createAccount } from '../../support/factories.ts'
import { HOSTILE_IN_ADDRESS, HOSTILE_JSON, HOSTILE_MOMENTS_IN_ADDRESS } from '../support/hostile-values.ts'
import { PASSWORD, renewProof, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { useApi } from '../support/use-api.ts'

/** The fields of every route that changes something; none where it takes no body. */
const FIELDS: Record<string, object> = Object.fromEntries(
  DECLARED.filter(({ name, method }) => /^(POST|PUT|PATCH)$/.test(method) && name.includes(' /api/v1')).map(
    ({ name, body }) => [name, body?.schema.shape ?? {}],
  ),
)

/** Every parameter that any list knows, and one that none does. */
const PARAMETERS = [
  'accountId',
  'strategyId',
  'sourceId',
  'symbol',
  'status',
  'limit',
  'offset',
  'cursor',
  'from',
  'to',
  'executeMode',
  'state',
  'kind',
  'since',
  'archived',
  'period',
  'userId',
  'unheardOf',
]

const OF_TIME: ReadonlySet<string> = new Set(['from', 'to', 'since', 'cursor'])
const hostileFor = (parameter: string): readonly string[] =>
  OF_TIME.has(parameter) ? [...HOSTILE_IN_ADDRESS, ...HOSTILE_MOMENTS_IN_ADDRESS] : HOSTILE_IN_ADDRESS

/** Hashing passwords takes long; a few values tell whether a body that is otherwise right is dealt with. */
const SLOW = /auth\/(register|login|desktop-login|password|verify|reset-password|mfa\/(disable|backup))/
const FEW = new Set(HOSTILE_JSON.filter((_, index) => index % (IS_LONG ? 6 : 15) === 0))

/** All of some values, or every twelfth in the short form, others for the next field. */
const turnOf = (n: number, values: readonly string[]): readonly string[] =>
  IS_LONG ? values : values.filter((_, index) => (index + n) % 12 === 0)

const ROUTES: readonly string[] = DECLARED.map(({ name }) => name).filter((name) => name.includes(' /api/v1'))

describe('hostile values', function () {
  this.timeout(180_000)
  let person: Person
  let accountId: string
  let desktop: string
  const api = useApi()
  before(async () => {
    person = await addAdministrator(api)
    await api.database.em.execute(`update users set plan = 'PRO' where id = ?`, [person.userId])
    const own = { userId: person.userId, lastSyncedAt: new Date() }
    accountId = (await createAccount(api.database.em, own)).id
    // A broker that knows no symbol, as none is known by such names.
    api.broker.asset = null
    const session = randomUUID()
    await api.database.em.execute(
      `insert into sessions (id, user_id, kind, name, ip, expires_at)
       values (?, ?, 'desktop', 'x', '::1', now() + interval '1 day')`,
      [session, person.userId],
    )
    desktop = await storeToken(api, person.userId, {})
    await api.database.em.execute(
      `update access_tokens set kind = 'desktop', session_id = ? where user_id = ?`,
      [session, person.userId],
    )
  })
  beforeEach(() => renewProof(api, person))

  const credentialFor = (route: string): string | undefined => {
    const { credentials } = policyOf(route)!
    if (credentials.length === 0) return undefined
    return credentials.includes('jwt') ? person.jwt : desktop
  }

  /** How many rows each table has, but for those that count and log attempts. */
  async function rowCounts(): Promise<Record<string, number>> {
    const tables = await api.database.em.execute<{ name: string }[]>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_name not in ('audit_events', 'schema_migrations')`,
    )
    const counts = await api.database.em.execute<{ name: string; rows: number }[]>(
      tables
        .map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`)
        .join(' union all '),
    )
    return Object.fromEntries(counts.map(({ name, rows }) => [name, rows]))
  }

  /** Sound values for the fields of a route, so that a hostile one is all that is wrong. */
  const sound = (route: string, fields: object): Record<string, unknown> => {
    if (route === 'POST /api/v1/signals') return signalBody(accountId)
    if (route === 'POST /api/v1/orders')
      return { accountId, symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 1 }
    const values: Record<string, unknown> = {
      email: 'nobody@example.test',
      password: PASSWORD,
      currentPassword: PASSWORD,
      newPassword: PASSWORD,
      token: 'x',
      code: '000000',
      deviceName: 'x',
      deviceCode: 'x',
      label: 'x',
      name: 'x',
      scopes: ['trading:read'],
      ids: [randomUUID()],
    }
    return Object.fromEntries(
      Object.keys(fields).flatMap((name) => (name in values ? [[name, values[name]]] : [])),
    )
  }

  function assertDealtWith(answer: Answer, what: string): void {
    assert.ok(answer.status < 500, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    assert.ok(answer.headers.get('x-request-id'), what)
    assert.equal(answer.headers.get('set-cookie')?.includes('a=b') ?? false, false, what)
  }

  for (const [route, fields] of Object.entries(FIELDS))
    it(`hostile values in the body of ${route} break nothing, are named, and are not stored when they are refused`, async () => {
      const names = [...Object.keys(fields), 'unheardOf']
      const [method, template] = route.split(' ') as [string, string]
      const path = template.replaceAll(/:\w+/g, route.includes('userCode') ? 'WDJB-MJHT' : randomUUID())
      const base = sound(route, fields)
      const before_ = await rowCounts()
      let accepted = 0
      let created = 0
      for (const [n, field] of names.entries())
        for (const value of SLOW.test(route) ? FEW : turnOf(n, HOSTILE_JSON)) {
          const others = Object.entries(base).filter(([name]) => name !== field)
          const body = `{${others.map(([name, other]) => `${JSON.stringify(name)}:${JSON.stringify(other)},`).join('')}"${field}":${value}}`
          const what = `${route} ${field}=${value.slice(0, 60)}`
          const answer = await api.call(method, path, { token: credentialFor(route), body })
          assertDealtWith(answer, what)
          if (answer.status < 300) accepted += 1
          if (answer.status === 201 || answer.status === 202) created += 1
          if (answer.body?.code !== 'VALIDATION_ERROR') continue
          const named = answer.body.details.map((detail: { path: unknown[] }) => detail.path[0])
          assert.ok(named.length > 0, what)
          if (field === 'unheardOf') assert.ok(named.includes(field), `${what}: ${named}`)
          for (const { message, path: at, field: joined } of answer.body.details) {
            assert.ok(message.length > 0 && message.length < 400, what)
            assert.equal(at.join('.'), joined, what)
          }
        }
      await api.whenIdle()
      const after_ = await rowCounts()
      if (accepted === 0) assert.deepEqual(after_, before_)
      if (route === 'POST /api/v1/signals') {
        assert.equal(after_['signals']! - before_['signals']!, created)
      }
    })

  for (const route of ROUTES.filter((name) => name.startsWith('GET ')))
    it(`hostile values in the query of ${route} break nothing, and are named when they are refused`, async () => {
      const before_ = await rowCounts()
      const path = route.split(' ')[1]!.replaceAll(/:\w+/g, randomUUID())
      for (const [n, parameter] of PARAMETERS.entries()) {
        const probe = await api.call('GET', `${path}?${parameter}=x`, { token: credentialFor(route) })
        const isUnknown = probe.body?.details?.[0]?.code === 'unrecognized_key'
        for (const value of isUnknown ? ['%00'] : turnOf(n, hostileFor(parameter))) {
          const query = `?${parameter}=${value}`
          const answer = await api.call('GET', path + query, { token: credentialFor(route) })
          const what = `${route} ${query.slice(0, 60)}`
          assertDealtWith(answer, what)
          const named: { path: unknown[]; code: string }[] = answer.body?.details ?? []
          assert.ok(
            // A query that is too long is refused before any parameter of it is read.
            named.every(({ path: at, code }) => at.length > 0 || code === 'query_too_long'),
            what,
          )
        }
      }
      assert.deepEqual(await rowCounts(), before_)
    })

  for (const [n, route] of ROUTES.filter((name) => name.includes(':')).entries())
    it(`hostile values in the path of ${route} are answered like an unknown record`, async () => {
      const [method, template] = route.split(' ') as [string, string]
      for (const value of turnOf(n, HOSTILE_IN_ADDRESS)) {
        // Twice a long one is more than a server reads of a request before it knows whose it is.
        const last = template.lastIndexOf(':')
        const others = value.length < 1_000 ? value : randomUUID()
        const path =
          template.slice(0, last).replaceAll(/:\w+/g, others) + template.slice(last).replace(/:\w+/, value)
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const answer = await api.call(method, path, { token: credentialFor(route), body })
        const what = `${method} ${path.slice(0, 80)}`
        assertDealtWith(answer, what)
        // An empty part makes another address of it; too long a one is refused before any route is found.
        if (value !== '' && value.length < 1_000)
          assert.ok([400, 404].includes(answer.status), `${what}: ${answer.status}`)
      }
    })

  it('hostile values of a year that cannot be stored or waited for are named at their place', async () => {
    const zoned = { timezone: 'Asia/Tokyo' }
    const gtd = { timeInForce: 'gtd', orderType: 'limit', limitPrice: 1 }
    for (const [field, value, more] of [
      ['scheduledProcessAt', '2400-01-01T10:00:00', { executeMode: 'scheduled', ...zoned }],
      ['scheduledProcessAt', '0000-01-01T10:00:00', { executeMode: 'scheduled', ...zoned }],
      ['validUntil', '9999-12-31T23:59:59', { executeMode: 'pending', ...zoned }],
      ['validUntil', '0000-01-01T00:00:00', { executeMode: 'pending', ...zoned }],
      ['expiresAt', '9999-12-31T23:59:59-14:00', gtd],
      ['expiresAt', '0001-01-01T00:00:00+14:00', gtd],
    ] as const) {
      const answer = await person.call('POST', '/signals', signalBody(accountId, { ...more, [field]: value }))
      const named = answer.body.details?.map((detail: { field: string }) => detail.field)
      assert.deepEqual([answer.status, named], [400, [field]], JSON.stringify(answer.body))
    }
    const lists = ['/dashboard/balance-history', '/signals', '/orders', '/trades', '/alerts', '/audit-log']
    for (const list of lists)
      for (const parameter of ['from', 'to'])
        for (const value of ['0000-01-01', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00']) {
          const { status, body } = await person.call('GET', `${list}?${parameter}=${value}`)
          assert.equal(status, 400, `${list} ${parameter}=${value}`)
          assert.match(JSON.stringify(body), new RegExp(`"${parameter}"`), `${list} ${parameter}=${value}`)
        }
  })

  it('leave no key on every object behind, and no error in the log', () => {
    assert.equal(Object.hasOwn(Object.prototype, 'isAdmin'), false)
    assert.deepEqual(
      api.log.filter(({ level }) => Number(level) >= 50),
      [],
    )
  })
})
