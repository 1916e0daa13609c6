import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { addDays, instantToLocal, localToInstant } from '#domain/time/wall-time.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { venueForSuite } from './venue-client.ts'

describe('the venue that keeps the hours of the NYSE', () => {
  let now = Date.parse('2026-02-27T12:00:00-05:00')
  const venue = venueForSuite({ VENUE_HOURS: 'nyse' }, { now: () => now })
  /** Wall time in New York, in the winter of 2026. */
  const itIs = (local: string) => (now = Date.parse(`${local}:00-05:00`))
  beforeEach(() => itIs('2026-03-02T11:00'))

  it('queues a day order sent after the close and fills it in the next session', async () => {
    await venue.client.pin('ZTQUE', '10')
    itIs('2026-02-27T16:30')
    const { body } = await venue.client.submit({ symbol: 'ZTQUE' })
    assert.equal(body.status, 'accepted')
    assert.equal(body.expires_at, '2026-03-02T21:00:00.000Z')
    itIs('2026-03-02T09:29')
    await sleep(350)
    assert.equal((await venue.client.order(body.id)).status, 'accepted')
    itIs('2026-03-02T09:30')
    await venue.client.until(body.id, 'filled')
  })

  it('expires an unfilled day order at the close, gtc after ninety days', async () => {
    await venue.client.pin('ZTEXP', '10')
    const rest = { symbol: 'ZTEXP', type: 'limit', limit_price: '1' }
    const { body: day } = await venue.client.submit(rest)
    const { body: gtc } = await venue.client.submit({ ...rest, time_in_force: 'gtc' })
    itIs('2026-03-02T16:00')
    const expired = await venue.client.until(day.id, 'expired')
    assert.equal(expired.expired_at, '2026-03-02T21:00:00.000Z')
    now += 89 * 86_400_000
    await sleep(350)
    assert.equal((await venue.client.order(gtc.id)).status, 'new')
    now += 86_400_000
    await venue.client.until(gtc.id, 'expired')
  })

  it('expires both orders of a day oco at the close, and takes the stop at an open below it', async () => {
    await venue.client.pin('ZTOCO', '10')
    await venue.client.submitAndAwait({ symbol: 'ZTOCO', qty: '2' })
    const levels = { take_profit: { limit_price: '12' }, stop_loss: { stop_price: '9' } }
    const oco = { symbol: 'ZTOCO', qty: '2', side: 'sell', type: 'limit', order_class: 'oco', ...levels }
    const { body: day } = await venue.client.submit(oco)
    itIs('2026-03-02T16:00')
    for (const { id } of [day, ...day.legs]) {
      await venue.client.until(id, 'expired')
    }
    const { body: next } = await venue.client.submit({ ...oco, time_in_force: 'gtc' })
    assert.deepEqual([next.status, next.legs[0].status], ['accepted', 'held'])
    await venue.client.pin('ZTOCO', '8')
    await sleep(350)
    assert.equal((await venue.client.order(next.legs[0].id)).status, 'held')
    itIs('2026-03-03T09:30')
    await venue.client.until(next.legs[0].id, 'filled')
    assert.equal((await venue.client.order(next.id)).status, 'canceled')
  })

  it('fills an extended-hours limit order after the close, and no other', async () => {
    await venue.client.pin('ZTEXT', '10')
    itIs('2026-03-02T17:00')
    const limit = { symbol: 'ZTEXT', type: 'limit', limit_price: '11' }
    const { body: queued } = await venue.client.submit(limit)
    await venue.client.submitAndAwait({ ...limit, extended_hours: true })
    assert.equal((await venue.client.order(queued.id)).status, 'accepted')
  })

  it('fills a market-on-close order at the close', async () => {
    await venue.client.pin('ZTMOC', '10')
    itIs('2026-03-02T15:49')
    const { body } = await venue.client.submit({ symbol: 'ZTMOC', time_in_force: 'cls' })
    assert.equal(body.status, 'accepted')
    itIs('2026-03-02T16:00')
    await venue.client.until(body.id, 'filled')
  })

  it('cancels the rest after its auction', async () => {
    await venue.client.pin('ZTLOC', '10')
    const order = { symbol: 'ZTLOC', type: 'limit', limit_price: '9', time_in_force: 'cls' }
    const { body } = await venue.client.submit(order)
    itIs('2026-03-02T16:00')
    await venue.client.until(body.id, 'canceled')
  })

  for (const [timeInForce, local, status] of [
    ['cls', '2026-03-02T15:49', 200],
    ['cls', '2026-03-02T15:50', 422],
    ['cls', '2026-03-02T18:59', 422],
    ['cls', '2026-03-02T19:00', 200],
    ['cls', '2026-11-27T12:49', 200],
    ['cls', '2026-11-27T12:50', 422],
    ['opg', '2026-03-02T09:27', 200],
    ['opg', '2026-03-02T09:28', 422],
    ['opg', '2026-03-02T19:00', 200],
    ['opg', '2026-03-01T12:00', 200],
  ] as const) {
    it(`answers ${status} to ${timeInForce} sent at ${local} in New York`, async () => {
      itIs(local)
      const answer = await venue.client.submit({ symbol: 'ZTWIN', time_in_force: timeInForce })
      assert.equal(answer.status, status)
      if (status === 422) assert.equal(answer.body.code, 42210000)
    })
  }

  it("shows the clock with the exchange's offset, and the calendar with its half days", async () => {
    itIs('2026-11-26T12:00')
    const { body: clock } = await venue.client.call('GET', '/v2/clock')
    assert.deepEqual(clock, {
      timestamp: '2026-11-26T12:00:00.000-05:00',
      is_open: false,
      next_open: '2026-11-27T09:30:00.000-05:00',
      next_close: '2026-11-27T13:00:00.000-05:00',
    })
    const { body: days } = await venue.client.call('GET', '/v2/calendar?start=2026-11-26&end=2026-11-30')
    assert.deepEqual(
      days.map(({ date, open, close }: Record<string, string>) => [date, open, close]),
      [
        ['2026-11-27', '09:30', '13:00'],
        ['2026-11-30', '09:30', '16:00'],
      ],
    )
    assert.equal((await venue.client.call('GET', '/v2/calendar?start=2026-02-30')).status, 422)
  })
})

