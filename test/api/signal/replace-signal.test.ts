import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { NewSignal } from '#db/signal/storing.ts'
import { recordReplaced } from '#db/signal/decision-ledger.ts'
import {
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
  type SignalGateway,
} from '#api/temporal/calls.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

describe('POST /api/v1/signals with replaceExisting', () => {
  const api = useApi({ answerDeadline: 400 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.messages.length = 0
    api.gateway.onReplace = grants
    api.gateway.answer = async () => ({
      status: 'executed',
      orderId: randomUUID(),
      reason: null,
      detail: null,
    })
  })

  /** Does what the workflow's activity does when it gives way. */
  const grants: SignalGateway['replace'] = async ({ signalId }, { replacement }) => {
    await recordReplaced(api.database.em, signalId, new Date().toISOString(), {
      detail: 'Replaced',
      acknowledges: null,
      mayStillFill: false,
      // What a workflow hands on has been through JSON.
      replacement: JSON.parse(
        JSON.stringify({ signal: replacement.row, received: replacement.received }),
      ) as Parameters<typeof recordReplaced>[3]['replacement'],
    })
    return { warning: null }
  }
  const post = (changes: Record<string, unknown> = {}) =>
    api.call('POST', '/api/v1/signals', {
      token: user.token,
      body: signalBody(user.accountId, { sourceId: 'alert', ...changes }),
    })
  const replace = (changes: Record<string, unknown> = {}) => post({ replaceExisting: true, ...changes })
  const execute = (sql: string, parameters: unknown[]) =>
    api.database.em.getConnection().execute<Record<string, string>[]>(sql, parameters)
  const statuses = async () =>
    pluck(
      await execute('select status from signals where user_id = ? order by sequence', [user.userId]),
      'status',
    )
  const set = (id: string, columns: string) =>
    execute(`update signals set ${columns} where id = ? returning id`, [id])

  it('POST /api/v1/signals with replaceExisting is like any other signal when nothing holds the sourceId', async () => {
    assert.equal((await replace()).status, 201)
    assert.deepEqual(api.gateway.messages, [])
  })

  it('stores and starts the new signal when the old one is replaced, and says which one it replaced', async () => {
    const first = await post({ metadata: { n: 1 } })
    const second = await replace({ quantity: 7, metadata: { n: 2 } })
    assert.equal(second.status, 201)
    assert.match(second.body.message, new RegExp(first.body.signal.id))
    assert.deepEqual(await statuses(), ['cancelled', 'queued'])
    assert.equal(api.gateway.awaited.at(-1)![0].signalId, second.body.signal.id)
    const { body } = await api.call('GET', `/api/v1/signals/${second.body.signal.id}`, { token: user.token })
    assert.deepEqual([body.data.quantity, body.data.metadata], [7, { n: 2 }])
    assert.deepEqual(api.gateway.messages[0]!.to.signalId, first.body.signal.id)
    assert.equal((api.gateway.messages[0]!.content as { by: string }).by, 'token "test"')
  })

  it('POST /api/v1/signals with replaceExisting is created all the same when a newer one takes its place before its own sender is answered', async () => {
    const first = await post()
    const detail = 'Replaced by a newer signal with the same sourceId, sent by token "test"'
    api.gateway.answer = async () => ({ status: 'cancelled', orderId: null, reason: 'SUPERSEDED', detail })
    const { status, body } = await replace()
    assert.deepEqual([status, body.success, body.signal.status], [201, true, 'cancelled'])
    assert.match(body.message, new RegExp(`takes the place of signal ${first.body.signal.id}.*${detail}`))
  })

  it('POST /api/v1/signals with replaceExisting is answered with an advisory when the old order could not be cancelled', async () => {
    await post()
    api.gateway.onReplace = async (...call) => {
      await grants(...call)
      return { warning: 'The broker has not cancelled the old order yet' }
    }
    const { status, body } = await replace()
    assert.equal(status, 201)
    assert.equal(body.advisories[0].code, 'replaced_order_not_cancelled')
  })

  it('POST /api/v1/signals with replaceExisting is refused when the old order has filled, with filled and total', async () => {
    await post()
    api.gateway.onReplace = () =>
      Promise.reject(new UpdateRejected('REPLACE_REFUSED_FILLED', '4 of 10 shares are filled'))
    const { status, body } = await replace()
    assert.deepEqual([status, body.code, body.success], [400, 'REPLACE_REFUSED_FILLED', false])
    assert.match(body.error, /4 of 10 shares are filled.*new sourceId/)
    assert.deepEqual(await statuses(), ['queued'])
  })

  describe('of a signal whose workflow has ended', () => {
    beforeEach(() => {
      api.gateway.onReplace = () => Promise.reject(new WorkflowOver('over'))
    })

    it('POST /api/v1/signals with replaceExisting of a signal whose workflow has ended is refused when it has filled', async () => {
      const first = await post()
      await set(first.body.signal.id, `status = 'executed', entry_ended_at = now(), filled_quantity = 10`)
      const second = await replace()
      assert.deepEqual([second.status, second.body.code], [400, 'REPLACE_REFUSED_FILLED'])
    })

    it('POST /api/v1/signals with replaceExisting of a signal whose workflow has ended is refused when it has failed and its order may still work, and a repetition is answered with it', async () => {
      const first = await post()
      await set(first.body.signal.id, `status = 'error'`)
      await set(first.body.signal.id, 'may_have_order = true')
      const { status, body } = await replace()
      assert.deepEqual([status, body.code], [400, 'REPLACE_REFUSED_FILLED'])
      assert.match(body.error, /one of its orders may still work at the broker/)
      const again = await post()
      assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
      assert.deepEqual(await statuses(), ['error'])
    })

    it('POST /api/v1/signals with replaceExisting of a signal whose workflow has ended is an ordinary signal when it has freed the sourceId meanwhile, with any fill of it', async () => {
      for (const filled of [0, 4]) {
        const sourceId = `freed ${filled}`
        const first = await post({ sourceId })
        api.gateway.onReplace = async () => {
          await set(first.body.signal.id, `status = 'rejected', filled_quantity = ${filled}`)
          throw new UpdateRejected('SIGNAL_ENDED', 'ended')
        }
        assert.equal((await replace({ sourceId })).status, 201)
      }
      assert.deepEqual(await statuses(), ['rejected', 'queued', 'rejected', 'queued'])
    })

    it('gives up after some attempts when it can neither be asked nor replaced', async () => {
      await post()
      const { status, body } = await replace()
      assert.deepEqual([status, body.code], [409, 'SOURCE_ID_CONTENDED'])
    })
  })

  describe('when no answer comes in time', () => {
    it('POST /api/v1/signals with replaceExisting when no answer comes in time is answered 202 about the new signal, with its own id, and that nothing is decided', async () => {
      const first = await post()
      api.gateway.onReplace = () => Promise.reject(new AnswerOverdue('late'))
      const { status, body } = await replace()
      const { replacement } = api.gateway.messages.at(-1)!.content as { replacement: { row: NewSignal } }
      assert.deepEqual([status, body.signal.id, body.signal.status], [202, replacement.row.id, 'queued'])
      assert.equal(body.advisories[0].code, 'replacement_undecided')
      assert.match(
        body.advisories[0].message,
        new RegExp(`signal ${first.body.signal.id} \\(queued\\) is replaced`),
      )
      assert.deepEqual(await statuses(), ['queued'])
    })

    it('goes on as stored when the ledger shows that it is', async () => {
      await post()
      api.gateway.onReplace = async (...call) => {
        await grants(...call)
        throw new AnswerOverdue('late')
      }
      assert.equal((await replace()).status, 201)
      assert.deepEqual(await statuses(), ['cancelled', 'queued'])
    })

    it('POST /api/v1/signals with replaceExisting when no answer comes in time is answered 503 when Temporal cannot be reached: nothing was asked', async () => {
      await post()
      api.gateway.onReplace = () => Promise.reject(new GatewayUnavailable('down'))
      const { status, body, headers } = await replace()
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'TEMPORAL_UNAVAILABLE', '2'])
    })
  })

  it('POST /api/v1/signals with replaceExisting is denied by a rule before the workflow is asked', async () => {
    await post()
    await execute(`update users set trading_mode = 'LIVE' where id = ? returning id`, [user.userId])
    assert.equal((await replace()).status, 409)
    assert.deepEqual(api.gateway.messages, [])
  })
})
