import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount, createSignal } from '../../support/factories.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, type Person } from '../support/person.ts'
import { pluck } from '#test/support/pluck.ts'

describe('the inbox of a hook', () => {
  const api = useApi()
  let person: Person
  let accountId: string
  let hookId: string
  beforeEach(async () => {
    person = await addPerson(api, { plan: 'PRO' })
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
    const { body } = await person.call('POST', '/hooks', { name: 'x', kind: 'json', accountIds: [accountId] })
    hookId = body.data.hook.id
  })

  const add = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const row = {
      id: randomUUID(),
      user_id: person.userId,
      hook_id: hookId,
      received_at: '2026-03-02T15:00:00.000Z',
      ip: '192.0.2.1',
      body: '{}',
      bytes: 2,
      outcome: 'accepted',
      ...fields,
    }
    await api.database.em.execute(
      `insert into hook_requests (${Object.keys(row).join(', ')}) values (${Object.keys(row)
        .map(() => '?')
        .join(', ')})`,
      Object.values(row),
    )
    return row.id
  }
  const addGroup = async (): Promise<string> => {
    const id = randomUUID()
    await api.database.em.execute(
      `insert into signal_groups (id, user_id, token_id, symbol, summary, accounts) values (?, ?, ?, 'AAPL', 'buy 10 AAPL', 1)`,
      [id, person.userId, hookId],
    )
    return id
  }
  const list = async (query = '') => {
    const { status, body } = await person.call('GET', `/hooks/${hookId}/requests${query}`)
    assert.equal(status, 200)
    return body.data.requests
  }
  const idsOf = async (query: string): Promise<string[]> => pluck(await list(query), 'id')

  it('the inbox of a hook shows the newest first with the signals of each and how they stand, a repetition with those that it repeats', async () => {
    const groupId = await addGroup()
    const signal = await createSignal(api.database.em, {
      userId: person.userId,
      accountId,
      tokenId: hookId,
      groupId,
    })
    const first = await add({
      group_id: groupId,
      status: 200,
      message: 'buy 10 AAPL',
      finished_at: '2026-03-02T15:00:01Z',
    })
    const again = await add({ group_id: groupId, outcome: 'repeated', received_at: '2026-03-02T15:00:05Z' })
    const open = await add({ outcome: null, received_at: '2026-03-02T15:00:09Z' })
    const requests = await list()
    assert.deepEqual(pluck(requests, 'id'), [open, again, first])
    const { id, symbol, action, status } = signal
    const shown = {
      id,
      accountId,
      symbol,
      action,
      status,
      statusReason: null,
      statusDetail: null,
      orderId: null,
      filledQuantity: 0,
    }
    assert.deepEqual(
      requests.map((one: { signals: unknown[] }) => one.signals),
      [[], [shown], [shown]],
    )
    assert.deepEqual([requests[0].outcome, requests[0].finishedAt, requests[2].status], [null, null, 200])
  })

  it('the inbox of a hook shows one request whole, and of the others the beginning', async () => {
    const body = `{"symbol": "AAPL", "note": "${'ä'.repeat(400)}"}`
    const faults = [
      { code: 'required', message: 'quantity is required', path: ['quantity'], field: 'quantity' },
    ]
    const advisories = [{ code: 'symbol_spelled', message: 'NASDAQ:AAPL is taken for AAPL' }]
    const id = await add({
      body,
      bytes: 900,
      outcome: 'refused',
      code: 'VALIDATION_ERROR',
      faults: JSON.stringify(faults),
      advisories: JSON.stringify(advisories),
    })
    const [listed] = await list()
    assert.deepEqual([listed.excerpt, listed.body], [body.slice(0, 200), undefined])
    const { request } = (await person.call('GET', `/hooks/${hookId}/requests/${id}`)).body.data
    assert.deepEqual(request, { ...listed, body, faults, advisories })
    const absent = await person.call('GET', `/hooks/${hookId}/requests/${randomUUID()}`)
    assert.deepEqual([absent.status, absent.body.code], [404, 'HOOK_REQUEST_NOT_FOUND'])
    const other = await person.call('POST', '/hooks', { name: 'y', kind: 'json', accountIds: [accountId] })
    const elsewhere = await person.call('GET', `/hooks/${other.body.data.hook.id}/requests/${id}`)
    assert.equal(elsewhere.status, 404)
  })

  it('the inbox of a hook is found by outcome, time and text, and walked in pages', async () => {
    const early = await add({ received_at: '2026-03-01T15:00:00Z', body: '{"ticker": "NVDA"}' })
    const refused = await add({ outcome: 'refused', body: '100% of {"x_y"}' })
    const late = await add({ received_at: '2026-03-03T15:00:00Z', outcome: 'nothing' })
    assert.deepEqual(await idsOf('?outcome=refused,nothing'), [late, refused])
    assert.deepEqual(await idsOf('?q=nvda'), [early])
    assert.deepEqual(await idsOf('?q=0%25%20of%20%7B%22x_y'), [refused])
    assert.deepEqual(await idsOf('?q=0_'), [])
    assert.deepEqual(await idsOf('?from=2026-03-02T15:00:00Z&to=2026-03-03T15:00:00Z'), [refused])
    assert.equal((await person.call('GET', `/hooks/${hookId}/requests?outcome=gone`)).status, 400)
    const walked: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: { body: { data: { requests: { id: string }[]; nextCursor: string | null } } } =
        await person.call('GET', `/hooks/${hookId}/requests?limit=1${cursor && `&cursor=${cursor}`}`)
      walked.push(...body.data.requests.map(({ id }) => id))
      cursor = body.data.nextCursor
    }
    assert.deepEqual(walked, [late, refused, early])
  })
})
