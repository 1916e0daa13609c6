import assert from 'node:assert/strict'
import { ROUTES } from '#api/routes.ts'
import { createAccount, createStrategy } from '#test/support/factories.ts'
import { addPerson, letProofGrowOld, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const EXIT = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 10 }
type Ids = Record<
  'live' | 'halted' | 'signal' | 'group' | 'hook' | 'paused' | 'request' | 'strategy' | 'token',
  string
>

/** By which a person makes something riskier, and a request that does. */
const RISKY: [route: string, path: (ids: Ids) => string, body?: (ids: Ids) => unknown][] = [
  ['POST /api/v1/signals/:id/process', ({ signal }) => `/signals/${signal}/process`, () => ({})],
  ['POST /api/v1/signals/process', () => '/signals/process', ({ signal }) => ({ ids: [signal] })],
  [
    'POST /api/v1/signal-groups/:groupId/process',
    ({ group }) => `/signal-groups/${group}/process`,
    () => ({}),
  ],
  ['POST /api/v1/hooks', () => '/hooks', ({ live }) => ({ name: 'x', kind: 'json', accountIds: [live] })],
  ['PATCH /api/v1/hooks/:hookId', ({ hook }) => `/hooks/${hook}`, () => ({ executeMode: 'immediate' })],
  ['PUT /api/v1/hooks/:hookId/live', ({ paused }) => `/hooks/${paused}/live`, () => ({ live: true })],
  ['POST /api/v1/hooks/:hookId/secrets', ({ hook }) => `/hooks/${hook}/secrets`, () => ({})],
  ['POST /api/v1/hooks/:hookId/signing-key', ({ hook }) => `/hooks/${hook}/signing-key`],
  [
    'POST /api/v1/hooks/:hookId/requests/:requestId/again',
    ({ hook, request }) => `/hooks/${hook}/requests/${request}/again`,
  ],
  ['PATCH /api/v1/accounts/:accountId', ({ live }) => `/accounts/${live}`, () => ({ flatByClose: null })],
  [
    'PATCH /api/v1/strategies/:strategyId',
    ({ strategy }) => `/strategies/${strategy}`,
    () => ({ flatByClose: null, status: 'active' }),
  ],
  [
    'PUT /api/v1/settings/risk/:accountId',
    ({ live }) => `/settings/risk/${live}`,
    () => ({ maxOrderShares: 101 }),
  ],
  ['DELETE /api/v1/settings/risk/:accountId', ({ live }) => `/settings/risk/${live}`],
  ['DELETE /api/v1/settings/halt/:accountId', ({ halted }) => `/settings/halt/${halted}`],
  ['POST /api/v1/tokens', () => '/tokens', () => ({ label: 'y', scopes: ['signals:write'] })],
  ['PATCH /api/v1/tokens/:tokenId', ({ token }) => `/tokens/${token}`, () => ({ mergesRepeats: false })],
]

describe('a person whose proof is older than five minutes', function () {
  this.timeout(60_000)
  let person: Person
  let ids: Ids
  const api = useApi({ liveTrading: 'enabled', answerDeadline: 300 })

  /** Everything that somebody has, as carefully set as it can be. */
  before(async () => {
    person = await addPerson(api, { plan: 'PRO', role: 'admin', tradingMode: 'LIVE' })
    const { userId } = person
    const em = api.database.em.fork()
    const flatByClose = { minutes: 60, includeManual: true }
    const account = () =>
      createAccount(em, { userId, isDemo: false, equity: '100000', flatByClose, lastSyncedAt: new Date() })
    const [live, halted] = [(await account()).id, (await account()).id]
    const strategy = (await createStrategy(em, { userId, status: 'paused', flatByClose })).id
    const done = async (method: string, path: string, body?: unknown) => {
      const answer = await person.call(method, path, body)
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body.data ?? answer.body
    }
    await done('PUT', `/settings/risk/${live}`, { maxOrderShares: 100 })
    await done('PUT', `/settings/halt/${halted}`, { level: 'fullStop' })
    const hookTerms = {
      name: 'Alerts',
      kind: 'json',
      accountIds: [live],
      executeMode: 'pending',
      quantity: 1,
    }
    const addHook = async () => (await done('POST', '/hooks', { ...hookTerms, exit: EXIT })).hook.id as string
    const [hook, paused] = [await addHook(), await addHook()]
    const { request } = await done('POST', `/hooks/${hook}/test`)
    await done('PUT', `/hooks/${hook}/live`, { live: true })
    const token = await done('POST', '/tokens', {
      label: 'x',
      scopes: ['signals:write'],
      mergesRepeats: true,
    })
    const pending = { symbol: 'AAPL', action: 'openLong', quantity: 1, executeMode: 'pending' }
    const { signal } = await done('POST', '/signals', { ...pending, accountId: live })
    await done('POST', '/signals', { ...pending, accountIds: [live, halted] })
    const [{ groupId } = assert.fail('no group')] = await em.execute<{ groupId: string }[]>(
      'select group_id as "groupId" from signals where user_id = ? and group_id is not null',
      [userId],
    )
    ids = {
      live,
      halted,
      strategy,
      hook,
      paused,
      token: token.id,
      request: request.id,
      signal: signal.id,
      group: groupId,
    }
  })

  const isRefused = async ([route, path, body]: (typeof RISKY)[number]) => {
    const answer = await person.call(route.split(' ')[0]!, path(ids), body?.(ids))
    const said = JSON.stringify(answer.body)
    assert.ok(
      said.includes('VERIFICATION_REQUIRED') || answer.status < 400,
      `${route}: ${answer.status} ${said}`,
    )
    return said.includes('VERIFICATION_REQUIRED')
  }

  it('a person whose proof is older than five minutes makes nothing riskier by any route, and does after a proof', async () => {
    for (const each of RISKY) {
      await letProofGrowOld(api, person)
      assert.ok(await isRefused(each), each[0])
      await api.database.em.execute('update sessions set verified_at = now() where user_id = ?', [
        person.userId,
      ])
      assert.equal(await isRefused(each), false, each[0])
    }
  })

  it('a person whose proof is older than five minutes is asked here about every route for people alone that can make something riskier', () => {
    /** Which take away, decline, look, or ask for the proof before anything else, by tests of their own. */
    const others =
      /^(DELETE|POST \S+(reject|size|try|test|acknowledge|ticket|verify|setup|disable|regenerate|approve|deny|subscriptions|paper-account|strategies)|PUT \S+(auth\/password|notifications)|\w+ \S+admin\/\S+)/
    const inPerson = ROUTES.filter(
      ({ access: { credentials }, method }) => credentials.join() === 'jwt' && method !== 'GET',
    ).map(({ name }) => name)
    const named: string[] = RISKY.map(([route]) => route)
    assert.deepEqual(
      inPerson.filter((name) => !named.includes(name) && !others.test(name)),
      [],
    )
    assert.deepEqual(
      named.filter((name) => !inPerson.includes(name)),
      [],
    )
  })
})
