import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createLimits } from '#api/access/limits.ts'
import { TIERS } from '#api/access/tiers.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { eventually } from '#test/support/eventually.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson } from '../support/person.ts'
import { addHook, type TestHook } from './support/hook.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

const BUY = {
  ticker: 'AAPL',
  action: 'buy',
  contracts: '10',
  market_position: 'long',
  market_position_size: '10',
  timenow: '2026-03-02T15:00:00Z',
  order_id: 'Long',
}

describe('a message to a hook', () => {
  const api = useApi()

  const stored = async ({ id }: TestHook): Promise<number> =>
    (await api.database.em.fork().execute('select from hook_requests where hook_id = ?', [id])).length

  it('a message to a hook becomes a signal of its account, and stands in the inbox with what became of it', async () => {
    const hook = await addHook(api)
    const { status, body } = await hook.send(BUY)
    assert.deepEqual([status, body.success], [200, true], JSON.stringify(body))
    const [signal] = await hook.signals()
    assert.deepEqual(
      [signal!.symbol, signal!.account_id, signal!.target.position],
      ['AAPL', hook.accountIds[0], '10'],
    )
    const [request] = await hook.requests()
    assert.deepEqual(
      [request!.outcome, request!.signals[0].id],
      ['accepted', signal!.id],
      JSON.stringify(request),
    )
  })

  it('a message to a hook that comes again is answered with the signal of the first, and makes none', async () => {
    const hook = await addHook(api)
    const answers = await Promise.all(Array.from({ length: 10 }, () => hook.send(BUY)))
    assert.deepEqual(new Set(pluck(answers, 'status')), new Set([200]))
    assert.equal((await hook.signals()).length, 1)
    const outcomes: string[] = pluck(await hook.requests(), 'outcome')
    outcomes.sort()
    assert.deepEqual(outcomes, ['accepted', ...Array.from({ length: 9 }, () => 'repeated')])
  })

  it('a message to a hook whose secret is wrong, of another hook, ended or malformed, and to no hook, is refused in one way, and nothing is stored', async () => {
    const hook = await addHook(api)
    const other = await addHook(api)
    const ended = hook.secret
    const [{ id: secretId }] = (await hook.owner.call('GET', `/hooks/${hook.id}`)).body.data.hook.secrets
    const made = await hook.owner.call('POST', `/hooks/${hook.id}/secrets`, {})
    assert.equal((await hook.owner.call('DELETE', `/hooks/${hook.id}/secrets/${secretId}`)).status, 200)
    const answers = await Promise.all(
      [
        `/hooks/${hook.id}/${ended}`,
        `/hooks/${hook.id}/${other.secret}`,
        `/hooks/${hook.id}/nothing`,
        `/hooks/${hook.id}/${ended.slice(0, -1)}x`,
        `/hooks/3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d/${other.secret}`,
        '/hooks/none/none',
      ].map((path) => hook.send(BUY, {}, path)),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 401)
      assert.equal(body.code, 'HOOK_REFUSED')
    }
    assert.equal(new Set(answers.map(({ body }) => body.error)).size, 1)
    assert.equal(await stored(hook), 0)
    const { status } = await hook.send(BUY, {}, new URL(made.body.data.url).pathname)
    assert.equal(status, 200)
  })

  it('a message to a hook leaves neither its secret nor keys of its body in the log, the inbox and the signals', async () => {
    const hook = await addHook(api)
    await hook.send({
      ...BUY,
      apikey: 'a-very-secret-key',
      token: hook.secret,
      comment: `see ${hook.secret}`,
    })
    await hook.send(`passphrase = "a-very-secret-key" ${hook.secret} buy`)
    await api.whenIdle()
    const em = api.database.em.fork()
    const kept = [
      api.log,
      await em.execute('select * from hook_requests'),
      await em.execute('select * from signals'),
      await em.execute('select * from signal_sources'),
      await em.execute('select * from signal_groups'),
      await em.execute('select * from alerts'),
      await em.execute('select * from access_tokens'),
    ]
    for (const one of kept) {
      const text = JSON.stringify(one)
      assert.ok(!text.includes('a-very-secret-key'))
      assert.ok(!text.includes(hook.secret))
    }
  })

  it('a message to a hook that lists addresses is refused from every other, and the owner is told', async () => {
    const hook = await addHook(api, { addresses: ['tradingview', '192.0.2.0/24'] })
    const { status, body } = await hook.send(BUY)
    assert.deepEqual([status, body.code], [403, 'HOOK_ADDRESS_REFUSED'])
    assert.equal(await stored(hook), 0)
    for (let n = 0; n < 5; n++) assert.equal((await hook.send(BUY)).status, 403)
    await api.whenIdle()
    const { body: alerts } = await hook.owner.call('GET', '/alerts')
    assert.deepEqual(rowsOf(alerts.data.alerts, 'kind', 'details'), [
      ['hook_secret_elsewhere', { ip: '127.0.0.1' }],
    ])
    const listed = await addHook(api, { addresses: ['127.0.0.0/8', '::1'] })
    assert.equal((await listed.send(BUY)).status, 200)
  })

  it('a message to a hook of a megabyte, and a compressed one, is refused before anything is stored', async () => {
    const hook = await addHook(api)
    const large = await hook.send('x'.repeat(1_000_000)).catch(() => null)
    assert.ok(large === null || large.status === 413)
    assert.equal((await hook.send(BUY, { 'Content-Encoding': 'gzip' })).status, 415)
    assert.equal(await stored(hook), 0)
  })

  it('a message to a hook that is not understood is kept with each fault, and the owner is told of the first', async () => {
    const hook = await addHook(api)
    const { status, body } = await hook.send({ ...BUY, ticker: '{{ticker}}' })
    assert.deepEqual(
      [status, body.success, body.code],
      [400, false, 'VALIDATION_ERROR'],
      JSON.stringify(body),
    )
    const [request] = await hook.requests()
    assert.equal(request!.outcome, 'refused')
    await api.whenIdle()
    const { body: alerts } = await hook.owner.call('GET', '/alerts')
    assert.ok(alerts.data.alerts.some(({ kind }: { kind: string }) => kind === 'signals_refused'))
  })

  it('a message to a hook is taken whatever type it says, and signed instead of with a secret', async () => {
    const hook = await addHook(api)
    assert.equal((await hook.send(BUY, { 'Content-Type': 'application/x-www-form-urlencoded' })).status, 200)
    const { body: made } = await hook.owner.call('POST', `/hooks/${hook.id}/signing-key`)
    const text = JSON.stringify({ ...BUY, timenow: '2026-03-02T15:05:00Z' })
    const signed = (key: string, at: number, body = text) => ({
      'X-Hook-Timestamp': String(at),
      'X-Hook-Signature': `sha256=${createHmac('sha256', key).update(`${at}.${body}`).digest('hex')}`,
    })
    const now = Math.floor(Date.now() / 1_000)
    const to = `/hooks/${hook.id}`
    const key: string = made.data.signingKey ?? made.data.key
    assert.equal((await hook.send(text, signed(key, now), to)).status, 200)
    assert.equal((await hook.send(text, signed('another', now), to)).status, 401)
    assert.equal((await hook.send(text, signed(key, now - 600), to)).status, 401)
    assert.equal((await hook.send(`${text} `, signed(key, now), to)).status, 401)
    assert.equal((await hook.send(text, {}, to)).status, 401)
    const unsigned = await addHook(api)
    assert.equal((await unsigned.send(text, signed(key, now), `/hooks/${unsigned.id}`)).status, 401)
  })

  it('a message to a hook of several accounts makes a signal for each, by its multiplier or its own size, under one group', async () => {
    const first = await addHook(api, {}, { accounts: 3 })
    const [a, b, c] = first.accountIds as [string, string, string]
    const { status } = await first.owner.call('PATCH', `/hooks/${first.id}`, {
      accountIds: [a, { accountId: b, multiplier: 2 }, { accountId: c, quantity: 3 }],
    })
    assert.equal(status, 200)
    await first.send(BUY)
    const signals = await first.signals()
    const positions = Object.fromEntries(signals.map((one) => [one.account_id, one.target.position]))
    assert.deepEqual(positions, { [a]: '10', [b]: '20', [c]: '3' })
    assert.equal(new Set(signals.map((one) => one.group_id)).size, 1)
  })

  it('a message to a hook is answered within two seconds when its order has no outcome by then', async () => {
    const hook = await addHook(api)
    const answer = api.gateway.answer
    api.gateway.answer = () => new Promise(() => {})
    try {
      const since = performance.now()
      const { status } = await hook.send(BUY)
      assert.equal(status, 200)
      assert.ok(performance.now() - since < 2_000)
    } finally {
      api.gateway.answer = answer
    }
  })

  it('a message to a hook stops trading on its accounts, takes back what waits, and lets nobody resume', async () => {
    const hook = await addHook(api, { kind: 'trade-relay', executeMode: 'pending' })
    assert.equal((await hook.send({ action: 'buy', symbol: 'AAPL', quantity: 5 })).status, 200)
    const cancelled = await hook.send({ action: 'cancel', symbol: 'AAPL' })
    assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body))
    assert.deepEqual(
      api.gateway.messages.filter(({ kind }) => kind === 'withdraw').map(({ to }) => to.signalId),
      pluck(await hook.signals(), 'id'),
    )
    const killed = await hook.send({ action: 'kill' })
    assert.equal(killed.status, 200, JSON.stringify(killed.body))
    const { body: halts } = await hook.owner.call('GET', '/settings/halts')
    assert.match(JSON.stringify(halts), /reduceOnly/)
    assert.equal((await hook.send({ action: 'resume' })).status, 400)
  })
})

