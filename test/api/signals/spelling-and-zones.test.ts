import assert from 'node:assert/strict'
import { readSymbol } from '#api/http/validation/symbol-spelling.ts'
import { ApiError } from '#api/http/errors.ts'
import { readSignalRequest } from '#api/signals/schema.ts'
import { pluck } from '#test/support/pluck.ts'

/** Noon in New York, in winter. */
const NOW = Date.parse('2026-03-02T17:00:00Z')
const read = (changes: object) =>
  readSignalRequest(
    {
      symbol: 'AAPL',
      action: 'openLong',
      accountId: '0b6f8f5c-2f5e-4f43-8f0e-6f1f2f3f4f5f',
      quantity: 10,
      executeMode: 'immediate',
      ...changes,
    },
    NOW,
  )
const faultOf = (changes: object): string => {
  try {
    read(changes)
    return ''
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return pluck(error.details, 'message').join('; ')
  }
}

describe('a symbol', () => {
  for (const [written, symbol, told] of [
    ['AAPL', 'AAPL', null],
    ['brk.b', 'BRK.B', null],
    ['BRK-B', 'BRK.B', 'BRK-B is read as BRK.B: the class of a share stands behind a dot'],
    ['brk/b', 'BRK.B', 'BRK/B is read as BRK.B: the class of a share stands behind a dot'],
    ['BF-B', 'BF.B', 'BF-B is read as BF.B: the class of a share stands behind a dot'],
    ['BAC-PL', 'BAC.PRL', 'BAC-PL is read as BAC.PRL: the class of a share stands behind a dot'],
    ['NASDAQ:AAPL', 'AAPL', 'NASDAQ:AAPL is read as AAPL: an exchange before it is left out'],
    ['nasdaq_dly:aapl', 'AAPL', 'NASDAQ_DLY:AAPL is read as AAPL: an exchange before it is left out'],
    [
      'NYSE:BRK/B',
      'BRK.B',
      'NYSE:BRK/B is read as BRK.B: an exchange before it is left out, and the class of a share stands behind a dot',
    ],
    ['aapl.us', 'AAPL', 'AAPL.US is read as AAPL: the country behind it is left out'],
    ['BRK.B.US', 'BRK.B', 'BRK.B.US is read as BRK.B: the country behind it is left out'],
    ['NYSE_DL:F', 'F', 'NYSE_DL:F is read as F: an exchange before it is left out'],
    ['AMEX:SPY', 'SPY', 'AMEX:SPY is read as SPY: an exchange before it is left out'],
    ['BATS:UVXY', 'UVXY', 'BATS:UVXY is read as UVXY: an exchange before it is left out'],
    [`NASDAQ:${'A'.repeat(20)}`, 'A'.repeat(20), undefined],
  ] as const)
    it(`written ${written} is ${symbol}, and the sender is told`, () => {
      const { symbol: stored, advisories } = read({ symbol: written })
      assert.equal(stored, symbol)
      const said = pluck(
        advisories.filter(({ code }) => code === 'symbol_spelled'),
        'message',
      )
      if (told !== undefined) assert.deepEqual(said, told === null ? [] : [told])
      assert.deepEqual(readSymbol(stored), { symbol: stored })
    })

  for (const symbol of [
    'BINANCE:BTCUSDT',
    'FX:EURUSD',
    'OANDA:EURUSD',
    'TVC:GOLD',
    'CRYPTO:BTCUSD',
    'LSE:VOD',
  ])
    it(`a symbol of no exchange of US shares is a fault that names the exchange: ${symbol}`, () =>
      assert.match(
        faultOf({ symbol }),
        new RegExp(`begins with ${symbol.split(':')[0]}, which is no exchange of US`),
      ))

  for (const symbol of ['BTC/USD', 'btc-usd', 'ETH/USDT', 'EUR/USD', 'BTC.USD', 'DOGEUSDT.P'])
    it(`a symbol that is certainly a coin or a pair is a fault in words, and may be closed: ${symbol}`, () => {
      assert.match(faultOf({ symbol }), /is a coin or a currency pair; only US shares and ETFs are traded/)
      assert.equal(faultOf({ symbol, action: 'closeLong' }), '')
    })

  for (const symbol of ['APPL', 'GOOGLE', 'BTCUSD', 'EURUSD', 'ZTAB', 'USD'])
    it(`a symbol whose form tells nothing is left to the broker as it is: ${symbol}`, () =>
      assert.deepEqual([read({ symbol }).symbol, read({ symbol }).advisories], [symbol, []]))

  for (const symbol of [
    '',
    ':AAPL',
    'NASDAQ:',
    'NASDAQ:NYSE:A',
    'A'.repeat(21),
    `NYSE:${'A'.repeat(21)}`,
    ' AAPL',
    'AA PL',
    'BRK B',
    'ſ',
    'AAPL\n',
    'ΒRK-B',
  ])
    it(`a symbol that is none is a fault: ${JSON.stringify(symbol)}`, () =>
      assert.notEqual(faultOf({ symbol }), ''))
})

