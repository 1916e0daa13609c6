import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected, WorkflowOver } from '#api/temporal/calls.ts'
import type { Signal } from '#db/entities/index.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { changedLevels } from '#domain/exit/protection-check.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { exitAtOnce } from '../../support/sample-signal.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, letProofGrowOld, PASSWORD, type Person } from '../support/person.ts'
import { rowsOf } from '#test/support/pluck.ts'

describe('decisions about a stored signal', () => {
  const api = useApi({ answerDeadline: 400 })
  let person: Person
  let accountId: string
  before(async function () {
    this.timeout(60_000)
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })
  beforeEach(() => {
    api.gateway.messages.length = 0
  })

  const PENDING = { executeMode: 'pending', status: 'pending' } as const
  const store = (fields: Partial<Signal> = {}) =>
    createSignal(api.database.em, { ...PENDING, accountId, workflowStartedAt: new Date(), ...fields })
  const set = (id: string, columns: string) =>
    api.database.em.getConnection().execute(`update signals set ${columns} where id = ?`, [id])
  const lastMessage = () => api.gateway.messages.at(-1)!
  const approveAs = (columns: string) => {
    api.gateway.onApprove = async ({ signalId }) => {
      await set(signalId, columns)
      return { status: 'executed', orderId: null, reason: null, detail: null }
    }
  }
  const fails = (error: Error) => async () => {
    throw error
  }

  describe('POST /signals/:id/process', () => {
    const process = (id: string, body?: unknown) => person.call('POST', `/signals/${id}/process`, body)

    it('answers 200 with the executed signal, approved by the person who asks', async () => {
      approveAs(`status = 'executed'`)
      const signal = await store()
      const begin = Date.now()
      const { status, body } = await process(signal.id)
      assert.equal(status, 200)
      assert.deepEqual([body.data.signal.id, body.data.signal.status], [signal.id, 'executed'])
      const { kind, to, content } = lastMessage()
      assert.deepEqual([kind, to.signalId, to.status], ['approve', signal.id, 'pending'])
      const { by, quantity, limitPrice, sendBefore } = content as Record<string, string>
      assert.deepEqual([by, quantity, limitPrice], [person.email, null, null])
      assert.ok(Math.abs(Date.parse(sendBefore!) - begin - 60_000) < 2_000)
      const validUntil = new Date(Date.now() + 5_000)
      await process((await store({ validUntil })).id)
      assert.equal((lastMessage().content as { sendBefore: string }).sendBefore, validUntil.toISOString())
    })

    it('refuses a limit price for a market order, a quantity of nothing and an unknown field, and calls no workflow', async () => {
      for (const body of [{ limitPrice: 10 }, { quantity: 0 }, { size: 3 }]) {
        const answer = await process((await store()).id, body)
        assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'])
      }
      assert.deepEqual(api.gateway.messages, [])
    })

    const ended = (columns: string, error: Error) => async (to: { signalId: string }) => {
      await set(to.signalId, columns)
      throw error
    }
    const late = new AnswerOverdue('late')
    for (const [what, onApprove, status, code, words] of [
      [
        'answers 409 in the words of the workflow that refuses',
        fails(new UpdateRejected('SIGNAL_NOT_PENDING', 'It was valid until noon')),
        409,
        'SIGNAL_NOT_PENDING',
        /^It was valid until noon$/,
      ],
      [
        'answers 409 with the state when the workflow has ended',
        ended(`status = 'cancelled', status_reason = 'EXPIRED'`, new WorkflowOver('over')),
        409,
        'SIGNAL_NOT_PENDING',
        /cancelled \(EXPIRED\)/,
      ],
      [
        'answers 503 when the decision could not be passed',
        fails(new GatewayUnavailable('down')),
        503,
        'TEMPORAL_UNAVAILABLE',
        /./,
      ],
    ] as [string, typeof api.gateway.onApprove, number, string, RegExp][])
      it(what, async () => {
        api.gateway.onApprove = onApprove
        const { body, ...answer } = await process((await store()).id)
        assert.deepEqual([answer.status, body.code], [status, code])
        assert.match(body.error, words)
        assert.equal(answer.headers.get('retry-after'), status === 503 ? '2' : null)
      })

    it('answers 202 when the approval is on record and its outcome is not, or was passed and is not confirmed', async () => {
      api.gateway.onApprove = ended(`status = 'queued'`, late)
      const recorded = await process((await store()).id)
      assert.deepEqual([recorded.status, recorded.body.data.signal.status], [202, 'queued'])
      api.gateway.onApprove = fails(late)
      const { status, body } = await process((await store()).id)
      assert.deepEqual(
        [status, body.data.signal.status, body.data.advisories[0].code],
        [202, 'pending', 'decision_unconfirmed'],
      )
    })

    it('answers 409 to the person whose edits came second, and 422 with the code when the signal is refused', async () => {
      approveAs(`status = 'executed', quantity = 4`)
      const second = await process((await store()).id, { quantity: 5 })
      assert.deepEqual([second.status, second.body.code], [409, 'SIGNAL_NOT_PENDING'])
      assert.match(second.body.error, /quantity 4/)
      approveAs(`status = 'rejected', status_reason = 'INSUFFICIENT_FUNDS', status_detail = 'not enough'`)
      const { status, body } = await process((await store()).id)
      assert.deepEqual([status, body.code, body.error], [422, 'INSUFFICIENT_FUNDS', 'not enough'])
    })

    it('answers 409 WOULD_BE_REFUSED with the reason where that can change, and the next approval is another one', async () => {
      const refusals: number[] = []
      const refused = {
        code: 'TRADING_PAUSED',
        message: 'Entries are paused',
        at: '2026-03-02T15:00:00.000Z',
      }
      const { id } = await store()
      api.gateway.onApprove = async (_to, _approval, _milliseconds, refusalsBefore) => {
        refusals.push(refusalsBefore)
        await set(id, `approval_refused = '${JSON.stringify({ ...refused, count: refusalsBefore + 1 })}'`)
        throw new UpdateRejected('WOULD_BE_REFUSED', 'Entries are paused', { code: 'TRADING_PAUSED' })
      }
      const { status, body } = await process(id)
      assert.deepEqual([status, body.code], [409, 'WOULD_BE_REFUSED'])
      assert.deepEqual(rowsOf(body.details, 'code', 'message'), [['TRADING_PAUSED', 'Entries are paused']])
      await process(id)
      assert.deepEqual(refusals, [0, 1])
      const { body: shown } = await person.call('GET', `/signals/${id}`)
      assert.deepEqual(shown.data.approvalRefused, refused)
    })

    it('POST /signals/:id/process passes over refusals that a restored ledger has forgotten', async () => {
      approveAs(`status = 'executed'`)
      const approves = api.gateway.onApprove
      api.gateway.onApprove = async (to, approval, milliseconds, refusalsBefore) => {
        if (refusalsBefore < 2)
          throw new UpdateRejected('WOULD_BE_REFUSED', 'Entries were paused', { code: 'TRADING_PAUSED' })
        return approves(to, approval, milliseconds, refusalsBefore)
      }
      assert.equal((await process((await store()).id)).status, 200)
    })

    it('answers 409 for one that does not wait, and calls no workflow', async () => {
      const immediate = { executeMode: 'immediate', status: 'queued' } as const
      for (const fields of [immediate, { status: 'executed' }, { status: 'rejected' }] as const) {
        const { status, body } = await process((await store(fields)).id)
        assert.deepEqual([status, body.code], [409, 'SIGNAL_NOT_PENDING'])
      }
      assert.deepEqual(api.gateway.messages, [])
    })

    it('POST /signals/:id/process is for people only, and for their own signals', async () => {
      const program: TestUser = await api.addUser()
      const foreign = await process((await store({ accountId: program.accountId })).id)
      assert.deepEqual([foreign.status, foreign.body.code], [404, 'SIGNAL_NOT_FOUND'])
      const path = `/api/v1/signals/${(await store()).id}/process`
      assert.equal((await api.call('POST', path, { token: program.token })).status, 403)
    })
  })

  it('the approval of a signal for a live account asks for a fresh proof, without which the workflow receives nothing', async () => {
    const careful = await addPerson(api, { tradingMode: 'LIVE' })
    const account = await createAccount(api.database.em, { userId: careful.userId, isDemo: false })
    const path = `/signals/${(await store({ accountId: account.id })).id}/process`
    approveAs(`status = 'executed'`)
    await letProofGrowOld(api, careful)
    const { status, body } = await careful.call('POST', path)
    assert.deepEqual([status, body.code], [403, 'VERIFICATION_REQUIRED'])
    assert.deepEqual(api.gateway.messages, [])
    await careful.call('POST', '/auth/verify', { password: PASSWORD })
    assert.equal((await careful.call('POST', path)).status, 200)
  })

  describe('POST /signals/process and /signals/reject', () => {
    it('refuse as ids what are none, and more than a hundred', async () => {
      for (const ids of [[], ['no id'], Array.from({ length: 101 }, () => randomUUID()), 'all'])
        assert.equal((await person.call('POST', '/signals/process', { ids })).status, 400)
    })
  })

  describe('DELETE /signals/:id', () => {
    it('withdraws one that waits', async () => {
      api.gateway.onWithdraw = async ({ signalId }) => {
        await set(signalId, `status = 'cancelled', status_reason = 'WITHDRAWN'`)
        return { status: 'cancelled', reason: 'WITHDRAWN' }
      }
      for (const status of ['pending', 'scheduled', 'queued'] as const) {
        const { id } = await store({ status })
        const answer = await person.call('DELETE', `/signals/${id}`)
        assert.deepEqual([answer.status, answer.body.data.signal.status], [200, 'cancelled'])
      }
    })

    it('answers 409 and its status for one that was sent or has ended', async () => {
      for (const status of ['executed', 'rejected', 'cancelled', 'error'] as const) {
        const answer = await person.call('DELETE', `/signals/${(await store({ status })).id}`)
        assert.deepEqual([answer.status, answer.body.code], [409, 'SIGNAL_NOT_CANCELLABLE'])
        assert.match(answer.body.error, new RegExp(status))
      }
      assert.deepEqual(api.gateway.messages, [])
    })

    for (const trouble of [new GatewayUnavailable('down'), new AnswerOverdue('slow')])
      it(`withdraws one whose workflow was not started in the ledger when Temporal does not answer: ${trouble.message}`, async () => {
        api.gateway.onWithdraw = fails(trouble)
        const unstarted = { executeMode: 'immediate', status: 'queued', workflowStartedAt: null } as const
        const { id } = await store(unstarted)
        const { status, body } = await person.call('DELETE', `/signals/${id}`)
        assert.equal(status, 200)
        const { statusReason, statusDetail } = body.data.signal
        const detail = `Withdrawn by ${person.email} before an order was sent`
        assert.deepEqual([statusReason, statusDetail], ['WITHDRAWN', detail])
        const deciding = decideOnce(api.database.em, id, 'entry', { outcome: 'ready' })
        await assert.rejects(deciding, { name: 'SignalAlreadyStopped' })
      })

    it('answers 503 when Temporal does not answer and its workflow runs, or it is decided that the order is sent', async () => {
      api.gateway.onWithdraw = fails(new GatewayUnavailable('down'))
      assert.equal((await person.call('DELETE', `/signals/${(await store()).id}`)).status, 503)
      const { id } = await store({ status: 'queued', workflowStartedAt: null })
      await decideOnce(api.database.em, id, 'entry', { outcome: 'ready' })
      assert.equal((await person.call('DELETE', `/signals/${id}`)).status, 503)
    })

    it('takes a token that may write signals, named by its label', async () => {
      const program = await api.addUser()
      api.gateway.onWithdraw = async () => ({ status: 'cancelled', reason: 'WITHDRAWN' })
      const { id } = await store({ accountId: program.accountId })
      assert.equal((await api.call('DELETE', `/api/v1/signals/${id}`, { token: program.token })).status, 200)
      assert.deepEqual(lastMessage().content, { by: 'token "test"' })
      const reader = await program.mint({ scopes: ['trading:read'] })
      assert.equal((await api.call('DELETE', `/api/v1/signals/${id}`, { token: reader })).status, 403)
    })
  })

  describe('DELETE /signals/:id/exit', () => {
    it('answers 409 where there is none, or it was sent', async () => {
      for (const fields of [
        { exitRule: null },
        { exitRule: exitAtOnce, exitStatus: 'submitted' },
        { exitRule: exitAtOnce, exitStatus: 'filled' },
        { exitRule: exitAtOnce, status: 'queued' },
      ] as const) {
        const { id } = await store({ status: 'executed', ...fields })
        const { status, body } = await person.call('DELETE', `/signals/${id}/exit`)
        assert.deepEqual([status, body.code], [409, 'EXIT_NOT_CANCELLABLE'])
      }
    })
  })

  describe('PATCH /signals/:id/protection', () => {
    const LEVELS = { stop: { percent: '5' }, target: { price: '120' } } as const
    const PLAN = { ...LEVELS, trail: null, breakEven: null, until: 'session' } as const
    const held = (fields: Partial<Signal> = {}) =>
      store({ status: 'executed', filledQuantity: '10', avgFillPrice: '100', protection: PLAN, ...fields })
    const patch = (id: string, body: unknown) => person.call('PATCH', `/signals/${id}/protection`, body)
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    const asked = () => asJson((lastMessage().content as { change: unknown }).change)
    const faultsOf = ({ body }: Awaited<ReturnType<typeof patch>>) =>
      body.details.map(({ field, code }: { field: string; code: string }) => `${field}: ${code}`)

    it('asks for the parts that are given, and leaves the others to the workflow', async () => {
      const { id } = await held()
      const changed = await patch(id, { stop: { amount: 3.5 }, trail: { percent: '2' } })
      assert.deepEqual([changed.status, changed.body.data.signal.id], [200, id])
      const change = { stop: { amount: '3.5' }, trail: { percent: '2' } }
      const { kind, to, content } = lastMessage()
      assert.deepEqual(
        [kind, to.signalId, asJson(content)],
        ['changeProtection', id, { by: person.email, change }],
      )
      await patch(id, { target: null, until: 'closed' })
      assert.deepEqual(asked(), { target: null, until: 'closed' })
    })

    it('names what is wrong with a change, and a level that the price has passed', async () => {
      const { id } = await held()
      await api.database.em.execute(
        `insert into protections (signal_id, user_id, account_id, symbol, side, average_price, best_price, price, price_at)
         select id, user_id, account_id, symbol, 'LONG', 100, 112, 110, now() from signals where id = ?`,
        [id],
        'run',
      )
      // The stop locks a profit in, above the average fill.
      assert.equal((await patch(id, { stop: { price: 109 } })).status, 200)
      for (const [body, ...faults] of [
        [{ stop: { price: 110 }, target: { amount: 10 } }, 'stop: wrong_side', 'target: wrong_side'],
        [{ stop: null, breakEven: { percent: 1 } }, 'breakEven: not_allowed'],
        [{ stop: { price: 95, percent: 5 }, until: 'ever' }, 'stop: custom', 'until: invalid_value'],
        [{ x: 1, stop: { price: 95 } }, 'x: unrecognized_key'],
        [{}, ': required'],
      ] as const)
        assert.deepEqual(faultsOf(await patch(id, body)), faults)
      assert.match((await patch(id, {})).body.details[0].message, /each null, remove the protection$/)
      const unplanned = await held({ protection: null })
      assert.deepEqual(faultsOf(await patch(unplanned.id, { until: 'closed' })), [': required'])
      const risky = await store({ status: 'scheduled', quantityType: 'riskDollars', protection: PLAN })
      assert.deepEqual(faultsOf(await patch(risky.id, { stop: null })), ['stop: required'])
    })

    it('holds a level by price to the market where no price of this moment is noted, and takes none while there is none', async () => {
      const typo = { stop: { price: 1865 } }
      assert.deepEqual(faultsOf(await patch((await held()).id, typo)), ['stop: wrong_side'])
      api.broker.lastPrice = null
      const { id } = await held({ symbol: 'ZTUNK' })
      const refused = await patch(id, typo)
      assert.deepEqual([refused.status, refused.body.code], [409, 'WOULD_BE_REFUSED'])
      assert.deepEqual(faultsOf(refused), ['stop: PRICE_UNKNOWN'])
      assert.equal((await patch(id, { stop: { amount: 5 } })).status, 200)
      api.broker.lastPrice = '100'
    })

    it('answers 409 where nothing is held or to be opened any more, and for a program where a person is to decide', async () => {
      const refused = async (id: string, token?: string) => {
        const { status, body } = token
          ? await api.call('PATCH', `/api/v1/signals/${id}/protection`, { token, body: { stop: null } })
          : await patch(id, { stop: null })
        assert.deepEqual([status, body.code], [409, 'PROTECTION_NOT_CHANGEABLE'])
      }
      await refused((await held({ status: 'cancelled' })).id)
      await refused((await held({ action: 'closeLong' })).id)
      for (const error of [
        new WorkflowOver(),
        new UpdateRejected('PROTECTION_NOT_CHANGEABLE', 'it is closed'),
      ]) {
        api.gateway.onChangeProtection = fails(error)
        await refused((await held()).id)
      }
      const program = await api.addUser()
      const sent = await api.call('POST', '/api/v1/signals', {
        token: program.token,
        body: signalBody(program.accountId, { executeMode: 'pending', protection: { stop: { percent: 5 } } }),
      })
      await refused(sent.body.signal.id, program.token)
    })

    it('names every fault of a change that does not fit the plan as another one has made it meanwhile', async () => {
      const faults = ['stop', 'target'].map((part) => ({ path: [part], code: 'wrong_side', message: part }))
      api.gateway.onChangeProtection = fails(
        new UpdateRejected('PROTECTION_NOT_CHANGEABLE', 'stop; target', { faults }),
      )
      const refused = await patch((await held()).id, { stop: { percent: 4 } })
      assert.equal(refused.status, 400)
      assert.deepEqual(faultsOf(refused), ['stop: wrong_side', 'target: wrong_side'])
    })

    it('PATCH /signals/:id/protection is confirmed by the ledger where the answer is overdue', async () => {
      api.gateway.onChangeProtection = async ({ signalId }, { change }) => {
        await set(signalId, `protection = '${JSON.stringify(changedLevels(PLAN, change))}'`)
        throw new AnswerOverdue()
      }
      assert.equal((await patch((await held()).id, { stop: { percent: 4 } })).status, 200)
      api.gateway.onChangeProtection = fails(new AnswerOverdue())
      assert.equal((await patch((await held()).id, { stop: { percent: 4 } })).status, 202)
      api.gateway.onChangeProtection = fails(new GatewayUnavailable())
      assert.equal((await patch((await held()).id, { stop: { percent: 4 } })).status, 503)
    })
  })
})
