import assert from 'node:assert/strict'
import { ApiClient, type ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue } from '#test/service/sent-signal.ts'

/** Milliseconds from the request to the time of a scheduled signal: long enough for its sender's right to end before. */
const AHEAD = 4_000

interface Case {
  reason: string
  /** Ends the right of the token. */
  ends(token: { id: string }): Promise<unknown>
  /** Gives the user back what the end has taken. */
  mend?(): Promise<unknown>
}

describe('a right that ends while a signal waits for its time, on the whole service,', function () {
  this.timeout(90_000)
  const service = useStack()
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const sql = (statement: string) => service.stack.query(statement)
  const ofUser = (change: string) =>
    sql(`update users set ${change} where email = '${service.stack.person.email}'`)
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

  const CASES: Record<string, Case> = {
    'of a token that is revoked, its signals kept': {
      reason: 'SENDER_REVOKED',
      async ends({ id }) {
        const { status, body } = await revoke(id, 'keep')
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual(body.data.signals, { waiting: 1, withdrawn: 0 })
      },
    },
    'of a token that expires': {
      reason: 'SENDER_REVOKED',
      ends: ({ id }) => sql(`update access_tokens set expires_at = now() where id = '${id}'`),
    },
    'of a plan without tokens': {
      reason: 'SENDER_REVOKED',
      ends: () => ofUser(`plan = 'FREE'`),
      mend: () => ofUser(`plan = 'PRO'`),
    },
    'of a user who is disabled': {
      reason: 'USER_DISABLED',
      ends: () => ofUser('disabled_at = now()'),
      mend: () => ofUser('disabled_at = null'),
    },
  }
  for (const [index, [whose, { reason, ends, mend }]] of Object.entries(CASES).entries())
    it(`${whose}: nothing is bought, the record says ${reason}, and what was bought before gets its exit`, async () => {
      const { stack } = service
      const [rests, due] = [`ZTRESTS${lettersOf(index)}`, `ZTDUE${lettersOf(index)}`]
      await stack.venue.pin(rests, 100)
      const token = await mint(whose)
      const exit = { exitTriggerType: 'immediate' }
      const bought = await send(token.api, {
        symbol: rests,
        orderType: 'limit',
        limitPrice: 95,
        timeInForce: 'gtc',
        ...exit,
      })
      await eventually(async () => assert.equal((await stood(bought)).status, 'executed'))
      const scheduled = await send(token.api, { symbol: due, quantity: 7, ...inMilliseconds(AHEAD) })
      try {
        await ends(token)
        await stack.venue.pin(rests, 94)
        await eventually(
          async () => {
            const { status, reason: why } = await stood(scheduled)
            assert.deepEqual([status, why], ['rejected', reason])
          },
          { within: AHEAD + 15_000 },
        )
        await eventually(async () => assert.equal((await stood(bought)).exit, 'filled'), { within: 15_000 })
      } finally {
        await mend?.()
      }
      const ledger = await stack.venue.ledger()
      assert.deepEqual(ordersAtVenue(ledger, scheduled), [])
      assert.deepEqual(
        ordersAtVenue(ledger, bought).map(({ status }) => status),
        ['filled', 'filled'],
      )
    })

  it('a right that ends while a signal waits for its time, on the whole service, whose signals are to be withdrawn when the API dies after the revocation: they are, once it is back', async () => {
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
