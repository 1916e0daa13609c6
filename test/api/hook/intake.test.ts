import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createLimits, type Limits } from '#api/access/limits.ts'
import { TIERS } from '#api/access/policy.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { leftHookRequests, noteTry } from '#db/hook/requests.ts'
import { UpdateRejected } from '#api/temporal/calls.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'
import { addPerson } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'

const BUY = {
  ticker: 'AAPL',
  action: 'buy',
  contracts: '10',
  market_position: 'long',
  market_position_size: '10',
  timenow: '2026-03-02T15:00:00Z',
  order_id: 'Long',
}
const at = (second: number) => ({ ...BUY, timenow: `2026-03-02T15:00:${second}Z` })
const statusesOf = async (messages: object[], hook: TestHook): Promise<number[]> => {
  const statuses: number[] = []
  for (const message of messages) statuses.push((await hook.send(message)).status)
  return statuses
}
const signed = (text: string, key: string, seconds = Math.floor(Date.now() / 1_000)) => ({
  'X-Hook-Timestamp': String(seconds),
  'X-Hook-Signature': `sha256=${createHmac('sha256', key).update(`${seconds}.${text}`).digest('hex')}`,
})
const signingKeyOf = async (hook: TestHook): Promise<string> =>
  (await hook.owner.call('POST', `/hooks/${hook.id}/signing-key`)).body.data.key