describe('the venue that never closes', () => {
  const venue = venueForSuite()

  it('the venue that never closes is open on every calendar day but for its last minute', async () => {
    const { timestamp, is_open: isOpen } = await venue.client.get('/v2/clock')
    assert.equal(isOpen, !timestamp.includes('T23:59'))
    const body = await venue.client.get('/v2/calendar?start=2026-12-25&end=2026-12-26')
    assert.deepEqual(
      body.map(({ date, open, close }: Record<string, string>) => [date, open, close]),
      [
        ['2026-12-25', '00:00', '23:59'],
        ['2026-12-26', '00:00', '23:59'],
      ],
    )
  })

  it('ends its sessions at another time on request, and is closed until midnight then', () => {
    const hours = new MarketHours('always', '16:30')
    assert.deepEqual(
      hours.calendar('2026-12-25', '2026-12-25').map(({ open, close }) => [open, close]),
      [['00:00', '16:30']],
    )
    assert.equal(hours.phaseAt(Date.parse('2026-12-25T21:29:59Z')), 'regular')
    assert.equal(hours.phaseAt(Date.parse('2026-12-25T21:30:00Z')), 'closed')
    assert.equal(hours.phaseAt(Date.parse('2026-12-26T05:00:00Z')), 'regular')
  })

  it('the venue that never closes has a day of 23 hours but for a minute when the clocks are put forward', () => {
    const session = new MarketHours('always').sessionToday(Date.parse('2026-03-08T16:00:00Z'))
    assert.equal(session && (session.closesAt - session.opensAt) / 60_000, 23 * 60 - 1)
  })
})

describe('the clock and the calendar of the venue', () => {
  const from = Date.parse('2026-02-20')
  const to = Date.parse('2026-12-31')
  const MIDNIGHTS = ['T04:58:00Z', 'T04:59:59.999Z', 'T05:00:00Z', 'T03:59:30Z', 'T04:00:00Z', 'T00:00:00Z']
  const anyInstant = fc.oneof(
    fc.integer({ min: from, max: to }),
    fc
      .tuple(
        fc.integer({ min: from, max: to }),
        fc.constantFrom(...MIDNIGHTS),
        fc.integer({ min: -1, max: 1 }),
      )
      .map(([day, time, off]) => Date.parse(new Date(day).toISOString().slice(0, 10) + time) + off),
  )
  const anyHours = fc.constantFrom(
    ...[['always'], ['always', '16:30'], ['always', '00:01'], ['nyse']].map(
      ([mode, close]) => new MarketHours(mode as 'always' | 'nyse', close),
    ),
  )

  it('agree on every instant, around midnight in New York and UTC too', () => {
    const instantOf = (date: string, time: string) =>
      Date.parse(localToInstant(`${date}T${time}`, 'America/New_York'))
    fc.assert(
      fc.property(anyHours, anyInstant, (hours, at) => {
        const { date } = instantToLocal(new Date(at).toISOString(), 'America/New_York')
        const days = hours.calendar(addDays(date, -1), addDays(date, 10)).map((day) => ({
          ...day,
          opensAt: instantOf(day.date, day.open),
          closesAt: instantOf(day.date, day.close),
        }))
        const isOpen = days.some(({ opensAt, closesAt }) => at >= opensAt && at < closesAt)
        assert.equal(hours.phaseAt(at) === 'regular', isOpen)
        assert.equal(hours.dateAt(at), date)
        assert.equal(hours.nextSession(at).opensAt, days.find(({ opensAt }) => opensAt > at)?.opensAt)
        assert.equal(
          hours.currentOrNextSession(at).closesAt,
          days.find(({ closesAt }) => closesAt > at)?.closesAt,
        )
      }),
      { numRuns: 1_000 },
    )
  })
})
