import assert from 'node:assert/strict'
import { pino } from 'pino'
import { SilenceWatch } from '#api/jobs/silence.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { insertHook } from '#db/hook/hooks.ts'
import { noteRequest } from '#db/hook/notes.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { Expectation } from '#domain/hook/expectation.ts'
import { addDays } from '#domain/time/wall-time.ts'
import { randomUUID } from 'node:crypto'
import { createAccount, createSignal, createStrategy } from '../../support/factories.ts'
import { useDatabase } from '../../support/database.ts'
import type { ScriptedBroker } from '../../support/scripted-broker.ts'
import { settingsWith } from '../hook/dialects/support.ts'

describe('the watch for silence', function () {
  this.timeout(120_000)
  let database: Database
  let em: EntityManager
  let account: { id: string; userId: string }
  useDatabase((opened) => {
    database = opened
    em = opened.em
  })
  beforeEach(async () => {
    await em.execute('update hooks set expects = null')
    await em.execute('update strategies set expects = null')
    account = await createAccount(em)
  })

  const hookThat = async (expects: Expectation, name = 'Breakouts'): Promise<string> => {
    const id = randomUUID()
    await insertHook(em, account.userId, {
      id,
      name,
      kind: 'json',
      settings: settingsWith({
        accounts: [{ accountId: account.id, multiplier: null, quantity: null }],
        whenOpposite: 'close',
      }),
      requestsPerMinute: 60,
      addresses: [],
      expects,
      secret: { id: randomUUID(), hash: randomUUID() },
    })
    await em.execute(`update hooks set expects_since = '2024-01-01' where id = ?`, [id])
    return id
  }
  const alertsOf = (id: string) =>
    em.execute<{ session: string; message: string; isOpen: boolean }[]>(
      `select data ->> 'session' as session, message, resolved_at is null as "isOpen" from alerts
       where kind = 'sender_silent' and coalesce(token_id, strategy_id) = ? order by 1`,
      [id],
    )
  const watchOf = (broker: Pick<ScriptedBroker, 'listSessions'>) =>
    new SilenceWatch({ database, logger: pino({ level: 'silent' }), brokerOf: () => broker })
  /** Of a broker that cannot be reached. */
  let watch: SilenceWatch
  beforeEach(() => {
    watch = watchOf({ listSessions: () => Promise.reject(new Error('not reachable')) })
  })
  const lookAt = (instant: string, by = watch) => by.look(Date.parse(instant))
  const cameAt = (id: string, instant: string) =>
    em.execute('update hooks set last_request_at = ? where id = ?', [instant, id])

  it('the watch for silence reports once each session without a message, over half days and holidays, and no other day', async () => {
    const id = await hookThat({ everySession: '10:00' })
    // Looked at twice a day, by two processes at once in the middle of the session, and after it.
    for (let day = '2026-11-20'; day <= '2026-12-31'; day = addDays(day, 1)) {
      await Promise.all([lookAt(`${day}T16:30:00.000Z`), lookAt(`${day}T16:30:00.000Z`)])
      await lookAt(`${day}T22:00:00.000Z`)
    }
    const alerts = await alertsOf(id)
    const sessions = nyseSessions('2026-11-20', '2026-12-31').map(({ date }) => date)
    assert.deepEqual(
      alerts.map(({ session }) => session),
      sessions,
    )
    assert.deepEqual(
      alerts.filter(({ isOpen }) => isOpen).map(({ session }) => session),
      ['2026-12-31'],
    )
  })

  it('the watch for silence names the hook and the time, and ends with the next request', async () => {
    const id = await hookThat({ everySession: '10:00' })
    await cameAt(id, '2026-03-02T14:59:00.000Z')
    assert.equal(await lookAt('2026-03-02T15:01:00.000Z'), 0)
    assert.equal(await lookAt('2026-03-03T15:00:59.999Z'), 0, 'the minute is not over')
    assert.equal(await lookAt('2026-03-03T15:01:00.000Z'), 1)
    assert.equal(await lookAt('2026-03-03T15:02:00.000Z'), 0)
    const [alert] = await alertsOf(id)
    assert.equal(
      alert!.message,
      'No request came to the hook "Breakouts" by 10:00 in New York on 2026-03-03, and one was expected',
    )
    assert.equal(alert!.isOpen, true)
    await noteRequest(em, id, null)
    await lookAt('2026-03-03T15:20:00.000Z')
    assert.deepEqual(
      (await alertsOf(id)).map(({ isOpen }) => isOpen),
      [false],
    )
    assert.equal(await lookAt('2026-03-03T21:00:00.000Z'), 0, 'of a session it is told once')
  })

  it('the watch for silence counts the signals of a strategy, and leaves alone what is paused, deleted or expects nothing any more', async () => {
    const strategy = await createStrategy(em, {
      userId: account.userId,
      name: 'Opening range',
      expects: { atLeastEvery: 'day' },
      expectsSince: new Date('2024-01-01'),
    })
    const hookId = await hookThat({ atLeastEvery: 'day' })
    await createSignal(em, {
      accountId: account.id,
      userId: account.userId,
      strategyId: strategy.id,
      acceptedAt: new Date('2026-03-02T15:00:00Z'),
    })
    assert.equal(await lookAt('2026-03-02T21:00:00.000Z'), 1, 'of the hook alone')
    assert.equal(await lookAt('2026-03-03T21:00:00.000Z'), 2)
    assert.equal(
      (await alertsOf(strategy.id))[0]!.message,
      'No signal came of the strategy "Opening range" from the close before to that of 2026-03-03, and one was expected',
    )
    await createSignal(em, {
      accountId: account.id,
      userId: account.userId,
      strategyId: strategy.id,
      acceptedAt: new Date('2026-03-04T15:00:00Z'),
    })
    await em.execute('update access_tokens set revoked_at = now() where id = ?', [hookId])
    assert.equal(await lookAt('2026-03-04T21:00:00.000Z'), 0)
    const isOpen = async (id: string) => (await alertsOf(id)).some((alert) => alert.isOpen)
    assert.deepEqual([await isOpen(strategy.id), await isOpen(hookId)], [false, false])
    await em.execute(`update strategies set status = 'paused' where id = ?`, [strategy.id])
    assert.equal(await lookAt('2026-03-06T21:00:00.000Z'), 0)
  })

  it('the watch for silence takes a day closed by decree for none, as the broker knows, and asks it once', async () => {
    const id = await hookThat({ everySession: '10:00' })
    let asked = 0
    const byBroker = watchOf({
      listSessions: async (from, to) => {
        asked += 1
        return nyseSessions(from, to).filter(({ date }) => date !== '2026-03-03')
      },
    })
    assert.equal(await lookAt('2026-03-03T20:00:00.000Z', byBroker), 0)
    assert.equal(await lookAt('2026-03-03T21:00:00.000Z', byBroker), 0)
    assert.equal(asked, 1)
    assert.equal(await lookAt('2026-03-04T20:00:00.000Z', byBroker), 1)
    assert.deepEqual(
      (await alertsOf(id)).map(({ session }) => session),
      ['2026-03-04'],
    )
  })
})
