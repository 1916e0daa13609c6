import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ROUTES } from '#api/routes.ts'
import { policyOf } from '#test/api/support/access-policy.ts'
import { recordFills } from '#db/position/fills.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { addDays } from '#domain/time/wall-time.ts'
import {
  createAccount,
  createConnection,
  createPosition,
  createSignal,
  createStrategy,
  orderReport,
} from '../../support/factories.ts'
import { aFill } from '../../support/fills.ts'
import { IS_LONG } from '../../support/generators.ts'
import { signalBody, type Answer } from '../support/api-server.ts'
import { browserForTests } from '../support/push.ts'
import { addPerson, type Person } from '../support/person.ts'
import { storeToken, strangersTo, type TestPrincipal } from '../support/principals.ts'
import { useApi } from '../support/use-api.ts'

/** Stands in every text of the owner's, so that one look finds whatever got out. */
const MARK = 'XMARKX'

/** The kinds of objects that requests refer to, by the names under which they do. */
const KINDS = [
  'accountId',
  'strategyId',
  'signalId',
  'groupId',
  'orderId',
  'tradeId',
  'brokerId',
  'tokenId',
  'sessionId',
  'userId',
  'channelId',
  'hookId',
  'secretId',
  'requestId',
  'flattenId',
] as const
type Kind = (typeof KINDS)[number]
type References = Record<Kind, string>

/** What a path parameter refers to where its name alone does not say so. */
const PARAMETERS: Record<string, Kind | null> = {
  id: 'signalId',
  // A code is shared by whoever shows it to whoever types it; it belongs to nobody until then.
  userCode: null,
  symbol: null,
}

/** Bodies that refer to objects, by route; the other routes are asked with an empty one. */
const BODIES: Record<string, (ref: References, ownAccountId: string) => Record<string, unknown>[]> = {
  'POST /api/v1/orders': ({ accountId }) => [
    { accountId, symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 1 },
  ],
  'POST /api/v1/positions/flatten': ({ accountId }) => [{ accountId }],
  'PATCH /api/v1/accounts/:accountId': () => [{ flatByClose: { minutes: 10 } }, { flatByClose: null }],
  'POST /api/v1/signals': (ref, ownAccountId) => [
    signalBody(ref.accountId),
    signalBody(ref.accountId, { sourceId: `${MARK}-source` }),
    signalBody(ref.accountId, { sourceId: `${MARK}-source`, replaceExisting: true }),
    signalBody(ref.accountId, { dryRun: true }),
    { ...signalBody(ref.accountId), accountId: undefined, accountIds: [ref.accountId, ref.signalId] },
    signalBody(ownAccountId, { strategyId: ref.strategyId }),
    signalBody(ownAccountId, { strategyId: ref.strategyId, dryRun: true }),
  ],
  'POST /api/v1/signals/process': (ref) => [{ ids: [ref.signalId] }],
  'POST /api/v1/signals/reject': (ref) => [{ ids: [ref.signalId] }],
  'POST /api/v1/signals/:id/reject': () => [{}, { reason: 'mine now' }],
  'POST /api/v1/signal-groups/:groupId/reject': () => [{}, { reason: 'mine now' }],
  'POST /api/v1/strategies': (ref) => [{ name: 'mine now', defaultAccountId: ref.accountId }],
  'PATCH /api/v1/strategies/:strategyId': (ref) => [
    { status: 'paused' },
    { name: 'mine now', defaultAccountId: ref.accountId },
  ],
  'PUT /api/v1/settings/risk/:accountId': () => [{}, { maxOrderShares: 1 }],
  'PUT /api/v1/settings/halt/:accountId': () => [{ level: 'fullStop', reason: 'mine now' }],
  'POST /api/v1/hooks': ({ accountId, strategyId }) => [
    { name: 'mine now', kind: 'json', accountIds: [accountId], strategyId },
  ],
  'PATCH /api/v1/hooks/:hookId': ({ accountId }) => [{ name: 'mine now' }, { accountIds: [accountId] }],
  'PUT /api/v1/hooks/:hookId/live': () => [{ live: true }, { live: false }],
  'POST /api/v1/hooks/:hookId/try': () => [{ body: '{}' }],
  'PATCH /api/v1/brokers/:brokerId': () => [{}, { name: 'mine now' }],
  'PATCH /api/v1/admin/users/:userId': () => [{ plan: 'FREE' }, { isDisabled: true }],
  'POST /api/v1/admin/users/:userId/legacy-keys': () => [{ label: 'x', scopes: ['trading:read'] }],
}