describe('a message to a hook that cancels or closes', () => {
  let dies: string | null = null
  const api = useApi({
    failpoint: (name) => {
      if (dies !== name) return
      dies = null
      throw new Error('dies here')
    },
  })

  const withdrawn = (): string[] =>
    api.gateway.messages.filter(({ kind }) => kind === 'withdraw').map(({ to }) => to.signalId)
  const age = (hook: TestHook) =>
    api.database.em
      .fork()
      .execute(
        `update hook_requests set received_at = received_at - interval '6 seconds' where hook_id = ? and outcome is null`,
        [hook.id],
      )

  it('a message to a hook that cancels before it buys leaves its own signal alone when it comes again', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    const message = { ticker: 'AAPL', action: 'buy', quantity: 5, cancel: true, time: '2026-03-02T15:00:00Z' }
    for (let n = 0; n < 3; n++) assert.equal((await hook.send(message)).status, 200)
    const signals = await hook.signals()
    assert.equal(signals.length, 1)
    assert.ok(!withdrawn().includes(signals[0].id))
    assert.deepEqual(pluck(await hook.requests(), 'outcome'), ['repeated', 'repeated', 'accepted'])
  })

  it('a message to a hook that cancels before it buys leaves its own signal alone when it is carried out to its end by the sweep', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    dies = 'api.after_commit'
    await hook.send({ ticker: 'AAPL', action: 'buy', quantity: 5, cancel: true })
    await age(hook)
    await api.hookSweep.sweep()
    const [request] = await hook.requests()
    assert.equal(request.outcome, 'accepted')
    const signals = await hook.signals()
    assert.equal(signals.length, 1)
    assert.ok(!withdrawn().includes(signals[0].id))
  })

  it('a message to a hook that cancels takes back what came before it, and nothing that came since', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    const buy = (quantity: number) => ({ ticker: 'MSFT', action: 'buy', quantity })
    const cancel = { ticker: 'MSFT', action: 'cancel', time: '2026-03-02T15:00:00Z' }
    await hook.send(buy(1))
    await hook.send(cancel)
    await hook.send(buy(2))
    await hook.send(cancel)
    const [first, second] = await hook.signals()
    assert.deepEqual(
      [first.id, second.id].map((id) => withdrawn().includes(id)),
      [true, false],
    )
  })

  it('a message to a hook that is revoked before it could be carried out ends as refused, and says why', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = 'api.after_hook_stored'
    await hook.send('BUY 5 NVDA')
    await age(hook)
    await hook.owner.call('DELETE', `/hooks/${hook.id}`)
    await api.hookSweep.sweep()
    const [ended] = await api.database.em
      .fork()
      .execute<{ outcome: string; code: string }[]>(
        'select outcome, code from hook_requests where hook_id = ?',
        [hook.id],
      )
    assert.deepEqual(ended, { outcome: 'refused', code: 'SENDER_REVOKED' })
    assert.deepEqual(await hook.signals(), [])
  })

  it('a message to a hook that is carried out late is not, where a later one of its symbol has been', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = 'api.after_hook_stored'
    await hook.send('SELL 5 NVDA')
    await age(hook)
    await hook.send('BUY 5 NVDA')
    await api.hookSweep.sweep()
    assert.deepEqual(pluck(await hook.requests(), 'outcome'), ['accepted', 'late'])
    assert.equal((await hook.signals()).length, 1)
  })

  it('a message to a hook in dollars is refused for an account with a size of its own, which is in shares', async () => {
    const hook = await addHook(api, { kind: 'traderspost' })
    const accountIds = [{ accountId: hook.accountIds[0], quantity: 3 }]
    await hook.owner.call('PATCH', `/hooks/${hook.id}`, { accountIds })
    const { status, body } = await hook.send({
      ticker: 'AAPL',
      action: 'buy',
      quantity: 5000,
      quantityType: 'dollar_amount',
    })
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /multiplier/)
    assert.equal((await hook.send({ ticker: 'AAPL', action: 'buy', quantity: 5 })).status, 200)
  })

  it('a message to a hook that waits for approval does not get around it by saying that it is immediate', async () => {
    const hook = await addHook(api, { kind: 'json', executeMode: 'pending' })
    const message = { symbol: 'AAPL', action: 'openLong', quantity: 1, executeMode: 'immediate' }
    const { status, body } = await hook.send(message)
    assert.deepEqual([status, body.code], [400, 'TOKEN_BOUNDS_EXCEEDED'], JSON.stringify(body))
    assert.equal((await hook.send({ ...message, executeMode: undefined })).status, 200)
  })

  it('a message to a hook whose passphrase is a number, in JSON that is mended, is read and kept without it', async () => {
    const hook = await addHook(api, { kind: 'traderspost' })
    const { status } = await hook.send(
      '{"ticker": "AAPL", "action": "buy", "quantity": 1, "passphrase": 4711,}',
    )
    assert.equal(status, 200)
    assert.ok(!JSON.stringify(await hook.requests()).includes('4711'))
  })
})