describe('a message to a hook', () => {
  /** Where the next request, or each, dies, and PostgreSQL's code for it. */
  let dies: { at: string; code?: string; always?: boolean } | null = null
  const api = useApi({
    answerDeadline: 500,
    failpoint: (name) => {
      if (dies?.at !== name) return
      const { code, always } = dies
      if (!always) dies = null
      throw Object.assign(new Error('fails here'), { code })
    },
  })
  afterEach(() => {
    dies = null
  })

  const run = (sql: string, parameters: unknown[]) =>
    api.database.em.fork().execute<Record<string, unknown>[]>(sql, parameters)
  const stored = async ({ id }: TestHook): Promise<number> =>
    (await run('select from hook_requests where hook_id = ?', [id])).length
  const withdrawn = (): string[] =>
    api.gateway.messages.filter(({ kind }) => kind === 'withdraw').map(({ to }) => to.signalId)
  const alertsOf = async ({ owner }: TestHook) => {
    await api.whenIdle()
    return rowsOf((await owner.call('GET', '/alerts')).body.data.alerts, 'kind', 'details')
  }
  const grow = ({ id }: TestHook, age = '6 seconds') =>
    run(
      'update hook_requests set received_at = received_at - ?::interval, tried_at = null where hook_id = ? and outcome is null',
      [age, id],
    )

  it('a message to a hook becomes a signal of its account, and is in the inbox with its outcome', async () => {
    const hook = await addHook(api)
    const { status, body } = await hook.send(BUY)
    assert.deepEqual([status, body.success], [200, true], JSON.stringify(body))
    const [{ id, symbol, account_id: accountId, target }] = await hook.signals()
    assert.deepEqual([symbol, accountId, target.position], ['AAPL', hook.accountIds[0], '10'])
    const [request] = await hook.requests()
    assert.deepEqual([request.outcome, request.signals[0].id], ['accepted', id], JSON.stringify(request))
  })

  it('a message to a hook that comes again is answered with the signal of the first, and makes none', async () => {
    const hook = await addHook(api)
    const answers = await Promise.all(Array.from({ length: 10 }, () => hook.send(BUY)))
    assert.deepEqual(new Set(pluck(answers, 'status')), new Set([200]))
    assert.equal((await hook.signals()).length, 1)
    const outcomes = await hook.outcomes()
    assert.equal(outcomes.filter((outcome) => outcome === 'repeated').length, 9)
    assert.ok(outcomes.includes('accepted'))
  })

  it('a message to a hook whose secret is wrong, of another hook, ended or malformed, and to no hook, is refused in one way, and nothing is stored', async () => {
    const [hook, other] = [await addHook(api), await addHook(api)]
    const ended = hook.secret
    const [{ id: secretId }] = (await hook.owner.call('GET', `/hooks/${hook.id}`)).body.data.hook.secrets
    const made = await hook.owner.call('POST', `/hooks/${hook.id}/secrets`, {})
    assert.equal((await hook.owner.call('DELETE', `/hooks/${hook.id}/secrets/${secretId}`)).status, 200)
    const secrets = [ended, other.secret, 'nothing', `${ended.slice(0, -1)}x`]
    const absent = [`/hooks/3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d/${other.secret}`, '/hooks/none/none']
    for (const path of [...secrets.map((secret) => `/hooks/${hook.id}/${secret}`), ...absent]) {
      const { status, body } = await hook.send(BUY, {}, path)
      assert.deepEqual([status, body.code], [401, 'HOOK_REFUSED'])
      assert.equal(body.error, (await hook.send(BUY, {}, '/hooks/none/none')).body.error)
    }
    assert.equal(await stored(hook), 0)
    assert.equal((await hook.send(BUY, {}, new URL(made.body.data.url).pathname)).status, 200)
  })

  it('a message to a hook that lists addresses is refused from every other, and the owner is notified', async () => {
    const hook = await addHook(api, { addresses: ['tradingview', '192.0.2.0/24'] })
    const { status, body } = await hook.send(BUY)
    assert.deepEqual([status, body.code], [403, 'HOOK_ADDRESS_REFUSED'])
    assert.equal((await hook.send(BUY)).status, 403)
    assert.equal(await stored(hook), 0)
    assert.deepEqual(await alertsOf(hook), [['hook_secret_elsewhere', { ip: '127.0.0.1' }]])
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

  it('a message to a hook that is not understood is kept with each fault, and the owner is notified of the first', async () => {
    const hook = await addHook(api)
    const { status, body } = await hook.send({ ...BUY, ticker: '{{ticker}}' })
    assert.deepEqual([status, body.success, body.code], [400, false, 'VALIDATION_ERROR'])
    assert.deepEqual(await hook.outcomes(), ['refused'])
    assert.ok((await alertsOf(hook)).some(([kind]) => kind === 'signals_refused'))
  })

  it('a message to a hook is accepted with any content type, and signed instead of with a secret', async () => {
    const hook = await addHook(api)
    assert.equal((await hook.send(BUY, { 'Content-Type': 'application/x-www-form-urlencoded' })).status, 200)
    const [key, to, text] = [await signingKeyOf(hook), `/hooks/${hook.id}`, JSON.stringify(at(5))]
    const tenMinutesAgo = Math.floor(Date.now() / 1_000) - 600
    for (const [sent, headers, status] of [
      [text, signed(text, key), 200],
      [text, signed(text, 'another'), 401],
      [text, signed(text, key, tenMinutesAgo), 401],
      [`${text} `, signed(text, key), 401],
      [text, {}, 401],
    ] as const)
      assert.equal((await hook.send(sent, headers, to)).status, status)
    const unsigned = await addHook(api)
    assert.equal((await unsigned.send(text, signed(text, key), `/hooks/${unsigned.id}`)).status, 401)
  })

  it('a message to a hook of several accounts makes a signal for each, by its multiplier or its own size, under one group', async () => {
    const hook = await addHook(api, {}, { accounts: 3 })
    const [a, b, c] = hook.accountIds as [string, string, string]
    const accountIds = [a, { accountId: b, multiplier: 2 }, { accountId: c, quantity: 3 }]
    assert.equal((await hook.owner.call('PATCH', `/hooks/${hook.id}`, { accountIds })).status, 200)
    await hook.send(BUY)
    const signals = await hook.signals()
    const positions = Object.fromEntries(signals.map((one) => [one.account_id, one.target.position]))
    assert.deepEqual(positions, { [a]: '10', [b]: '20', [c]: '3' })
    assert.equal(new Set(pluck(signals, 'group_id')).size, 1)
  })

  it('a message to a hook is answered within its deadline when its order has no outcome by then', async () => {
    const hook = await addHook(api)
    const { answer } = api.gateway
    api.gateway.answer = () => new Promise(() => {})
    try {
      assert.equal((await hook.send(BUY)).status, 200)
    } finally {
      api.gateway.answer = answer
    }
  })

  it('a message to a hook stops trading on its accounts, takes back what waits, and permits no resumption', async () => {
    const hook = await addHook(api, { kind: 'trade-relay', executeMode: 'pending' })
    const say = async (action: string, more: object = {}) => (await hook.send({ action, ...more })).status
    assert.equal(await say('buy', { symbol: 'AAPL', quantity: 5 }), 200)
    assert.equal(await say('cancel', { symbol: 'AAPL' }), 200)
    assert.deepEqual(withdrawn(), pluck(await hook.signals(), 'id'))
    assert.equal(await say('kill'), 200)
    assert.match(JSON.stringify((await hook.owner.call('GET', '/settings/halts')).body), /reduceOnly/)
    assert.equal(await say('resume'), 400)
  })

  it('a message to a hook that cancels before it buys leaves its own signal alone when it comes again', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    const message = { ticker: 'AAPL', action: 'buy', quantity: 5, cancel: true, time: '2026-03-02T15:00:00Z' }
    for (let n = 0; n < 3; n++) assert.equal((await hook.send(message)).status, 200)
    const signals = await hook.signals()
    assert.equal(signals.length, 1)
    assert.ok(!withdrawn().includes(signals[0].id))
    assert.deepEqual(await hook.outcomes(), ['repeated', 'repeated', 'accepted'])
  })

  it('a message to a hook that cancels before it buys leaves its own signal alone when it is carried out to its end by the sweep', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    dies = { at: 'api.after_commit' }
    await hook.send({ ticker: 'AAPL', action: 'buy', quantity: 5, cancel: true })
    await grow(hook)
    await api.hookSweep.sweep()
    assert.deepEqual(await hook.outcomes(), ['accepted'])
    const signals = await hook.signals()
    assert.equal(signals.length, 1)
    assert.ok(!withdrawn().includes(signals[0].id))
  })

  it('a message to a hook that cancels withdraws earlier signals, and no later ones', async () => {
    const hook = await addHook(api, { kind: 'traderspost', executeMode: 'pending' })
    const buy = (quantity: number) => ({ ticker: 'MSFT', action: 'buy', quantity })
    const cancel = { ticker: 'MSFT', action: 'cancel', time: '2026-03-02T15:00:00Z' }
    await statusesOf([buy(1), cancel, buy(2), cancel], hook)
    const ids = pluck(await hook.signals(), 'id')
    assert.deepEqual(
      ids.map((id) => withdrawn().includes(id)),
      [true, false],
    )
  })

  describe('that cancels', () => {
    let usual: Pick<typeof api.gateway, 'onWithdraw' | 'onCancelOrder'>
    before(() => {
      const { onWithdraw, onCancelOrder } = api.gateway
      usual = { onWithdraw, onCancelOrder }
    })
    afterEach(() => Object.assign(api.gateway, usual))

    /** Its message, once a signal of the hook is changed like that. */
    async function cancelled(change: string): Promise<{ told: string; id: string }> {
      const hook = await addHook(api, { kind: 'traderspost' })
      assert.equal((await hook.send({ ticker: 'MSFT', action: 'buy', quantity: 1 })).status, 200)
      const [{ id }] = await hook.signals()
      await run(`update signals set ${change} where id = ?`, [id])
      await hook.send({ ticker: 'MSFT', action: 'cancel' })
      const [{ message }] = await hook.requests()
      return { told: message, id }
    }

    it('a message to a hook that cancels has the entry cancelled that the broker may or may not have', async () => {
      api.gateway.onWithdraw = async () => {
        throw new UpdateRejected('SIGNAL_NOT_CANCELLABLE', 'The signal is being sent to the broker')
      }
      api.gateway.onCancelOrder = async () => null
      const { told, id } = await cancelled(`status = 'transmitted', order_id = null`)
      assert.match(told, /orders cancelled: 1/)
      const clientOrderId = clientOrderIdFor(id, 'entry', 1)
      const asked = api.gateway.cancels.at(-1)!
      assert.deepEqual([asked.to.signalId, asked.clientOrderId], [id, clientOrderId])
    })

    it('a message to a hook that cancels keeps a reversal from opening the other side once its close has filled', async () => {
      const target = JSON.stringify({ position: '-10', exit: null, at: null })
      const { told, id } = await cancelled(`action = 'closeLong', target = '${target}', status = 'executed'`)
      assert.match(told, /Signals withdrawn in MSFT: 1/)
      assert.deepEqual(await run(`select target ->> 'position' as wanted from signals where id = ?`, [id]), [
        { wanted: '0' },
      ])
    })
  })

  it('a message to a hook that is revoked before it could be carried out ends as refused, and says why', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = { at: 'api.after_hook_stored' }
    await hook.send('BUY 5 NVDA')
    await grow(hook)
    await hook.owner.call('DELETE', `/hooks/${hook.id}`)
    await api.hookSweep.sweep()
    const [ended] = await run('select outcome, code from hook_requests where hook_id = ?', [hook.id])
    assert.deepEqual(ended, { outcome: 'refused', code: 'SENDER_REVOKED' })
    assert.deepEqual(await hook.signals(), [])
  })

  it('a message to a hook that is carried out late is not, where a later one of its symbol has been', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = { at: 'api.after_hook_stored' }
    await hook.send('SELL 5 NVDA')
    await grow(hook)
    await hook.send('BUY 5 NVDA')
    await api.hookSweep.sweep()
    assert.deepEqual(await hook.outcomes(), ['accepted', 'late'])
    assert.equal((await hook.signals()).length, 1)
  })

  it('a message to a hook that its process has stored before it died is carried out once by the sweep, whether or not it comes again meanwhile', async () => {
    const [alone, repeated] = [await addHook(api), await addHook(api, { kind: 'signalstack' })]
    dies = { at: 'api.after_hook_stored', always: true }
    await alone.send(BUY)
    await repeated.send('BUY 10 AAPL')
    dies = null
    assert.equal((await repeated.send('BUY 10 AAPL')).status, 200)
    await api.hookSweep.sweep()
    assert.deepEqual(await alone.outcomes(), [null], 'its process may still be at it')
    for (const hook of [alone, repeated]) await grow(hook)
    await api.hookSweep.sweep()
    for (const hook of [alone, repeated]) {
      assert.ok(!(await hook.outcomes()).includes(null))
      assert.equal((await hook.signals()).length, 1)
    }
  })

  it('a message to a hook in dollars is refused for an account with a size of its own, which is in shares', async () => {
    const hook = await addHook(api, { kind: 'traderspost' })
    const accountIds = [{ accountId: hook.accountIds[0], quantity: 3 }]
    await hook.owner.call('PATCH', `/hooks/${hook.id}`, { accountIds })
    const message = { ticker: 'AAPL', action: 'buy', quantity: 5 }
    const { status, body } = await hook.send({ ...message, quantityType: 'dollar_amount' })
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /multiplier/)
    assert.equal((await hook.send(message)).status, 200)
  })

  it('a message to a hook that waits for approval does not get around it by saying that it is immediate', async () => {
    const hook = await addHook(api, { kind: 'json', executeMode: 'pending' })
    const message = { symbol: 'AAPL', action: 'openLong', quantity: 1, executeMode: 'immediate' }
    const { status, body } = await hook.send(message)
    assert.deepEqual([status, body.code], [400, 'TOKEN_BOUNDS_EXCEEDED'], JSON.stringify(body))
    assert.equal((await hook.send({ ...message, executeMode: undefined })).status, 200)
  })

  for (const code of ['22P05', '22003', '23514', '54000'])
    it(`a message to a hook that fails with PostgreSQL's ${code} each time is refused at once, and its owner is alerted`, async () => {
      const hook = await addHook(api, { kind: 'signalstack' })
      dies = { at: 'api.before_commit', code, always: true }
      const { status, body } = await hook.send('BUY 5 NVDA')
      assert.deepEqual(
        [status, body.success, body.code],
        [400, false, 'INTERNAL_ERROR'],
        JSON.stringify(body),
      )
      assert.deepEqual(rowsOf(await hook.requests(), 'outcome', 'status'), [['refused', 400]])
      assert.ok((await alertsOf(hook)).some(([kind]) => kind === 'signals_refused'))
    })

  it('a message to a hook that fails after its signals are stored ends with these signals', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = { at: 'api.after_commit', code: '22P05', always: true }
    assert.equal((await hook.send('BUY 5 NVDA')).status, 200)
    assert.deepEqual(await hook.outcomes(), ['accepted'])
    assert.equal((await hook.signals()).length, 1)
  })

  it('a message to a hook that may succeed the next time is tried again, and ends ten minutes after it came', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    dies = { at: 'api.before_commit', code: '40001', always: true }
    assert.equal((await hook.send('BUY 5 NVDA')).status, 200)
    for (const [age, outcome] of [
      ['6 seconds', null],
      ['10 minutes', 'late'],
    ] as const) {
      await grow(hook, age)
      await api.hookSweep.sweep()
      assert.deepEqual(await hook.outcomes(), [outcome])
    }
    assert.deepEqual(await hook.signals(), [])
  })

  it('a message to a hook that stops trading is carried out however late it is, as it is right to stop', async () => {
    const hook = await addHook(api, { kind: 'trade-relay' })
    await run(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes)
       values (gen_random_uuid(), ?, ?, now() - interval '20 minutes', '::1', '{"action": "kill"}', 18)`,
      [hook.owner.userId, hook.id],
    )
    await api.hookSweep.sweep()
    assert.deepEqual(await hook.outcomes(), ['accepted'])
    const { body: halts } = await hook.owner.call('GET', '/settings/halts')
    assert.match(JSON.stringify(halts), /reduceOnly/)
  })

  it('a message to a hook that is left over is tried in the turn of its person and hook, however many are left over of others', async () => {
    const bounds = { restMs: 4_000, mostOfPerson: 5, most: 30 }
    const left = () => leftHookRequests(api.database.em.fork(), new Date(Date.now() - 5_000), bounds)
    const leave = (hook: TestHook, count: number, age: string) =>
      run(
        `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes)
         select gen_random_uuid(), ?, ?, now() - ?::interval - n * interval '1 millisecond', '::1', '{}', 2 from generate_series(1, ?) n`,
        [hook.owner.userId, hook.id, age, count],
      )
    const { owner } = await addHook(api)
    const [flooded, second] = [await addHook(api, {}, { owner }), await addHook(api, {}, { owner })]
    const other = await addHook(api)
    await leave(flooded, 564, '9 minutes')
    await leave(second, 1, '1 minute')
    await leave(other, 1, '6 seconds')
    const first = await left()
    const turns = 'each person has the first turn of theirs before anybody has a second one'
    assert.deepEqual(new Set(pluck(first.slice(0, 2), 'hookId')), new Set([flooded.id, other.id]), turns)
    assert.equal(first.length, bounds.mostOfPerson + 1)
    assert.ok(first.slice(0, 4).some(({ hookId }) => hookId === second.id))
    for (const { id } of first) await noteTry(api.database.em.fork(), id)
    const next = await left()
    assert.ok(next.every(({ hookId }) => hookId === flooded.id))
    assert.ok(next.every(({ id }) => !first.some((one) => one.id === id)))
    await run(
      `update hook_requests set tried_at = tried_at - interval '5 seconds' where tried_at is not null`,
      [],
    )
    await leave(flooded, 1, '1 hour')
    const [again] = (await left()).filter(({ hookId }) => hookId === flooded.id)
    assert.ok(!first.some((one) => one.id === again!.id), 'a request that was never tried comes first')
  })
})

describe('a flood to a hook', () => {
  let counts: CountStore
  let limits: Limits
  const api = useApi({ limits: (url) => (limits = createLimits((counts = openCountStore(url)))) })
  after(() => counts.end())

  const seconds = (count: number) => Array.from({ length: count }, (_, n) => at(10 + n))

  for (const [kind, refused] of [
    ['tradingview', 503],
    ['traderspost', 429],
  ] as const)
    it(`a flood to a hook of ${kind} is refused with ${refused} beyond its rate, and nothing is stored of that`, async () => {
      const hook = await addHook(api, { kind, requestsPerMinute: 5 })
      const statuses = await statusesOf(seconds(12), hook)
      assert.equal(statuses.filter((status) => status === refused).length, 7, statuses.join())
      assert.equal((await hook.requests()).length, 5)
    })

  it('a flood to all hooks of a person together is refused beyond what one may have, and takes nothing from anybody else', async () => {
    const { limit } = TIERS.hooksOfPerson
    const owner = await addPerson(api, { plan: 'PRO' })
    const [first, second] = [
      await addHook(api, { requestsPerMinute: 600 }, { owner }),
      await addHook(api, { requestsPerMinute: 600, kind: 'traderspost' }, { owner }),
    ]
    for (let sent = 4; sent < limit; sent++)
      await limits.countHere('hooksOfPerson', owner.userId, { reserve: false })
    const unread = [{ action: 'none' }, { action: 'none' }]
    const statuses = [...(await statusesOf(unread, first)), ...(await statusesOf(unread, second))]
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
    assert.deepEqual(await statusesOf(seconds(6), hook), [200, 200, 200, 200, 200, 503])
  })

  it('a flood to a hook of one signed message, and of wrong signatures, uses up nothing of its rate', async () => {
    const hook = await addHook(api, { requestsPerMinute: 3 })
    const [key, path, first] = [await signingKeyOf(hook), `/hooks/${hook.id}`, JSON.stringify(BUY)]
    const caught = signed(first, key)
    assert.equal((await hook.send(first, caught, path)).status, 200)
    for (let n = 0; n < 8; n++) {
      await hook.send(first, caught, path)
      assert.equal((await hook.send(first, signed(first, 'another'), path)).status, 401)
    }
    for (const next of [at(11), at(12)].map((message) => JSON.stringify(message)))
      assert.equal((await hook.send(next, signed(next, key), path)).status, 200)
    assert.equal((await hook.signals()).length, 3)
  })
})
