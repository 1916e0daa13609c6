import { GatewayUnavailable } from '#api/temporal/calls.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { statementsOf } from '../../support/statements.ts'
import { signalBody, startApi, type TestUser, type UserChanges } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

describe('POST /api/v1/signals', () => {
  const api = useApi({ answerDeadline: 400 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.answer = async () => EXECUTED
  })

  const EXECUTED = {
    status: 'executed',
    orderId: 'b1a4a2c6-34c2-4a7e-9d5e-0d9d3c0f7b11',
    reason: null,
    detail: null,
  } as const
  const post = (changes: Record<string, unknown> = {}, token = user.token) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const rows = (sql: string) =>
    api.database.em.getConnection().execute<Record<string, unknown>[]>(sql, [user.userId])
  const countSignals = async () => (await rows('select 1 from signals where user_id = ?')).length
  const setStatus = (id: string, status: string) =>
    api.database.em.getConnection().execute('update signals set status = ? where id = ?', [status, id])

  it('answers 201 with the order when the broker accepted the entry, and the advisories of its check', async () => {
    const { status, body, headers } = await post({ symbol: 'aapl' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      success: true,
      message: 'The broker accepted the order',
      signal: { id: body.signal.id, status: 'executed', executeMode: 'immediate', orderId: EXECUTED.orderId },
      requestId: headers.get('x-request-id'),
    })
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'for 4' }]
    api.gateway.answer = async () => ({ ...EXECUTED, advisories })
    assert.deepEqual((await post()).body.advisories, advisories)
  })

  it('stores the signal as asked for, queued, with the first entry of its timeline', async () => {
    const exit = {
      exitTriggerType: 'timed',
      exitTriggerValue: 90,
      exitOrderType: 'limit',
      exitLimitPrice: 200,
    }
    const sourceId = `it's "quoted" \\ and ? marked`
    const metadata = { note: 'a ? b \\ c', nested: [1, { two: null }] }
    const order = { orderType: 'stopLimit', limitPrice: '187.50', stopPrice: 187.25, timeInForce: 'gtc' }
    const { body } = await post({ ...order, ...exit, sourceId, metadata })
    const [signal = {}] = await rows('select * from signals where user_id = ?')
    assert.deepEqual(
      [signal['id'], signal['source_id'], signal['metadata'], signal['status'], signal['limit_price']],
      [body.signal.id, sourceId, metadata, 'queued', '187.500000000'],
    )
    assert.deepEqual(signal['exit_rule'], {
      trigger: 'minutesAfterEntry',
      minutes: 90,
      clockTime: null,
      orderType: 'limit',
      limitPrice: '200',
      stopPrice: null,
      timeInForce: 'day',
    })
    assert.equal(body.advisories[0].code, 'exit_rule_tif_may_not_terminate')
    const events = await rows(
      'select e.* from signal_events e join signals s on s.id = e.signal_id where user_id = ?',
    )
    const words = 'The signal was received: Buy 10 AAPL stop 187.25, limit 187.5 (gtc)'
    assert.deepEqual(rowsOf(events, 'kind', 'message'), [['received', words]])
  })

  it('takes one round trip to the database beside the guards, which judges its account and stores it', async () => {
    await post({})
    // That the token was used is noted beside the answer.
    await api.whenIdle()
    const sent = await statementsOf(() => post({}))
    assert.deepEqual(
      sent.map(({ text }) => /access_tokens|insert into signals/.exec(text)?.[0]),
      ['access_tokens', 'insert into signals'],
    )
  })

  it('hands the workflow the frozen terms and no more time than the answer has left', async () => {
    const { body } = await post({ quantity: '12.50', strategyId: user.strategyId.toUpperCase() })
    const [terms, milliseconds] = api.gateway.awaited.at(-1)!
    assert.equal(terms.signalId, body.signal.id)
    assert.equal(terms.quantity, '12.5')
    assert.equal(terms.strategyId, user.strategyId)
    assert.equal(terms.exit, null)
    assert.equal(Date.parse(terms.sendBefore!) - Date.parse(terms.acceptedAt), 60_000)
    assert.ok(milliseconds > 0 && milliseconds <= 400)
  })

  it('lets validUntil decide how long the signal may be sent', async () => {
    await post({ validUntil: '2099-01-05T16:00', timezone: 'America/New_York' })
    const [{ validUntil, sendBefore }] = api.gateway.awaited.at(-1)!
    assert.deepEqual([validUntil, sendBefore], ['2099-01-05T21:00:00.000Z', '2099-01-05T21:00:00.000Z'])
  })

  for (const [status, reason] of [
    ['rejected', 'INSUFFICIENT_FUNDS'],
    ['error', 'STALE'],
  ] as const) {
    it(`answers 400 with the reason when the signal ended as ${status}`, async () => {
      api.gateway.answer = async () => ({ status, orderId: null, reason, detail: 'in plain words' })
      const answer = await post()
      assert.equal(answer.status, 400)
      const { success, error, code, details } = answer.body
      assert.deepEqual([success, error, code], [false, 'in plain words', reason])
      assert.match(details[0].signalId, /^[0-9a-f-]{36}$/)
    })
  }

  for (const [what, error, status, words] of [
    [
      'queued when Temporal cannot be reached',
      new GatewayUnavailable('down'),
      'queued',
      /stored .* not after 20/,
    ],
    [
      'transmitted when the broker has not answered in time',
      new GatewayUnavailable('late'),
      'transmitted',
      /answer is unknown/,
    ],
    [
      'queued when the workflow fails in an unforeseen way, which is logged',
      new TypeError('a bug'),
      'queued',
      /stored/,
    ],
  ] as const)
    it(`answers 202 ${what}`, async () => {
      api.gateway.answer = async ({ signalId }) => {
        await setStatus(signalId, status)
        throw error
      }
      const answer = await post()
      assert.deepEqual([answer.status, answer.body.signal.status], [202, status])
      assert.match(answer.body.message, words)
      assert.equal(await countSignals(), 1)
      const { id } = answer.body.signal
      const isLogged = api.log.some((line) => line['signalId'] === id && line['level'] === 50)
      assert.equal(isLogged, error instanceof TypeError)
    })

  it('answers 200 with the existing signal when the sourceId is taken', async () => {
    const first = await post({ sourceId: 'alert-1' })
    const again = await post({ sourceId: 'alert-1', quantity: '10.0' })
    assert.equal(again.status, 200)
    assert.equal(again.body.signal.id, first.body.signal.id)
    assert.match(again.body.message, /"alert-1".*status queued.*replaceExisting=true/)
    assert.equal('advisories' in again.body, false)
    assert.equal(await countSignals(), 1)
  })

  it('takes the sourceId of a signal that is rejected, cancelled or in error', async () => {
    let { id } = (await post({ sourceId: 'alert-3' })).body.signal
    for (const freed of ['rejected', 'cancelled', 'error']) {
      await setStatus(id, freed)
      const again = await post({ sourceId: 'alert-3' })
      assert.equal(again.status, 201, freed)
      assert.notEqual(again.body.signal.id, id)
      id = again.body.signal.id
    }
  })

  it('lets two accounts use the same sourceId', async () => {
    const other = await api.addUser()
    await post({ sourceId: 'shared' })
    const body = signalBody(other.accountId, { sourceId: 'shared' })
    assert.equal((await api.call('POST', '/api/v1/signals', { token: other.token, body })).status, 201)
  })

  it('makes one signal of 50 requests at once with one sourceId', async function () {
    this.timeout(20_000)
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ sourceId: 'storm' })))
    const statuses = pluck(answers, 'status').toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [...Array.from({ length: 49 }, () => 200), 201])
    assert.equal(new Set(answers.map(({ body }) => body.signal.id)).size, 1)
    assert.equal(await countSignals(), 1)
  })

  it('makes a signal of every request without a sourceId', async () => {
    await Promise.all([post(), post()])
    assert.equal(await countSignals(), 2)
  })

  describe('that is not immediate', () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
    const scheduled = { executeMode: 'scheduled', scheduledProcessAt: inAnHour, timezone: 'UTC' }

    it('POST /api/v1/signals that is not immediate is answered 202 scheduled with its time, stored as scheduled, and started', async () => {
      const { status, body } = await post(scheduled)
      assert.equal(status, 202)
      assert.deepEqual(body.signal, {
        id: body.signal.id,
        status: 'scheduled',
        executeMode: 'scheduled',
        scheduledAt: `${inAnHour}.000Z`,
      })
      assert.match(body.message, new RegExp(`sent at ${inAnHour}`))
      const [stored] = await rows('select status, send_before from signals where user_id = ?')
      assert.equal(stored!['status'], 'scheduled')
      // Like an immediate one after its acceptance.
      assert.equal(Date.parse(String(stored!['send_before'])), Date.parse(`${inAnHour}Z`) + 60_000)
      assert.equal(api.gateway.started.at(-1), body.signal.id)
    })

    it('POST /api/v1/signals that is not immediate is answered 201 pending, with the time until which it may be approved', async () => {
      const until = { validUntil: '2099-01-05T16:00', timezone: 'America/New_York' }
      const { status, body } = await post({ executeMode: 'pending', ...until })
      assert.deepEqual([status, body.signal.status], [201, 'pending'])
      assert.match(body.message, /needs approval, but not after 2099-01-05T21:00:00.000Z/)
      assert.equal(api.gateway.started.at(-1), body.signal.id)
    })

    it('POST /api/v1/signals that is not immediate is answered the same while Temporal cannot be reached', async () => {
      api.gateway.onStart = () => Promise.reject(new GatewayUnavailable('down'))
      assert.equal((await post(scheduled)).status, 202)
      assert.equal((await post({ executeMode: 'pending' })).status, 201)
      api.gateway.onStart = async () => {}
    })
  })

  describe('refuses by rule, and stores nothing', () => {
    for (const [what, set, status, code] of [
      ['an account that does not exist', () => ({ accountId: randomUUID() }), 404, 'ACCOUNT_NOT_FOUND'],
      ['a strategy that does not exist', () => ({ strategyId: randomUUID() }), 404, 'STRATEGY_NOT_FOUND'],
      ['the strategy of another user', () => ofAnother(), 404, 'STRATEGY_NOT_FOUND'],
      ['a paused strategy', () => paused(), 400, 'STRATEGY_PAUSED'],
      ['a live account in paper mode', () => use({ isDemo: false }), 409, 'MODE_MISMATCH'],
      ['a demo account in live mode', () => use({ tradingMode: 'LIVE' }), 409, 'MODE_MISMATCH'],
    ] as [string, () => object | Promise<object>, number, string][])
      it(`POST /api/v1/signals refuses ${what}`, async () => {
        const answer = await post({ ...(await set()) })
        assert.deepEqual([answer.status, answer.body.code, answer.body.success], [status, code, false])
        assert.equal(await countSignals(), 0)
      })
    const ofAnother = async () => ({ strategyId: (await api.addUser()).strategyId })
    const paused = async () => {
      await rows(`update strategies set status = 'paused' where user_id = ? returning id`)
      return { strategyId: user.strategyId }
    }
    const use = async (changes: UserChanges) => {
      user = await api.addUser(changes)
      return {}
    }
  })

  it('POST /api/v1/signals still finds the earlier signal of a repeated request that a rule would refuse by now', async () => {
    const first = await post({ sourceId: 'alert-5' })
    await rows(`update users set trading_mode = 'LIVE' where id = ? returning id`)
    const again = await post({ sourceId: 'alert-5' })
    assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
  })

  describe('a body whose time has passed', () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
    const over = '2026-01-05T15:55:00'
    const timed = (time: string): Record<string, Record<string, unknown>> => ({
      scheduledProcessAt: { executeMode: 'scheduled', scheduledProcessAt: time, timezone: 'UTC' },
      validUntil: { executeMode: 'pending', validUntil: time, timezone: 'UTC' },
      expiresAt: { timeInForce: 'gtd', expiresAt: `${time}Z` },
    })

    for (const field of Object.keys(timed(over)))
      it(`a body whose time has passed is refused for ${field}, and is a repetition when a signal holds its sourceId`, async () => {
        const refused = await post({ sourceId: `late-${field}`, ...timed(over)[field] })
        assert.deepEqual([refused.status, pluck(refused.body.details, 'field')], [400, [field]])
        assert.equal(await countSignals(), 0)
        const sourceId = `again-${field}`
        const first = await post({ sourceId, ...timed(soon)[field] })
        const again = await post({ sourceId, ...timed(over)[field] })
        assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
        assert.deepEqual(pluck(again.body.advisories, 'code'), ['source_id_payload_mismatch'])
        const replacing = await post({ sourceId, replaceExisting: true, ...timed(over)[field] })
        assert.deepEqual([replacing.status, replacing.body.code], [400, 'VALIDATION_ERROR'])
      })
  })

  it('answers 503 while signals are switched off, in the signal envelope', async () => {
    const off = await startApi({ enabled: false })
    try {
      const { token, accountId } = await off.addUser()
      const answer = await off.call('POST', '/api/v1/signals', { token, body: signalBody(accountId) })
      const { code, success } = answer.body
      assert.deepEqual([answer.status, code, success], [503, 'SERVICE_DISABLED', false])
    } finally {
      await off.stop()
    }
  })
})
