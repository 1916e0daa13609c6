import assert from 'node:assert/strict'
import { ApiClient, type ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow } from '#test/service/sent-signal.ts'

describe('a right that ends while a signal waits for its time, on the whole service,', function () {
  this.timeout(90_000)
  const service = useStack()
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const sql = (statement: string) => service.stack.query(statement)
  const revoke = (id: string, signals: 'withdraw' | 'keep', client = person): Promise<ApiAnswer> =>
    client.delete(`/tokens/${id}?signals=${signals}`, 15_000)

  async function mint(label: string): Promise<{ id: string; api: ApiClient }> {
    const scopes = ['trading:read', 'signals:write']
    const { status, body } = await person.post('/tokens', { label, scopes })
    assert.equal(status, 201, JSON.stringify(body))
    const { id, token } = body.data
    return { id, api: new ApiClient(service.stack.addresses.api, token) }
  }
  async function send(api: ApiClient, changes: object): Promise<string> {
    const { status, body } = await api.post('/signals', buyNow(service.stack, changes))
    assert.ok(status < 300, JSON.stringify(body))
    return body.signal.id
  }
  const inMilliseconds = (milliseconds: number) => ({
    executeMode: 'scheduled',
    scheduledProcessAt: new Date(Date.now() + milliseconds).toISOString().slice(0, 23),
    timezone: 'UTC',
  })
  interface Stood {
    status: string
    reason: string | null
    exit: string | null
  }
  /** As the ledger has it: whoever sent it may read nothing any more. */
  async function stood(id: string): Promise<Stood> {
    const [row] = await service.stack.query<Stood>(
      `select status, status_reason as reason, exit_status as exit from signals where id = '${id}'`,
    )
    return row!
  }

  it('a right that ends while a signal waits for its time, on the whole service, whose signals must be withdrawn when the API dies after the revocation: they are, once it is back', async () => {
    const { api, temporal } = service.stack.parts
    const token = await mint('dies')
    const waiting = [
      await send(token.api, { symbol: 'ZTWAITS', executeMode: 'pending' }),
      await send(token.api, { symbol: 'ZTWAITS', ...inMilliseconds(600_000) }),
    ]
    process.kill(temporal.pid, 'SIGSTOP')
    try {
      const asked = revoke(token.id, 'withdraw').catch(() => null)
      await eventually(async () => {
        const rows = await sql(
          `select from access_tokens where id = '${token.id}' and withdrawn_by is not null`,
        )
        assert.equal(rows.length, 1)
      })
      await api.kill()
      assert.equal(await asked, null, 'it died before it answered')
    } finally {
      process.kill(temporal.pid, 'SIGCONT')
    }
    for (const id of waiting) assert.equal((await stood(id)).reason, null)
    await api.start()
    for (const id of waiting)
      await eventually(
        async () => {
          const { status, reason } = await stood(id)
          assert.deepEqual([status, reason], ['cancelled', 'WITHDRAWN'])
        },
        { within: 30_000 },
      )
  })
})
