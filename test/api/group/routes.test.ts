import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { recordAccepted } from '#db/signal/ledger.ts'
import { WorkflowOver } from '#api/temporal/calls.ts'
import { createAccount, orderReport } from '#test/support/factories.ts'
import { addPerson, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { signalBody } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

interface Line {
  id: string
  accountId: string
  success: boolean
  outcome: string
  code: string | null
}

describe('a group of signals, by its routes,', () => {
  const api = useApi()
  let person: Person
  let accounts: string[]
  beforeEach(async () => {
    person = await addPerson(api, { plan: 'PRO' })
    accounts = []
    for (let n = 0; n < 3; n++) accounts.push(await another({ isDemo: true }))
  })
  const another = async (fields: { isDemo: boolean }) =>
    (await createAccount(api.database.em.fork(), { userId: person.userId, ...fields })).id

  const send = async (changes: Record<string, unknown> = {}) => {
    const several = { accountId: undefined, accountIds: accounts, executeMode: 'pending' }
    const answer = await person.call('POST', '/signals', signalBody(accounts[0]!, { ...several, ...changes }))
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body as { groupId: string; signals: { id: string; accountId: string }[] }
  }
  const change = (id: string, sql: string) =>
    api.database.em.fork().execute(`update signals set ${sql} where id = ?`, [id], 'run')
  /** The broker has the entry of a signal. */
  const accept = async ({ id, accountId }: { id: string; accountId: string }): Promise<string> => {
    await change(id, `status = 'transmitted', workflow_started_at = now()`)
    const { orderId } = await recordAccepted(
      api.database.em,
      orderReport({ id, accountId, userId: person.userId } as Parameters<typeof orderReport>[0]),
    )
    return orderId
  }
  const byAccount = (lines: readonly Line[]): Line[] =>
    lines.toSorted((a, b) => accounts.indexOf(a.accountId) - accounts.indexOf(b.accountId))

  it('a group of signals is listed with the status of its signals, and those of one account where they are asked for', async () => {
    const { groupId, signals } = await send()
    await change(signals[0]!.id, `status = 'executed'`)
    const single = randomUUID()
    await api.database.em
      .fork()
      .execute(
        `insert into signal_groups (id, user_id, symbol, summary, accounts) values (?, ?, 'MSFT', 'buy 1 MSFT', 1)`,
        [single, person.userId],
        'run',
      )
    const { body } = await person.call('GET', '/signal-groups')
    assert.equal(body.data.groups.length, 1)
    const [group] = body.data.groups
    const { createdAt, ...shown } = group
    assert.ok(createdAt)
    const of = { summary: 'openLong 10 AAPL', symbol: 'AAPL', tokenId: null, accounts: 3 }
    assert.deepEqual(shown, { id: groupId, ...of, signals: { executed: 1, pending: 2 }, refused: 0 })
    const idsOf = async (query: string): Promise<string[]> =>
      pluck((await person.call('GET', `/signal-groups?${query}`)).body.data.groups, 'id')
    assert.deepEqual(new Set(await idsOf('accounts=all')), new Set([groupId, single]))
    assert.deepEqual(await idsOf('accounts=all&symbol=MSFT'), [single])
    assert.deepEqual(await idsOf(`tokenId=${randomUUID()}`), [])
    assert.deepEqual(await idsOf('from=2100-01-01T00:00:00Z'), [])
    assert.deepEqual(await idsOf('limit=1&accounts=all').then(({ length }) => length), 1)
  })

  it('a group of signals is shown with its signals and its refusals', async () => {
    const live = await another({ isDemo: false })
    const { groupId, signals } = await send({ accountIds: [...accounts, live] })
    const { status, body } = await person.call('GET', `/signal-groups/${groupId}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(new Set(pluck(body.data.signals, 'id')), new Set(pluck(signals.slice(0, 3), 'id')))
    assert.ok(body.data.signals.every((signal: { groupId: string }) => signal.groupId === groupId))
    assert.deepEqual(rowsOf(body.data.refusals, 'accountId', 'code'), [[live, 'MODE_MISMATCH']])
    const listed = await person.call('GET', `/signals?groupId=${groupId}`)
    assert.equal(listed.body.data.signals.length, 3)
    const alone = await person.call('GET', `/signals?groupId=${randomUUID()}`)
    assert.equal(alone.body.data.signals.length, 0)
    const absent = await person.call('GET', `/signal-groups/${randomUUID()}`)
    assert.deepEqual([absent.status, absent.body.code], [404, 'SIGNAL_GROUP_NOT_FOUND'])
  })

  it('a group of signals is approved by one press, as far as it waits', async () => {
    const { groupId, signals } = await send()
    await change(signals[1]!.id, `status = 'cancelled'`)
    const before = api.gateway.messages.length
    const { status, body } = await person.call('POST', `/signal-groups/${groupId}/process`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(new Set(pluck(body.data.results, 'id')), new Set([signals[0]!.id, signals[2]!.id]))
    assert.deepEqual(pluck(api.gateway.messages.slice(before), 'kind'), ['approve', 'approve'])
    for (const { id } of signals) await change(id, `status = 'executed'`)
    const nothing = await person.call('POST', `/signal-groups/${groupId}/process`)
    assert.deepEqual([nothing.status, nothing.body.data.results], [200, []])
  })

  it('a group of signals is declined by one press, and each reports its outcome', async () => {
    const { groupId, signals } = await send()
    api.gateway.onDecline = async (to) => {
      if (to.signalId === signals[0]!.id) throw new WorkflowOver('over')
      return { status: 'rejected', reason: 'DECLINED' }
    }
    const { body } = await person.call('POST', `/signal-groups/${groupId}/reject`, { reason: 'not today' })
    const lines = body.data.results as Line[]
    const codes = signals.map(({ id }) => lines.find((line) => line.id === id)!.code ?? null)
    assert.deepEqual(codes, ['SIGNAL_NOT_PENDING', null, null])
  })

  it('a group of signals is stopped: waiting signals are withdrawn, working entries cancelled, and the rest has ended', async () => {
    const { groupId, signals } = await send()
    const orderId = await accept(signals[1]!)
    await change(signals[2]!.id, `status = 'rejected'`)
    const { status, body } = await person.call('DELETE', `/signal-groups/${groupId}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(rowsOf(byAccount(body.data.results), 'outcome', 'code'), [
      ['withdrawn', null],
      ['cancelled', null],
      ['over', null],
    ])
    assert.deepEqual(
      api.gateway.cancels.slice(-1).map(({ to }) => to.signalId),
      [signals[1]!.id],
    )
    await api.database.em.fork().execute(`update orders set status = 'FILLED' where id = ?`, [orderId], 'run')
    const again = await person.call('DELETE', `/signal-groups/${groupId}`)
    assert.equal(byAccount(again.body.data.results)[1]!.outcome, 'over')
  })

  it('a group of signals is stopped by a token as far as its scopes and bounds go', async () => {
    const { groupId, signals } = await send()
    await accept(signals[1]!)
    const withdraws = await storeToken(api, person.userId, { scopes: '{signals:write}' })
    const bounds = JSON.stringify({ accountIds: accounts.slice(0, 2) })
    const sql = 'update access_tokens set bounds = ?::jsonb where user_id = ?'
    await api.database.em.fork().execute(sql, [bounds, person.userId], 'run')
    const { body } = await api.call('DELETE', `/api/v1/signal-groups/${groupId}`, { token: withdraws })
    assert.deepEqual(rowsOf(byAccount(body.data.results), 'outcome', 'code'), [
      ['withdrawn', null],
      ['failed', 'INSUFFICIENT_SCOPES'],
      ['failed', 'TOKEN_BOUNDS_EXCEEDED'],
    ])
  })

  it('a group of signals loses the exits that wait by one press', async () => {
    const { groupId, signals } = await send({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 5 })
    await accept(signals[0]!)
    const before = api.gateway.messages.length
    const { status, body } = await person.call('DELETE', `/signal-groups/${groupId}/exit`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(rowsOf(body.data.results, 'id', 'success'), [[signals[0]!.id, true]])
    assert.deepEqual(pluck(api.gateway.messages.slice(before), 'kind'), ['cancelExit'])
  })
})
