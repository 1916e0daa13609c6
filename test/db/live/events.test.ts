import assert from 'node:assert/strict'
import { exitBegins } from '#domain/exit/progress.ts'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import pg from 'pg'
import { raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { recordClosed, recordAccepted } from '#db/signal/ledger.ts'
import { changesSince, readNews, removeOldEvents, startReading, type LiveNews } from '#db/live/events.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { actAs } from '#db/engine/row-security.ts'
import { storeSignals } from '#db/signal/storing.ts'
import { keepNotified } from '#db/signal/signals.ts'
import { markStarted } from '#db/watch/open-work.ts'
import { createAccount, createSignal, createUser, orderReport, withFill } from '../../support/factories.ts'
import { newSignalOf } from '../../support/new-signal.ts'
import { useDatabase } from '../../support/database.ts'

const DAY = 86_400_000
const MOST = 100

describe('live events', () => {
  let url: string
  let database: Database
  let em: EntityManager
  let userId: string
  let accountId: string
  useDatabase((opened, address) => {
    database = opened
    url = address
    em = database.em.fork()
  })
  beforeEach(async () => {
    ;({ id: userId } = await createUser(em))
    ;({ id: accountId } = await createAccount(em, { userId }))
  })

  /** What the user's records have become by the work, in the order of the last changes. */
  const notifiedOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const reading = await startReading(em)
    await work()
    return topicsOf(await readNews(em, [userId], reading, MOST))
  }
  const idsOf = ({ changes }: Pick<LiveNews, 'changes'>) => changes.map(({ subjectId }) => subjectId)
  const topicsOf = ({ changes, isComplete }: LiveNews): string[] => {
    assert.ok(isComplete)
    return changes.map(({ topic }) => topic)
  }

  /** A second connection, whose transactions the test begins and ends. */
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client
  }
  const rename = (client: pg.Client, id: string, name: string) =>
    client.query('update accounts set name = $1 where id = $2', [name, id])

  describe('are written by changes of a record', () => {
    it('live events are written by changes of a group of signals: when it is stored, and when a signal of it changes status', async () => {
      const nothing = { tokenId: null, name: null, seconds: null, meantAt: null }
      const told = { symbol: 'AAPL', summary: 'buy', accounts: 1, refusals: [], supersedes: [] }
      const group = { id: randomUUID(), userId, ...nothing, ...told, at: new Date() }
      const signal = newSignalOf({ id: accountId, userId })
      const at = new Date().toISOString()
      const received = { key: 'received', kind: 'received', at, message: 'x' } as const
      const store = () =>
        storeSignals(em, group, [{ signal, received, isDemo: null, maxWaiting: null }], 5_000)
      assert.deepEqual((await notifiedOf(store)).toSorted(), ['group', 'signal'])
      const accept = () => recordAccepted(em, orderReport(signal))
      assert.deepEqual((await notifiedOf(accept)).toSorted(), ['group', 'order', 'signal'])
      assert.deepEqual(await notifiedOf(() => keepNotified(em, [signal.id])), [])
    })

    it('live events are written by changes of a record not by changes that no answer shows: its start, its acknowledgement, a report without news', async () => {
      const signal = await createSignal(em, { accountId })
      const report = withFill(orderReport(signal), '10')
      await recordAccepted(em, report)
      const unseen = async () => {
        await markStarted(em, { kind: 'signal', id: signal.id })
        await applyOrderReport(em, accountId, report)
        const end = {
          exit: null,
          rejected: false,
          unprotected: null,
          closing: 1,
          entryFilled: '0',
          progress: exitBegins(),
        } as const
        await recordClosed(em, signal.id, new Date().toISOString(), {
          message: 'closed',
          acknowledges: [report],
          ...end,
        })
        const touch = 'update accounts set last_synced_at = now(), updated_at = now() where id = ?'
        await em.execute(touch, [accountId])
      }
      assert.deepEqual(await notifiedOf(unseen), [])
    })

    it('a position that is opened, moves and is closed; an alert that is raised and resolved', async () => {
      const id = randomUUID()
      const opened = () =>
        em.execute(
          `insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
             unrealised_pnl, unrealised_pnl_percent) values (?, ?, ?, 'AAPL', 'LONG', 10, 1, 1, 10, 0, 0)`,
          [id, userId, accountId],
        )
      const change = (sql: string) => () => em.execute(`${sql} where id = ?`, [id])
      assert.deepEqual(await notifiedOf(opened), ['position'])
      assert.deepEqual(await notifiedOf(change('update positions set current_price = 2')), ['position'])
      assert.deepEqual(await notifiedOf(change('update positions set updated_at = now()')), [])
      assert.deepEqual(await notifiedOf(change('delete from positions')), ['position'])

      const subject = { accountId, signalId: null }
      const notice = { kind: 'credentials', message: 'x', data: {} } as const
      assert.deepEqual(await notifiedOf(() => raiseAlert(em, subject, notice)), ['alert'])
      assert.deepEqual(await notifiedOf(() => raiseAlert(em, subject, notice)), [])
      assert.deepEqual(await notifiedOf(() => resolveAlert(em, subject, 'credentials')), ['alert'])
    })

    it('live events are written by changes of a record and not by changes that are rolled back', async () => {
      const client = await connect()
      const undone = async () => {
        await client.query('begin')
        await rename(client, accountId, 'undone')
        await client.query('rollback')
      }
      assert.deepEqual(await notifiedOf(undone), [])
      await client.end()
    })
  })

  it('live events are sent once for each record, as often as it changed', async () => {
    const names = ['a', 'b', 'c']
    const reading = await startReading(em)
    for (const name of names) await em.execute('update accounts set name = ? where id = ?', [name, accountId])
    const news = await readNews(em, [userId], reading, MOST)
    assert.equal(news.changes.length, 1)
    const [{ at, ...change }] = news.changes as [LiveNews['changes'][number]]
    assert.deepEqual(change, { userId, accountId, topic: 'account', subjectId: accountId })
    assert.ok(Math.abs(at.getTime() - Date.now()) < 60_000)
    assert.deepEqual((await readNews(em, [userId], news, MOST)).changes, [])
  })

  it('live events of a transaction that began first and is committed last are neither passed over nor waited for', async () => {
    const [slow, fast] = [await connect(), await connect()]
    try {
      const { id: other } = await createAccount(em, { userId })
      const before_ = await startReading(em)
      await slow.query('begin')
      await rename(slow, accountId, 'slow')
      await rename(fast, other, 'fast')

      const first = await readNews(em, [userId], before_, MOST)
      assert.deepEqual(idsOf(first), [other])
      await slow.query('commit')
      assert.deepEqual(idsOf(await readNews(em, [userId], first, MOST)), [accountId])
      // A client that kept the place of the first reading gets what was committed after it, though it is older.
      const resumed = await changesSince(em, userId, first.position, MOST)
      assert.ok(idsOf(resumed).includes(accountId))
    } finally {
      await Promise.all([slow.end(), fast.end()])
    }
  })

  it('live events are all found by a reader, however transactions begin, end and overlap', async function () {
    this.timeout(60_000)
    const clients = await Promise.all([connect(), connect(), connect()])
    const accounts = await Promise.all(clients.map(() => createAccount(em, { userId })))
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('write' as const, 'commit' as const, 'rollback' as const),
        who: fc.nat(clients.length - 1),
      }),
      fc.record({ kind: fc.constantFrom('read' as const, 'resume' as const) }),
    )
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          let reading = await startReading(em)
          let place = reading.position
          const open = new Set<number>()
          const wrote = new Set<number>()
          /** Committed and not told yet: to the process that reads on, and to the client that keeps a place. */
          const unnotified = { read: new Set<string>(), resume: new Set<string>() }
          const finish = async (who: number, how: 'commit' | 'rollback') => {
            await clients[who]!.query(how)
            if (how === 'commit' && wrote.has(who))
              for (const set of Object.values(unnotified)) set.add(accounts[who]!.id)
            open.delete(who)
            wrote.delete(who)
          }
          const look = async () => {
            const news = await readNews(em, [userId], reading, MOST)
            assert.deepEqual(idsOf(news).toSorted(), [...unnotified.read].toSorted())
            unnotified.read.clear()
            reading = news
          }
          for (const one of steps) {
            if (one.kind === 'write') {
              if (!open.has(one.who)) await clients[one.who]!.query('begin')
              open.add(one.who)
              await rename(clients[one.who]!, accounts[one.who]!.id, randomUUID())
              wrote.add(one.who)
            } else if (one.kind === 'read') await look()
            else if (one.kind === 'resume') {
              const since = await changesSince(em, userId, place, MOST)
              for (const id of unnotified.resume) assert.ok(idsOf(since).includes(id))
              unnotified.resume.clear()
              place = since.position
            } else if ('who' in one && open.has(one.who)) await finish(one.who, one.kind)
          }
          for (const who of open) await finish(who, 'commit')
          await look()
        }),
        { numRuns: 20 },
      )
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
  })

  it('live events of others are not shown, and only the triggers write them', async () => {
    const stranger = database.em.fork()
    actAs(stranger, (await createUser(em)).id)
    assert.deepEqual(await stranger.execute('select user_id from live_events'), [])
    const member = database.em.fork()
    actAs(member, userId)
    assert.notDeepEqual(await member.execute('select user_id from live_events'), [])
    await assert.rejects(
      member.execute(
        `insert into live_events (user_id, account_id, topic, subject_id) values (?, ?, 'account', ?)`,
        [userId, accountId, accountId],
      ),
      /permission denied/,
    )
    await assert.rejects(member.execute('delete from live_events'), /permission denied/)
  })

  describe('that are old', () => {
    const age = (interval: string) =>
      em.execute(`update live_events set at = at - ?::interval where user_id = ?`, [interval, userId])

    it('live events that are old are removed, and a client that was away since before must read everything again', async () => {
      const { position: before_ } = await startReading(em)
      await em.execute(`update accounts set name = 'x' where id = ?`, [accountId])
      const { position: after_ } = await startReading(em)
      await em.execute(`update accounts set name = 'y' where id = ?`, [accountId])
      await removeOldEvents(em, DAY)
      assert.equal((await changesSince(em, userId, before_, MOST)).isComplete, true)

      await age('2 days')
      await em.execute(`update live_events set at = now() where user_id = ? and xact >= ?::xid8`, [
        userId,
        after_,
      ])
      await removeOldEvents(em, DAY)
      assert.equal((await changesSince(em, userId, before_, MOST)).isComplete, false)
      assert.deepEqual(topicsOf(await changesSince(em, userId, after_, MOST)), ['account'])
      const left = await em.execute('select from live_events where user_id = ?', [userId])
      assert.equal(left.length, 1)
    })

    it('live events that are old are not missed by a reader, even while a transaction stays open', async () => {
      const client = await connect()
      try {
        await client.query('begin')
        await rename(client, (await createAccount(em)).id, 'open')
        await em.execute(`update accounts set name = 'x' where id = ?`, [accountId])
        const reading = await startReading(em)
        await age('2 days')
        await removeOldEvents(em, DAY)
        assert.equal((await readNews(em, [userId], reading, MOST)).isComplete, true)
      } finally {
        await client.end()
      }
    })
  })

  it('live events of a server that the ledger was restored from are no news, and places of it cannot be gone on from', async () => {
    const reading = await startReading(em)
    await em.execute(
      `insert into live_events (xact, user_id, account_id, topic, subject_id) values ('999999999', ?, ?, 'account', ?)`,
      [userId, accountId, accountId],
    )
    await em.execute(`update live_events_removed set up_to = '888888888'`)
    assert.deepEqual(topicsOf(await readNews(em, [userId], reading, MOST)), [])
    assert.equal((await changesSince(em, userId, reading.position, MOST)).isComplete, true)
    assert.equal((await changesSince(em, userId, '777777777', MOST)).isComplete, false)
    await removeOldEvents(em, DAY)
    const [row] = await em.execute<{ up_to: string; foreign: number }[]>(
      `select up_to::text, (select count(*)::int from live_events where xact = '999999999') as foreign
       from live_events_removed`,
    )
    assert.equal(row!.foreign, 0)
    assert.ok(BigInt(row!.up_to) < 777777777n)
  })

  it('live events in such numbers that lists are read faster say so instead', async () => {
    const reading = await startReading(em)
    for (let n = 0; n < 4; n++) await createAccount(em, { userId })
    const news = await readNews(em, [userId], reading, 3)
    assert.deepEqual([news.isComplete, news.changes], [false, []])
    assert.deepEqual((await readNews(em, [userId], news, 3)).isComplete, true)
  })
})
