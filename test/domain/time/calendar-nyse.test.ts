import assert from 'node:assert/strict'
import { nyseClosingTime, nyseHoliday, nyseSession, nyseSessions } from '#domain/time/nyse.ts'
import { addDays, weekday } from '#domain/time/wall-time.ts'

/** As published by the exchange, year by year: weekdays on which it stayed or stays closed. */
const CLOSED: Record<number, string[]> = {
  2020: ['01-01', '01-20', '02-17', '04-10', '05-25', '07-03', '09-07', '11-26', '12-25'],
  2021: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
  2022: ['01-17', '02-21', '04-15', '05-30', '06-20', '07-04', '09-05', '11-24', '12-26'],
  2023: ['01-02', '01-16', '02-20', '04-07', '05-29', '06-19', '07-04', '09-04', '11-23', '12-25'],
  2024: ['01-01', '01-15', '02-19', '03-29', '05-27', '06-19', '07-04', '09-02', '11-28', '12-25'],
  2025: ['01-01', '01-09', '01-20', '02-17', '04-18', '05-26', '06-19', '07-04', '09-01', '11-27', '12-25'],
  2026: ['01-01', '01-19', '02-16', '04-03', '05-25', '06-19', '07-03', '09-07', '11-26', '12-25'],
  2027: ['01-01', '01-18', '02-15', '03-26', '05-31', '06-18', '07-05', '09-06', '11-25', '12-24'],
  2028: ['01-17', '02-21', '04-14', '05-29', '06-19', '07-04', '09-04', '11-23', '12-25'],
}
/** Likewise: sessions that closed or close at 13:00. */
const HALF_DAYS: Record<number, string[]> = {
  2020: ['11-27', '12-24'],
  2021: ['11-26'],
  2022: ['11-25'],
  2023: ['07-03', '11-24'],
  2024: ['07-03', '11-29', '12-24'],
  2025: ['07-03', '11-28', '12-24'],
  2026: ['11-27', '12-24'],
  2027: ['11-26'],
  2028: ['07-03', '11-24'],
}

describe('the NYSE calendar', () => {
  for (const year of Object.keys(CLOSED).map(Number)) {
    it(`the NYSE calendar is closed on exactly the published holidays of ${year}`, () => {
      const closed = weekdaysOf(year).filter((date) => nyseSession(date) === null)
      assert.deepEqual(
        closed.map((date) => date.slice(5)),
        CLOSED[year],
      )
    })

    it(`closes at 13:00 on exactly the published half days of ${year}`, () => {
      const halfDays = nyseSessions(`${year}-01-01`, `${year}-12-31`).filter(
        ({ date }) => nyseClosingTime(date) === '13:00',
      )
      assert.deepEqual(
        halfDays.map(({ date }) => date.slice(5)),
        HALF_DAYS[year],
      )
    })
  }

  it('gives the UTC instants of a session in winter, in summer, on a half day and beside clock changes', () => {
    const hoursOf = (date: string) => {
      const session = nyseSession(date)
      return [session?.opensAt, session?.closesAt]
    }
    assert.deepEqual(hoursOf('2026-03-06'), ['2026-03-06T14:30:00.000Z', '2026-03-06T21:00:00.000Z'])
    assert.deepEqual(hoursOf('2026-03-09'), ['2026-03-09T13:30:00.000Z', '2026-03-09T20:00:00.000Z'])
    assert.deepEqual(hoursOf('2026-10-30'), ['2026-10-30T13:30:00.000Z', '2026-10-30T20:00:00.000Z'])
    assert.deepEqual(hoursOf('2026-11-02'), ['2026-11-02T14:30:00.000Z', '2026-11-02T21:00:00.000Z'])
    assert.deepEqual(hoursOf('2026-11-27'), ['2026-11-27T14:30:00.000Z', '2026-11-27T18:00:00.000Z'])
  })

  it('names the holiday, the one by decree included', () => {
    assert.equal(nyseHoliday('2026-04-03'), 'Good Friday')
    assert.equal(nyseHoliday('2025-01-09'), 'National Day of Mourning for Jimmy Carter')
    assert.equal(nyseHoliday('2026-04-06'), null)
  })

  it('the NYSE calendar has 249 to 253 sessions in every year that it covers, and refuses every other year', () => {
    for (let year = 2020; year <= 2035; year += 1) {
      const count = nyseSessions(`${year}-01-01`, `${year}-12-31`).length
      assert.ok(count >= 249 && count <= 253, `${year}: ${count}`)
    }
    assert.throws(() => nyseSession('2019-12-31'), RangeError)
    assert.throws(() => nyseSession('2036-01-02'), RangeError)
  })
})

function weekdaysOf(year: number): string[] {
  const dates: string[] = []
  for (let date = `${year}-01-01`; date.startsWith(String(year)); date = addDays(date, 1)) {
    if (weekday(date) <= 5) dates.push(date)
  }
  return dates
}
