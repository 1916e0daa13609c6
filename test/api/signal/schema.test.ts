import type { ApiError } from '#contract/errors.ts'
import { signalFields } from '#contract/signal/fields.ts'
import { readSignalRequest } from '#contract/signal/request.ts'
import { pluck } from '#test/support/pluck.ts'
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { ACCOUNT, faultsOf, faultsWithWords, judged, NOW, read, type Body } from './support/body.ts'

const advised = (changes: Body): string[] => pluck(read(changes).advisories, 'code')
const text = (value: unknown) => JSON.stringify(value)

const AT_ONCE = { exitTriggerType: 'immediate' }
const AFTER = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 5 }
const BEFORE_CLOSE = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
const AT_TIME = { exitTriggerType: 'atClockTime', exitTriggerTime: '15:30' }
const TIMED = { exitTriggerType: 'timed', exitTriggerValue: 5 }
const IN_NEW_YORK = { timezone: 'America/New_York' }
const SCHEDULED = { executeMode: 'scheduled', ...IN_NEW_YORK }
const LIMIT = { orderType: 'limit', limitPrice: 10 }
const STOP_LIMIT = { orderType: 'stopLimit', limitPrice: 10, stopPrice: 9 }
const GTD = { timeInForce: 'gtd' }

describe('the body of POST /signals', () => {
  judged('a target position', [
    ['10, short, flat and a part of a share, as numbers and as text', { targetPosition: '-2.5' }],
    ['an action that closes, and an exit', { action: 'closeLong', targetPosition: 10, ...AT_ONCE }],
    ['no number', { targetPosition: '{{strategy.position_size}}' }, 'targetPosition: unfilled_placeholder'],
    ['percent', { targetPosition: 1, quantityType: 'percentEquity' }, 'quantityType: not_allowed'],
    ['a stop order', { targetPosition: 1, orderType: 'stop', stopPrice: 100 }, 'orderType: not_allowed'],
    ['an auction', { targetPosition: 1, timeInForce: 'cls' }, 'timeInForce: not_allowed'],
    ['a moment long ago', { targetPosition: 1, targetAt: '2001-01-05T15:00:00Z' }],
    ['a clock 5 minutes ahead', { targetPosition: 1, targetAt: new Date(NOW + 300_000).toISOString() }],
    [
      'a moment in the future',
      { targetPosition: 1, targetAt: new Date(NOW + 300_001).toISOString() },
      'targetAt: in_future',
    ],
    ['a moment of no target', { targetAt: '2026-01-05T15:00:00Z' }, 'targetAt: not_allowed'],
    ['a local moment', { targetPosition: 1, targetAt: '2026-01-05T15:00:00' }, 'targetAt: custom'],
    ['a day for a moment', { targetPosition: 1, targetAt: '2026-01-05' }, 'targetAt: custom'],
    ['seconds for a moment', { targetPosition: 1, targetAt: '1767625200' }, 'targetAt: custom'],
  ])
  it('a target position is read exactly, with its moment, and said to overrule action and quantity', () => {
    const { targetPosition, targetAt } = read({
      targetPosition: '-2.50',
      targetAt: '2026-01-05T10:00:00+01:00',
    })
    assert.deepEqual([targetPosition, targetAt], ['-2.5', '2026-01-05T09:00:00.000Z'])
    assert.deepEqual(advised({ targetPosition: '-2.50' }), ['target_overrules_quantity'])
    assert.equal(read({ targetPosition: 0 }).targetPosition, '0')
  })

  it('fills in the defaults', () => {
    const { symbol, action, accountId, quantity, executeMode, ...rest } = read({})
    assert.deepEqual(
      [symbol, action, accountId, quantity, executeMode],
      ['AAPL', 'openLong', ACCOUNT, '10', 'immediate'],
    )
    const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
    const order = { quantityType: 'fixed', orderType: 'market', timeInForce: 'day', extendedHours: false }
    assert.deepEqual(set, { ...order, replaceExisting: false, dryRun: false, advisories: [], overdue: [] })
  })

  const REQUIRED = ['symbol', 'action', 'accountId', 'quantity', 'executeMode']
  it('takes null and empty text in an optional field for a field that is left out, but for an empty sourceId', () => {
    const optional = Object.keys(signalFields).filter((name) => !REQUIRED.includes(name))
    const optionalAs = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))
    assert.deepEqual(read(optionalAs(null)), read({}))
    assert.deepEqual(read({ ...optionalAs(''), sourceId: undefined }), read({}))
  })
  it('takes null and empty text in a required field for a fault', () => {
    for (const name of REQUIRED) assert.deepEqual(faultsOf({ [name]: '' }).length, 1, name)
    assert.deepEqual(faultsOf({ symbol: null }), ['symbol: invalid_type'])
  })

  it('names every missing field at once', () => {
    assert.throws(
      () => readSignalRequest({}, NOW),
      (error: ApiError) => {
        const words = REQUIRED.map((field) => `${field} is required`)
        assert.deepEqual(pluck(error.details, 'message'), words)
        return true
      },
    )
  })

  it('names faults of fields and faults between fields in one answer, and a faulty field not as missing too', () => {
    const between = { orderType: 'limit', executeMode: 'scheduled', exitOrderType: 'limit' }
    assert.deepEqual(
      faultsOf({ symbol: '', surprise: 1, exitTriggerType: 'minutesAfterEntry', ...between }).join(),
      'symbol: custom,surprise: unrecognized_key,limitPrice: required,scheduledProcessAt: required,' +
        'exitTriggerMinutes: required,exitLimitPrice: required',
    )
    assert.deepEqual(faultsOf({ orderType: 'limit', limitPrice: 'cheap' }), ['limitPrice: invalid_format'])
    const soon = { executeMode: 'scheduled', scheduledProcessAt: 'soon', timezone: 'UTC' }
    assert.deepEqual(faultsOf(soon), ['scheduledProcessAt: custom'])
  })

  it('names no more than a hundred faults', () => {
    const surprises = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]))
    const faults = faultsOf(surprises)
    assert.deepEqual([faults.length, faults.at(-1)], [101, ': more_faults'])
  })

  judged('symbol', [
    ...['A', 'a'.repeat(20), 'BRK.B', 'brk/b', 'BF-B', '9988'].map((symbol) => [symbol, { symbol }] as const),
    ...['', 'a'.repeat(21), 'ß', 'ſ', 'AA PL', 'AAPL\n', '\u0000', '../etc', 'АAPL', '😀'].map(
      (symbol) => [text(symbol), { symbol }, 'symbol: custom'] as const,
    ),
    ['a number', { symbol: 7 }, 'symbol: invalid_type'],
  ])
  it('symbol is put in upper case', () => assert.equal(read({ symbol: 'brk.b' }).symbol, 'BRK.B'))

  describe('quantity and prices', () => {
    for (const [field, given, kept] of [
      ['quantity', 0.1, '0.1'],
      ['quantity', '10.50', '10.5'],
      ['quantity', 1e-9, '0.000000001'],
      ['quantity', 0.1 + 0.2, '0.3'],
      ['quantity', 100 / 3, '33.333333333'],
      ['quantity', '0.9999999999', '0.999999999'],
      ['quantity', '007', '7'],
      ['limitPrice', 187.54000000000002, '187.54'],
    ] as const)
      it(`quantity and prices: ${field} ${text(given)} is taken as ${kept}`, () =>
        assert.equal(read({ ...(field === 'limitPrice' && LIMIT), [field]: given })[field], kept))
    judged('a body', [
      ...[0, -0, -1, '0', '-5', 1e9 + 1, 2 ** 53 + 1, 1e-10, '0.0000000001', 1e300].map(
        (quantity) => [`quantity ${text(quantity)}`, { quantity }, 'quantity: custom'] as const,
      ),
      ...[Number.NaN, Infinity, true, null, [], {}, [10]].map(
        (quantity) => [`quantity ${inspect(quantity)}`, { quantity }, 'quantity: invalid_type'] as const,
      ),
      ['a price above 10 million', { ...LIMIT, limitPrice: 10_000_000.01 }, 'limitPrice: custom'],
      ['a price of 0', { ...LIMIT, limitPrice: 0 }, 'limitPrice: custom'],
    ])
    it('quantity and prices are no texts but plain numbers', () => {
      const strange = ['', ' 10', '1e3', '0x10', '+1', '1,000', '10.', '.5', 'NaN', '٣', '1'.repeat(31)]
      for (const quantity of strange) assert.equal(faultsOf({ quantity }).length, 1, quantity)
    })
  })

  const { orderType: _, ...PRICES } = STOP_LIMIT
  judged('order types and their prices', [
    ['market without prices', { orderType: 'market' }],
    ['stopLimit with both', STOP_LIMIT],
    ['limit without its price', { orderType: 'limit' }, 'limitPrice: required'],
    ['stop without its price', { orderType: 'stop' }, 'stopPrice: required'],
    ['stopLimit without prices', { orderType: 'stopLimit' }, 'limitPrice: required', 'stopPrice: required'],
    ['market with prices', PRICES, 'limitPrice: not_allowed', 'stopPrice: not_allowed'],
    ['limit with a stop price', { orderType: 'limit', ...PRICES }, 'stopPrice: not_allowed'],
    ['another type', { orderType: 'iceberg' }, 'orderType: invalid_value'],
  ])
  const at = (scheduledProcessAt: unknown) => ({ ...SCHEDULED, scheduledProcessAt })
  const NO_LOCAL_TIMES =
    '2026-03-02T15:45:00Z 2026-03-02T15:45:00-05:00 2026-02-30T15:45:00 2027-02-29T15:45:00 2026-03-02T24:00 ' +
    '2026-03-02T15:60 2026-03-02T15:45:60 2026-03-02 +012026-03-02T15:45 2026-3-2T15:45 tomorrow'
  judged('a time', [
    ...[...NO_LOCAL_TIMES.split(' '), '2026-03-02 15:45'].map(
      (time) => [`the local time ${time}`, at(time), 'scheduledProcessAt: custom'] as const,
    ),
    ['an instant in milliseconds', at(NOW), 'scheduledProcessAt: invalid_type'],
    ['a time that has passed', at('2026-03-02T12:00'), 'scheduledProcessAt: not_in_future'],
    ['a time that the clocks skip', at('2026-03-08T02:30'), 'scheduledProcessAt: nonexistent_local_time'],
    [
      'a scheduled time for an immediate signal',
      { ...IN_NEW_YORK, scheduledProcessAt: '2026-03-02T15:45' },
      'scheduledProcessAt: not_allowed',
    ],
    ['a time without a zone', { validUntil: '2026-03-02T15:45' }, 'timezone: required'],
    [
      'an end before the beginning',
      { ...at('2026-03-02T15:45'), validUntil: '2026-03-02T15:45' },
      'validUntil: too_early',
    ],
    [
      'an expiry with Z that has passed',
      { ...IN_NEW_YORK, validUntil: '2026-03-02T14:00:00Z' },
      'validUntil: not_in_future',
    ],
    ...['UTC', 'US/Eastern', 'Europe/Berlin'].map(
      (timezone) => [timezone, { timezone, validUntil: '2026-03-05T15:45' }] as const,
    ),
    ...['Mars/Olympus', '+02:00', 'A'.repeat(65), 'America/New_York\n', '../zone'].map(
      (timezone) => [`the zone ${text(timezone)}`, { timezone }, 'timezone: custom'] as const,
    ),
  ])
  it('times are read in their zone, the first of two where they happen twice, which is said', () => {
    const request = read({ ...at('2026-03-02T15:45'), validUntil: '2026-03-02T16:00:00.5' })
    assert.deepEqual(
      [request.scheduledAt, request.validUntil],
      ['2026-03-02T20:45:00.000Z', '2026-03-02T21:00:00.500Z'],
    )
    assert.equal(read(at('2026-11-01T01:30')).scheduledAt, '2026-11-01T05:30:00.000Z')
    assert.deepEqual(advised(at('2026-11-01T01:30')), ['ambiguous_local_time'])
  })
  it('times name the instant at which the signal expires with Z or an offset, in any zone', () => {
    for (const [validUntil, instant] of [
      ['2026-03-02T21:00:00Z', '2026-03-02T21:00:00.000Z'],
      ['2026-03-02T22:00:00+01:00', '2026-03-02T21:00:00.000Z'],
      ['2026-03-02T16:00:00', '2026-03-02T21:00:00.000Z'],
      // Clocks in New York show this time twice, and the offset says which one is meant.
      ['2026-11-01T01:30:00-05:00', '2026-11-01T06:30:00.000Z'],
    ] as const) {
      const request = read({ ...IN_NEW_YORK, validUntil })
      assert.deepEqual([request.validUntil, request.advisories], [instant, []])
    }
  })

  const until = (expiresAt: string, more: Body = {}) => ({ ...GTD, expiresAt, ...more })
  judged('expiresAt', [
    ['exactly 90 days ahead', until('2026-05-31T17:00:00Z')],
    ['more than 90 days ahead', until('2026-05-31T17:00:00.001Z'), 'expiresAt: too_late'],
    ['the past', until('2026-03-02T17:00:00Z'), 'expiresAt: not_in_future'],
    ['30 February', until('2026-02-30T17:00:00Z'), 'expiresAt: custom'],
    ['an offset of 25 hours', until('2026-03-05T16:00:00+25:00'), 'expiresAt: custom'],
    ['a local time without a zone', until('2026-03-05T16:00'), 'expiresAt: no_offset'],
    [
      'a time that the clocks skip',
      until('2026-03-08T02:30', IN_NEW_YORK),
      'expiresAt: nonexistent_local_time',
    ],
    ['nothing for gtd', GTD, 'expiresAt: required'],
    ['an expiry of a day order', { expiresAt: '2026-03-05T16:00:00Z' }, 'expiresAt: not_allowed'],
  ])
  it('expiresAt is an instant, or local where there is a zone', () => {
    for (const body of [until('2026-03-05T16:00:00-05:00'), until('2026-03-05T16:00', IN_NEW_YORK)])
      assert.equal(read(body).expiresAt, '2026-03-05T21:00:00.000Z')
  })

  const NAMES_NOTHING =
    '-,...,_|_,+,"",null,NULL,undefined,NaN,nan,None,nil,na,n/a, NaN ,[object Object],undefined-undefined,null NaN,' +
    'NaN:null,Infinity, ,   , - ,\u00a0,\u200b'
  judged('sourceId', [
    ['255 characters beyond the basic plane', { sourceId: '😀'.repeat(255) }],
    ...['', 'x'.repeat(256), '😀'.repeat(256), 'a\u0000b', '\ud800', 'a\nb', '\u009f'].map(
      (sourceId) => [text(sourceId).slice(0, 30), { sourceId }, 'sourceId: custom'] as const,
    ),
    ...NAMES_NOTHING.split(',').map(
      (sourceId) => [`${text(sourceId)}, a name of nothing`, { sourceId }, 'sourceId: custom'] as const,
    ),
    ...['0', 'nullable', 'undefined AAPL', 'Nan 12', '😀', 'ü', 'None-1', '日本'].map(
      (sourceId) => [text(sourceId), { sourceId }] as const,
    ),
  ])
  it('sourceId is not normalised', () =>
    assert.notEqual(read({ sourceId: 'é' }).sourceId, read({ sourceId: 'e\u0301' }).sourceId))

  judged('metadata', [
    ['any JSON', { metadata: { a: [1, 'two\nlines', null, { b: false }] } }],
    ...[[], 'text', 1].map((metadata) => [text(metadata), { metadata }, 'metadata: invalid_type'] as const),
    ['more than 16 KiB', { metadata: { a: 'x'.repeat(16_384) } }, 'metadata: custom'],
    ['text that cannot be stored', { metadata: { a: { b: ['ok', '\u0000'] } } }, 'metadata.a.b.1: custom'],
    ['names that cannot be stored', { metadata: { '\ud800': 1 } }, 'metadata.\ud800: custom'],
    ['infinite numbers', { metadata: { a: Infinity } }, 'metadata.a: custom'],
  ])
  it('metadata is kept without secrets, and the sender is notified', () => {
    const metadata = { apiKey: 'k', deep: [{ password: 1, passed: true, token: null }], note: 'dt_123456789' }
    const kept = { apiKey: '[redacted]', deep: [{ password: '[redacted]', passed: true, token: null }] }
    assert.deepEqual(read({ metadata }).metadata, { ...kept, note: 'dt_[redacted]' })
    assert.deepEqual(advised({ metadata }), ['secrets_not_kept'])
  })

  const PLACEHOLDERS =
    '{{strategy.order.contracts}},{{ close }},{{plot("MA")}},{{ticker,{{{symbol}}},{{ $json.id }},={{ $json["a"] }},' +
    '{{123456__id}},{{1.value}},${ticker},{% ticker %},<%= ticker %>,{ticker}'
  for (const placeholder of PLACEHOLDERS.split(','))
    it(`a placeholder that was not replaced is a fault in each field, and no other is reported: ${placeholder}`, () => {
      for (const field of Object.keys(signalFields).filter((name) => name !== 'metadata')) {
        // Where the field has no use it is to be left out.
        const found = faultsOf({ [field]: placeholder }).filter((one) => one.startsWith(`${field}:`))
        assert.match(found.join(), new RegExp(`^${field}: (unfilled_placeholder|not_allowed)$`))
      }
      assert.deepEqual(faultsOf({ sourceId: `a ${placeholder} 1` }), ['sourceId: unfilled_placeholder'])
    })
  it('a placeholder that was not replaced is named, with who did not fill it in and the mend', () => {
    const wordsOn = (quantity: string) => faultsWithWords({ quantity })[0]!.message
    assert.match(
      wordsOn('{{strategy.order.contracts}}'),
      /^quantity: TradingView did not fill in \{\{strategy\.order\.contracts\}\}: that happens when the alert is on an indicator.*Make the alert on the strategy/,
    )
    assert.match(wordsOn('{{plot_0}}'), /TradingView did not fill in \{\{plot_0\}\}.*no such plot/)
    assert.match(wordsOn('{{ $json.size }}'), /the sender did not fill in \{\{ \$json\.size \}\}/)
    assert.doesNotMatch(wordsOn('{{dt_0123456789abc}}'), /0123456789/)
    assert.doesNotMatch(wordsOn(`{{${'x'.repeat(100)}}}`), /xxx/)
  })
  it('a placeholder that was not replaced is an advisory in metadata, anywhere in it', () => {
    for (const metadata of [{ price: '{{close}}' }, { a: [{ b: 'x ${y}' }] }, { '{{name}}': 1 }]) {
      const { advisories, metadata: kept } = read({ metadata })
      assert.deepEqual([pluck(advisories, 'code'), kept], [['unfilled_placeholder'], metadata])
      assert.match(advisories[0]!.message, /^metadata.*did not fill in/)
    }
  })
  it('a placeholder that was not replaced is none where braces say something else', () => {
    for (const braces of ['{}', '{"a":1}', '$5', '5%', 'a{b', '#{1}', '<b>', '{ }'])
      assert.deepEqual(advised({ sourceId: `x ${braces}`, metadata: { text: braces } }), [], braces)
  })

  it('ids, words and flags refuse the id that is no UUID, and take one in capitals', () => {
    for (const accountId of ['', 'x', ACCOUNT.slice(1), `{${ACCOUNT}}`, 12])
      assert.equal(faultsOf({ accountId }).length, 1, text(accountId))
    assert.equal(read({ accountId: ACCOUNT.toUpperCase() }).accountId, ACCOUNT)
  })
  judged('a body', [
    ['another action', { action: 'OPENLONG' }, 'action: invalid_value'],
    ['another mode', { executeMode: 'later' }, 'executeMode: invalid_value'],
    ['a flag in text', { extendedHours: 'true' }, 'extendedHours: invalid_type'],
  ])

  judged('exit rules', [
    ['a clock time', AT_TIME],
    ['no time for immediate', AT_ONCE],
    ['0 and 60 minutes', { ...AFTER, exitTriggerMinutes: 60 }],
    ['0 minutes', { ...AFTER, exitTriggerMinutes: 0 }],
    ['the closing auction 15 minutes ahead', { ...BEFORE_CLOSE, exitOrderType: 'moc' }],
    ['exits of short positions', { ...AFTER, action: 'openShort' }],
    ['another trigger', { exitTriggerType: 'never' }, 'exitTriggerType: invalid_value'],
    ...[61, -1, 1.5, '5.5'].map(
      (exitTriggerMinutes) =>
        [
          `${exitTriggerMinutes} minutes`,
          { ...AFTER, exitTriggerMinutes },
          'exitTriggerMinutes: custom',
        ] as const,
    ),
    ['a missing clock time', { exitTriggerType: 'atClockTime' }, 'exitTriggerTime: required'],
    ...['24:00', '9:30', '15:45:00', '15:60'].map(
      (time) =>
        [
          `the clock time ${time}`,
          { ...AT_TIME, exitTriggerTime: time },
          'exitTriggerTime: invalid_format',
        ] as const,
    ),
    ["another trigger's field", { ...AFTER, exitTriggerTime: '15:45' }, 'exitTriggerTime: not_allowed'],
    ["the later form's field", { ...TIMED, exitTriggerMinutes: 5 }, 'exitTriggerMinutes: not_allowed'],
    ['1441 minutes', { ...TIMED, exitTriggerValue: 1441 }, 'exitTriggerValue: custom'],
    [
      'a stop exit in the earlier form',
      { ...TIMED, exitOrderType: 'stop', exitStopPrice: 1 },
      'exitOrderType: not_allowed',
    ],
    [
      'a stopLimit exit without prices',
      { ...AFTER, exitOrderType: 'stopLimit' },
      'exitLimitPrice: required',
      'exitStopPrice: required',
    ],
    ['a market exit with a limit price', { ...AFTER, exitLimitPrice: 10 }, 'exitLimitPrice: not_allowed'],
    [
      'a limit exit with a stop price',
      { ...AFTER, exitOrderType: 'limit', exitLimitPrice: 10, exitStopPrice: 9 },
      'exitStopPrice: not_allowed',
    ],
    [
      'the closing auction with a day order',
      { ...BEFORE_CLOSE, exitOrderType: 'moc', exitTimeInForce: 'day' },
      'exitTimeInForce: invalid_value',
    ],
    [
      'the closing auction 14 minutes ahead',
      { ...BEFORE_CLOSE, exitTriggerMinutes: 14, exitOrderType: 'moc' },
      'exitTriggerMinutes: too_small',
    ],
    [
      'exits of closing actions',
      { ...AFTER, action: 'closeLong' },
      'exitTriggerType: not_allowed',
      'exitTriggerMinutes: not_allowed',
    ],
  ])
  describe('exit rules', () => {
    const exitOf = (changes: Body) => read(changes).exit
    it('exit rules are absent without a trigger, and fields given without effect are pointed out', () => {
      assert.equal(exitOf({ exitOrderType: 'limit', exitLimitPrice: 10 }), null)
      assert.deepEqual(advised({ exitOrderType: 'limit' }), ['exit_fields_without_trigger'])
    })
    it('exit rules default to a market day order', () => {
      const { trigger, minutes, clockTime, ...order } = exitOf(AFTER)!
      assert.deepEqual([trigger, minutes, clockTime], ['minutesAfterEntry', 5, null])
      assert.deepEqual(order, { orderType: 'market', limitPrice: null, stopPrice: null, timeInForce: 'day' })
    })
    it('exit rules in the earlier form mean the same minutes after the entry', () => {
      const limit = { exitOrderType: 'limit', exitLimitPrice: 3 }
      const exit = exitOf({ exitTriggerType: 'timed', exitTriggerValue: '1440', ...limit })
      assert.deepEqual([exit?.trigger, exit?.minutes, exit?.limitPrice], ['minutesAfterEntry', 1440, '3'])
    })
    it('exit rules keep the time of day and the stop of their order', () => {
      const exit = exitOf({ ...AT_TIME, exitOrderType: 'stop', exitStopPrice: 9 })
      assert.deepEqual([exit?.clockTime, exit?.orderType, exit?.stopPrice], ['15:30', 'stop', '9'])
    })
    it('exit rules of a closing auction default to cls', () =>
      assert.equal(exitOf({ ...AT_ONCE, exitOrderType: 'moc' })?.timeInForce, 'cls'))
    it('exit rules point out that a gtc entry may never end', () =>
      assert.deepEqual(advised({ ...AFTER, timeInForce: 'gtc' }), ['exit_rule_tif_may_not_terminate']))
  })
})
