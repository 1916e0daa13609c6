import assert from 'node:assert/strict'
import { createDaySummaries, endedDay } from '#api/jobs/push-sender.ts'
import { messageOf } from '#api/push/message.ts'
import type { Database } from '#db/engine/database.ts'
import { saveChoices } from '#db/notify/choices.ts'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { takeDuePushes } from '#db/notify/outbox.ts'
import pino from 'pino'
import { useDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { createAccount, createSignal, createTrade } from '../../support/factories.ts'
import { subscribeBrowser } from '../support/push.ts'

describe('the day whose summary is sent', () => {
  const dayAt = (now: string): string | null => endedDay(now)?.date ?? null

  it('the day of a summary is known some minutes after the close, until the next session opens', () => {
    assert.equal(dayAt('2026-03-02T20:59:00.000Z'), null)
    assert.equal(dayAt('2026-03-02T21:04:59.999Z'), null)
    assert.equal(dayAt('2026-03-02T21:05:00.000Z'), '2026-03-02')
    assert.equal(dayAt('2026-03-03T14:29:59.999Z'), '2026-03-02')
    assert.equal(dayAt('2026-03-03T14:30:00.000Z'), null)
  })

  it('the day of a summary ends early on a half day, and is the last one over a holiday and a weekend', () => {
    // The day after Thanksgiving closes at 13:00, and Thanksgiving has no session.
    assert.equal(dayAt('2026-11-27T18:04:00.000Z'), null)
    assert.equal(dayAt('2026-11-27T18:05:00.000Z'), '2026-11-27')
    assert.equal(dayAt('2026-11-26T22:00:00.000Z'), '2026-11-25')
    assert.equal(dayAt('2026-11-29T12:00:00.000Z'), '2026-11-27')
  })
})

describe('summaries of the day', function () {
  this.timeout(60_000)
  let database: Database
  let account: { id: string; userId: string }
  /** Monday after the close, as the test clock begins. */
  const CLOSED = Date.parse('2026-03-02T21:30:00.000Z')

  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    await database.em.execute('delete from users')
    await database.em.execute('delete from push_outbox')
    account = await createAccount(database.em)
    await subscribeBrowser(database.em, account.userId)
    await saveChoices(database.em.fork(), account.userId, {
      ...DEFAULT_CHOICES,
      daySummary: true,
      showFigures: true,
    })
  })

  /** A process runs at that time, for as long as it takes to look once. */
  async function runAt(now: number): Promise<void> {
    let looks = 0
    const clock = () => {
      looks += 1
      return now
    }
    const part = createDaySummaries(database, pino({ level: 'silent' }), clock)
    part.start()
    await eventually(() => assert.ok(looks > 0))
    await part.stop()
  }
  const written = () =>
    database.em.execute<{ day: string; figures: object }[]>(
      'select day::text, figures from day_summaries order by day',
    )
  const trade = async (exitAt: string, realisedPnl: '12.5' | '-20', signalId: string | null = null) =>
    void (await createTrade(database.em, {
      accountId: account.id,
      realisedPnl,
      exitAt: new Date(exitAt),
      signalId,
    }))
  const signal = (
    status: 'executed' | 'rejected' | 'error' | 'cancelled',
    acceptedAt: string,
    fields: Parameters<typeof createSignal>[1] = {},
  ) =>
    createSignal(database.em, { accountId: account.id, status, acceptedAt: new Date(acceptedAt), ...fields })

  it('summaries of the day are written once, however many processes look and start again, with the figures of that day alone', async () => {
    await signal('executed', '2026-03-02T14:31:00.000Z')
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await signal('rejected', '2026-03-02T15:01:00.000Z')
    await signal('cancelled', '2026-03-02T15:02:00.000Z')
    await signal('rejected', '2026-03-02T15:03:00.000Z', { statusReason: 'DECLINED' })
    // Ten shares of each were closed by others: an exit is ahead of the one that had twelve.
    for (const filledQuantity of ['10', '12'] as const) {
      const planned = { exitStatus: 'scheduled', exitSubmitAt: new Date(CLOSED), filledQuantity } as const
      const { id } = await signal('executed', '2026-02-27T15:00:00.000Z', planned)
      await trade('2026-02-27T16:00:00.000Z', '12.5', id)
    }
    // 23:59 of the day before in New York.
    await signal('executed', '2026-03-02T04:59:00.000Z')
    await trade('2026-03-02T15:30:00.000Z', '12.5')
    await trade('2026-03-02T16:30:00.000Z', '-20')
    await trade('2026-02-27T16:30:00.000Z', '12.5')
    await Promise.all([runAt(CLOSED), runAt(CLOSED)])
    await runAt(CLOSED + 3_600_000)
    assert.deepEqual(await written(), [
      {
        day: '2026-03-02',
        figures: { executed: 2, refused: 1, realised: '-7.5', positions: 0, exitsAhead: 1 },
      },
    ])
    const rows = await database.em.execute<{ kind: string }[]>('select kind from push_outbox')
    assert.deepEqual(rows, [{ kind: 'summary' }])
    // By the clock of the database the next session has long opened.
    await database.em.execute(`update push_outbox set expires_at = now() + interval '1 hour'`)
    const room = { most: 9, perUser: 9, ofUsers: {}, perService: 9, ofServices: {}, seconds: 30 }
    const { due } = await takeDuePushes(database.em.fork(), room)
    const { title, body, url } = messageOf(due[0]!).content
    assert.deepEqual(
      [title, body, url],
      [
        'Market closed: your day',
        'Realised −$7.50 · 2 executed · 1 refused · 0 open positions · 1 exit ahead',
        '/',
      ],
    )
    await runAt(Date.parse('2026-03-03T21:30:00.000Z'))
    assert.equal((await written()).length, 1, 'a day without anything has none')
  })

  it('summaries of the day are written after an outage until the next session opens, and not while one is on', async () => {
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await runAt(Date.parse('2026-03-02T20:00:00.000Z'))
    assert.deepEqual(await written(), [])
    await runAt(Date.parse('2026-03-03T14:00:00.000Z'))
    assert.equal((await written()).length, 1)
  })

  it('summaries of the day are written only for those who have chosen them', async () => {
    await saveChoices(database.em.fork(), account.userId, DEFAULT_CHOICES)
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await runAt(CLOSED)
    assert.deepEqual(await written(), [])
  })
})
