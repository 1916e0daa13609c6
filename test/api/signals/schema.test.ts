import { ApiError, type Fault } from '#api/http/errors.ts'
import { signalFields, type SignalField } from '#api/signals/fields.ts'
import { readSignalRequest } from '#api/signals/schema.ts'
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { pluck } from '#test/support/pluck.ts'

const ACCOUNT = '0b6f8f5c-2f5e-4f43-8f0e-6f1f2f3f4f5f'
/** Noon in New York. */
const NOW = Date.parse('2026-03-02T17:00:00Z')
const valid = {
  symbol: 'AAPL',
  action: 'openLong',
  accountId: ACCOUNT,
  quantity: 10,
  executeMode: 'immediate',
}
type Body = Record<string, unknown>

const read = (changes: Body) => {
  const body = Object.entries({ ...valid, ...changes }).filter(([, value]) => value !== undefined)
  return readSignalRequest(Object.fromEntries(body), NOW)
}

/** The faults of a body as "field: code". */
const faultsOf = (changes: Body): string[] =>
  faultsWithWords(changes).map(({ field, code }) => `${field}: ${code}`)

function faultsWithWords(changes: Body): Fault[] {
  try {
    read(changes)
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'VALIDATION_ERROR')
    for (const { path, field, message } of error.details) {
      assert.equal(field, path.join('.'))
      assert.ok(message.length > 0)
    }
    return error.details
  }
}

const refuses = (name: string, changes: Body, ...faults: string[]) =>
  it(`refuses ${name}`, () => assert.deepEqual(faultsOf(changes), faults))
const takes = (name: string, changes: Body) =>
  it(`takes ${name}`, () => assert.deepEqual(faultsOf(changes), []))

