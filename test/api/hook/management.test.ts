import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hashAccessToken, isWellFormedAccessToken } from '#api/http/access-token.ts'
import { openSecret } from '#db/broker/secret-box.ts'
import { findHookHolder } from '#db/hook/hook-auth.ts'
import { noteAcceptance, noteRequest } from '#db/hook/notes.ts'
import { recordAcceptance, recordRefusal } from '#db/identity/token-refusals.ts'
import { signalsRefused } from '#domain/alert/alert.ts'
import { createAccount, createSignal, createStrategy } from '../../support/factories.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { untilJudged } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, letProofGrowOld, type Person } from '../support/person.ts'
import { pluck, rowsOf, sorted } from '#test/support/pluck.ts'

const ADDRESS = /^https?:\/\/[^/]+\/hooks\/([0-9a-f-]{36})\/(dth_[0-9A-Za-z]{36})$/

describe('the management of hooks', () => {
  const api = useApi({ liveTrading: 'enabled' })
  let person: Person
  let accountId: string
  beforeEach(async () => {
    person = await addPerson(api, { plan: 'PRO' })
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  const create = (changes: Record<string, unknown> = {}, by = person) =>
    by.call('POST', '/hooks', { name: 'Breakouts', kind: 'tradingview', accountIds: [accountId], ...changes })
  const made = async (changes: Record<string, unknown> = {}) => (await create(changes)).body.data.hook
  const secretOf = (url: string) => ADDRESS.exec(url)![2]!
  const holder = async (hookId: string, secret: string | null) =>
    (await findHookHolder(api.database.em.fork(), hookId, secret && hashAccessToken(secret), null))?.holder ??
    null
  const kindsLogged = async (by = person) =>
    (await by.call('GET', '/audit-log')).body.data.events.map((event: { kind: string }) => event.kind)

  it('a hook is made with its whole address, which is never shown again', async () => {
    const { status, body } = await create()
    assert.equal(status, 201)
    const { hook, url } = body.data
    const [, id, secret = ''] = ADDRESS.exec(url)!
    assert.equal(id, hook.id)
    assert.ok(isWellFormedAccessToken(secret, 'dth'))
    assert.deepEqual(
      [hook.live, hook.signing, hook.executeMode, hook.mayShort],
      [false, false, 'immediate', false],
    )
    assert.deepEqual(hook.accounts, [{ accountId, multiplier: null, quantity: null }])
    const shown = [
      await person.call('GET', '/hooks'),
      await person.call('GET', `/hooks/${id}`),
      await person.call('GET', '/audit-log'),
    ]
    assert.deepEqual(shown[0]!.body.data.hooks, [hook])
    assert.deepEqual(shown[1]!.body.data, { hook })
    const tables = ['hooks', 'hook_secrets', 'access_tokens', 'audit_events']
    for (const table of tables) shown.push(await api.database.em.execute(`select * from ${table}`))
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(secret.slice(4)))
    assert.ok((await kindsLogged()).includes('hook.created'))
  })

  it('a hook has every choice as it was made, and what was left out by the default that trades less', async () => {
    const other = (await createAccount(api.database.em, { userId: person.userId })).id
    const strategyId = (await createStrategy(api.database.em, { userId: person.userId })).id
    const choices = {
      executeMode: 'pending',
      strategyId,
      quantity: 12.5,
      quantityType: 'dollarAmount',
      exit: { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 10 },
      protection: 'ignore',
      mayShort: true,
      whenSame: 'add',
      whenOpposite: 'reverse',
      requestsPerMinute: 10,
      addresses: ['tradingview', '192.0.2.0/24', '2001:db8::/32', '198.51.100.7'],
      expects: { everySession: '10:00' },
    }
    const accountIds = [
      { accountId, multiplier: 2 },
      { accountId: other, quantity: '3' },
    ]
    const hook = await made({ ...choices, accountIds, symbols: { 'nasdaq:aapl': 'aapl' } })
    for (const [field, value] of Object.entries(choices)) assert.deepEqual(hook[field], value, field)
    assert.deepEqual(hook.symbols, { 'NASDAQ:AAPL': 'AAPL' })
    assert.deepEqual(hook.accounts, [
      { accountId, multiplier: 2, quantity: null },
      { accountId: other, multiplier: null, quantity: 3 },
    ])
    const template = { symbol: 'data.ticker', word: 'side', words: { LONG: 'buy' }, quantity: '"5"' }
    const written = await made({ kind: 'template', template })
    assert.deepEqual(written.template, {
      ...template,
      words: { long: 'buy' },
      orderType: null,
      limitPrice: null,
      id: null,
    })
    const { requestsPerMinute, addresses, expects, quantity } = written
    assert.deepEqual([requestsPerMinute, addresses, expects, quantity], [60, [], null, null])
  })

  const [SOMEBODY, TEMPLATE] = [randomUUID(), { symbol: 's', word: 'w', words: { a: 'buy' } }]
  for (const [what, changes, fields] of [
    ['no name', { name: '' }, 'name'],
    ['an unknown kind', { kind: 'fax' }, 'kind'],
    ['no account', { accountIds: [] }, 'accountIds'],
    [
      'accounts that are no ids',
      { accountIds: ['me', { accountId: 7 }] },
      'accountIds.0.accountId accountIds.1.accountId',
    ],
    ['an account of another user', { accountIds: [SOMEBODY] }, 'accountIds.0'],
    [
      'a multiplier of 0',
      { accountIds: [{ accountId: SOMEBODY, multiplier: 0 }] },
      'accountIds.0.multiplier',
    ],
    ['two sizes', { accountIds: [{ accountId: SOMEBODY, multiplier: 2, quantity: 1 }] }, 'accountIds.0'],
    ['a strategy of another user', { strategyId: SOMEBODY }, 'strategyId'],
    ['an exit without a trigger', { exit: { exitTriggerMinutes: 5 } }, 'exit.exitTriggerType'],
    [
      'an exit that POST /signals would refuse',
      { exit: { exitTriggerType: 'minutesBeforeClose', exitOrderType: 'limit', limitPrice: 3 } },
      'exit.exitLimitPrice exit.exitTriggerMinutes exit.limitPrice',
    ],
    ['a symbol that is none', { symbols: { X: 'no symbol!' } }, 'symbols.X'],
    ['no address', { addresses: ['localhost', '10.0.0.0/33', '10.0.0.1'] }, 'addresses.0 addresses.1'],
    ['a rate beyond all', { requestsPerMinute: 601 }, 'requestsPerMinute'],
    ['a template of another kind', { template: TEMPLATE }, 'template'],
    ['no template', { kind: 'template' }, 'template'],
    [
      'a template with strange places',
      { kind: 'template', template: { symbol: 'a b', word: 'x.', words: { a: 'hold' } } },
      'template.symbol template.word template.words.a',
    ],
    ['an expectation of no time', { expects: { everySession: '25:00' } }, 'expects.everySession'],
    ['a field that is none', { live: true }, 'live'],
  ] as const)
    it(`a hook is not made with ${what}, which is named`, async () => {
      const { status, body } = await create(changes)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
      assert.equal(sorted(pluck(body.details, 'field')).join(' '), fields)
    })

  it('hooks are exactly 20 of one person, of fifty asked for at once, and none on a plan without tokens', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => untilJudged(() => create())))
    // On a crowded machine a commit may come after its answer: such a hook counts, and nobody knows its address.
    assert.ok(answers.filter(({ status }) => status === 201).length <= 20)
    for (const { status, body } of answers)
      if (status !== 201) assert.deepEqual([status, body.code], [403, 'HOOK_LIMIT_REACHED'])
    const { hooks, total } = (await person.call('GET', '/hooks?limit=1')).body.data
    assert.equal(total, 20)
    // Neither counts against the other.
    assert.equal((await person.call('POST', '/tokens', { label: 'x', scopes: ['trading:read'] })).status, 201)
    assert.equal((await person.call('DELETE', `/hooks/${hooks[0].id}`)).status, 200)
    assert.equal((await create()).status, 201, 'a deleted one makes room')
    const poor = await addPerson(api, { plan: 'ADVANCED' })
    accountId = (await createAccount(api.database.em, { userId: poor.userId })).id
    assert.deepEqual((await create({}, poor)).body.code, 'HOOK_LIMIT_REACHED')
  })

  it('hooks are no access tokens to the routes of those', async () => {
    const { id } = await made()
    assert.equal((await person.call('GET', '/tokens')).body.data.total, 0)
    assert.equal((await person.call('PATCH', `/tokens/${id}`, { mergesRepeats: true })).status, 404)
    assert.equal((await person.call('DELETE', `/tokens/${id}`)).status, 404)
    assert.equal((await person.call('GET', `/hooks/${id}`)).status, 200)
    const { id: tokenId } = (await person.call('POST', '/tokens', { label: 'x', scopes: ['trading:read'] }))
      .body.data
    assert.equal((await person.call('DELETE', `/hooks/${tokenId}`)).status, 404)
    assert.equal((await person.call('GET', `/hooks/${tokenId}`)).status, 404)
    const other = { symbols: ['X'], label: 'x', scopes: ['signals:write'], bounds: { demoOnly: true } }
    assert.equal((await person.call('POST', '/tokens', other)).status, 400, 'a bound of hooks alone')
  })

  it('a hook does not exist for anybody but its owner, nor for a token', async () => {
    const hook = await made()
    const stranger = await addPerson(api, { plan: 'PRO' })
    const requestId = randomUUID()
    await api.database.em.execute(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes) values (?, ?, ?, now(), '192.0.2.1', '{}', 2)`,
      [requestId, person.userId, hook.id],
    )
    const { token } = await api.addUser()
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', ''],
      ['PUT', '/live', { live: true }],
      ['PUT', '/live', { live: false }],
      ['POST', '/secrets', {}],
      ['DELETE', `/secrets/${hook.secrets[0].id}`],
      ['POST', '/signing-key'],
      ['DELETE', '/signing-key'],
      ['GET', '/requests'],
      ['GET', `/requests/${requestId}`],
    ] as const) {
      const answer = await stranger.call(method, `/hooks/${hook.id}${path}`, body)
      assert.deepEqual([answer.status, answer.body.code], [404, 'HOOK_NOT_FOUND'], `${method} ${path}`)
      const byToken = await api.call(method, `/api/v1/hooks/${hook.id}${path}`, { token, body })
      assert.deepEqual([byToken.status, byToken.body.code], [403, 'INSUFFICIENT_SCOPES'], `${method} ${path}`)
    }
    assert.equal((await stranger.call('GET', '/hooks')).body.data.total, 0)
    const secretId = randomUUID()
    const absent = await person.call('DELETE', `/hooks/${hook.id}/secrets/${secretId}`)
    assert.deepEqual([absent.status, absent.body.code], [404, 'HOOK_SECRET_NOT_FOUND'])
    assert.deepEqual((await person.call('GET', `/hooks/${hook.id}`)).body.data.hook, hook)
  })

  it('a hook, a secret, a key, an account more and live accounts want a fresh proof, and nothing that takes away does', async () => {
    const hook = await made()
    const other = (await createAccount(api.database.em, { userId: person.userId })).id
    const path = `/hooks/${hook.id}`
    await letProofGrowOld(api, person)
    for (const [method, at, body] of [
      ['POST', '/hooks', { name: 'x', kind: 'json', accountIds: [accountId] }],
      ['POST', `${path}/secrets`, {}],
      ['POST', `${path}/signing-key`],
      ['PUT', `${path}/live`, { live: true }],
      ['PATCH', path, { accountIds: [accountId, other] }],
    ] as const) {
      const refused = await person.call(method, at, body)
      assert.deepEqual([refused.status, refused.body.code], [403, 'VERIFICATION_REQUIRED'], `${method} ${at}`)
    }
    assert.equal((await person.call('PATCH', path, { name: 'y', accountIds: [accountId] })).status, 200)
    assert.equal((await person.call('PUT', `${path}/live`, { live: false })).status, 200)
    assert.equal((await person.call('DELETE', `${path}/secrets/${hook.secrets[0].id}`)).status, 200)
    assert.equal((await person.call('DELETE', `${path}/signing-key`)).status, 200)
    assert.equal((await person.call('DELETE', path)).status, 200)
  })

  it('a change holds at once, and keeps what it leaves out; accounts are its authority', async () => {
    const { hook, url } = (await create({ quantity: 5 })).body.data
    const other = (await createAccount(api.database.em, { userId: person.userId })).id
    const path = `/hooks/${hook.id}`
    const changes = { name: 'Other', expects: { atLeastEvery: 'day' } }
    const changed = await person.call('PATCH', path, { ...changes, accountIds: [other] })
    const accounts = [{ accountId: other, multiplier: null, quantity: null }]
    assert.deepEqual(
      { ...changed.body.data.hook, updatedAt: hook.updatedAt },
      { ...hook, ...changes, accounts },
    )
    const found = (await holder(hook.id, secretOf(url)))!
    assert.deepEqual(found.bounds, { accountIds: [other], demoOnly: true })
    assert.deepEqual([found.name, found.scopes, found.settings.quantity], ['Other', ['signals:write'], '5'])
    const faulty = await person.call('PATCH', path, {
      accountIds: [randomUUID()],
      template: null,
      quantity: -1,
    })
    assert.deepEqual(
      [faulty.status, faulty.body.details.map((one: { field: string }) => one.field)],
      [400, ['quantity']],
    )
    const foreign = await person.call('PATCH', path, { accountIds: [randomUUID()] })
    assert.deepEqual([foreign.status, foreign.body.details[0].field], [400, 'accountIds.0'])
    const { body } = await person.call('PATCH', path, { quantity: null, expects: null })
    assert.deepEqual([body.data.hook.quantity, body.data.hook.expects], [null, null])
  })

  it('the secrets of a hook that are good are two at most, each for its time, and one that is ended is refused at once', async () => {
    const { hook, url } = (await create()).body.data
    const path = `/hooks/${hook.id}/secrets`
    const first = secretOf(url)
    const renew = async (body: object) => {
      const answer = await person.call('POST', path, body)
      assert.equal(answer.status, 201)
      return { text: secretOf(answer.body.data.url), id: answer.body.data.secret.id as string }
    }
    const good = async (...secrets: string[]) =>
      Promise.all(secrets.map(async (secret) => (await holder(hook.id, secret)) !== null))
    const second = await renew({ endsOthersAfter: 30 })
    assert.deepEqual(await good(first, second.text), [true, true])
    const shown = (await person.call('GET', `/hooks/${hook.id}`)).body.data.hook.secrets
    assert.deepEqual(
      shown.map((one: { endsAt: string | null }) => one.endsAt === null),
      [true, false],
    )
    const third = await renew({ endsOthersAfter: 30 })
    assert.deepEqual(await good(first, second.text, third.text), [false, true, true])
    const fourth = await renew({ endsOthersAfter: 0 })
    assert.deepEqual(await good(second.text, third.text, fourth.text), [false, false, true])
    const ended = await person.call('DELETE', `${path}/${fourth.id}`)
    assert.equal(ended.status, 200)
    assert.deepEqual(await good(fourth.text), [false])
    assert.equal((await person.call('DELETE', `${path}/${fourth.id}`)).status, 404)
    const fifth = await renew({})
    assert.deepEqual(await good(fifth.text), [true])
    const other = await made()
    assert.equal(await holder(other.id, fifth.text), null, 'good for its own hook alone')
    await Promise.all(Array.from({ length: 8 }, () => renew({})))
    const { secrets } = (await person.call('GET', `/hooks/${hook.id}`)).body.data.hook
    assert.equal(secrets.length, 2, 'of many that are made at once')
    await api.database.em.execute('update users set disabled_at = now() where id = ?', [person.userId])
    assert.equal(await holder(hook.id, null), null, 'of an owner who is disabled')
  })

  it('a key of a sender that signs is shown once, kept sealed, and lets nothing in when it is taken away', async () => {
    const hook = await made()
    const path = `/hooks/${hook.id}`
    assert.equal((await holder(hook.id, null))!.sealedSigningKey, null)
    const { status, body } = await person.call('POST', `${path}/signing-key`)
    assert.equal(status, 201)
    assert.match(body.data.key, /^[0-9a-f]{64}$/)
    const found = (await holder(hook.id, null))!
    const place = { table: 'hooks', id: hook.id, userId: person.userId, field: 'signingKey' }
    assert.equal(openSecret(secretKeys, place, found.sealedSigningKey!), body.data.key)
    assert.equal((await person.call('GET', path)).body.data.hook.signing, true)
    assert.notEqual((await person.call('POST', `${path}/signing-key`)).body.data.key, body.data.key)
    assert.equal((await person.call('DELETE', `${path}/signing-key`)).status, 200)
    assert.equal((await holder(hook.id, null))!.sealedSigningKey, null)
  })

  it('a hook trades on live accounts only after a person has switched it, where the operator allows that', async () => {
    const { hook, url } = (await create()).body.data
    const bounds = async () => (await holder(hook.id, secretOf(url)))!.bounds
    assert.deepEqual(await bounds(), { accountIds: [accountId], demoOnly: true })
    const on = await person.call('PUT', `/hooks/${hook.id}/live`, { live: true })
    assert.deepEqual([on.status, on.body.data.hook.live], [200, true])
    assert.deepEqual(await bounds(), { accountIds: [accountId] })
    await person.call('PATCH', `/hooks/${hook.id}`, { name: 'still live' })
    assert.deepEqual(await bounds(), { accountIds: [accountId] })
    const off = await person.call('PUT', `/hooks/${hook.id}/live`, { live: false })
    assert.deepEqual([off.status, off.body.data.hook.live], [200, false])
    assert.deepEqual(await bounds(), { accountIds: [accountId], demoOnly: true })
    assert.equal((await kindsLogged()).filter((kind: string) => kind === 'hook.live_switched').length, 2)
  })

  it('a deleted hook is refused from the next request on, with its signals withdrawn or kept', async () => {
    for (const signals of ['withdraw', 'keep'] as const) {
      const { hook, url } = (await create()).body.data
      const waiting = { executeMode: 'pending', status: 'pending' } as const
      const owner = { userId: person.userId, accountId, tokenId: hook.id }
      const { id } = await createSignal(api.database.em, { ...owner, ...waiting })
      assert.equal((await person.call('GET', `/hooks/${hook.id}`)).body.data.hook.waitingSignals, 1)
      const { status, body } = await person.call('DELETE', `/hooks/${hook.id}?signals=${signals}`)
      assert.equal(status, 200)
      const [waitingStill, withdrawn] = signals === 'keep' ? [1, 0] : [0, 1]
      assert.deepEqual(body.data.signals, { waiting: waitingStill, withdrawn })
      assert.match(body.data.message, /^The hook is deleted\./)
      assert.equal(
        api.gateway.messages.some(({ to }) => to.signalId === id),
        signals === 'withdraw',
      )
      assert.equal(await holder(hook.id, secretOf(url)), null)
      assert.equal((await person.call('GET', `/hooks/${hook.id}`)).status, 404)
      assert.equal((await person.call('DELETE', `/hooks/${hook.id}`)).status, 404)
    }
    assert.ok((await kindsLogged()).includes('hook.deleted'))
  })

  it('the first request ever is reported once, of however many at the same moment, and each use is noted', async () => {
    const hook = await made()
    const em = api.database.em
    await Promise.all(Array.from({ length: 10 }, () => noteRequest(em.fork(), hook.id, hook.secrets[0].id)))
    await noteAcceptance(em.fork(), hook.id)
    const { alerts } = (await person.call('GET', '/alerts?state=all')).body.data
    assert.deepEqual(rowsOf(alerts, 'kind', 'tokenId', 'message'), [
      ['hook_first_request', hook.id, 'The first request came to the hook "Breakouts"'],
    ])
    const seen = (await person.call('GET', `/hooks/${hook.id}`)).body.data.hook
    assert.ok(seen.firstRequestAt && seen.firstRequestAt === seen.lastRequestAt && seen.lastAcceptedAt)
    assert.ok(seen.secrets[0].lastUsedAt)
    assert.equal(
      (await person.call('POST', `/alerts/${alerts[0].id}/acknowledge`)).body.data.alert.resolvedAt !== null,
      true,
    )
  })

  it('a hook that worked and whose requests are refused notifies its owner under its name, until one is accepted', async () => {
    const hook = await made()
    const refusal = { at: new Date().toISOString(), code: 'VALIDATION_ERROR', message: 'symbol is required' }
    await recordRefusal(api.database.em.fork(), hook.id, refusal, signalsRefused(refusal))
    const alerts = async () => (await person.call('GET', '/alerts')).body.data.alerts
    const [alert, ...others] = await alerts()
    assert.deepEqual(others, [])
    assert.equal(
      alert.message,
      'A signal sent through the hook "Breakouts" was refused (VALIDATION_ERROR): symbol is required',
    )
    assert.deepEqual((await person.call('GET', `/hooks/${hook.id}`)).body.data.hook.lastRefusal, refusal)
    await recordAcceptance(api.database.em.fork(), hook.id)
    assert.deepEqual(await alerts(), [])
  })
})
