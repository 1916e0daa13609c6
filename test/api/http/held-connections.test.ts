import { startHoldingProxy, type HoldingProxy } from '#test/support/holding-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { signalBody, startApi, type Answer, type ApiServer, type TestUser } from '../support/api-server.ts'

/** Milliseconds of a standstill: longer than any sender is kept waiting. */
const STILL = 2_500
/** Alerts, and among them every fourth an order. */
const REQUESTS = 126
/** Requests that are about to store when the standstill begins: as many as the API has connections for that. */
const STORING = 10

describe('a request answered 5xx because PostgreSQL, or a pooler before it, froze as it was stored', function () {
  this.timeout(60_000)
  let testDatabase: TestDatabase
  let proxy: HoldingProxy
  let api: ApiServer
  let user: TestUser
  /** Called when something is about to be stored. */
  let beforeStoring: () => Promise<void> = async () => {}
  before(async () => {
    testDatabase = await createTestDatabase()
    proxy = await startHoldingProxy(testDatabase.url)
    const failpoint = async (point: string) => {
      if (point === 'api.before_commit') await beforeStoring()
    }
    api = await startApi({ databaseUrl: proxy.url, failpoint })
    user = await api.addUser()
  })
  after(async () => {
    await api.stop()
    await proxy.close()
    await testDatabase.drop()
  })

  const isRefused = ({ status }: Answer) => status >= 500

  /** Has all backends of the API stand still, as a stalled disk does. Returns what has them go on. */
  function stopBackends(pids: readonly number[]): () => void {
    const signal = (name: NodeJS.Signals) => pids.forEach((pid) => process.kill(pid, name))
    signal('SIGSTOP')
    return () => signal('SIGCONT')
  }

  async function backends(): Promise<number[]> {
    const rows = await api.database.em
      .fork()
      .execute<{ pid: number }[]>('select pid from pg_stat_activity where datname = current_database()')
    return rows.map(({ pid }) => pid)
  }

  const CASES: { name: string; begin: (pids: readonly number[]) => () => void }[] = [
    { name: 'PostgreSQL freezes', begin: stopBackends },
    { name: 'a pooler holds both ways', begin: () => proxy.hold({ questions: true, answers: true }) },
    { name: 'a pooler holds answers', begin: () => proxy.hold({ questions: false, answers: true }) },
  ]

  /** Answers to requests, in whose midst the standstill comes; what was refused is undone by then. */
  async function duringStandstill(
    begin: (typeof CASES)[number]['begin'],
    symbols: readonly string[],
    send: (symbol: string) => Promise<Answer>,
  ): Promise<Answer[]> {
    // All connections that the API may have are open, and the server's clock has been read.
    const { token, accountId } = user
    const one = { token, body: signalBody(accountId) }
    await Promise.all(Array.from({ length: 20 }, () => api.call('POST', '/api/v1/signals', one)))
    const pids = await backends()
    const begun = Promise.withResolvers<() => void>()
    let storing = 0
    beforeStoring = async () => {
      storing += 1
      if (storing === STORING) begun.resolve(begin(pids))
      await begun.promise
    }
    const first = symbols.slice(0, STORING).map(send)
    const end = await begun.promise
    const others = symbols.slice(STORING).map(send)
    beforeStoring = async () => {}
    await pause(STILL)
    end()
    const answered = await Promise.all([...first, ...others])
    await api.whenIdle()
    return answered
  }

  /** Symbols of signals, manual orders too, of those that begin so; a symbol as often as it is stored. */
  async function stored(prefix: string): Promise<string[]> {
    const rows = await api.database.em
      .fork()
      .execute<{ symbol: string }[]>(
        `select symbol from signals where symbol like '${prefix}%' order by symbol`,
      )
    return rows.map(({ symbol }) => symbol)
  }

  for (const [number, { name, begin }] of CASES.entries())
    it(`a request answered 5xx because PostgreSQL, or a pooler before it, froze as it was stored has no effect, and is stored once when it is sent again: ${name}`, async () => {
      const prefix = `Z${letters(number)}`
      const symbols = Array.from({ length: REQUESTS }, (_, index) => prefix + letters(index))
      const isOrder = (symbol: string) => symbols.indexOf(symbol) % 4 === 3
      const { token, accountId } = user
      const send = (symbol: string) =>
        isOrder(symbol)
          ? api.call('POST', '/api/v1/orders', {
              token,
              body: { accountId, symbol, side: 'BUY', orderType: 'MARKET', quantity: 1 },
            })
          : api.call('POST', '/api/v1/signals', { token, body: signalBody(accountId, { symbol }) })
      const answers = await duringStandstill(begin, symbols, send)
      const refused = symbols.filter((_, index) => isRefused(answers[index]!))
      assert.ok(refused.length >= STORING, `${refused.length} were refused`)
      const accepted = symbols.filter((symbol) => !refused.includes(symbol))
      assert.deepEqual(await stored(prefix), accepted)
      // A busy machine may refuse some of them once more, which has no effect either.
      for (let left = refused, rounds = 0; left.length > 0; rounds += 1) {
        assert.ok(rounds < 5, `${left.length} are refused again and again`)
        const again = await Promise.all(left.map(send))
        left = left.filter((_, index) => isRefused(again[index]!))
        assert.deepEqual(
          await stored(prefix),
          symbols.filter((symbol) => !left.includes(symbol)),
        )
      }
      assert.deepEqual(await stored(prefix), symbols)
    })
})

/** A number below 676 as two letters, because symbols have no digits. */
const letters = (index: number): string =>
  String.fromCharCode(65 + Math.floor(index / 26)) + String.fromCharCode(65 + (index % 26))