describe('the body of POST /signals', () => {
  describe('with a target position', () => {
    takes('10, short, flat and a part of a share, as numbers and as text', { targetPosition: '-2.5' })
    it('reads it exactly, and says that it overrules action and quantity', () => {
      const { targetPosition, advisories } = read({ targetPosition: '-2.50' })
      assert.equal(targetPosition, '-2.5')
      assert.deepEqual(pluck(advisories, 'code'), ['target_overrules_quantity'])
      assert.equal(read({ targetPosition: 0 }).targetPosition, '0')
    })
    takes('an action that closes, and an exit for what is opened', {
      action: 'closeLong',
      targetPosition: 10,
      exitTriggerType: 'immediate',
    })
    refuses(
      'a target that is no number',
      { targetPosition: '{{strategy.position_size}}' },
      'targetPosition: unfilled_placeholder',
    )
    refuses(
      'a target in percent',
      { targetPosition: 1, quantityType: 'percentEquity' },
      'quantityType: not_allowed',
    )
    refuses(
      'a target by a stop order',
      { targetPosition: 1, orderType: 'stop', stopPrice: 100 },
      'orderType: not_allowed',
    )
    it('reads when it was meant, with an offset, as the UTC instant', () => {
      const { targetAt } = read({ targetPosition: 1, targetAt: '2026-01-05T10:00:00+01:00' })
      assert.equal(targetAt, '2026-01-05T09:00:00.000Z')
    })
    takes('one that was meant long ago', { targetPosition: 1, targetAt: '2001-01-05T15:00:00Z' })
    takes('one of a clock that goes 5 minutes ahead', {
      targetPosition: 1,
      targetAt: new Date(NOW + 300_000).toISOString(),
    })
    refuses(
      'one that was meant in the future',
      { targetPosition: 1, targetAt: new Date(NOW + 300_001).toISOString() },
      'targetAt: in_future',
    )
    refuses('when it was meant of no target', { targetAt: '2026-01-05T15:00:00Z' }, 'targetAt: not_allowed')
    for (const targetAt of ['2026-01-05T15:00:00', '2026-01-05', '1767625200'])
      refuses(
        `"${targetAt}" as the instant at which it was meant`,
        { targetPosition: 1, targetAt },
        'targetAt: custom',
      )
    refuses('a target in an auction', { targetPosition: 1, timeInForce: 'cls' }, 'timeInForce: not_allowed')
  })

  it('fills in the defaults', () => {
    assert.deepEqual(read({}), {
      symbol: 'AAPL',
      action: 'openLong',
      accountId: ACCOUNT,
      quantity: '10',
      executeMode: 'immediate',
      quantityType: 'fixed',
      orderType: 'market',
      timeInForce: 'day',
      extendedHours: false,
      replaceExisting: false,
      dryRun: false,
      strategyId: null,
      limitPrice: null,
      targetPosition: null,
      targetAt: null,
      stopPrice: null,
      expiresAt: null,
      scheduledAt: null,
      validUntil: null,
      timezone: null,
      sourceId: null,
      metadata: null,
      exit: null,
      protection: null,
      move: null,
      senderHolds: null,
      groupId: null,
      advisories: [],
      overdue: [],
    })
  })

  const exit = { exitTriggerType: 'immediate' }
  const minutes = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 5 }
  const atTime = { exitTriggerType: 'atClockTime', exitTriggerTime: '15:30' }
  const scheduled = { executeMode: 'scheduled', scheduledProcessAt: '2026-03-03T10:00', timezone: 'UTC' }
  const stopLimit = { orderType: 'stopLimit', limitPrice: 10, stopPrice: 9 }
  const exitStopLimit = { ...exit, exitOrderType: 'stopLimit', exitLimitPrice: 10, exitStopPrice: 9 }
  /** For each field another value, and the fields that it needs beside it. No order type stands with the prices of another. */
  const OTHER_VALUES: Record<Exclude<SignalField, 'orderType'>, [value: unknown, beside?: Body]> = {
    symbol: ['MSFT'],
    action: ['openShort'],
    accountId: [ACCOUNT.replace('0', '1')],
    quantity: [11],
    executeMode: ['pending'],
    scheduledProcessAt: ['2026-03-03T11:00', scheduled],
    timezone: ['America/New_York', scheduled],
    validUntil: ['2026-03-05T10:00:00Z', { timezone: 'UTC' }],
    strategyId: [ACCOUNT],
    quantityType: ['dollarAmount'],
    targetPosition: [5],
    targetAt: ['2026-03-02T16:00:00Z', { targetPosition: 5 }],
    limitPrice: [11, stopLimit],
    stopPrice: [8, stopLimit],
    timeInForce: ['gtc'],
    expiresAt: ['2026-03-09T10:00:00Z', { timeInForce: 'gtd', expiresAt: '2026-03-10T10:00:00Z' }],
    extendedHours: [true, { orderType: 'limit', limitPrice: 10 }],
    sourceId: ['mine'],
    replaceExisting: [true, { sourceId: 'mine' }],
    metadata: [{ why: 'breakout' }],
    dryRun: [true],
    exitTriggerType: ['immediate'],
    exitTriggerMinutes: [6, minutes],
    exitTriggerTime: ['15:31', atTime],
    exitTriggerValue: [6, { exitTriggerType: 'timed', exitTriggerValue: 5 }],
    exitOrderType: ['moc', exit],
    exitLimitPrice: [11, exitStopLimit],
    exitStopPrice: [8, exitStopLimit],
    exitTimeInForce: ['cls', exit],
    protection: [{ stop: { percent: 5 } }],
  }
  for (const [field, [value, beside = {}]] of Object.entries(OTHER_VALUES))
    it(`the body of POST /signals is another wish with another ${field}`, () => {
      const { advisories: _, ...before } = read(beside)
      const { advisories: __, ...after } = read({ ...beside, [field]: value })
      assert.notDeepEqual(after, before)
    })

  const REQUIRED = ['symbol', 'action', 'accountId', 'quantity', 'executeMode']
  const optionalAs = (value: unknown) =>
    Object.fromEntries(
      Object.keys(signalFields)
        .filter((name) => !REQUIRED.includes(name))
        .map((name) => [name, value]),
    )
  it('takes null in an optional field for a field that is left out', () =>
    assert.deepEqual(read(optionalAs(null)), read({})))
  it('takes empty text in an optional field for a field that is left out, but for the sourceId', () =>
    assert.deepEqual(read({ ...optionalAs(''), sourceId: undefined }), read({})))
  it('takes empty text in a required field for a fault', () => {
    for (const name of REQUIRED) assert.deepEqual(faultsOf({ [name]: '' }).length, 1, name)
  })

  refuses('null in a required field', { symbol: null }, 'symbol: invalid_type')

  it('names every missing field at once', () => {
    assert.throws(
      () => readSignalRequest({}, NOW),
      (error: ApiError) => {
        assert.deepEqual(
          pluck(error.details, 'message'),
          ['symbol', 'action', 'accountId', 'quantity', 'executeMode'].map((field) => `${field} is required`),
        )
        return true
      },
    )
  })

  it('names faults of fields and faults between fields in one answer', () => {
    const faults = faultsOf({
      symbol: '',
      orderType: 'limit',
      executeMode: 'scheduled',
      surprise: 1,
      exitTriggerType: 'minutesAfterEntry',
      exitOrderType: 'limit',
    })
    assert.deepEqual(faults, [
      'symbol: custom',
      'surprise: unrecognized_key',
      'limitPrice: required',
      'scheduledProcessAt: required',
      'exitTriggerMinutes: required',
      'exitLimitPrice: required',
    ])
  })

  it('calls a faulty field faulty and not missing as well', () => {
    assert.deepEqual(faultsOf({ orderType: 'limit', limitPrice: 'cheap' }), ['limitPrice: invalid_format'])
    assert.deepEqual(faultsOf({ executeMode: 'scheduled', scheduledProcessAt: 'soon', timezone: 'UTC' }), [
      'scheduledProcessAt: custom',
    ])
  })

  describe('symbol', () => {
    for (const symbol of ['A', 'a'.repeat(20), 'BRK.B', 'brk/b', 'BF-B', '9988']) takes(symbol, { symbol })
    it('symbol is put in upper case', () => assert.equal(read({ symbol: 'brk.b' }).symbol, 'BRK.B'))
    for (const symbol of [
      '',
      'a'.repeat(21),
      'ß',
      'ſ',
      'AA PL',
      'AAPL\n',
      '\u0000',
      '../etc',
      'АAPL',
      '😀',
    ]) {
      refuses(JSON.stringify(symbol), { symbol }, 'symbol: custom')
    }
    refuses('a number', { symbol: 7 }, 'symbol: invalid_type')
  })

  describe('quantity and prices', () => {
    const limit = { orderType: 'limit' }
    for (const [given, kept] of [
      [0.1, '0.1'],
      ['10', '10'],
      ['10.50', '10.5'],
      [1e-9, '0.000000001'],
      [0.1 + 0.2, '0.3'],
      [100 / 3, '33.333333333'],
      ['0.9999999999', '0.999999999'],
      [1e-7, '0.0000001'],
      [1e9, '1000000000'],
      ['007', '7'],
    ] as const) {
      it(`take ${JSON.stringify(given)}`, () => assert.equal(read({ quantity: given }).quantity, kept))
    }
    for (const quantity of [0, -0, -1, '0', '-5', 1e9 + 1, 2 ** 53 + 1, 1e-10, '0.0000000001', 1e300]) {
      refuses(`quantity ${JSON.stringify(quantity)}`, { quantity }, 'quantity: custom')
    }
    for (const quantity of [Number.NaN, Infinity, true, null, [], {}, [10]]) {
      refuses(`quantity ${inspect(quantity)}`, { quantity }, 'quantity: invalid_type')
    }
    for (const quantity of [
      '',
      ' 10',
      '1e3',
      '0x10',
      '+1',
      '1,000',
      '10.',
      '.5',
      'NaN',
      '٣',
      '1'.repeat(31),
    ]) {
      it(`refuse quantity ${JSON.stringify(quantity)}`, () => assert.equal(faultsOf({ quantity }).length, 1))
    }
    for (const [given, kept] of [
      [187.54000000000002, '187.54'],
      [187.53999999999999, '187.54'],
      ['0.1234567891', '0.123456789'],
    ] as const)
      it(`take the price ${given} as ${kept}`, () =>
        assert.equal(read({ ...limit, limitPrice: given }).limitPrice, kept))
    takes('a price of 10 million', { ...limit, limitPrice: 1e7 })
    refuses('a price above 10 million', { ...limit, limitPrice: 10_000_000.01 }, 'limitPrice: custom')
    refuses('a price of 0', { ...limit, limitPrice: 0 }, 'limitPrice: custom')
  })

  describe('order types and their prices', () => {
    const prices = { limitPrice: 10, stopPrice: 9 }
    takes('market without prices', { orderType: 'market' })
    takes('stopLimit with both', { orderType: 'stopLimit', ...prices })
    refuses('limit without its price', { orderType: 'limit' }, 'limitPrice: required')
    refuses('stop without its price', { orderType: 'stop' }, 'stopPrice: required')
    refuses(
      'stopLimit without prices',
      { orderType: 'stopLimit' },
      'limitPrice: required',
      'stopPrice: required',
    )
    refuses('market with prices', prices, 'limitPrice: not_allowed', 'stopPrice: not_allowed')
    refuses('limit with a stop price', { orderType: 'limit', ...prices }, 'stopPrice: not_allowed')
    for (const price of [0, 'NaN', 'None', '0', -1, '{{close}}', [], 'null'])
      it(`say of the price ${JSON.stringify(price)} that has no use: leave it out`, () => {
        const field = (name: string, when: string) => [
          `${name}: not_allowed`,
          `${name} is not allowed ${when}: leave it out`,
        ]
        const said = (changes: Body) =>
          faultsWithWords(changes).map(({ field, code, message }) => [`${field}: ${code}`, message])
        assert.deepEqual(said({ limitPrice: price }), [field('limitPrice', 'for orderType market')])
        assert.deepEqual(said({ orderType: 'limit', limitPrice: 10, stopPrice: price }), [
          field('stopPrice', 'for orderType limit'),
        ])
        assert.deepEqual(said({ exitTriggerType: 'immediate', exitLimitPrice: price }), [
          field('exitLimitPrice', 'with exitOrderType market'),
        ])
        assert.deepEqual(said({ exitStopPrice: price }), [field('exitStopPrice', 'without exitTriggerType')])
        assert.deepEqual(said({ action: 'closeLong', exitStopPrice: price }), [
          field('exitStopPrice', 'for closeLong, which is an exit by itself'),
        ])
      })
    refuses('another type', { orderType: 'iceberg' }, 'orderType: invalid_value')
  })

  describe('times', () => {
    const zone = { timezone: 'America/New_York' }
    const scheduled = { executeMode: 'scheduled', ...zone }
    it('times are read in their zone', () => {
      const request = read({
        ...scheduled,
        scheduledProcessAt: '2026-03-02T15:45',
        validUntil: '2026-03-02T16:00:00.5',
      })
      assert.equal(request.scheduledAt, '2026-03-02T20:45:00.000Z')
      assert.equal(request.validUntil, '2026-03-02T21:00:00.500Z')
    })
    it('name the instant at which the signal expires with Z or an offset, whatever the zone', () => {
      const until = (validUntil: string) => read({ ...zone, validUntil }).validUntil
      assert.equal(until('2026-03-02T21:00:00Z'), '2026-03-02T21:00:00.000Z')
      assert.equal(until('2026-03-02T22:00:00+01:00'), '2026-03-02T21:00:00.000Z')
      assert.equal(until('2026-03-02T16:00:00'), '2026-03-02T21:00:00.000Z')
      // Clocks in New York show this time twice, and the offset says which one is meant.
      const twice = read({ ...zone, validUntil: '2026-11-01T01:30:00-05:00' })
      assert.deepEqual([twice.validUntil, twice.advisories], ['2026-11-01T06:30:00.000Z', []])
    })
    refuses(
      'an expiry with Z that is over',
      { ...zone, validUntil: '2026-03-02T14:00:00Z' },
      'validUntil: not_in_future',
    )
    for (const scheduledProcessAt of [
      '2026-03-02T15:45:00Z',
      '2026-03-02T15:45:00-05:00',
      '2026-02-30T15:45:00',
      '2027-02-29T15:45:00',
      '2026-03-02T24:00',
      '2026-03-02T15:60',
      '2026-03-02T15:45:60',
      '2026-03-02 15:45',
      '2026-03-02',
      '+012026-03-02T15:45',
      '2026-3-2T15:45',
      'tomorrow',
    ]) {
      refuses(
        `the local time ${scheduledProcessAt}`,
        { ...scheduled, scheduledProcessAt },
        'scheduledProcessAt: custom',
      )
    }
    refuses(
      'an instant in milliseconds',
      { ...scheduled, scheduledProcessAt: NOW },
      'scheduledProcessAt: invalid_type',
    )
    refuses(
      'a time that is over',
      { ...scheduled, scheduledProcessAt: '2026-03-02T12:00' },
      'scheduledProcessAt: not_in_future',
    )
    refuses(
      'a time that the clocks skip',
      { ...scheduled, scheduledProcessAt: '2026-03-08T02:30' },
      'scheduledProcessAt: nonexistent_local_time',
    )
    it('times that happen twice mean the first, and say so', () => {
      const request = read({ ...scheduled, scheduledProcessAt: '2026-11-01T01:30' })
      assert.equal(request.scheduledAt, '2026-11-01T05:30:00.000Z')
      assert.deepEqual(pluck(request.advisories, 'code'), ['ambiguous_local_time'])
    })
    refuses(
      'a scheduled time for an immediate signal',
      { ...zone, scheduledProcessAt: '2026-03-02T15:45' },
      'scheduledProcessAt: not_allowed',
    )
    refuses('a time without a zone', { validUntil: '2026-03-02T15:45' }, 'timezone: required')
    refuses(
      'an end before the beginning',
      { ...scheduled, scheduledProcessAt: '2026-03-02T15:45', validUntil: '2026-03-02T15:45' },
      'validUntil: too_early',
    )
    for (const timezone of ['UTC', 'US/Eastern', 'Europe/Berlin']) {
      takes(timezone, { timezone, validUntil: '2026-03-05T15:45' })
    }
    for (const timezone of ['Mars/Olympus', '+02:00', 'A'.repeat(65), 'America/New_York\n', '../zone']) {
      refuses(`the zone ${JSON.stringify(timezone)}`, { timezone }, 'timezone: custom')
    }
  })

  describe('expiresAt', () => {
    const gtd = { timeInForce: 'gtd' }
    it('expiresAt is an instant, or local where there is a zone', () => {
      assert.equal(
        read({ ...gtd, expiresAt: '2026-03-05T16:00:00-05:00' }).expiresAt,
        '2026-03-05T21:00:00.000Z',
      )
      const local = { ...gtd, expiresAt: '2026-03-05T16:00', timezone: 'America/New_York' }
      assert.equal(read(local).expiresAt, '2026-03-05T21:00:00.000Z')
    })
    takes('exactly 90 days ahead', { ...gtd, expiresAt: '2026-05-31T17:00:00Z' })
    refuses(
      'more than 90 days ahead',
      { ...gtd, expiresAt: '2026-05-31T17:00:00.001Z' },
      'expiresAt: too_late',
    )
    refuses('the past', { ...gtd, expiresAt: '2026-03-02T17:00:00Z' }, 'expiresAt: not_in_future')
    refuses('30 February', { ...gtd, expiresAt: '2026-02-30T17:00:00Z' }, 'expiresAt: custom')
    refuses('an offset of 25 hours', { ...gtd, expiresAt: '2026-03-05T16:00:00+25:00' }, 'expiresAt: custom')
    refuses('a local time without a zone', { ...gtd, expiresAt: '2026-03-05T16:00' }, 'expiresAt: no_offset')
    refuses(
      'a time that the clocks skip',
      { ...gtd, expiresAt: '2026-03-08T02:30', timezone: 'America/New_York' },
      'expiresAt: nonexistent_local_time',
    )
    refuses('nothing for gtd', gtd, 'expiresAt: required')
    refuses('an expiry of a day order', { expiresAt: '2026-03-05T16:00:00Z' }, 'expiresAt: not_allowed')
  })

  describe('sourceId', () => {
    takes('255 characters beyond the basic plane', { sourceId: '😀'.repeat(255) })
    for (const sourceId of ['', 'x'.repeat(256), '😀'.repeat(256), 'a\u0000b', '\ud800', 'a\nb', '\u009f']) {
      refuses(JSON.stringify(sourceId).slice(0, 30), { sourceId }, 'sourceId: custom')
    }
    for (const sourceId of [
      ' ',
      '   ',
      '-',
      ' - ',
      '...',
      '\u00a0',
      '\u200b',
      '_|_',
      '+',
      '""',
      'null',
      'NULL',
      'undefined',
      'NaN',
      'nan',
      'None',
      'nil',
      'na',
      'n/a',
      ' NaN ',
      '[object Object]',
      'undefined-undefined',
      'null NaN',
      'NaN:null',
      'Infinity',
    ])
      refuses(
        `${JSON.stringify(sourceId)}, which tells no signal from another`,
        { sourceId },
        'sourceId: custom',
      )
    for (const sourceId of ['0', 'nullable', 'undefined AAPL', 'Nan 12', '😀', 'ü', 'None-1', '日本'])
      takes(JSON.stringify(sourceId), { sourceId })
    it('sourceId is not normalised', () => {
      assert.notEqual(read({ sourceId: 'é' }).sourceId, read({ sourceId: 'e\u0301' }).sourceId)
    })
  })

  describe('metadata', () => {
    it('metadata is kept without secrets, which the sender is told', () => {
      const metadata = {
        apiKey: 'k',
        deep: [{ password: 1, passed: true, token: null }],
        note: 'dt_123456789',
      }
      const request = read({ metadata })
      assert.deepEqual(request.metadata, {
        apiKey: '[redacted]',
        deep: [{ password: '[redacted]', passed: true, token: null }],
        note: 'dt_[redacted]',
      })
      assert.deepEqual(pluck(request.advisories, 'code'), ['secrets_not_kept'])
    })
    takes('any JSON', { metadata: { a: [1, 'two\nlines', null, { b: false }] } })
    for (const metadata of [[], 'text', 1]) {
      refuses(JSON.stringify(metadata), { metadata }, 'metadata: invalid_type')
    }
    refuses('more than 16 KiB', { metadata: { a: 'x'.repeat(16_384) } }, 'metadata: custom')
    refuses(
      'text that cannot be stored',
      { metadata: { a: { b: ['ok', '\u0000'] } } },
      'metadata.a.b.1: custom',
    )
    refuses('names that cannot be stored', { metadata: { '\ud800': 1 } }, 'metadata.\ud800: custom')
    refuses('infinite numbers', { metadata: { a: Infinity } }, 'metadata.a: custom')
  })

  describe('a placeholder that was not replaced', () => {
    const PLACEHOLDERS = [
      '{{strategy.order.contracts}}',
      '{{ close }}',
      '{{plot("MA")}}',
      '{{ticker',
      '{{{symbol}}}',
      '{{ $json.id }}',
      '={{ $json["a"] }}',
      '{{123456__id}}',
      '{{1.value}}',
      '${ticker}',
      '{% ticker %}',
      '<%= ticker %>',
      '{ticker}',
    ]
    for (const placeholder of PLACEHOLDERS)
      it(`a placeholder that was not replaced is a fault in each field, and no other is told of it: ${placeholder}`, () => {
        for (const field of Object.keys(signalFields)) {
          if (field === 'metadata') continue
          // Where the field has no use it is to be left out.
          const found = faultsOf({ [field]: placeholder })
          assert.ok(
            found.includes(`${field}: unfilled_placeholder`) || found.includes(`${field}: not_allowed`),
            `${field}: ${found.join()}`,
          )
          assert.equal(found.filter((one) => one.startsWith(`${field}:`)).length, 1, found.join())
        }
        assert.deepEqual(faultsOf({ sourceId: `breakout ${placeholder} 1` }), [
          'sourceId: unfilled_placeholder',
        ])
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
    it('a placeholder that was not replaced is an advisory in metadata, wherever it stands there', () => {
      for (const metadata of [{ price: '{{close}}' }, { a: [{ b: 'x ${y}' }] }, { '{{name}}': 1 }]) {
        const { advisories, metadata: kept } = read({ metadata })
        assert.deepEqual([pluck(advisories, 'code'), kept], [['unfilled_placeholder'], metadata])
        assert.match(advisories[0]!.message, /^metadata.*did not fill in/)
      }
    })
    it('a placeholder that was not replaced is none where braces say something else', () => {
      for (const text of ['{}', '{"a":1}', '$5', '5%', 'a{b', '#{1}', '<b>', '{ }'])
        assert.deepEqual(read({ sourceId: `x ${text}`, metadata: { text } }).advisories, [], text)
    })
  })

  describe('ids, words and flags', () => {
    for (const accountId of ['', 'x', ACCOUNT.slice(1), `{${ACCOUNT}}`, 12]) {
      it(`refuse the id ${accountId}`, () => assert.equal(faultsOf({ accountId }).length, 1))
    }
    it('put ids in lower case', () =>
      assert.equal(read({ accountId: ACCOUNT.toUpperCase() }).accountId, ACCOUNT))
    refuses('another action', { action: 'OPENLONG' }, 'action: invalid_value')
    refuses('another mode', { executeMode: 'later' }, 'executeMode: invalid_value')
    refuses('a flag in text', { extendedHours: 'true' }, 'extendedHours: invalid_type')
  })

  describe('exit rules', () => {
    const after = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 5 }
    const beforeClose = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    const exitOf = (changes: Body) => read(changes).exit

    it('exit rules are absent without a trigger, and fields given without effect are pointed out', () => {
      const request = read({ exitOrderType: 'limit', exitLimitPrice: 10 })
      assert.equal(request.exit, null)
      assert.deepEqual(pluck(request.advisories, 'code'), ['exit_fields_without_trigger'])
    })
    it('default to a market day order', () => {
      assert.deepEqual(exitOf(after), {
        trigger: 'minutesAfterEntry',
        minutes: 5,
        clockTime: null,
        orderType: 'market',
        limitPrice: null,
        stopPrice: null,
        timeInForce: 'day',
      })
    })
    it('exit rules in the earlier form mean so many minutes after the entry', () => {
      const exit = exitOf({
        exitTriggerType: 'timed',
        exitTriggerValue: '1440',
        exitOrderType: 'limit',
        exitLimitPrice: 3,
      })
      assert.deepEqual([exit?.trigger, exit?.minutes, exit?.limitPrice], ['minutesAfterEntry', 1440, '3'])
    })
    it('exit rules of a closing auction default to cls', () => {
      assert.equal(exitOf({ exitTriggerType: 'immediate', exitOrderType: 'moc' })?.timeInForce, 'cls')
    })
    it('point out that a gtc entry may never end', () => {
      const { advisories } = read({ ...after, timeInForce: 'gtc' })
      assert.deepEqual(pluck(advisories, 'code'), ['exit_rule_tif_may_not_terminate'])
    })
    takes('a clock time', { exitTriggerType: 'atClockTime', exitTriggerTime: '15:45' })
    takes('no time for immediate', { exitTriggerType: 'immediate' })
    takes('0 and 60 minutes', { ...after, exitTriggerMinutes: 60 })
    takes('the closing auction 15 minutes ahead', { ...beforeClose, exitOrderType: 'moc' })
    takes('exits of short positions', { ...after, action: 'openShort' })
    refuses('another trigger', { exitTriggerType: 'never' }, 'exitTriggerType: invalid_value')
    for (const exitTriggerMinutes of [61, -1, 1.5, '5.5']) {
      refuses(`${exitTriggerMinutes} minutes`, { ...after, exitTriggerMinutes }, 'exitTriggerMinutes: custom')
    }
    refuses('a missing clock time', { exitTriggerType: 'atClockTime' }, 'exitTriggerTime: required')
    for (const exitTriggerTime of ['24:00', '9:30', '15:45:00', '15:60']) {
      refuses(
        `the clock time ${exitTriggerTime}`,
        { exitTriggerType: 'atClockTime', exitTriggerTime },
        'exitTriggerTime: invalid_format',
      )
    }
    refuses("another trigger's field", { ...after, exitTriggerTime: '15:45' }, 'exitTriggerTime: not_allowed')
    refuses(
      "the later form's field in the earlier form",
      { exitTriggerType: 'timed', exitTriggerValue: 5, exitTriggerMinutes: 5 },
      'exitTriggerMinutes: not_allowed',
    )
    refuses('1441 minutes', { exitTriggerType: 'timed', exitTriggerValue: 1441 }, 'exitTriggerValue: custom')
    refuses(
      'a stop exit in the earlier form',
      { exitTriggerType: 'timed', exitTriggerValue: 5, exitOrderType: 'stop', exitStopPrice: 1 },
      'exitOrderType: not_allowed',
    )
    refuses(
      'a stopLimit exit without prices',
      { ...after, exitOrderType: 'stopLimit' },
      'exitLimitPrice: required',
      'exitStopPrice: required',
    )
    refuses(
      'a market exit with a limit price',
      { ...after, exitLimitPrice: 10 },
      'exitLimitPrice: not_allowed',
    )
    refuses(
      'a limit exit with a stop price',
      { ...after, exitOrderType: 'limit', exitLimitPrice: 10, exitStopPrice: 9 },
      'exitStopPrice: not_allowed',
    )
    refuses(
      'the closing auction with a day order',
      { ...beforeClose, exitOrderType: 'moc', exitTimeInForce: 'day' },
      'exitTimeInForce: invalid_value',
    )
    refuses(
      'the closing auction 14 minutes ahead',
      { ...beforeClose, exitTriggerMinutes: 14, exitOrderType: 'moc' },
      'exitTriggerMinutes: too_small',
    )
    refuses(
      'exits of closing actions',
      { ...after, action: 'closeLong' },
      'exitTriggerType: not_allowed',
      'exitTriggerMinutes: not_allowed',
    )
  })

  it('names no more than a hundred faults', () => {
    const surprises = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]))
    const faults = faultsOf(surprises)
    assert.equal(faults.length, 101)
    assert.equal(faults.at(-1), ': more_faults')
  })
})