describe('a flood to a hook', () => {
  let api: ApiServer
  let counts: CountStore
  before(async () => {
    api = await startApi({ limits: (url) => createLimits((counts = openCountStore(url))) })
  })
  after(async () => {
    await api.stop()
    await counts.end()
  })

  for (const [kind, refused] of [
    ['tradingview', 503],
    ['traderspost', 429],
  ] as const)
    it(`a flood to a hook of ${kind} is refused with ${refused} beyond its rate, and nothing is stored of that`, async () => {
      const hook = await addHook(api, { kind, requestsPerMinute: 5 })
      const statuses: number[] = []
      for (let n = 0; n < 12; n++)
        statuses.push((await hook.send({ ...BUY, timenow: `2026-03-02T15:00:${10 + n}Z` })).status)
      assert.equal(statuses.filter((status) => status === refused).length, 7, statuses.join())
      const rows = await api.database.em
        .fork()
        .execute('select from hook_requests where hook_id = ?', [hook.id])
      assert.equal(rows.length, 5)
    })

  it('a flood to all hooks of a person together is refused beyond what one may have, and takes nothing from anybody else', async () => {
    const { limit } = TIERS.hooksOfPerson
    const owner = await addPerson(api, { plan: 'PRO' })
    const [first, second] = [
      await addHook(api, { requestsPerMinute: 600 }, { owner }),
      await addHook(api, { requestsPerMinute: 600, kind: 'traderspost' }, { owner }),
    ]
    const statuses: number[] = []
    for (let sent = 0; sent < limit; sent += 50) {
      const hook = sent < limit / 2 ? first : second
      const answers = await Promise.all(Array.from({ length: 50 }, () => hook.send('{"action":"none"}')))
      statuses.push(...answers.map(({ status }) => status))
    }
    assert.deepEqual([...new Set(statuses)], [400], 'each of what is allowed is judged')
    assert.deepEqual([(await first.send(BUY)).status, (await second.send(BUY)).status], [503, 429])
    assert.equal((await (await addHook(api)).send(BUY)).status, 200)
  })

  it('a flood to a hook by a thief of its secret from an address that is not listed uses up nothing of its rate', async () => {
    const hook = await addHook(api, { requestsPerMinute: 5, addresses: ['192.0.2.1'] })
    const thefts = await Promise.all(Array.from({ length: 20 }, () => hook.send(BUY)))
    assert.deepEqual(new Set(pluck(thefts, 'status')), new Set([403]))
    const listed = { addresses: ['127.0.0.1', '::1'] }
    assert.equal((await hook.owner.call('PATCH', `/hooks/${hook.id}`, listed)).status, 200)
    const statuses: number[] = []
    for (let n = 0; n < 6; n++)
      statuses.push((await hook.send({ ...BUY, timenow: `2026-03-02T15:00:${10 + n}Z` })).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 503])
  })

  it('a flood to a hook of one signed message, and of wrong signatures, uses up nothing of its rate', async () => {
    const hook = await addHook(api, { requestsPerMinute: 3 })
    const { body: made } = await hook.owner.call('POST', `/hooks/${hook.id}/signing-key`)
    const key: string = made.data.signingKey ?? made.data.key
    const path = `/hooks/${hook.id}`
    const signed = (text: string, by = key) => {
      const at = String(Math.floor(Date.now() / 1_000))
      const mac = createHmac('sha256', by).update(`${at}.${text}`).digest('hex')
      return { 'X-Hook-Timestamp': at, 'X-Hook-Signature': `sha256=${mac}` }
    }
    const first = JSON.stringify(BUY)
    const caught = signed(first)
    assert.equal((await hook.send(first, caught, path)).status, 200)
    for (let n = 0; n < 8; n++) {
      await hook.send(first, caught, path)
      assert.equal((await hook.send(first, signed(first, 'another'), path)).status, 401)
    }
    for (const second of [11, 12]) {
      const next = JSON.stringify({ ...BUY, timenow: `2026-03-02T15:00:${second}Z` })
      assert.equal((await hook.send(next, signed(next), path)).status, 200)
    }
    assert.equal((await hook.signals()).length, 3)
  })
})

describe('a message to a hook that its process has stored before it died', () => {
  let dies = false
  const api = useApi({
    failpoint: (name) => {
      if (dies && name === 'api.after_hook_stored') throw new Error('dies here')
    },
  })

  it('a message to a hook that its process has stored before it died is carried out once by the sweep, whether or not it comes again meanwhile', async () => {
    const [alone, repeated] = [await addHook(api), await addHook(api, { kind: 'signalstack' })]
    dies = true
    await alone.send(BUY)
    await repeated.send('BUY 10 AAPL')
    dies = false
    assert.equal((await repeated.send('BUY 10 AAPL')).status, 200)
    api.hookSweep.start()
    await eventually(
      async () => {
        for (const hook of [alone, repeated]) {
          assert.ok((await hook.requests()).every(({ outcome }) => outcome !== null))
          assert.equal((await hook.signals()).length, 1)
        }
      },
      { within: 20_000 },
    )
    await api.hookSweep.stop()
  })
})
