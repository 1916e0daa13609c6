import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  addDays,
  addMinutes,
  addMonths,
  InvalidLocalTimeError,
  instantToLocal,
  instantWithOffset,
  isAmbiguousLocalTime,
  isLocalDate,
  isZone,
  localToInstant,
  NonExistentLocalTimeError,
  UnknownZoneError,
  weekday,
} from '#domain/time/wall-time.ts'

const NEW_YORK = 'America/New_York'

describe('wall time', () => {
  for (const [local, zone, instant] of [
    ['2026-01-15T09:30', NEW_YORK, '2026-01-15T14:30:00.000Z'],
    ['2026-07-15T09:30', NEW_YORK, '2026-07-15T13:30:00.000Z'],
    ['2026-07-15T09:30:15.25', 'Asia/Kolkata', '2026-07-15T04:00:15.250Z'],
    ['2026-02-28T24:00', 'UTC', '2026-03-01T00:00:00.000Z'],
  ] as const) {
    it(`reads ${local} in ${zone} as ${instant}`, () => assert.equal(localToInstant(local, zone), instant))
  }

  it('refuses a local time that the clocks are put forward past', () => {
    assert.throws(() => localToInstant('2026-03-08T02:30', NEW_YORK), NonExistentLocalTimeError)
    assert.throws(() => localToInstant('2026-03-08T02:00', NEW_YORK), NonExistentLocalTimeError)
    assert.equal(localToInstant('2026-03-08T03:00', NEW_YORK), '2026-03-08T07:00:00.000Z')
    // Samoa crossed the date line and had no 30 December 2011.
    assert.throws(() => localToInstant('2011-12-30T12:00', 'Pacific/Apia'), NonExistentLocalTimeError)
  })

  it('takes the first of a local time that happens twice, and says that there are two', () => {
    assert.equal(localToInstant('2026-11-01T01:30', NEW_YORK), '2026-11-01T05:30:00.000Z')
    assert.equal(isAmbiguousLocalTime('2026-11-01T01:30', NEW_YORK), true)
    assert.equal(isAmbiguousLocalTime('2026-11-01T02:00', NEW_YORK), false)
    assert.equal(isAmbiguousLocalTime('2026-03-08T02:30', NEW_YORK), false)
  })

  for (const text of ['2026-02-30T10:00', '2026-13-01T10:00', '2026-01-01T25:00', '2026-01-01T24:01']) {
    it(`refuses ${text}, which no calendar and clock show`, () =>
      assert.throws(() => localToInstant(text, 'UTC'), InvalidLocalTimeError))
  }
  for (const text of [
    '2026-01-01T10:00Z',
    '2026-01-01T10:00+01:00',
    '2026-01-01',
    '10:00',
    '2026-01-01T23:59:60',
  ]) {
    it(`refuses ${text}, which is not a local date and time`, () =>
      assert.throws(() => localToInstant(text, 'UTC'), InvalidLocalTimeError))
  }

  it('refuses a zone that is none', () => {
    for (const zone of ['Mars/Base', '', '+02:00', 'EST5EDT\n']) {
      assert.equal(isZone(zone), false, zone)
      assert.throws(() => localToInstant('2026-01-01T10:00', zone), UnknownZoneError)
    }
    assert.equal(isZone('Europe/Berlin'), true)
  })

  it('shows an instant on local clocks, with and without the offset', () => {
    assert.deepEqual(instantToLocal('2026-03-08T07:00:00Z', NEW_YORK), {
      date: '2026-03-08',
      time: '03:00:00',
    })
    assert.equal(instantWithOffset('2026-07-01T12:00:00Z', NEW_YORK), '2026-07-01T08:00:00.000-04:00')
  })

  it('counts days, months and minutes', () => {
    assert.equal(addDays('2028-02-28', 1), '2028-02-29')
    assert.equal(addDays('2026-01-01', -1), '2025-12-31')
    assert.equal(addMonths('2026-03-31', -1), '2026-02-28')
    assert.equal(addMonths('2026-01-31', 12), '2027-01-31')
    assert.equal(addMinutes('2026-01-01T00:00:00Z', -1), '2025-12-31T23:59:00.000Z')
    assert.equal(weekday('2026-03-01'), 7)
    assert.equal(isLocalDate('2026-02-29'), false)
    assert.throws(() => addDays('2026-02-29', 1), InvalidLocalTimeError)
  })

  it('reads back its own text, except in the repeated hour', () => {
    const zone = fc.constantFrom(
      NEW_YORK,
      'Europe/London',
      'Australia/Lord_Howe',
      'Asia/Tokyo',
      'America/Sao_Paulo',
    )
    const minute = fc.integer({
      min: Date.parse('2020-01-01') / 60_000,
      max: Date.parse('2035-01-01') / 60_000,
    })
    fc.assert(
      fc.property(zone, minute, (name, at) => {
        const instant = new Date(at * 60_000).toISOString()
        const { date, time } = instantToLocal(instant, name)
        const local = `${date}T${time}`
        assert.ok(localToInstant(local, name) === instant || isAmbiguousLocalTime(local, name))
      }),
    )
  })
})
