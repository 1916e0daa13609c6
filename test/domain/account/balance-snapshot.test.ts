import assert from 'node:assert/strict'
import { pastWindows, snapshotWindowAt, snapshotWindows } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { addDays, localToInstant } from '#domain/time/wall-time.ts'

const NEW_YORK = 'America/New_York'
const instant = (local: string) => localToInstant(local, NEW_YORK)

describe('the time in which a day’s balances can be taken', () => {
  // Thanksgiving is Thursday 26 November 2026, and the Friday after it a half day.
  const windows = snapshotWindows(nyseSessions('2026-11-23', '2026-12-01'))

  it('the time in which a day’s balances can be taken is from shortly after the close until the next opening', () => {
    assert.deepEqual(windows[0], {
      date: '2026-11-23',
      from: instant('2026-11-23T16:05'),
      until: instant('2026-11-24T09:30'),
    })
  })

  it('begins early on a half day and lasts over a weekend', () => {
    assert.deepEqual(
      windows.find(({ date }) => date === '2026-11-27'),
      { date: '2026-11-27', from: instant('2026-11-27T13:05'), until: instant('2026-11-30T09:30') },
    )
  })

  const askedAt: [local: string, date: string][] = [
    ['2026-11-23T12:00', '2026-11-23'],
    ['2026-11-23T20:00', '2026-11-23'],
    ['2026-11-24T09:29', '2026-11-23'],
    ['2026-11-24T09:30', '2026-11-24'],
    ['2026-11-26T12:00', '2026-11-25'],
    ['2026-11-27T12:00', '2026-11-27'],
    ['2026-11-28T12:00', '2026-11-27'],
    ['2026-11-30T08:00', '2026-11-27'],
  ]
  for (const [local, date] of askedAt)
    it(`${local} in New York asks for the end of ${date}`, () => {
      assert.equal(snapshotWindowAt(instant(local), windows)?.date, date)
      const last = pastWindows(instant(local), windows).at(-1)?.date ?? ''
      assert.equal(last < date, true)
      if (local.endsWith('T09:30')) assert.equal(last, '2026-11-23', 'it is over at that moment')
    })

  it('the time in which a day’s balances can be taken is the first hour of the next day where the market never closes', () => {
    const dates = Array.from({ length: 4 }, (_, day) => addDays('2026-11-23', day))
    const roundTheClock = snapshotWindows(
      dates.map((date) => ({
        date,
        opensAt: instant(`${date}T00:00`),
        closesAt: instant(`${date}T24:00`),
      })),
    )
    assert.equal(snapshotWindowAt(instant('2026-11-24T00:30'), roundTheClock)?.date, '2026-11-23')
    assert.deepEqual(snapshotWindowAt(instant('2026-11-24T12:00'), roundTheClock), {
      date: '2026-11-24',
      from: instant('2026-11-25T00:05'),
      until: instant('2026-11-25T01:00'),
    })
  })

  it('the time in which a day’s balances can be taken is not known beyond the calendar', () => {
    assert.equal(snapshotWindowAt(instant('2026-12-05T12:00'), windows), null)
    assert.equal(snapshotWindowAt(instant('2026-12-05T12:00'), []), null)
  })
})
