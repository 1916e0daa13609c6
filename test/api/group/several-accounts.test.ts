import assert from 'node:assert/strict'
import { createWorkBounds, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import { createAccount } from '#test/support/factories.ts'
import { signalBody, startApi, type Answer, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

describe('a signal for several accounts', () => {
  const api = useApi()
  let user: TestUser
  let accounts: string[]
  beforeEach(async () => {
    user = await api.addUser()
    accounts = [user.accountId, await another(), await another()]
  })

  const another = async (changes: { isDemo?: boolean; userId?: string } = {}): Promise<string> =>
    (await createAccount(api.database.em.fork(), { userId: user.userId, isDemo: true, ...changes })).id
  const send = (changes: Record<string, unknown> = {}, token = user.token): Promise<Answer> =>
    api.call('POST', '/api/v1/signals', {
      token,
      body: { ...signalBody(user.accountId), accountId: undefined, accountIds: accounts, ...changes },
    })
  const STORED =
    'select account_id, trim_scale(quantity)::text as quantity, group_id from signals where user_id = ?'
  const stored = async (): Promise<{ account_id: string; quantity: string; group_id: string }[]> =>
    api.database.em.fork().execute(STORED, [user.userId])
  const lines = ({ body }: Answer): unknown[] =>
    body.signals.map(({ accountId, status, code }: Record<string, unknown>) => [
      accounts.indexOf(accountId as string),
      status,
      code,
    ])

  const answering = async <T>(answer: typeof api.gateway.answer, work: () => Promise<T>): Promise<T> => {
    const outcome = api.gateway.answer
    api.gateway.answer = answer
    try {
      return await work()
    } finally {
      api.gateway.answer = outcome
    }
  }

  it('a signal for several accounts is stored for all of them before the first is sent, and reports each outcome', async () => {
    const outcome = api.gateway.answer
    const found: number[] = []
    const counted: typeof outcome = async (...call) => {
      found.push((await stored()).length)
      return outcome(...call)
    }
    const answer = await answering(counted, () => send())
    assert.deepEqual(found, [3, 3, 3])
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.deepEqual(lines(answer), [
      [0, 'executed', null],
      [1, 'executed', null],
      [2, 'executed', null],
    ])
    assert.equal(answer.body.signal.id, answer.body.signals[0].id)
    assert.equal(answer.body.message, 'The signal is accepted for 3 accounts')
    const rows = await stored()
    assert.deepEqual(new Set(pluck(rows, 'account_id')), new Set(accounts))
    assert.ok(rows.every((row) => row.group_id === answer.body.groupId))
  })

  it('a signal for several accounts has a size of its own for each that says one', async () => {
    const sized = await send({
      quantity: 10,
      accountIds: [
        accounts[0],
        { accountId: accounts[1], multiplier: 0.25 },
        { accountId: accounts[2], quantity: '7' },
      ],
    })
    assert.equal(sized.status, 201, JSON.stringify(sized.body))
    const quantities = new Map((await stored()).map((row) => [row.account_id, row.quantity]))
    assert.deepEqual(
      accounts.map((id) => quantities.get(id)),
      ['10', '2.5', '7'],
    )
  })

  it('a signal for several accounts is refused by an account that may not have it, and holds up no other', async () => {
    const live = await another({ isDemo: false })
    const theirs = (await api.addUser()).accountId
    accounts = [live, accounts[0]!, theirs]
    const answer = await send({ sourceId: 'part' })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.deepEqual(lines(answer), [
      [0, null, 'MODE_MISMATCH'],
      [1, 'executed', null],
      [2, null, 'ACCOUNT_NOT_FOUND'],
    ])
    assert.match(answer.body.signals[0].message, /is a live account and the mode is PAPER/)
    assert.equal(answer.body.message, 'The signal is accepted for 1 of 3 accounts')
    const codes = ({ body }: Answer): unknown[] => pluck(body.signals, 'code')
    assert.deepEqual(
      codes(await send({ sourceId: 'part' })),
      codes(answer),
      'and a repetition tells the same',
    )
  })

  it('a signal for several accounts that all refuse it is stored nowhere, and its name stays free', async () => {
    const [mine] = accounts
    accounts = [await another({ isDemo: false }), (await api.addUser()).accountId]
    const refused = await send({ sourceId: 'name' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'MODE_MISMATCH'])
    assert.deepEqual(rowsOf(refused.body.details, 'field', 'code'), [
      ['accountIds.0', 'MODE_MISMATCH'],
      ['accountIds.1', 'ACCOUNT_NOT_FOUND'],
    ])
    accounts = [mine!, await another()]
    assert.equal((await send({ sourceId: 'name' })).status, 201)
  })

  it('a signal for several accounts is held to the bounds of its token on each of them', async () => {
    const bounds: TokenBounds = { accountIds: accounts.slice(0, 2) }
    const answer = await send({}, await user.mint({ bounds }))
    assert.deepEqual(lines(answer), [
      [0, 'executed', null],
      [1, 'executed', null],
      [2, null, 'TOKEN_BOUNDS_EXCEEDED'],
    ])
    const tooDear = await send(
      {
        quantityType: 'dollarAmount',
        quantity: 500,
        accountIds: [accounts[0], { accountId: accounts[1], multiplier: 3 }],
      },
      await user.mint({ bounds: { maxOrderValue: '1000' } }),
    )
    assert.deepEqual(lines(tooDear), [
      [0, 'executed', null],
      [1, null, 'TOKEN_BOUNDS_EXCEEDED'],
    ])
  })

  it('a signal for several accounts of a strategy that takes none, or that comes to nothing on all of them, is an error', async () => {
    const refused = {
      status: 'rejected',
      orderId: null,
      reason: 'INSUFFICIENT_FUNDS',
      detail: 'too dear',
    } as const
    const nothing = await answering(
      async () => refused,
      () => send(),
    )
    assert.deepEqual(
      [nothing.status, nothing.body.code, nothing.body.details.length],
      [400, 'INSUFFICIENT_FUNDS', 3],
    )
    const { em } = api.database
    await em.fork().execute(`update strategies set status = 'paused' where id = ?`, [user.strategyId])
    const paused = await send({ strategyId: user.strategyId })
    assert.deepEqual(
      [paused.status, paused.body.code, paused.body.details.length],
      [400, 'STRATEGY_PAUSED', 3],
    )
    assert.equal((await stored()).length, 3)
  })

  it('a signal for several accounts whose name another trade has is answered so, and its owner learns it', async () => {
    await send({ sourceId: 'mine' })
    const other = await send({ sourceId: 'mine', quantity: 99 })
    assert.equal(other.status, 200)
    assert.ok(
      other.body.advisories.some(({ code }: { code: string }) => code === 'source_id_payload_mismatch'),
    )
    const alerts = await api.database.em
      .fork()
      .execute<unknown[]>('select from alerts where user_id = ?', [user.userId])
    assert.equal(alerts.length, 3)
  })

  it('a signal for several accounts takes an earlier one of the same sourceId for its own', async () => {
    const alone = await send({ accountIds: undefined, accountId: accounts[1], sourceId: 'both' })
    const answer = await send({ sourceId: 'both' })
    assert.equal(answer.body.signals[1].id, alone.body.signal.id)
    assert.equal((await stored()).length, 3)
    const again = await send({ sourceId: 'both' }, await user.mint())
    assert.equal(again.status, 200, 'each account holds the sourceId, for another token too')
    assert.deepEqual(pluck(again.body.signals, 'id'), pluck(answer.body.signals, 'id'))
  })

  it('a signal for several accounts names each fault of its body', async () => {
    const faultsOf = async (changes: Record<string, unknown>): Promise<string[][]> => {
      const { status, body } = await send(changes)
      assert.equal(status, 400, JSON.stringify(body))
      return rowsOf(body.details, 'field', 'code')
    }
    assert.deepEqual(await faultsOf({ accountId: accounts[0], replaceExisting: true, quantity: 'many' }), [
      ['accountId', 'not_allowed'],
      ['replaceExisting', 'not_allowed'],
      ['quantity', 'invalid_format'],
    ])
    const [first, second] = accounts
    for (const [changes, ...fault] of [
      [{ accountIds: undefined }, 'accountId', 'required'],
      [{ accountIds: [first] }, 'accountIds', 'too_small'],
      [{ accountIds: [first, first] }, 'accountIds.1', 'custom'],
      [{ accountIds: [first, { accountId: second, multiplier: 2, quantity: 1 }] }, 'accountIds.1', 'custom'],
      [
        { quantity: 1_000_000_000, accountIds: [first, { accountId: second, multiplier: 2 }] },
        'accountIds.1.multiplier',
        'custom',
      ],
    ] as const)
      assert.deepEqual(await faultsOf(changes), [fault])
  })

  it('a signal for several accounts is played through for each of them with dryRun, and stored for none', async () => {
    const answer = await send({ dryRun: true, accountIds: [...accounts, (await api.addUser()).accountId] })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(pluck(answer.body.dryRuns, 'code').slice(-1), ['ACCOUNT_NOT_FOUND'])
    assert.equal(answer.body.dryRuns.length, 4)
    assert.deepEqual(answer.body.dryRun, answer.body.dryRuns[0].dryRun)
    assert.deepEqual(await stored(), [])
  })

  it('a signal for several accounts gets a turn for each, and what gets none is left to the supervisor', async () => {
    const busy = await startApi({
      work: createWorkBounds({ ...WORK_BOUNDS, entries: { atOnce: 2, waiting: 0, inAll: 2 } }),
      begunLater: 3,
    })
    try {
      const owner = await busy.addUser()
      const ids = [owner.accountId]
      for (let more = 0; more < 2; more++)
        ids.push((await createAccount(busy.database.em.fork(), { userId: owner.userId, isDemo: true })).id)
      const answered = Promise.withResolvers<void>()
      const outcome = busy.gateway.answer
      busy.gateway.answer = async (...call) => {
        await answered.promise
        return outcome(...call)
      }
      const post = () =>
        busy.call('POST', '/api/v1/signals', {
          token: owner.token,
          body: { ...signalBody(ids[0]!), accountId: undefined, accountIds: ids },
        })
      const first = post()
      while (busy.gateway.awaited.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      const refused = await post()
      assert.deepEqual(
        [refused.status, refused.body.code],
        [503, 'TOO_MANY_AT_ONCE'],
        'beyond so many without an outcome',
      )
      answered.resolve()
      const { status, body } = await first
      assert.equal(status, 202, JSON.stringify(body))
      assert.deepEqual(
        body.signals.map((line: { status: string }) => line.status),
        ['executed', 'executed', 'queued'],
      )
    } finally {
      await busy.stop()
    }
  })
})
