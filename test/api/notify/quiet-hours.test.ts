import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { resumeChannel } from '#db/notify/channels.ts'
import type { QuietHours } from '#domain/alert/notification-choices.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#domain/time/instants.ts'
import { useDatabase } from '../../support/database.ts'
import { cases } from '../../support/generators.ts'
import { NotifiedPerson } from '../support/notified-person.ts'

const DAY_MINUTES = 1_440
const KINDS_THAT_WAIT = ['filled', 'closed', 'refused', 'summary']
const KINDS_AT_ONCE = ['alert', 'paused', 'waiting', 'settled', 'event', 'check']

/** Zones, and instants at which their clocks change. */
const CHANGES: Record<string, string[]> = {
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  'Europe/Berlin': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  // By half an hour.
  'Australia/Lord_Howe': ['2026-04-04T15:00Z', '2026-10-03T15:30Z'],
  // At midnight, back to the day before.
  'America/Havana': ['2026-03-08T05:00Z', '2026-11-01T05:00Z'],
  'America/Santiago': ['2026-04-05T03:00Z', '2026-09-06T04:00Z'],
  'Africa/Cairo': ['2026-04-23T22:00Z', '2026-10-29T21:00Z'],
  'Pacific/Chatham': ['2026-04-04T14:00Z', '2026-09-26T14:00Z'],
  'Asia/Kathmandu': ['2026-06-01T00:00Z'],
  'Pacific/Kiritimati': ['2026-06-01T00:00Z'],
  UTC: ['2026-12-31T23:59Z'],
}

const clocks = new Map(
  Object.keys(CHANGES).map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ]),
)
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
/** Minutes since midnight on the clock of the zone. */
const clockAt = (instant: number, zone: string): number => minutesOf(clocks.get(zone)!.format(instant))
const within = (minutes: number): number => (minutes + 2 * DAY_MINUTES) % DAY_MINUTES

function isQuiet(instant: number, { from, until, zone }: QuietHours): boolean {
  const [clock, since, end] = [clockAt(instant, zone), minutesOf(from), minutesOf(until)]
  return since < end ? since <= clock && clock < end : since <= clock || clock < end
}

const timeOf = (minutes: number): string => new Date(within(minutes) * MINUTE_MS).toISOString().slice(11, 16)

/** Hours that leave at least two for notices, and an instant near a change of the clock. */
const nights = fc
  .constantFrom(...Object.keys(CHANGES))
  .chain((zone) =>
    fc.record({
      zone: fc.constant(zone),
      from: fc.nat(DAY_MINUTES - 1),
      length: fc.integer({ min: 1, max: DAY_MINUTES - 120 }),
      change: fc.constantFrom(...CHANGES[zone]!),
      seconds: fc.integer({ min: -30 * 3_600, max: 30 * 3_600 }),
    }),
  )
  .map(({ zone, from, length, change, seconds }) => ({
    hours: { zone, from: timeOf(from), until: timeOf(from + length) },
    now: Date.parse(change) + seconds * SECOND_MS,
  }))

