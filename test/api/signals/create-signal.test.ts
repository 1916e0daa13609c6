import { GatewayUnavailable } from '#api/temporal/signals.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { statementsOf } from '../../support/statements.ts'
import { signalBody, startApi, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

describe('POST /api/v1/signals', () => {
  const api = useApi({ answerDeadline: 400 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.answer = async () => ({ status: 'executed', orderId: ORDER, reason: null, detail: null })
  })

  const ORDER = 'b1a4a2c6-34c2-4a7e-9d5e-0d9d3c0f7b11'
  const post = (changes: Record<string, unknown> = {}, token = user.token) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const rows = (sql: string) =>
    api.database.em.getConnection().execute<Record<string, unknown>[]>(sql, [user.userId])
  const countSignals = async () => (await rows('select 1 from signals where user_id = ?')).length
  const setStatus = (id: string, status: string) =>
    api.database.em.getConnection().execute('update signals set status = ? where id = ?', [status, id])

  it('answers 201 with the order when the broker accepted the entry', async () => {
    const { status, body, headers } = await post({ symbol: 'aapl' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      success: true,
      message: 'The broker accepted the order',
      signal: { id: body.signal.id, status: 'executed', executeMode: 'immediate', orderId: ORDER },
      requestId: headers.get('x-request-id'),
    })
  })

  it('tells the advisories of the entry check in the answer that accepts the signal', async () => {
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'for 4' }]
    api.gateway.answer = async () => ({
      status: 'executed',
      orderId: ORDER,
      reason: null,
      detail: null,
      advisories,
    })
    const { status, body } = await post()
    assert.deepEqual([status, body.advisories], [201, advisories])
  })

  it('stores the signal as asked for, queued, with the first entry of its timeline', async () => {
    const { body } = await post({
      orderType: 'stopLimit',
      limitPrice: '187.50',
      stopPrice: 187.25,
      timeInForce: 'gtc',
      sourceId: `it's "quoted" \\ and ? marked`,
      metadata: { note: 'a ? b \\ c', nested: [1, { two: null }] },
      exitTriggerType: 'timed',
      exitTriggerValue: 90,
      exitOrderType: 'limit',
      exitLimitPrice: 200,
    })
    const [signal = {}] = await rows('select * from signals where user_id = ?')
    assert.equal(signal['id'], body.signal.id)
    assert.equal(signal['source_id'], `it's "quoted" \\ and ? marked`)
    assert.deepEqual(signal['metadata'], { note: 'a ? b \\ c', nested: [1, { two: null }] })
    assert.equal(signal['status'], 'queued')
    assert.equal(signal['limit_price'], '187.500000000')
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
    assert.deepEqual(rowsOf(events, 'kind', 'message'), [
      ['received', 'The signal was received: Buy 10 AAPL stop 187.25, limit 187.5 (gtc)'],
    ])
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

  it('POST /api/v1/signals may be sent for a minute after its time when it is scheduled, like an immediate one after its acceptance', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
    const { body } = await post({ executeMode: 'scheduled', scheduledProcessAt: at, timezone: 'UTC' })
    const [row] = await rows('select scheduled_at, send_before from signals where user_id = ?')
    assert.equal(body.signal.status, 'scheduled')
    const instant = (column: string) => Date.parse(String(row![column]))
    assert.equal(instant('send_before') - instant('scheduled_at'), 60_000)
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
    const [terms] = api.gateway.awaited.at(-1)!
    assert.equal(terms.validUntil, '2099-01-05T21:00:00.000Z')
    assert.equal(terms.sendBefore, '2099-01-05T21:00:00.000Z')
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

  it('answers 202 queued when Temporal cannot be reached', async () => {
    api.gateway.answer = async () => {
      throw new GatewayUnavailable('down')
    }
    const { status, body } = await post()
    assert.equal(status, 202)
    assert.equal(body.signal.status, 'queued')
    assert.match(body.message, /stored .* not after 20/)
    assert.equal(await countSignals(), 1)
  })

  it('answers 202 transmitted when the broker has not answered by the deadline', async () => {
    api.gateway.answer = async ({ signalId }) => {
      await setStatus(signalId, 'transmitted')
      throw new GatewayUnavailable('deadline')
    }
    const { status, body } = await post()
    assert.deepEqual([status, body.signal.status], [202, 'transmitted'])
    assert.match(body.message, /not known yet/)
  })

  it('answers 202 even when the workflow fails in an unforeseen way, and logs it as an error', async () => {
    api.gateway.answer = async () => {
      throw new TypeError('a bug')
    }
    const { status, body } = await post()
    assert.deepEqual([status, body.signal.status], [202, 'queued'])
    assert.ok(api.log.some((line) => line['signalId'] === body.signal.id && line['level'] === 50))
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

  it('says so when the existing signal asks for something else', async () => {
    await post({ sourceId: 'alert-2' })
    const again = await post({ sourceId: 'alert-2', quantity: 11 })
    assert.equal(again.status, 200)
    assert.equal(again.body.advisories[0].code, 'source_id_payload_mismatch')
  })

  for (const freed of ['rejected', 'cancelled', 'error']) {
    it(`takes the sourceId of a signal that is ${freed}`, async () => {
      const first = await post({ sourceId: 'alert-3' })
      await setStatus(first.body.signal.id, freed)
      const again = await post({ sourceId: 'alert-3' })
      assert.equal(again.status, 201)
      assert.notEqual(again.body.signal.id, first.body.signal.id)
    })
  }

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
    const statusOf = async (id: string) => {
      const found = await rows('select id, status, send_before from signals where user_id = ?')
      const { status, send_before: sendBefore } = found.find((row) => row['id'] === id)!
      return { status, sendBefore }
    }

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
      const stored = await statusOf(body.signal.id)
      assert.equal(stored.status, 'scheduled')
      assert.equal(Date.parse(String(stored.sendBefore)), Date.parse(`${inAnHour}Z`) + 60_000)
      assert.equal(api.gateway.started.at(-1), body.signal.id)
    })

    it('POST /api/v1/signals that is not immediate is answered 201 pending, with the time until which it may be approved', async () => {
      const { status, body } = await post({
        executeMode: 'pending',
        validUntil: '2099-01-05T16:00',
        timezone: 'America/New_York',
      })
      assert.deepEqual([status, body.signal.status], [201, 'pending'])
      assert.match(body.message, /waits for a person .* not after 2099-01-05T21:00:00.000Z/)
      assert.equal(api.gateway.started.at(-1), body.signal.id)
    })

    it('POST /api/v1/signals that is not immediate is answered the same while Temporal cannot be reached', async () => {
      api.gateway.onStart = async () => {
        throw new GatewayUnavailable('down')
      }
      try {
        assert.equal((await post(scheduled)).status, 202)
        assert.equal((await post({ executeMode: 'pending' })).status, 201)
      } finally {
        api.gateway.onStart = async () => {}
      }
    })

    it('POST /api/v1/signals that is not immediate is refused when it would expire before its time', async () => {
      const { status, body } = await post({ ...scheduled, validUntil: inAnHour })
      assert.deepEqual([status, body.details[0].path], [400, ['validUntil']])
    })
  })

  it('takes every size, time in force, exit trigger and kind of exit order', async () => {
    const inADay = new Date(Date.now() + 86_400_000).toISOString()
    for (const changes of [
      { quantityType: 'percentEquity', quantity: 2.5 },
      { quantityType: 'dollarAmount', quantity: 1000 },
      { timeInForce: 'gtd', expiresAt: inADay, orderType: 'limit', limitPrice: 10 },
      { timeInForce: 'opg' },
      { timeInForce: 'cls' },
      { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 20, exitOrderType: 'moc' },
      { exitTriggerType: 'atClockTime', exitTriggerTime: '15:45', exitOrderType: 'stop', exitStopPrice: 9 },
      { exitTriggerType: 'immediate', exitTimeInForce: 'cls' },
    ]) {
      const { status, body } = await post(changes)
      assert.equal(status, 201, JSON.stringify([changes, body]))
    }
    assert.equal(api.gateway.awaited.find(([terms]) => terms.timeInForce === 'gtd')![0].expiresAt, inADay)
  })

  describe('refuses by rule, and stores nothing', () => {
    const refused = async (changes: Record<string, unknown>, status: number, code: string) => {
      const answer = await post(changes)
      assert.deepEqual([answer.status, answer.body.code, answer.body.success], [status, code, false])
      assert.equal(await countSignals(), 0)
    }
    it('an account that does not exist', () => refused({ accountId: randomUUID() }, 404, 'ACCOUNT_NOT_FOUND'))
    it('the account of another user, in the same words', async () => {
      const other = await api.addUser()
      const foreign = await post({ accountId: other.accountId })
      const absent = await post({ accountId: randomUUID() })
      assert.deepEqual({ ...foreign.body, requestId: '' }, { ...absent.body, requestId: '' })
      assert.equal(foreign.status, 404)
    })
    it('a strategy that does not exist', () =>
      refused({ strategyId: randomUUID() }, 404, 'STRATEGY_NOT_FOUND'))
    it('the strategy of another user', async () =>
      refused({ strategyId: (await api.addUser()).strategyId }, 404, 'STRATEGY_NOT_FOUND'))
    it('a paused strategy', async () => {
      await rows(`update strategies set status = 'paused' where user_id = ? returning id`)
      await refused({ strategyId: user.strategyId }, 400, 'STRATEGY_PAUSED')
    })
    it('a live account in paper mode', async () => {
      user = await api.addUser({ isDemo: false })
      await refused({}, 409, 'MODE_MISMATCH')
    })
    it('a demo account in live mode', async () => {
      user = await api.addUser({ tradingMode: 'LIVE' })
      await refused({}, 409, 'MODE_MISMATCH')
    })
  })

  it('POST /api/v1/signals still finds the earlier signal of a repeated request that a rule would refuse by now', async () => {
    const first = await post({ sourceId: 'alert-5' })
    await rows(`update users set trading_mode = 'LIVE' where id = ? returning id`)
    const again = await post({ sourceId: 'alert-5' })
    assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
  })

  describe('a body whose time is over by now', () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
    const over = '2026-01-05T15:55:00'
    const timed = (time: string): Record<string, Record<string, unknown>> => ({
      scheduledProcessAt: { executeMode: 'scheduled', scheduledProcessAt: time, timezone: 'UTC' },
      validUntil: { executeMode: 'pending', validUntil: time, timezone: 'UTC' },
      expiresAt: { timeInForce: 'gtd', expiresAt: `${time}Z` },
    })

    for (const field of Object.keys(timed(over))) {
      it(`a body whose time is over by now is refused for ${field} when nothing holds its sourceId, and stores nothing`, async () => {
        const sourceId = `late-${field}`
        const { status, body } = await post({ sourceId, ...timed(over)[field] })
        assert.deepEqual([status, body.details.map((one: { field: string }) => one.field)], [400, [field]])
        assert.deepEqual(await rows('select id from signals where user_id = ?'), [])
      })

      it(`a body whose time is over by now is a repetition for ${field} when a signal holds its sourceId`, async () => {
        const sourceId = `again-${field}`
        const first = await post({ sourceId, ...timed(soon)[field] })
        const again = await post({ sourceId, ...timed(over)[field] })
        assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
        assert.deepEqual(pluck(again.body.advisories, 'code'), ['source_id_payload_mismatch'])
        const replacing = await post({ sourceId, replaceExisting: true, ...timed(over)[field] })
        assert.deepEqual([replacing.status, replacing.body.code], [400, 'VALIDATION_ERROR'])
      })
    }

    it('a body whose time is over by now is told of no mismatch when it is the very body that was sent in time', async () => {
      const atOnce = timed(new Date(Date.now() + 1_500).toISOString().slice(0, 22))['validUntil']
      const first = await post({ sourceId: 'the-very-same', ...atOnce })
      assert.equal(first.status, 201)
      await pause(1_600)
      const again = await post({ sourceId: 'the-very-same', ...atOnce })
      assert.deepEqual(
        [again.status, again.body.signal.id, again.body.advisories],
        [200, first.body.signal.id, undefined],
      )
    })

    it('a body whose time is over by now is refused with every fault when it has another one, also where its sourceId is held', async () => {
      await post({ sourceId: 'both', ...timed(soon)['validUntil'] })
      const { status, body } = await post({ sourceId: 'both', quantity: -1, ...timed(over)['validUntil'] })
      assert.deepEqual(
        [status, body.details.map((one: { field: string }) => one.field).toSorted()],
        [400, ['quantity', 'validUntil']],
      )
    })

    it('a body whose time is over by now is refused without a sourceId, and in a dry run', async () => {
      for (const changes of [{}, { sourceId: 'dry', dryRun: true }])
        assert.equal((await post({ ...changes, ...timed(over)['validUntil'] })).status, 400)
    })
  })

  it('answers 503 while signals are switched off, in the signal envelope', async () => {
    const off = await startApi({ enabled: false })
    try {
      const { token, accountId } = await off.addUser()
      const answer = await off.call('POST', '/api/v1/signals', { token, body: signalBody(accountId) })
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.success],
        [503, 'SERVICE_DISABLED', false],
      )
    } finally {
      await off.stop()
    }
  })
})