describe('a time zone', () => {
  const told = (changes: object, code: string) =>
    read(changes)
      .advisories.filter((advisory) => advisory.code === code)
      .map(({ message }) => message)
  const scheduled = (timezone: string) => ({
    executeMode: 'scheduled',
    scheduledProcessAt: '2026-07-01T15:55:00',
    timezone,
  })

  for (const [zone, words] of [
    [
      'EST',
      /^EST is UTC-5 the whole year; America\/New_York follows the clocks of New York, with summer time$/,
    ],
    ['est', /^est is UTC-5 the whole year/],
    ['MST', /^MST is UTC-7 the whole year; America\/Denver/],
    ['HST', /^HST is UTC-10 the whole year/],
    ['Etc/GMT-5', /^Etc\/GMT-5 means UTC\+5 the whole year: the sign in its name is turned round/],
    ['Etc/GMT+5', /^Etc\/GMT\+5 means UTC-5 the whole year/],
  ] as const)
    it(`a time zone of fixed offset is told in words: ${zone}`, () => {
      const [message, ...more] = told(scheduled(zone), 'fixed_offset_zone')
      assert.match(message ?? '', words)
      assert.deepEqual(more, [])
    })
  for (const zone of [
    'UTC',
    'Etc/UTC',
    'Etc/GMT',
    'Etc/GMT+0',
    'GMT',
    'America/New_York',
    'America/Phoenix',
    'Asia/Tokyo',
    'EST5EDT',
  ])
    it(`a time zone of a place, and UTC, is as it is known: ${zone}`, () =>
      assert.deepEqual(told(scheduled(zone), 'fixed_offset_zone'), []))

  const exit = { exitTriggerType: 'atClockTime', exitTriggerTime: '21:55', timezone: 'Europe/Berlin' }
  it('a time zone beside the time of an exit is told not to be that of the exit, with the instant in both', () => {
    assert.deepEqual(told(exit, 'exit_time_in_broker_zone'), [
      'exitTriggerTime is a time in America/New_York, the zone of the broker, not in Europe/Berlin: ' +
        '2026-03-02 21:55 in America/New_York is 2026-03-03 03:55 in Europe/Berlin',
    ])
    assert.match(
      told({ ...exit, exitTriggerTime: '11:00' }, 'exit_time_in_broker_zone')[0]!,
      /2026-03-03 11:00 in America/,
    )
  })
  it('a time zone that shows the same clock as the broker’s is not told of, nor one without the time of an exit', () => {
    for (const timezone of ['America/New_York', 'US/Eastern', 'America/Toronto'])
      assert.deepEqual(told({ ...exit, timezone }, 'exit_time_in_broker_zone'), [])
    assert.deepEqual(told(scheduled('Europe/Berlin'), 'exit_time_in_broker_zone'), [])
  })
})
