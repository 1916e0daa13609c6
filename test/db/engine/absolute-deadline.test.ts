import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/engine/database.ts'
import { queryRows } from '#db/engine/row-security.ts'
import { useDatabase } from '#test/support/database.ts'

/** Milliseconds that a statement has, and for which PostgreSQL stands still. */
const LIMIT = 300
const STILL = 900

describe('a statement with a limit', () => {
  let database: Database
  useDatabase(async (opened) => {
    database = opened
    await database.em.fork().execute('create table noted (text text)')
  }, 1)
  beforeEach(() => database.em.fork().execute('delete from noted'))

  const note = (limit: number, sql = 'insert into noted values (?) returning text') =>
    queryRows(database.em.fork(), sql, ['here'], { limit })
  const noted = () => database.em.fork().execute<object[]>('select text from noted')
  const backend = async (): Promise<number> => {
    const [row] = await database.em.fork().execute<{ pid: number }[]>('select pg_backend_pid() as pid')
    return row!.pid
  }
  /** The backend of the only connection stands still, `after` milliseconds from now on. */
  async function standStill(after = 0): Promise<void> {
    const pid = await backend()
    const stop = () => process.kill(pid, 'SIGSTOP')
    if (after === 0) stop()
    else setTimeout(stop, after)
    setTimeout(() => process.kill(pid, 'SIGCONT'), after + STILL)
  }
  const isCutOff = (error: { code?: string }) => error.code === '57014'

  it('a statement with a limit has its effect, and again, within it', async () => {
    assert.deepEqual(await note(LIMIT), [{ text: 'here' }])
    assert.deepEqual(await note(LIMIT), [{ text: 'here' }])
    assert.equal((await noted()).length, 2)
  })

  it('a statement with a limit has none when PostgreSQL froze before it began', async () => {
    await note(LIMIT)
    await standStill()
    await assert.rejects(note(LIMIT), isCutOff)
    assert.equal((await noted()).length, 1)
  })

  it('a statement with a limit has none when PostgreSQL froze in its midst', async () => {
    await note(LIMIT)
    await standStill(100)
    const slow = `insert into noted select ? from (select pg_sleep(0.2)) slow returning text`
    await assert.rejects(note(LIMIT, slow), isCutOff)
    await pause(100)
    assert.equal((await noted()).length, 1)
  })

  it('a statement with a limit has its effect again once the clock of the server has been read again', async () => {
    await standStill()
    await assert.rejects(note(LIMIT), isCutOff)
    assert.deepEqual(await note(LIMIT), [{ text: 'here' }])
  })
})
