import assert from 'node:assert/strict'
import type * as Search from '#web/parts/search.ts'
import type * as Filters from '#web/signal/filters.ts'
import type * as Times from '#web/words/times.ts'

type Words = typeof Times & typeof Search & typeof Filters

const HERE = process.env['TZ']

/** The words of the app on a device of a zone. A module that was loaded before keeps the zone of then. */
async function wordsIn(zone: string): Promise<Words> {
  process.env['TZ'] = zone
  const load = async (path: string): Promise<object> =>
    (await import(new URL(`../../web/${path}?${zone}`, import.meta.url).href)) as object
  const parts = ['words/times.ts', 'parts/search.ts', 'signal/filters.ts']
  return Object.assign({}, ...(await Promise.all(parts.map(load)))) as Words
}

describe('times of the web app in the nights in which clocks are changed', () => {
  afterEach(() => {
    if (HERE === undefined) delete process.env['TZ']
    else process.env['TZ'] = HERE
  })

  /** A day each on either side of a change: exits at 15:45 of the exchange. */
  const EXITS: [name: string, at: string, berlin: string][] = [
    ['before Europe puts its clocks back', '2026-10-23T19:45:00Z', '15:45 New York · 21:45 here'],
    ['between both', '2026-10-26T19:45:00Z', '15:45 New York · 20:45 here'],
    ['after New York has put them back', '2026-11-02T20:45:00Z', '15:45 New York · 21:45 here'],
    ['before New York puts them forward', '2027-03-12T20:45:00Z', '15:45 New York · 21:45 here'],
    ['between New York and Europe', '2027-03-15T19:45:00Z', '15:45 New York · 20:45 here'],
    ['after Europe has put them forward', '2027-03-29T19:45:00Z', '15:45 New York · 21:45 here'],
  ]
  it('show the exit in New York and in Berlin on every side of a change', async () => {
    const { bothTimes } = await wordsIn('Europe/Berlin')
    for (const [name, at, words] of EXITS) assert.equal(bothTimes(at, Date.parse(at)), words, name)
  })
  it('distinguish the two hours of the same name, in New York and in Berlin, and no other hour', async () => {
    const { bothTimes, marketTime } = await wordsIn('Europe/Berlin')
    const night = Date.parse('2026-11-01T04:00:00Z')
    assert.equal(bothTimes('2026-11-01T04:59:00Z', night), '00:59 New York · 05:59 here')
    assert.equal(bothTimes('2026-11-01T05:30:00Z', night), '01:30 (GMT−4) New York · 06:30 here')
    assert.equal(bothTimes('2026-11-01T06:30:00Z', night), '01:30 (GMT−5) New York · 07:30 here')
    assert.equal(bothTimes('2026-11-01T07:00:00Z', night), '02:00 New York · 08:00 here')
    assert.equal(marketTime('2026-11-01T06:00:00Z'), '01:00:00 (GMT−5) New York')
    const europe = Date.parse('2026-10-25T00:00:00Z')
    assert.equal(bothTimes('2026-10-25T00:30:00Z', europe), '20:30 New York · 02:30 (GMT+2) here')
    assert.equal(bothTimes('2026-10-25T01:30:00Z', europe), '21:30 New York · 02:30 (GMT+1) here')
    assert.equal(
      bothTimes('2027-03-28T01:30:00Z', Date.parse('2027-03-28T01:00:00Z')),
      '21:30 New York · 03:30 here',
    )
  })
  it('count down the hours that pass, 25 or 23 in the night', async () => {
    const { timeLeft } = await wordsIn('America/New_York')
    const between = (from: string, to: string) => timeLeft(Date.parse(to) - Date.parse(from))
    // From noon to noon in New York.
    assert.equal(between('2026-10-31T16:00:00Z', '2026-11-01T17:00:00Z'), '25:00:00')
    assert.equal(between('2027-03-13T17:00:00Z', '2027-03-14T16:00:00Z'), '23:00:00')
    assert.equal(between('2026-11-01T05:59:50Z', '2026-11-01T06:00:05Z'), '0:15')
  })

  it('begin and end the days of a list where the clocks here do', async () => {
    for (const [zone, day, from, to] of [
      ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
      ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z', '2027-03-15T04:00:00.000Z'],
      ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      ['Europe/Berlin', '2027-03-28', '2027-03-27T23:00:00.000Z', '2027-03-28T22:00:00.000Z'],
    ] as const) {
      const { instantOf, nextDay, queryOf } = await wordsIn(zone)
      assert.deepEqual([instantOf(day), instantOf(nextDay(day))], [from, to], `${zone} ${day}`)
      const query = queryOf({ from: day, to: day })
      assert.deepEqual([query.from, query.to], [from, to], `signals, ${zone} ${day}`)
    }
  })
})