/** What routes ask for in their query, beside what can name an object. */
const QUERIES: Record<string, string> = {
  'GET /api/v1/assets': 'search=AAPL',
  'GET /api/v1/market/quotes': 'symbols=AAPL',
  'GET /api/v1/market/bars': 'symbol=AAPL&timeframe=1d&from=2026-03-02T00:00:00Z',
}

/** Requests that refer to nobody's object and would change the asker. */
const SKIPPED = new Set([
  'DELETE /api/v1/sessions',
  'POST /api/v1/auth/mfa/setup',
  'POST /api/v1/events/ticket',
])

interface Asked {
  method: string
  path: string
  body?: unknown
}

/** The alert about refused signals of a token, and what tells of alerts. */
const OF_REFUSALS =
  /^alerts .*"kind": "signals_refused"|^live_events .*"topic": "alert"|^outbox .*"kind": "alert"/

describe('the records of one user', function () {
  this.timeout(300_000)
  let owner: Person
  let owned: References
  let strangers: TestPrincipal[]
  let strangersAccountId: string
  let before_: string

  const api = useApi()
  before(async () => {
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(addDays(today, -10), addDays(today, 30))
    owner = await addPerson(api, { email: `${MARK}@example.test`.toLowerCase() })
    const { em } = api.database
    const { userId } = owner
    const connection = await createConnection(em, { userId, name: `${MARK} connection` })
    const account = await createAccount(em, {
      userId,
      brokerId: connection.id,
      name: `${MARK} account`,
      brokerAccountId: `${MARK}-1`,
      lastSyncedAt: new Date(),
    })
    const strategy = await createStrategy(em, { userId, name: `${MARK} strategy` })
    const groupId = randomUUID()
    await em.execute(
      `insert into signal_groups (id, user_id, symbol, summary, accounts) values (?, ?, ?, ?, 2)`,
      [groupId, userId, MARK, `buy 10 ${MARK}`],
      'run',
    )
    const flattenId = randomUUID()
    await em.execute(
      `insert into flattenings (id, user_id, cause, scope, account_ids, include_manual, reason, asked_by, alarm_at)
       values (?, ?, 'request', 'account', array[?::uuid], true, ?, 'the owner', now())`,
      [flattenId, userId, account.id, MARK],
      'run',
    )
    const signal = await createSignal(em, {
      userId,
      groupId,
      accountId: account.id,
      strategyId: strategy.id,
      symbol: MARK,
      sourceId: `${MARK}-source`,
      status: 'pending',
      executeMode: 'pending',
      metadata: { note: MARK },
    })
    const traded = await createSignal(em, { userId, accountId: account.id, symbol: MARK })
    const { orderId } = await recordAccepted(em, orderReport(traded, { symbol: MARK }))
    await createPosition(em, { userId, accountId: account.id, symbol: MARK })
    const held = aFill({ symbol: MARK, brokerOrderId: orderReport(traded).brokerOrderId })
    await recordFills(em, { accountId: account.id, userId }, { fills: [held], fees: [], until: null })
    const [trade] = await em.execute<{ id: string }[]>('select id from trades where user_id = ?', [userId])
    await storeToken(api, userId, {})
    const [token] = await em.execute<{ id: string }[]>('select id from access_tokens where user_id = ?', [
      userId,
    ])
    const [session] = await em.execute<{ id: string }[]>('select id from sessions where user_id = ?', [
      userId,
    ])
    await em.execute(`update sessions set name = '${MARK}' where user_id = ?`, [userId])
    await em.execute(`update access_tokens set label = '${MARK}' where user_id = ?`, [userId])
    const channel = await owner.call('POST', '/channels', {
      ...browserForTests('https://fcm.googleapis.com/fcm/send/owner').channel,
      name: `${MARK} phone`,
    })
    owned = {
      accountId: account.id,
      strategyId: strategy.id,
      signalId: signal.id,
      groupId,
      flattenId,
      orderId,
      tradeId: trade!.id,
      brokerId: account.brokerId,
      tokenId: token!.id,
      sessionId: session!.id,
      userId,
      channelId: channel.body.data.channel.id as string,
      ...(await addHook(account.id)),
    }
    strangers = await strangersTo(api, owner)
    const { headers } = strangers.find(({ name }) => name.endsWith('JWT'))!
    const { body } = await api.call('GET', '/api/v1/me', { headers })
    const own = { userId: body.data.user.id as string, lastSyncedAt: new Date() }
    strangersAccountId = (await createAccount(em, own)).id
    await api.whenIdle()
    before_ = await rowsOfOwner()
  })

  /** A hook of the owner, its secret and a request that came to it. */
  async function addHook(accountId: string): Promise<Pick<References, 'hookId' | 'secretId' | 'requestId'>> {
    const { body } = await owner.call('POST', '/hooks', {
      name: `${MARK} hook`,
      kind: 'json',
      accountIds: [accountId],
    })
    const { id: hookId, secrets } = body.data.hook
    const requestId = randomUUID()
    await api.database.em.execute(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes) values (?, ?, ?, now(), '192.0.2.1', ?, 6)`,
      [requestId, owner.userId, hookId, MARK],
    )
    return { hookId, secretId: secrets[0].id, requestId }
  }

  /**
   * Every row that has to do with the owner, but for when a token was last used, and what the owner is told of refusals of their
   * own tokens, of which some of the matrix have too few scopes.
   */
  async function rowsOfOwner(): Promise<string> {
    const tables = await api.database.em.execute<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    )
    const rows: string[] = []
    for (const { name } of tables) {
      if (name.endsWith('_counts')) continue
      const found = await api.database.em.execute<{ row: string }[]>(
        `select (to_jsonb(t) - '{last_used_at,last_refusal,refused_since}'::text[])::text as row from ${name} t order by 1`,
      )
      const ids = Object.values(owned)
      rows.push(
        ...found
          .map(({ row }) => `${name} ${row}`)
          .filter((row) => ids.some((id) => row.includes(id)) && !OF_REFUSALS.test(row)),
      )
    }
    return rows.join('\n')
  }

  const routes = (): string[] =>
    [...new Set(api.routes)].filter((route) => route.includes(' /api/v1') && !SKIPPED.has(route))

  const declaredBy = (route: string): ReadonlySet<string> =>
    new Set(Object.keys(ROUTES.find(({ name }) => name === route)?.query?.shape ?? {}))

  /** What of a route can name an object: every combination of path, query and body. */
  function requestsOf(route: string, ref: References): Asked[] {
    const [method, template] = route.split(' ') as [string, string]
    const path = template.replaceAll(/:(\w+)/g, (_, name: string) => {
      const kind = name in PARAMETERS ? PARAMETERS[name]! : (name as Kind)
      return kind === null ? 'WDJB-MJHT' : ref[kind]
    })
    if (method === 'GET' || method === 'DELETE') {
      // What a route does not declare it refuses before it looks for anything, whoever asks: one such query shows that here.
      const declared = declaredBy(route)
      const filters = KINDS.filter((kind) => declared.has(kind)).map((kind) => `${kind}=${ref[kind]}`)
      const more = [
        `userId=${ref.userId}&accountId=${ref.accountId}`,
        ...(declared.has('sourceId') ? [`sourceId=${MARK}-source`] : []),
        ...(declared.has('symbol') ? [`symbol=${MARK}`] : []),
      ]
      const asked = ['', ...filters, ...more]
      return asked.map((query) => {
        const whole = [QUERIES[route], query].filter(Boolean).join('&')
        return { method, path: whole === '' ? path : `${path}?${whole}` }
      })
    }
    const bodies = BODIES[route]?.(ref, strangersAccountId) ?? [{}]
    return bodies.map((body) => ({ method, path, body }))
  }

  /** An answer as text, without what is different in every answer. */
  const plain = ({ status, body }: Answer, ref: References): string => {
    let text = `${status} ${JSON.stringify({ ...body, requestId: '' })}`
    for (const kind of KINDS) text = text.replaceAll(ref[kind], kind)
    return text.replaceAll(/"(at|asOf|serverTime)":"[^"]*"/g, '')
  }

  it('the records of one user are found in the answers to their owner, so that the matrix can see', async () => {
    let shown = 0
    for (const route of routes()) {
      const policy = policyOf(route)!
      if (!route.startsWith('GET ') || !policy.credentials.includes('jwt') || policy.admin) continue
      if (/:userCode|:symbol/.test(route)) continue
      for (const { method, path } of requestsOf(route, owned).slice(0, 1)) {
        const { status, body } = await api.call(method, path, { token: owner.jwt })
        assert.equal(status, 200, `${route} ${JSON.stringify(body)}`)
        if (JSON.stringify(body).toUpperCase().includes(MARK)) shown += 1
      }
    }
    assert.ok(shown >= 10, `the mark is in ${shown} answers`)
  })

  it('the records of one user have a kind for every path parameter', () => {
    const names = routes().flatMap((route) => [...route.matchAll(/:(\w+)/g)].map(([, name]) => name!))
    assert.deepEqual(
      [...new Set(names)].filter((name) => !(name in PARAMETERS) && !KINDS.includes(name as Kind)),
      [],
      'a new parameter needs a row in PARAMETERS or KINDS',
    )
  })

  it('the records of one user are hidden from strangers, answered like unknown records, and never changed', async () => {
    const absent = Object.fromEntries(KINDS.map((kind) => [kind, randomUUID()])) as References
    let asked = 0
    for (const route of routes()) {
      const foreign = requestsOf(route, owned)
      const missing = requestsOf(route, absent)
      /** Whom the credential alone keeps out: no reference is looked up for them. */
      const keptOut = new Set<TestPrincipal>()
      for (const [index, request] of foreign.entries()) {
        for (const [place, stranger] of strangers.entries()) {
          if (keptOut.has(stranger)) continue
          // The first three each time; in the short form one of four of the others.
          if (!IS_LONG && place > 2 && (place + asked / 2) % 4 !== 0) continue
          const { name, headers } = stranger
          const where = `${name}: ${route} ${request.path} ${JSON.stringify(request.body ?? '')}`
          const ask = ({ method, path, body }: Asked) => api.call(method, path, { headers, body })
          const one = await ask(request)
          const two = await ask(missing[index]!)
          asked += 2
          if ([401, 403].includes(one.status)) keptOut.add(stranger)
          assert.ok(one.status < 500, `${where}: ${one.status}`)
          const text = JSON.stringify(one.body ?? '')
          assert.ok(!withoutEcho(text, request).toUpperCase().includes(MARK), `${where}: ${text}`)
          for (const id of Object.values(owned))
            assert.ok(!text.includes(id) || isEcho(one, request, id), `${where}: ${text}`)
          if (one.status >= 300 || hasReference(route, request))
            assert.equal(plain(one, owned), plain(two, absent), where)
        }
      }
    }
    await api.whenIdle()
    assert.equal(await rowsOfOwner(), before_)
    console.log(`      ${asked} requests`)
    assert.ok(asked > (IS_LONG ? 2_000 : 900), `${asked} requests`)
    assert.ok(strangers.length >= 12)
  })
})

/** A name that the sender chose may come back to them. */
const withoutEcho = (text: string, request: Asked): string =>
  JSON.stringify(request).includes(MARK) ? text.replaceAll(/"sourceId":"[^"]*"/g, '') : text

/** Whether an answer only repeats the ids of its request, as the outcome of a decision about several does. */
const isEcho = ({ status }: Answer, request: Asked, id: string): boolean =>
  status < 300 && JSON.stringify(request.body ?? '').includes(id)

const hasReference = (route: string, { path, body }: Asked): boolean =>
  /:/.test(route) || path.includes('?') || body !== undefined
