import { positionDifferences } from '#db/position/position-differences.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { Account, Alert } from '#db/entities/index.ts'
import { raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import { openFillLedger, recordFills } from '#db/position/fills.ts'
import { positionDiffers, type AlertKind } from '#domain/alert/alert.ts'
import { endedUnfilled } from '#domain/signal/end-notices.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount, createSignal } from '../../support/factories.ts'
import { addAdministrator } from '../support/administrator.ts'
import { aFill } from '../../support/fills.ts'
import { held } from '../../support/sample-position.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { EventClient } from '../support/event-client.ts'
import { storeToken } from '../support/principals.ts'
import { addPerson } from '../support/person.ts'
import { pluck, rowsOf, sorted } from '#test/support/pluck.ts'

describe('alerts of the API', () => {
  const api = useApi({ temporalUiUrl: 'http://127.0.0.1:8233' })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
  })

  const get = (path = '', token = user.token) => api.call('GET', `/api/v1/alerts${path}`, { token })
  const acknowledge = (id: string, token = user.token) =>
    api.call('POST', `/api/v1/alerts/${id}/acknowledge`, { token })
  const raise = async (kind: AlertKind, owner: Pick<TestUser, 'accountId'> = user) => {
    const signal = await createSignal(api.database.em.fork(), { accountId: owner.accountId, symbol: 'MSFT' })
    const subject = { accountId: owner.accountId, signalId: kind === 'credentials' ? null : signal.id }
    await raiseAlert(api.database.em.fork(), subject, { kind, message: 'look', data: { a: 1 } })
    return subject
  }

  it('alerts of the API are listed newest first, the open ones, with symbol and words', async () => {
    const over = await raise('unprotected_position')
    await resolveAlert(api.database.em.fork(), over, 'unprotected_position')
    const { signalId } = await raise('order_unknown_at_broker')
    await raise('credentials')
    const { status, body } = await get()
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['data', 'requestId'])
    const { alerts, ...page } = body.data
    assert.deepEqual(page, { total: 2, totalIsExact: true, limit: 50, offset: 0, nextCursor: null })
    assert.deepEqual(rowsOf(alerts, 'kind', 'symbol'), [
      ['credentials', null],
      ['order_unknown_at_broker', 'MSFT'],
    ])
    const { id, raisedAt, ...alert } = alerts[1]
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(new Date(raisedAt).toISOString(), raisedAt)
    assert.deepEqual(alert, {
      kind: 'order_unknown_at_broker',
      message: 'look',
      toDo: 'Check whether the broker still has the order, and cancel it there.',
      accountId: user.accountId,
      tokenId: null,
      strategyId: null,
      signalId,
      orderId: null,
      workflow: { id: `signal-${signalId}`, url: null },
      symbol: 'MSFT',
      details: { a: 1 },
      acknowledgedAt: null,
      acknowledgedBy: null,
      resolvedAt: null,
    })
    assert.equal((await get('?state=all')).body.data.total, 3)
    for (const [query, total] of [
      ['kind=order_unknown_at_broker', 1],
      [`signalId=${signalId}`, 1],
      [`accountId=${user.accountId}`, 2],
      [`accountId=${randomUUID()}`, 0],
    ] as const)
      assert.equal((await get(`?${query}`)).body.data.total, total, query)
    const faulty = await get('?kind=none&state=maybe')
    assert.deepEqual([faulty.status, sorted(pluck(faulty.body.details, 'field'))], [400, ['kind', 'state']])
  })

  describe('about a close that ended unfilled', () => {
    const em = () => api.database.em.fork()
    const closed = async (statusReason: 'NO_POSITION_TO_CLOSE' | 'BROKER_ERROR') => {
      const close = { symbol: 'MSFT', action: 'closeLong', status: 'rejected' } as const
      const signal = await createSignal(em(), { accountId: user.accountId, ...close })
      const subject = { accountId: user.accountId, signalId: signal.id }
      await raiseAlert(em(), subject, endedUnfilled('The order was refused', statusReason))
    }
    const toDo = async () => (await get()).body.data.alerts[0].toDo
    const shows = (...positions: ReturnType<typeof held>[]) =>
      saveAccountSnapshot(em(), user, { ...new ScriptedBroker().balances, positions })
    const position = held('10', 'LONG', { symbol: 'MSFT' })

    it('the owner of a close that ended unfilled reads that nothing is held, for any code, and after the position was closed', async () => {
      await closed('NO_POSITION_TO_CLOSE')
      assert.equal(await toDo(), 'Nothing is held: there is nothing to do.')
      await shows(position)
      assert.match(await toDo(), /^The position is still open: close it yourself/)
      await shows()
      assert.equal(await toDo(), 'Nothing is held: there is nothing to do.')
    })
  })

  it('lead administrators in person to the workflow’s page in Temporal’s UI, in the stream of events too', async () => {
    const administrator = await addAdministrator(api)
    const { id: accountId } = await createAccount(api.database.em.fork(), { userId: administrator.userId })
    // Tokens belong to that plan.
    await api.database.em.execute(`update users set plan = 'PRO' where id = ?`, [administrator.userId])
    const token = await storeToken(api, administrator.userId, {})
    const { ticket } = (await administrator.call('POST', '/events/ticket')).body.data
    const address = `${api.address}/api/v1/events?topics=alerts`
    const [person, program] = [
      await EventClient.open(`${address}&ticket=${ticket}`),
      await EventClient.open(address, { token }),
    ]
    try {
      for (const client of [person, program]) await client.first('ready')
      await raise('unprotected_position', { accountId })
      const [alert] = (await administrator.call('GET', '/alerts')).body.data.alerts
      const id = `signal-${alert.signalId}`
      const url = `http://127.0.0.1:8233/namespaces/trading/workflows/${id}`
      assert.deepEqual(alert.workflow, { id, url })
      assert.deepEqual((await get('', token)).body.data.alerts[0].workflow, { id, url: null })
      assert.deepEqual((await person.first('alert')).data.workflow, { id, url })
      assert.deepEqual((await program.first('alert')).data.workflow, { id, url: null })
      const { body } = await administrator.call('POST', `/alerts/${alert.id}/acknowledge`)
      assert.deepEqual(body.data.alert.workflow, { id, url })
      await raise('credentials', { accountId })
      assert.equal((await administrator.call('GET', '/alerts')).body.data.alerts[0].workflow, null)
    } finally {
      for (const client of [person, program]) client.close()
    }
  })

  it('alerts of the API are acknowledged once, with the name of the person, and stay open while their cause lasts', async () => {
    const person = await addPerson(api)
    const { id: accountId } = await createAccount(api.database.em.fork(), { userId: person.userId })
    await raise('unprotected_position', { accountId })
    const [alert] = (await get('', person.jwt)).body.data.alerts
    const first = await acknowledge(alert.id, person.jwt)
    assert.equal(first.status, 200)
    const { acknowledgedAt, acknowledgedBy, resolvedAt } = first.body.data.alert
    assert.equal(acknowledgedBy, person.email)
    assert.ok(acknowledgedAt)
    assert.equal(resolvedAt, null)
    const again = await acknowledge(alert.id, person.jwt)
    assert.deepEqual(again.body.data.alert, first.body.data.alert)
    assert.equal((await get('', person.jwt)).body.data.total, 1)
    assert.equal((await acknowledge(randomUUID(), person.jwt)).body.code, 'ALERT_NOT_FOUND')
  })

  describe('of a position that the broker shows otherwise', () => {
    const accept = (id: string, token = user.token) =>
      api.call('POST', `/api/v1/alerts/${id}/accept-position`, { token })
    /** 10 AAPL were executed and the broker shows 100; answers the alert. */
    async function differing(owner: TestUser = user): Promise<Alert> {
      const em = api.database.em.fork()
      const { userId } = await em.findOneOrFail(Account, { id: owner.accountId })
      const account = { accountId: owner.accountId, userId }
      await recordFills(em, account, { fills: [aFill({ quantity: '10' })], fees: [], until: null })
      await openFillLedger(em, account, [])
      const shown = { ...new ScriptedBroker().balances, positions: [held('100', 'LONG')] }
      await saveAccountSnapshot(em.fork(), account, shown)
      const [difference] = await positionDifferences(em, owner.accountId)
      const subject = { accountId: owner.accountId, signalId: null, symbol: 'AAPL' }
      await raiseAlert(em, subject, positionDiffers(difference!))
      return em.findOneOrFail(Alert, { accountId: owner.accountId, kind: 'position_differs' })
    }

    it('alerts of the API of a position that the broker shows otherwise are accepted by the owner, which ends them and is written into the audit log', async () => {
      const { id } = await differing()
      const { status, body } = await accept(id)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.data.alert.symbol, 'AAPL')
      assert.ok(body.data.alert.resolvedAt)
      assert.deepEqual(await positionDifferences(api.database.em.fork(), user.accountId), [])
      const [event] = await api.database.em
        .fork()
        .execute<{ data: Record<string, unknown> }[]>(
          `select data from audit_events where kind = 'position.accepted'`,
        )
      const { tokenId: _, ...data } = event?.data ?? {}
      assert.deepEqual(data, { accountId: user.accountId, symbol: 'AAPL', shown: '100', executed: '10' })
      assert.equal((await accept(id)).body.code, 'POSITION_NOT_FOUND')
    })

    it('alerts of the API of a position that the broker shows otherwise are refused with words while executions cannot be read', async () => {
      const { id } = await differing()
      const whole = { accountId: user.accountId, signalId: null }
      await raiseAlert(api.database.em.fork(), whole, { kind: 'comparison_failing', message: 'x', data: {} })
      const { status, body } = await accept(id)
      assert.deepEqual([status, body.code], [503, 'POSITIONS_UNAVAILABLE'])
      assert.match(body.error, /cannot be compared with its broker/)
    })
  })
})