describe('quiet hours', function () {
  this.timeout(60_000)
  let database: Database
  let person: NotifiedPerson
  useDatabase((opened) => void (database = opened))
  beforeEach(async () => {
    person = await NotifiedPerson.create(database)
  })

  /** From an hour ago until in so many hours, in a zone of no changes. */
  const quietFor = (hours: number, isQuietNow = true): QuietHours => {
    const now = Date.now() - (isQuietNow ? HOUR_MS : -2 * MINUTE_MS)
    const at = (instant: number): string => new Date(instant).toISOString().slice(11, 16)
    return { from: at(now), until: at(Date.now() + hours * HOUR_MS), zone: 'Etc/UTC' }
  }
  const WANTS_ALL = { refused: true, filled: true, closed: true, daySummary: true }

  describe('their end in the ledger', () => {
    let em: EntityManager
    beforeEach(async () => {
      em = database.em.fork()
      await em.begin()
      await em.execute('create schema clock')
      await em.execute(
        `create function clock.now() returns timestamptz language sql stable as $$ select current_setting('clock.now')::timestamptz $$`,
      )
      await em.execute('set local search_path = clock, public, pg_catalog')
    })
    afterEach(() => em.rollback())

    /** Milliseconds since the epoch. */
    async function endAt(now: number, { from, until, zone }: QuietHours, kind = 'refused'): Promise<number> {
      await em.execute(`select set_config('clock.now', ?, true)`, [new Date(now).toISOString()])
      const chosen = JSON.stringify({ quiet_from: from, quiet_until: until, quiet_zone: zone })
      const [row] = await em.execute<{ end: number }[]>(
        `select extract(epoch from quiet_end(?, jsonb_populate_record(null::notification_choices, ?::jsonb)))::float8 as "end"`,
        [kind, chosen],
      )
      return Math.round(row!.end * 1_000)
    }

    it('the end is the present outside of them, and else the instant at which the clock of the zone shows it', async () => {
      await fc.assert(
        fc.asyncProperty(nights, async ({ hours, now }) => {
          const end = await endAt(now, hours)
          if (!isQuiet(now, hours)) return assert.equal(end, now)
          assert.ok(end > now && end <= now + 25 * HOUR_MS)
          assert.ok(!isQuiet(end, hours), `quiet at ${new Date(end).toISOString()}`)
          const passed = Math.floor(end / MINUTE_MS) - Math.floor(now / MINUTE_MS)
          const change = within(clockAt(end, hours.zone) - clockAt(now, hours.zone) - passed)
          const late = within(clockAt(end, hours.zone) - minutesOf(hours.until))
          if (change === 0) {
            assert.equal(late, 0)
            assert.ok(isQuiet(end - SECOND_MS, hours))
          } else assert.ok(late === 0 || late === change, `${late} minutes later`)
          return undefined
        }),
        { numRuns: cases(20_000, 1_500) },
      )
    })

    it('hours over midnight contain both evenings and mornings', async () => {
      const hours = { from: '22:00', until: '07:00', zone: 'America/New_York' }
      const end = async (now: string) => new Date(await endAt(Date.parse(now), hours)).toISOString()
      assert.equal(await end('2026-07-02T01:59:59Z'), '2026-07-02T01:59:59.000Z')
      assert.equal(await end('2026-07-02T02:00:00Z'), '2026-07-02T11:00:00.000Z')
      assert.equal(await end('2026-07-02T10:59:59Z'), '2026-07-02T11:00:00.000Z')
      assert.equal(await end('2026-07-02T11:00:00Z'), '2026-07-02T11:00:00.000Z')
      // A night of 8 hours, and one of 10.
      assert.equal(await end('2026-03-08T03:00:00Z'), '2026-03-08T11:00:00.000Z')
      assert.equal(await end('2026-11-01T02:00:00Z'), '2026-11-01T12:00:00.000Z')
    })

    it('outcomes and letters wait, and nothing else', async () => {
      const hours = { from: '00:00', until: '23:59', zone: 'UTC' }
      const now = Date.parse('2026-07-02T12:00:00Z')
      for (const kind of KINDS_THAT_WAIT) assert.ok((await endAt(now, hours, kind)) > now, kind)
      for (const kind of KINDS_AT_ONCE) assert.equal(await endAt(now, hours, kind), now, kind)
    })
  })

  it('outcomes wait for the end and become one message of each kind, while alarms and decisions do not wait', async () => {
    await person.choose({ ...WANTS_ALL, quietHours: quietFor(8) })
    await person.add('email')
    for (let count = 0; count < 3; count += 1) {
      await person.refuse()
      await person.notify('filled', await person.queue())
    }
    await person.notify('closed', await person.queue())
    await person.raise('credentials')
    await person.wait(30 * 3_600)
    await person.run()
    assert.deepEqual(person.subjects.splice(0).toSorted(), [
      'A signal needs your approval',
      'Alert: rejected keys',
    ])
    await person.pass(7.9 * 3_600)
    await person.sql(`update alerts set resolved_at = now()`)
    await person.run()
    assert.deepEqual(person.subjects.splice(0), [])
    // Longer than an outcome is worth something otherwise.
    await person.pass(0.2 * 3_600)
    await person.run()
    assert.deepEqual(person.subjects.toSorted(), ['3 orders filled', '3 signals refused', 'Position closed'])
    assert.deepEqual(await person.outbox(), [])
  })

  it('the letter of the day waits, and is worth something for longer', async () => {
    await person.choose({ ...WANTS_ALL, quietHours: quietFor(8) })
    await person.add('email')
    await person.sql(
      `insert into day_summaries (user_id, day, figures, notify_until) values (?, '2026-03-02', '{}', now() + interval '9 hours')`,
      [person.account.userId],
    )
    const [row] = await person.sql<{ wait: number; kept: number }>(
      `select extract(epoch from due_at - now())::float8 / 3600 as wait,
         extract(epoch from expires_at - due_at)::float8 / 3600 as kept from outbox`,
    )
    assert.ok(row!.wait > 7.9 && row!.wait <= 8, `${row!.wait} hours`)
    assert.equal(Math.round(row!.kept), 9)
  })

  it('outcomes outside of quiet hours are sent at once', async () => {
    await person.choose({ ...WANTS_ALL, quietHours: quietFor(8, false) })
    await person.add('email')
    await person.refuse()
    assert.deepEqual(await person.run('refused'), ['email'])
  })

  it('outcomes still wait after their channel was paused and resumed, while alarms are sent', async () => {
    await person.choose({ ...WANTS_ALL, quietHours: quietFor(8) })
    await person.add('email')
    await person.refuse()
    await person.raise('credentials')
    await person.sql(`update channels set paused_at = now(), pause_reason = 'test'`)
    assert.deepEqual(await person.run('alert'), [])
    const [channel] = await person.sql<{ id: string }>('select id from channels')
    await resumeChannel(database.em.fork(), person.account.userId, channel!.id)
    await person.run()
    assert.deepEqual([person.subjects, await person.outbox()], [['Alert: rejected keys'], ['email refused']])
  })

  it('a closing that replaces a fill counts none of the fills that were gathered into it', async () => {
    await person.choose(WANTS_ALL)
    await person.add('email')
    person.answers('email', (attempt) => (attempt === 1 ? 'failed' : 'taken'))
    const signals = [await person.queue(), await person.queue(), await person.queue()]
    for (const signal of signals) await person.notify('filled', signal)
    await person.run()
    assert.deepEqual(await person.outbox(), ['email filled'])
    const [row] = await person.sql<{ subject: string }>('select subject_id as subject from outbox')
    await person.notify(
      'closed',
      signals.find(({ id }) => id === row!.subject)!,
    )
    await person.pass(60)
    await person.run()
    assert.deepEqual(person.subjects, ['Position closed'])
  })

  it('zones mean the same in the ledger as in the contract, and one that the ledger does not know is refused', async () => {
    const names = Intl.supportedValuesOf('timeZone')
    for (const instant of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
      const rows = await person.sql<{ name: string; clock: string }>(
        `select name, to_char(?::timestamptz at time zone name, 'YYYY-MM-DD HH24:MI') as clock
         from jsonb_array_elements_text(?::jsonb) name`,
        [instant, JSON.stringify(names)],
      )
      for (const { name, clock } of rows) {
        const format = new Intl.DateTimeFormat('sv-SE', {
          timeZone: name,
          dateStyle: 'short',
          timeStyle: 'short',
        })
        assert.equal(clock, format.format(Date.parse(instant)), name)
      }
    }
    // Intl accepts this name.
    await assert.rejects(
      person.choose({ quietHours: { ...quietFor(1), zone: 'NET' } }),
      /time zone "NET" not recognized/,
    )
  })
})
