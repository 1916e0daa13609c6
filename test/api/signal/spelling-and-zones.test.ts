import assert from 'node:assert/strict'
import { readSymbol } from '#contract/values/values.ts'
import { pluck } from '#test/support/pluck.ts'
import { faultsWithWords, read, type Body } from './support/body.ts'

const faultOf = (changes: Body): string => pluck(faultsWithWords(changes), 'message').join('; ')
const told = (changes: Body, code: string): string[] =>
  read(changes)
    .advisories.filter((advisory) => advisory.code === code)
    .map(({ message }) => message)
const CLASS = 'the class of a share follows a dot'
const EXCHANGE = 'an exchange before it is left out'
const COUNTRY = 'the country behind it is left out'

describe('a symbol', () => {
  for (const [written, symbol, why] of [
    ['AAPL', 'AAPL'],
    ['brk.b', 'BRK.B'],
    ['BRK-B', 'BRK.B', CLASS],
    ['BAC-PL', 'BAC.PRL', CLASS],
    ['NASDAQ:AAPL', 'AAPL', EXCHANGE],
    ['NYSE:BRK/B', 'BRK.B', `${EXCHANGE}, and ${CLASS}`],
    ['aapl.us', 'AAPL', COUNTRY],
    ['NYSE_DL:F', 'F', EXCHANGE],
    [`NASDAQ:${'A'.repeat(20)}`, 'A'.repeat(20), EXCHANGE],
  ] as const)
    it(`a symbol written ${written} is ${symbol}, and the sender is notified`, () => {
      assert.equal(read({ symbol: written }).symbol, symbol)
      const words = why === undefined ? [] : [`${written.toUpperCase()} is read as ${symbol}: ${why}`]
      assert.deepEqual(told({ symbol: written }, 'symbol_spelled'), words)
      assert.deepEqual(readSymbol(symbol), { symbol })
    })

  for (const symbol of 'BINANCE:BTCUSDT FX:EURUSD OANDA:EURUSD TVC:GOLD CRYPTO:BTCUSD LSE:VOD'.split(' '))
    it(`a symbol of no exchange of US shares is a fault that names the exchange: ${symbol}`, () => {
      const [exchange] = symbol.split(':')
      assert.match(faultOf({ symbol }), new RegExp(`begins with ${exchange}, which is no exchange of US`))
    })

  for (const symbol of 'BTC/USD btc-usd ETH/USDT EUR/USD BTC.USD DOGEUSDT.P'.split(' '))
    it(`a symbol that is certainly a coin or a pair is a fault in words, and may be closed: ${symbol}`, () => {
      assert.match(faultOf({ symbol }), /is a coin or a currency pair; only US shares and ETFs are traded/)
      assert.equal(faultOf({ symbol, action: 'closeLong' }), '')
    })

  for (const symbol of 'APPL GOOGLE BTCUSD EURUSD ZTAB USD'.split(' '))
    it(`a symbol whose form says nothing is left to the broker as it is: ${symbol}`, () =>
      assert.deepEqual([read({ symbol }).symbol, read({ symbol }).advisories], [symbol, []]))

  for (const symbol of [
    ':AAPL',
    'NASDAQ:',
    'NASDAQ:NYSE:A',
    `NYSE:${'A'.repeat(21)}`,
    ' AAPL',
    'BRK B',
    'ΒRK-B',
  ])
    it(`a symbol that is none is a fault: ${JSON.stringify(symbol)}`, () =>
      assert.notEqual(faultOf({ symbol }), ''))
})

describe('a time zone', () => {
  const IN_SUMMER = { executeMode: 'scheduled', scheduledProcessAt: '2026-07-01T15:55:00' }
  const fixed = (timezone: string) => told({ ...IN_SUMMER, timezone }, 'fixed_offset_zone')

  for (const [zone, words] of [
    [
      'EST',
      /^EST is UTC-5 the whole year; America\/New_York follows the clocks of New York, with summer time$/,
    ],
    ['Etc/GMT-5', /^Etc\/GMT-5 means UTC\+5 the whole year: the sign in its name is turned round/],
  ] as const)
    it(`a time zone of fixed offset is described in words: ${zone}`, () => {
      const [message, ...more] = fixed(zone)
      assert.match(message ?? '', words)
      assert.deepEqual(more, [])
    })
  const PLACES = 'UTC Etc/UTC Etc/GMT Etc/GMT+0 GMT America/New_York America/Phoenix Asia/Tokyo EST5EDT'
  for (const zone of PLACES.split(' '))
    it(`a time zone of a place, and UTC, is as it is known: ${zone}`, () => assert.deepEqual(fixed(zone), []))

  const exit = { exitTriggerType: 'atClockTime', exitTriggerTime: '21:55', timezone: 'Europe/Berlin' }
  it('a time zone beside the time of an exit is said not to be that of the exit, with the instant in both', () => {
    assert.deepEqual(told(exit, 'exit_time_in_broker_zone'), [
      'exitTriggerTime is a time in America/New_York, the zone of the broker, not in Europe/Berlin: ' +
        '2026-03-02 21:55 in America/New_York is 2026-03-03 03:55 in Europe/Berlin',
    ])
    assert.match(
      told({ ...exit, exitTriggerTime: '11:00' }, 'exit_time_in_broker_zone')[0]!,
      /2026-03-03 11:00 in America/,
    )
  })
  it('a time zone that shows the same clock as the broker’s is not reported, nor one without the time of an exit', () => {
    for (const timezone of ['America/New_York', 'US/Eastern', 'America/Toronto'])
      assert.deepEqual(told({ ...exit, timezone }, 'exit_time_in_broker_zone'), [])
    assert.deepEqual(told({ ...IN_SUMMER, timezone: 'Europe/Berlin' }, 'exit_time_in_broker_zone'), [])
  })
})
