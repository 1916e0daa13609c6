import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { HALT_LEVELS } from '#domain/risk/halt.ts'
import { riskLimits } from '#domain/risk/limits.ts'
import { loosenedLimits } from '#domain/risk/loosening.ts'
import { SchemaBook, type JsonSchema } from '#api/openapi/json-schema.ts'
import { ROUTES } from '#api/routes.ts'
import type { Route } from '#api/route/route.ts'
import { createAccount, createStrategy } from '#test/support/factories.ts'
import { IS_LONG } from '../../support/generators.ts'
import { addPerson, letProofGrowOld, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

/** By which the proof is given. */
const PROOF = 'POST /api/v1/auth/verify'
/** What only a signed-in person does, and that changes something. */
const IN_PERSON = ROUTES.filter(
  ({ name, access: { credentials }, method }) =>
    credentials.join() === 'jwt' && method !== 'GET' && name !== PROOF,
)
/** Of these those by which a person with a fresh proof makes something riskier: so the requests here can do it. */
const RISKY: readonly string[] = [
  'POST /api/v1/signals/:id/process',
  'POST /api/v1/signals/process',
  'POST /api/v1/signal-groups/:groupId/process',
  'POST /api/v1/hooks',
  'PATCH /api/v1/hooks/:hookId',
  'PUT /api/v1/hooks/:hookId/live',
  'POST /api/v1/hooks/:hookId/secrets',
  'POST /api/v1/hooks/:hookId/signing-key',
  'POST /api/v1/hooks/:hookId/requests/:requestId/again',
  'PATCH /api/v1/accounts/:accountId',
  'PATCH /api/v1/strategies/:strategyId',
  'PUT /api/v1/settings/risk/:accountId',
  'DELETE /api/v1/settings/risk/:accountId',
  'DELETE /api/v1/settings/halt/:accountId',
  'POST /api/v1/tokens',
  'PATCH /api/v1/tokens/:tokenId',
]

type Row = Record<string, unknown>
// oxlint-disable-next-line typescript/no-explicit-any -- values of rows are looked into freely
type Free = any
/** A row of the database that was added, changed or removed. */
interface Change {
  table: string
  column: string
  before: unknown
  after: unknown
}

/** Tables of what has happened and what was told. */
const JOURNALS = new Set([
  'audit_events',
  'live_events',
  'live_events_removed',
  'outbox',
  'hook_requests',
  'signal_sources',
  'signal_events',
  'event_tickets',
  'alerts',
  'day_summaries',
])

const to =
  (...values: unknown[]) =>
  (_: unknown, after: unknown): boolean =>
    values.some((value) => isDeepStrictEqual(value, after))
const anything = (): boolean => true
const flatSooner = (before: Free, after: Free): boolean =>
  before === null ||
  (after !== null && after.minutes >= before.minutes && after.includeManual >= before.includeManual)

/** The choices of a hook that let it do least. */
const SAFEST: Row = {
  executeMode: 'pending',
  protection: 'refuse',
  mayShort: false,
  whenSame: 'nothing',
  whenOpposite: 'close',
  quantity: null,
}

function safeSettings(before: Free, after: Free): boolean {
  return Object.keys(after).every((name) => {
    const [was, is] = [before[name], after[name]]
    if (isDeepStrictEqual(was, is) || (Object.hasOwn(SAFEST, name) && SAFEST[name] === is)) return true
    if (name === 'quantity') return was !== null && Number(is) <= Number(was)
    if (name === 'approvalMinutes') return was === null || (is !== null && is <= was)
    if (name === 'flatByClose') return flatSooner(was, is)
    if (name === 'exit' || name === 'strategyId') return was === null
    if (name !== 'accounts') return false
    return is.every((one: Free) =>
      was.some(
        (other: Free) =>
          other.accountId === one.accountId &&
          (isDeepStrictEqual(one, other) ||
            (one.quantity === null && Number(one.multiplier ?? 1) <= Number(other.multiplier ?? 1))),
      ),
    )
  })
}

/**
 * What may be changed without a proof, because nothing becomes riskier by it. Whatever is not listed here is riskier, so that a new
 * table or column is first thought about.
 */
const SAFE: Record<string, Record<string, (before: unknown, after: unknown) => boolean>> = {
  hooks: {
    name: anything,
    updated_at: anything,
    expects: anything,
    expects_since: anything,
    sealed_signing_key: to(null),
    requests_per_minute: (before, after) => Number(after) <= Number(before),
    addresses: (before, after) =>
      (before as string[]).length === 0 ||
      ((after as string[]).length > 0 &&
        (after as string[]).every((one) => (before as string[]).includes(one))),
    settings: safeSettings,
  },
  hook_secrets: { '-': anything, ends_at: (_, after) => after !== null },
  access_tokens: {
    label: anything,
    last_refusal: anything,
    refused_since: anything,
    last_used_at: anything,
    revoked_at: (before) => before === null,
    withdrawn_by: anything,
    merges_repeats: to(true),
    bounds: (before, after) => {
      const [was, is] = [before, after] as Row[]
      const accounts = (of: Row) => of['accountIds'] as string[]
      return (
        (is!['pendingOnly'] ?? false) >= (was!['pendingOnly'] ?? false) &&
        (is!['demoOnly'] ?? false) >= (was!['demoOnly'] ?? false) &&
        accounts(is!).every((one) => accounts(was!).includes(one))
      )
    },
  },
  sessions: {
    last_used_at: anything,
    ended_at: (before) => before === null,
    end_reason: anything,
  },
  refresh_tokens: { '-': anything },
  risk_settings: {
    updated_at: anything,
    limits: (before, after) => loosenedLimits(riskLimits(before ?? {}), riskLimits(after ?? {})).length === 0,
    '+': (_, after) =>
      loosenedLimits(riskLimits({}), riskLimits((after as { limits: never }).limits)).length === 0,
  },
  trading_halts: {
    '+': anything,
    reason: anything,
    set_by: anything,
    set_at: anything,
    level: (before, after) => HALT_LEVELS.indexOf(after as never) > HALT_LEVELS.indexOf(before as never),
  },
  strategies: {
    '+': anything,
    name: anything,
    description: anything,
    metadata: anything,
    default_account_id: anything,
    expects: anything,
    expects_since: anything,
    updated_at: anything,
    archived_at: (before) => before === null,
    status: to('paused'),
    flat_by_close: flatSooner,
  },
  accounts: { updated_at: anything, flat_by_close: flatSooner },
  // It waits for an approval, which asks for the proof.
  signals: { '+': (_, after) => (after as Row)['execute_mode'] === 'pending' },
  channels: { '+': anything, '-': anything, name: anything, urgencies: anything, events: anything },
  notification_choices: { '+': anything, '-': anything },
  device_grants: { '-': anything },
}

const MESSAGE = '{"symbol":"MSFT","action":"openLong","quantity":50}'

interface World {
  person: Person
  /** Ids by the names of the parameters of paths. */
  ids: Record<string, string[]>
  accountIds: string[]
  /** Requests have changed something of it. */
  isTouched: boolean
}

describe('a person whose proof is older than five minutes', function () {
  this.timeout(300_000)
  let tables: string[]
  const api = useApi({ liveTrading: 'enabled', answerDeadline: 300 })
  before(async () => {
    const found = await api.database.em.execute<{ name: string }[]>(
      `select table_name as name from information_schema.columns
       where table_schema = current_schema() and column_name = 'user_id'`,
    )
    tables = ['users', ...found.map(({ name }) => name)].filter((name) => !JOURNALS.has(name))
  })

  /** Everything that somebody has, as carefully set as it can be, and alerts that could trade with it. */
  async function makeWorld(): Promise<World> {
    const person = await addPerson(api, { plan: 'PRO', role: 'admin', tradingMode: 'LIVE' })
    const { userId } = person
    const em = api.database.em.fork()
    const flatByClose = { minutes: 60, includeManual: true }
    const make = (isDemo: boolean) =>
      createAccount(em, { userId, isDemo, equity: '100000', flatByClose, lastSyncedAt: new Date() })
    const [live, halted, demo] = [await make(false), await make(false), await make(true)]
    const paused = await createStrategy(em, { userId, status: 'paused', flatByClose })
    const active = await createStrategy(em, { userId, flatByClose })
    const done = async (method: string, path: string, body?: unknown) => {
      const answer = await person.call(method, path, body)
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body.data ?? answer.body
    }
    await done('PUT', `/settings/risk/${live.id}`, { maxOrderShares: 100, duplicatePolicy: 'deny' })
    await done('PUT', `/settings/halt/${halted.id}`, { level: 'fullStop' })
    const hook = async (terms: object) => {
      const { hook: made } = await done('POST', '/hooks', { name: 'Alerts', kind: 'json', ...terms })
      const { request } = await done('POST', `/hooks/${made.id}/test`)
      const secretId = made.secrets[0].id as string
      return { hookId: made.id as string, requestId: request.id as string, secretId }
    }
    const careful = {
      accountIds: [{ accountId: live.id, multiplier: 0.5 }],
      executeMode: 'pending',
      strategyId: active.id,
      quantity: 1,
      exit: { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 10 },
      flatByClose: { minutes: 60 },
      requestsPerMinute: 5,
      addresses: ['192.0.2.1'],
    }
    const hooks = [
      await hook(careful),
      await hook({ accountIds: [live.id], quantity: 1 }),
      await hook({ accountIds: [live.id], quantity: 1 }),
    ]
    for (const { hookId } of hooks.slice(0, 2)) await done('PUT', `/hooks/${hookId}/live`, { live: true })
    await done('POST', `/hooks/${hooks[1]!.hookId}/signing-key`)
    await done('POST', '/tokens', { label: 'x', scopes: ['signals:write'], mergesRepeats: true })
    const [token] = await em.execute<{ id: string }[]>(
      `select id from access_tokens where user_id = ? and kind = 'access'`,
      [userId],
    )
    const pending = { symbol: 'AAPL', action: 'openLong', quantity: 1, executeMode: 'pending' }
    const signals = [
      await done('POST', '/signals', { ...pending, accountId: live.id }),
      await done('POST', '/signals', { ...pending, accountIds: [live.id, halted.id] }),
    ]
    const stored = await em.execute<{ id: string; groupId: string | null }[]>(
      'select id, group_id as "groupId" from signals where user_id = ?',
      [userId],
    )
    assert.equal(stored.length, 3, JSON.stringify(signals))
    const accountIds = [live.id, halted.id, demo.id]
    return {
      person,
      accountIds,
      isTouched: false,
      ids: {
        id: stored.map(({ id }) => id),
        groupId: stored.flatMap(({ groupId }) => (groupId === null ? [] : [groupId])).slice(0, 1),
        hookId: hooks.map(({ hookId }) => hookId),
        requestId: hooks.map(({ requestId }) => requestId),
        secretId: hooks.map(({ secretId }) => secretId),
        strategyId: [paused.id, active.id],
        accountId: [live.id, halted.id],
        tokenId: [token!.id],
        userId: [userId],
        sessionId: [],
        channelId: [],
        userCode: ['BCDF-GHJK'],
      },
    }
  }

  const rowsOf = async (userId: string): Promise<Record<string, Row[]>> => {
    const [row] = await api.database.em
      .fork()
      .execute<{ all: Record<string, Row[]> }[]>(
        `select json_build_object(${tables
          .map(
            (name) =>
              `'${name}', (select coalesce(json_agg(t), '[]') from ${name} t where ${name === 'users' ? 'id' : 'user_id'} = '${userId}')`,
          )
          .join(', ')}) as all`,
      )
    return row!.all
  }

  const keyOf = (row: Row): string => JSON.stringify(row['id'] ?? row['account_id'] ?? row)

  function changesBetween(before: Record<string, Row[]>, after: Record<string, Row[]>): Change[] {
    return tables.flatMap((table) => {
      const was = new Map(before[table]!.map((row) => [keyOf(row), row]))
      const is = new Map(after[table]!.map((row) => [keyOf(row), row]))
      const removed = [...was].filter(([key]) => !is.has(key))
      return [
        ...removed.map(([, row]): Change => ({ table, column: '-', before: row, after: null })),
        ...[...is].flatMap(([key, row]): Change[] => {
          const old = was.get(key)
          if (!old) return [{ table, column: '+', before: null, after: row }]
          return Object.keys(row)
            .filter((column) => !isDeepStrictEqual(row[column], old[column]))
            .map((column) => ({ table, column, before: old[column], after: row[column] }))
        }),
      ]
    })
  }

  const isRiskier = ({ table, column, before, after }: Change): boolean =>
    !(SAFE[table]?.[column]?.(before, after) ?? false)

  /** Orders that open, as Temporal would have been asked for them. */
  const openings = (): number =>
    api.gateway.awaited.length +
    api.gateway.started.length +
    api.gateway.messages.filter(({ kind }) => kind === 'approve').length +
    api.gateway.placed.filter(({ ask }) => !ask.reducesOnly).length

  /** What a field may be given, by its schema. */
  function valuesOf(schema: JsonSchema, world: World): unknown[] {
    const { ids, accountIds } = world
    const any = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
    if (any) return any.flatMap((one) => valuesOf(one, world))
    if (schema['enum']) return schema['enum'] as unknown[]
    if ('const' in schema) return [schema['const']]
    const types = [schema['type']].flat()
    const ofType = (type: unknown): unknown[] => {
      if (type === 'null') return [null]
      if (type === 'boolean') return [true, false]
      if (type === 'integer' || type === 'number')
        return [schema['minimum'] ?? 0, 1, 10, 61, 119, 5_000, schema['maximum'] ?? 1_000_000]
      if (type === 'array')
        return [[], ...valuesOf((schema['items'] ?? {}) as JsonSchema, world).map((one) => [one]), accountIds]
      if (type === 'object') {
        const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
        return [
          {},
          { AAPL: 'TSLA' },
          ...fields.flatMap(([name, field]) =>
            valuesOf(field, world).map((value) => ({
              ...(fields.some(([other]) => other === 'accountId') && { accountId: accountIds[0] }),
              [name]: value,
            })),
          ),
        ]
      }
      return schema['format'] === 'uuid'
        ? [...accountIds, ids['strategyId']![0], ids['id']![0]]
        : [accountIds[0], 'TSLA', '192.0.2.0/24', MESSAGE]
    }
    return types[0] === undefined ? [null, true, 1, 'TSLA', {}] : types.flatMap(ofType)
  }

  /** Bodies of a route: its examples, each of its fields alone with every kind of value, and each beside an example. */
  function bodiesOf({ body, method }: Route, world: World): unknown[] {
    if (!body) return [undefined]
    const examples = Object.values(body.examples)
    const { properties = {} } = new SchemaBook().ofBody(body.schema, body.writer) as {
      properties?: Record<string, JsonSchema>
    }
    const single = Object.entries(properties).flatMap(([name, field]) =>
      valuesOf(field, world).map((value) => ({ [name]: value })),
    )
    const others = method === 'PATCH' ? [] : single.map((one) => ({ ...(examples[0] as object), ...one }))
    const bodies = [undefined, {}, ...examples, ...single, ...others]
    return [...new Map(bodies.map((one) => [JSON.stringify(one), one])).values()]
  }

  function pathsOf({ address }: Route, { ids }: World): string[] {
    const names = [...address.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    const count = Math.max(1, ...names.map((name) => (ids[name] ?? []).length))
    return Array.from({ length: count }, (_, n) =>
      address.replaceAll(
        /:(\w+)/g,
        (_match, name: string) => ids[name]?.[n] ?? '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
      ),
    )
  }

  /** Requests of a route; in the short form an old proof sends one of six. */
  const requestsOf = (route: Route, world: World, isAll: boolean) =>
    pathsOf(route, world).flatMap((path, place) =>
      bodiesOf(route, world)
        .filter((_, n) => isAll || n < 4 || (n + place) % 6 === 0)
        .map((body) => ({ path, body })),
    )

  /** What became riskier by the requests to a route, each told with its request. */
  async function riskierBy(route: Route, world: World, isFresh = false): Promise<string[]> {
    const { person } = world
    const riskier: string[] = []
    let before = await rowsOf(person.userId)
    const compare = async (request: string) => {
      await api.whenIdle()
      const after = await rowsOf(person.userId)
      for (const { table, column, ...change } of changesBetween(before, after)) {
        if (!/^(last_used|updated)_at$/.test(column)) world.isTouched = true
        if (isRiskier({ table, column, ...change }))
          riskier.push(`${request} changed ${table}.${column}: ${JSON.stringify(change)}`)
      }
      before = after
    }
    for (const { path, body } of requestsOf(route, world, isFresh || IS_LONG)) {
      const opened = openings()
      const { status } = await api.call(route.method, path, { token: person.jwt, body })
      const request = `${route.method} ${path} ${JSON.stringify(body)} (${status})`
      if (openings() > opened) riskier.push(`${request} opened a position`)
      // Whatever refused requests have done shows after the last of them.
      if (IS_LONG || status < 400) await compare(request)
      if (isFresh && riskier.length > 0) return riskier
    }
    await compare(`all requests to ${route.name}`)
    return riskier
  }

  it('a person whose proof is older than five minutes is asked here about every route for people alone', () => {
    assert.ok(IN_PERSON.length > 40, String(IN_PERSON.length))
    for (const table of Object.keys(SAFE)) assert.ok(tables.includes(table), table)
    for (const name of RISKY)
      assert.ok(
        IN_PERSON.some((route) => route.name === name),
        name,
      )
  })

  let old: World | undefined
  for (const route of IN_PERSON)
    it(`a person whose proof is older than five minutes opens nothing and makes nothing riskier by ${route.name}`, async () => {
      // What the requests to a route have left as it was serves the next route, too.
      if (!old || old.isTouched) {
        old = await makeWorld()
        await letProofGrowOld(api, old.person)
      }
      assert.deepEqual((await riskierBy(route, old)).slice(0, 10), [])
    })

  let fresh: World | undefined
  for (const route of IN_PERSON.filter(({ name }) => RISKY.includes(name)))
    it(`a person whose proof is fresh makes something riskier by the same requests to ${route.name}`, async () => {
      const found = fresh ? await riskierBy(route, fresh, true) : []
      // Earlier routes may have left nothing that could become riskier.
      if (found.length === 0) found.push(...(await riskierBy(route, (fresh = await makeWorld()), true)))
      assert.notDeepEqual(found, [])
    })
})
