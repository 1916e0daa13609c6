import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { pluck } from '#test/support/pluck.ts'
import { createSignal } from '../../support/factories.ts'
import { addPerson, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'

describe('requests to a hook', () => {
  const api = useApi({ identity: { WEBHOOK_URL: 'https://hooks.example.com' } })
  let hook: TestHook
  let person: Person
  beforeEach(async () => {
    hook = await addHook(api, { kind: 'json' })
    person = hook.owner
  })

  const insert = async (table: string, row: Record<string, unknown>): Promise<void> => {
    const columns = Object.keys(row)
    await api.database.em.execute(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      Object.values(row),
    )
  }
  const came = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const ids = { id: randomUUID(), user_id: person.userId, hook_id: hook.id }
    const sent = { received_at: '2026-03-02T15:00:00.000Z', ip: '192.0.2.1', body: '{}', bytes: 2 }
    await insert('hook_requests', { ...ids, ...sent, outcome: 'accepted', ...fields })
    return ids.id
  }
  const list = async (query = '') => {
    const { status, body } = await person.call('GET', `/hooks/${hook.id}/requests${query}`)
    assert.equal(status, 200)
    return body.data
  }
  const idsOf = async (query: string): Promise<string[]> => pluck((await list(query)).requests, 'id')

  it('the inbox of a hook shows the newest first with the signals of each and their status, a repetition with those that it repeats', async () => {
    const [accountId] = hook.accountIds
    const groupId = randomUUID()
    const of = {
      user_id: person.userId,
      token_id: hook.id,
      symbol: 'AAPL',
      summary: 'buy 10 AAPL',
      accounts: 1,
    }
    await insert('signal_groups', { id: groupId, ...of })
    const owner = { userId: person.userId, accountId: accountId!, tokenId: hook.id }
    const { id, symbol, action, status } = await createSignal(api.database.em, { ...owner, groupId })
    const first = await came({ group_id: groupId, status: 200, finished_at: '2026-03-02T15:00:01Z' })
    const again = await came({ group_id: groupId, outcome: 'repeated', received_at: '2026-03-02T15:00:05Z' })
    const open = await came({ outcome: null, received_at: '2026-03-02T15:00:09Z' })
    const { requests } = await list()
    assert.deepEqual(pluck(requests, 'id'), [open, again, first])
    const none = { statusReason: null, statusDetail: null, orderId: null, filledQuantity: 0 }
    const shown = { id, accountId, symbol, action, status, ...none }
    assert.deepEqual(pluck(requests, 'signals'), [[], [shown], [shown]])
    assert.deepEqual([requests[0].outcome, requests[0].finishedAt, requests[2].status], [null, null, 200])
  })

  it('the inbox of a hook shows one request whole, and of the others the beginning', async () => {
    const body = `{"symbol": "AAPL", "note": "${'ä'.repeat(400)}"}`
    const faults = [
      { code: 'required', message: 'quantity is required', path: ['quantity'], field: 'quantity' },
    ]
    const advisories = [{ code: 'symbol_spelled', message: 'NASDAQ:AAPL is taken for AAPL' }]
    const told = { faults: JSON.stringify(faults), advisories: JSON.stringify(advisories) }
    const id = await came({ body, bytes: 900, outcome: 'refused', code: 'VALIDATION_ERROR', ...told })
    const [listed] = (await list()).requests
    assert.deepEqual([listed.excerpt, listed.body], [body.slice(0, 200), undefined])
    const { request } = (await person.call('GET', `/hooks/${hook.id}/requests/${id}`)).body.data
    assert.deepEqual(request, { ...listed, body, faults, advisories })
    const other = await addHook(api, {}, { owner: person })
    for (const path of [`/hooks/${hook.id}/requests/${randomUUID()}`, `/hooks/${other.id}/requests/${id}`]) {
      const absent = await person.call('GET', path)
      assert.deepEqual([absent.status, absent.body.code], [404, 'HOOK_REQUEST_NOT_FOUND'])
    }
  })

  it('the inbox of a hook is found by outcome, time and text, and walked in pages', async () => {
    const early = await came({ received_at: '2026-03-01T15:00:00Z', body: '{"ticker": "NVDA"}' })
    const refused = await came({ outcome: 'refused', body: '100% of {"x_y"}' })
    const late = await came({ received_at: '2026-03-03T15:00:00Z', outcome: 'nothing' })
    assert.deepEqual(await idsOf('?outcome=refused,nothing'), [late, refused])
    assert.deepEqual(await idsOf('?q=nvda'), [early])
    assert.deepEqual(await idsOf('?q=0%25%20of%20%7B%22x_y'), [refused])
    assert.deepEqual(await idsOf('?q=0_'), [])
    assert.deepEqual(await idsOf('?from=2026-03-02T15:00:00Z&to=2026-03-03T15:00:00Z'), [refused])
    assert.equal((await person.call('GET', `/hooks/${hook.id}/requests?outcome=gone`)).status, 400)
    const walked: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`?limit=1${cursor && `&cursor=${cursor}`}`)
      walked.push(...pluck(page.requests, 'id'))
      cursor = page.nextCursor
    }
    assert.deepEqual(walked, [late, refused, early])
  })

  describe('GET /hooks/address', () => {
    const check = async (of = person) => (await of.call('GET', '/hooks/address')).body.data
    /** Requests from each address, the last one newest. */
    const cameFrom = async (...ips: string[]) => {
      for (const [minute, ip] of ips.entries())
        await came({ received_at: `2026-03-02T15:0${minute}:00Z`, via: 'sender', ip })
    }

    it('POST /hooks answers an address that begins where senders reach hooks', async () => {
      const asked = { name: 'Breakouts', kind: 'tradingview', accountIds: hook.accountIds }
      const { body } = await person.call('POST', '/hooks', asked)
      assert.match(body.data.url, /^https:\/\/hooks\.example\.com\/hooks\/[\w-]+\/dth_\w+$/)
    })

    it('GET /hooks/address asks for a request from outside while none has come, after any trial of a person', async () => {
      await came({ via: 'test', ip: '52.89.214.238' })
      const { hooksUrl, isPublic, missing, last, lastFromOutside } = await check()
      assert.deepEqual(
        [hooksUrl, isPublic, pluck(missing, 'code'), last, lastFromOutside],
        ['https://hooks.example.com', true, ['no_request_yet'], null, null],
      )
    })

    it('GET /hooks/address names the place of the proxy while every request seems to come from within', async () => {
      await cameFrom('10.0.0.7', '127.0.0.1')
      const { missing, last, lastFromOutside } = await check()
      assert.deepEqual(
        [pluck(missing, 'code'), last.from, last.hookName, lastFromOutside],
        [['no_request_from_outside'], 'this_machine', 'Alerts', null],
      )
      assert.match(missing[0].message, /127\.0\.0\.1.*TRUSTED_PROXIES/)
    })

    it('GET /hooks/address shows the newest request from outside, and no other person’s', async () => {
      await cameFrom('34.212.75.30', '52.89.214.238', '127.0.0.1')
      const { missing, last, lastFromOutside } = await check()
      const at = '2026-03-02T15:01:00.000Z'
      assert.deepEqual([missing, last.from], [[], 'this_machine'])
      assert.deepEqual(lastFromOutside, {
        hookId: hook.id,
        hookName: 'Alerts',
        at,
        ip: '52.89.214.238',
        from: 'outside',
      })
      assert.equal((await check(await addPerson(api))).last, null)
    })
  })
})
