import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { EXPORTS, type Exported } from '#contract/export.ts'
import { eventually } from '../../support/eventually.ts'
import { statementsOf } from '../../support/statements.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addScene, AT, rowsOf } from './scene.ts'

const KINDS = Object.keys(EXPORTS) as Exported[]
const MEBIBYTE = 2 ** 20

describe('an export', function () {
  this.timeout(60_000)
  const api = useApi({ work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(10) }) })
  const execute = (sql: string, values: unknown[] = []) => api.database.em.fork().execute(sql, values)

  const ask = (records: string, { token }: Pick<TestUser, 'token'>, query = '') =>
    api.call('GET', `/api/v1/exports/${records}${query}`, { token })
  const linesOf = async (...asked: Parameters<typeof ask>): Promise<string[]> => {
    const { status, body } = await ask(...asked)
    assert.equal(status, 200, JSON.stringify(body))
    return body.split('\r\n').slice(0, -1)
  }
  const objectsOf = async (records: string, user: TestUser): Promise<object[]> => {
    const { body } = await ask(records, user, '?format=jsonl')
    return body
      .split('\n')
      .slice(0, -1)
      .map((line: string) => JSON.parse(line))
  }

  /** Fills of one share, of no order, seven at each instant. */
  const addFills = ({ userId, accountId }: TestUser, count: number) =>
    execute(
      `insert into fills (account_id, execution_id, user_id, symbol, side, quantity, price, at, order_filled)
       select ?, 'fill ' || n, ?, 'AAPL', 'SELL', 1, 100.25, ?::timestamptz + interval '1 microsecond' * (n / 7), 1
       from generate_series(1, ?) n`,
      [accountId, userId, AT, count],
    )

  const cellOf = (value: string | number | boolean | null): string => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  for (const records of KINDS)
    it(`an export of ${records} has exactly its columns, in both forms`, async () => {
      const user = await api.addUser()
      const row = rowsOf(await addScene(api, user))[records]
      const csv = await ask(records, user)
      assert.equal(
        csv.body,
        `${Object.keys(row).join(',')}\r\n${Object.values(row).map(cellOf).join(',')}\r\n`,
      )
      const { headers, body } = await ask(records, user, '?format=jsonl')
      assert.equal(body, `${JSON.stringify(row)}\n`)
      assert.deepEqual(Object.keys(row), Object.keys(EXPORTS[records].shape))
      assert.deepEqual(EXPORTS[records].parse(row), row, 'it is as its schema says')
      const day = new Date().toISOString().slice(0, 10)
      for (const [received, form, type] of [
        [csv.headers, 'csv', 'text/csv'],
        [headers, 'jsonl', 'application/jsonl'],
      ] as const) {
        assert.equal(received.get('content-type'), `${type}; charset=utf-8`)
        assert.equal(received.get('content-disposition'), `attachment; filename="${records}-${day}.${form}"`)
        assert.equal(received.get('cache-control'), 'no-store')
      }
    })

  it('an export makes no formula of a text, and leaves figures below 0 as they are', async () => {
    const user = await api.addUser()
    await addScene(api, user)
    const { body: signals } = await ask('signals', user)
    for (const cell of [`,'=cmd(),'-5,'\tx,'@A1,`, ',-12.5,', `,"'+Paper ""A"", B",`])
      assert.ok(signals.includes(cell), `${cell} in ${signals}`)
    assert.ok((await ask('orders', user)).body.includes(`,"'\r=1",`))
    assert.ok((await ask('balances', user)).body.endsWith(',1000.5,-20\r\n'))
  })

  it('an export without rows has the names of its columns, or nothing', async () => {
    const user = await api.addUser()
    for (const records of KINDS) {
      assert.deepEqual(await linesOf(records, user), [Object.keys(EXPORTS[records].shape).join(',')])
      assert.equal((await ask(records, user, '?format=jsonl')).body, '')
      const head = await api.call('HEAD', `/api/v1/exports/${records}`, { token: user.token })
      assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
    }
  })

  it('an export has the rows of its caller alone, each once and the earliest first, over several pages', async () => {
    const [user, other] = [await api.addUser(), await api.addUser()]
    await addFills(user, 1_500)
    await addFills(other, 700)
    const fills = (await objectsOf('fills', user)) as { executionId: string; accountId: string }[]
    assert.equal(new Set(fills.map(({ executionId }) => executionId)).size, 1_500)
    assert.equal(fills.length, 1_500)
    assert.deepEqual([...new Set(fills.map(({ accountId }) => accountId))], [user.accountId])
    const places = fills.map(({ executionId }) => Math.floor(Number(executionId.slice(5)) / 7))
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
    assert.equal((await linesOf('fills', user)).length, 1_501)
    assert.equal((await linesOf('fills', other, `?accountId=${user.accountId}`)).length, 1)
  })

  it('an export has the rows of one account and of a period, from its beginning and before its end', async () => {
    const user = await api.addUser()
    await addScene(api, user)
    for (const records of KINDS) {
      const countOf = async (query: string) => (await linesOf(records, user, query)).length - 1
      const counts = [
        await countOf(`?accountId=${user.accountId}&from=${AT}&to=2026-03-02T15:00:00.121Z`),
        await countOf(`?to=${AT}`),
        await countOf('?from=2026-03-02T15:00:00.121Z'),
        await countOf(`?accountId=${user.userId}`),
      ]
      assert.deepEqual(counts, [1, 0, 0, 0], records)
    }
  })

  it('an export asks for the scope that the list of its records asks for', async () => {
    const user = await api.addUser()
    for (const records of KINDS) {
      const scope = records === 'balances' ? 'accounts:read' : 'trading:read'
      const other = records === 'balances' ? 'trading:read' : 'accounts:read'
      assert.equal((await ask(records, { token: await user.mint({ scopes: [scope] }) })).status, 200)
      assert.equal((await ask(records, { token: await user.mint({ scopes: [other] }) })).status, 403)
      assert.equal((await ask(records, { token: 'dt_none' })).status, 401)
    }
    assert.equal((await ask('positions', user)).status, 404)
  })

  it('an export names every fault of its query', async () => {
    const user = await api.addUser()
    const { status, body } = await ask('fills', user, '?format=xlsx&from=today&accountId=mine&limit=5')
    const faults = body.details.map(({ path }: { path: string[] }) => path.join('.')).toSorted()
    assert.deepEqual([status, faults], [400, ['accountId', 'format', 'from', 'limit']])
    const later = await ask('fills', user, `?from=${AT}&to=${AT}`)
    assert.deepEqual([later.status, later.body.details[0].path], [400, ['to']])
  })

  /** The answer, of which nothing is read yet. */
  const open = (path: string, { token }: TestUser): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}` }
      get(`${api.address}/api/v1/exports/${path}`, { headers, agent: false }, resolve).once('error', reject)
    })
  const hasLogged = (message: string, answer: IncomingMessage) =>
    eventually(() => {
      const requestId = answer.headers['x-request-id']
      assert.ok(
        api.log.some((line) => line['requestId'] === requestId && line['msg'] === message),
        message,
      )
    })
  /** More than lies in the buffers between the service and a client that does not read. */
  const MANY = 100_000

  describe('of many rows', () => {
    let user: TestUser
    before(async () => {
      user = await api.addUser()
      await addFills(user, MANY)
      await addFills(await api.addUser(), MANY)
      await execute('analyze fills')
    })

    it('an export of many rows needs no more memory than a few pages, and reaches its end in time', async () => {
      setFlagsFromString('--expose-gc')
      const collect = runInNewContext('gc') as () => void
      const heap = (): number => {
        collect()
        return process.memoryUsage().heapUsed
      }
      const [before_, began] = [heap(), performance.now()]
      const answer = await open('fills', user)
      let [lines, most, next] = [0, 0, 0]
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        for (const byte of chunk) if (byte === 10) lines += 1
        if (lines < next) continue
        most = Math.max(most, heap() - before_)
        next += 20_000
      }
      assert.equal(lines, MANY + 1)
      assert.ok(most < 32 * MEBIBYTE, `${(most / MEBIBYTE).toFixed(1)} MiB of heap`)
      assert.ok(performance.now() - began < 20_000, `${performance.now() - began} ms`)
    })

    it('an export ends its reading when its client hangs up', async () => {
      const answer = await open('fills', user)
      await new Promise((resolve) => answer.once('readable', resolve))
      answer.destroy()
      await hasLogged('an export was not read to its end', answer)
      const sent = await statementsOf(() => new Promise((resolve) => setTimeout(resolve, 300)))
      assert.deepEqual(
        sent.filter(({ text }) => text.includes('from fills')),
        [],
      )
    })

    it('an export waits while the most allowed go on, and is then refused, for its own caller alone', async () => {
      const others = await Promise.all([open('fills', user), open('fills', user)])
      const { status, headers, body } = await ask('signals', user)
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'TOO_MANY_AT_ONCE', '1'])
      assert.equal((await ask('fills', await api.addUser())).status, 200)
      for (const other of others) other.destroy()
      await eventually(async () => assert.equal((await ask('signals', user)).status, 200))
    })

    it('an export whose database fails meanwhile ends with a broken connection and a line in the log', async () => {
      const answer = await open('fills', user)
      await new Promise((resolve) => answer.once('readable', resolve))
      await execute('alter table fills rename to fills_elsewhere')
      try {
        await assert.rejects(async () => {
          await answer.toArray()
        }, /aborted/)
        await hasLogged('an export failed before its last row', answer)
        const { status, body } = await ask('fills', user)
        assert.deepEqual([status, body.code], [500, 'INTERNAL_ERROR'], 'before the first row it is an answer')
      } finally {
        await execute('alter table fills_elsewhere rename to fills')
      }
    })
  })
})
