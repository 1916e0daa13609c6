import assert from 'node:assert/strict'
import type { AlertIdentity } from '#domain/hook/message.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import { ACCOUNTS, notifiedOf, TWO_ACCOUNTS, understood } from './support.ts'

const identityOf = (kind: HookKind, message: unknown): AlertIdentity =>
  understood(kind, message, { mayShort: true, ...TWO_ACCOUNTS }).identity
const isSame = (kind: HookKind, one: unknown, other: unknown): boolean =>
  identityOf(kind, one).text === identityOf(kind, other).text

const NOW = '2026-03-02T14:31:07Z'
const LATER = '2026-03-03T14:31:07Z'
const EXIT = { ticker: 'F', action: 'exit' }
const BUY = { symbol: 'F', action: 'buy', quantity: 1 }
const CLOSE = { symbol: 'F', action: 'closeLong' }

describe('the identity of an alert', () => {
  it('the name that its sender gives it is good for ever, for the trade that it asks for', () => {
    const message = { action: 'buy', symbol: 'F', quantity: 1, signalId: 'a1' }
    assert.deepEqual(identityOf('trade-relay', message), { text: 'a1 (buy 1 F)', isWindowed: false })
    assert.ok(isSame('trade-relay', message, { ...message, price: 2 }))
    // Its own documents name alerts by the second, in which more than one share may have one.
    assert.ok(!isSame('trade-relay', message, { ...message, symbol: 'SPY' }))
    assert.equal(
      identityOf('json', { symbol: 'F', action: 'closeLong', sourceId: 'a1' }).text,
      'a1 (close LONG all F)',
    )
  })

  for (const [kind, what, message, other] of [
    ['tradingview', 'position', { ticker: 'F', position_size: 10 }, { position_size: 0 }],
    ['json', 'target', { symbol: 'F', targetPosition: 10 }, { targetPosition: 0 }],
    ['trade-relay', 'quantity', BUY, { quantity: 7 }],
    ['trade-relay', 'unit', { symbol: 'F', action: 'buy', notional: 7 }, { notional: null, quantity: 7 }],
    ['json', 'quantity of a step', { symbol: 'F', action: 'openLong', quantity: 1 }, { quantity: '7' }],
    ['traderspost', 'part', { ticker: 'F', action: 'exit', quantity: 1 }, { quantity: 7 }],
    ['json', 'side', CLOSE, { action: 'closeShort' }],
    ['tradingview', 'moment', { ...EXIT, timenow: NOW }, { timenow: LATER }],
    ['tradingview', 'bar', { ...EXIT, time: NOW }, { time: LATER }],
    ['trade-relay', 'account', { ...BUY, account: ACCOUNTS[0] }, { account: ACCOUNTS[1] }],
    ['json', 'account', { ...CLOSE, accountId: ACCOUNTS[0] }, { accountId: ACCOUNTS[1] }],
  ] as const)
    it(`alerts of one name are different ones where they differ in ${what} (${kind})`, () => {
      const first = { [kind === 'json' ? 'sourceId' : 'alertId']: 'x1', ...message }
      assert.ok(isSame(kind, first, { ...first }))
      assert.ok(!isSame(kind, first, { ...first, ...other }))
    })

  it('an alert of one name is the same where it says its number as text, or was sent at another time', () => {
    const message = { sourceId: 'x1', symbol: 'F', action: 'openLong', quantity: 1 }
    assert.ok(isSame('json', message, { ...message, quantity: '1.0' }))
    const again = { alertId: 'x1', symbol: 'F', action: 'buy', quantity: 1, sentAt: NOW }
    assert.ok(isSame('trade-relay', again, { ...again, sentAt: '2026-03-02T14:31:12Z' }))
  })

  it('a name that seems to be the same each time, without a moment, is reported', () => {
    const message = { ...EXIT, alertId: 'RSI' }
    assert.deepEqual(notifiedOf('tradingview', message), ['identity_by_name'])
    assert.deepEqual(notifiedOf('tradingview', { ...message, timenow: NOW }), [])
    assert.deepEqual(notifiedOf('tradingview', { ...message, alertId: 'RSI 17' }), [])
  })

  it('the identity of an alert has a bounded length, for any content', () => {
    const times = Object.fromEntries(
      Array.from({ length: 190 }, (_, at) => [`a${at}`, { timenow: `${1772461867 + at}` }]),
    )
    const { text } = identityOf('tradingview', { ...EXIT, alertId: 'x1', ...times })
    assert.match(text, /^x1 \([0-9a-f]{64}\)$/)
  })

  it('the id of an order of a strategy names no alert: it is the same for every trade', () => {
    const message = { ticker: 'F', action: 'exit', id: 'Long', timenow: NOW }
    assert.ok(!isSame('tradingview', message, { ...message, timenow: '2026-03-02T15:00:00Z' }))
  })

  it('a moment within it makes all that it says its identity for ever, in any order and without secrets', () => {
    const message = { ...EXIT, time: NOW, password: 'one' }
    const { isWindowed } = identityOf('traderspost', message)
    assert.equal(isWindowed, false)
    assert.ok(isSame('traderspost', message, { password: 'two', time: NOW, action: 'exit', ticker: 'F' }))
    assert.ok(isSame('traderspost', message, JSON.stringify(message, null, 4)))
    assert.ok(!isSame('traderspost', message, { ...message, price: 2 }))
    assert.ok(!isSame('traderspost', message, { ...message, time: '2026-03-02T14:31:08Z' }))
    assert.equal(identityOf('tradingview', { ...EXIT, timenow: '1772461867' }).isWindowed, false)
  })

  it('the time of a bar alone is good for ever too, and what that means is reported', () => {
    const message = { ...EXIT, time: '2026-03-02T14:30:00Z' }
    assert.equal(identityOf('tradingview', message).isWindowed, false)
    assert.deepEqual(notifiedOf('tradingview', message), ['identity_by_bar'])
    assert.ok(isSame('tradingview', { ...message, timenow: 'soon' }, { ...message, timenow: 'later' }))
  })

  for (const time of [undefined, '', '15:30', '2026-03-02', 'monday', 15])
    it(`a message whose time is ${JSON.stringify(time)} differs from its repetition for a while alone`, () => {
      const { text, isWindowed } = identityOf('traderspost', { ...EXIT, time })
      assert.equal(isWindowed, true)
      assert.match(text, /^[0-9a-f]{64}$/)
    })

  it('words differ from their repetition for a while', () => {
    assert.equal(identityOf('signalstack', 'close F').isWindowed, true)
    assert.ok(!isSame('signalstack', 'close F', 'close SPY'))
    assert.ok(identityOf('signalstack', 'close F').text !== identityOf('tradingview', 'close F').text)
  })
})

const withValues = (fields: [string, unknown][], type: string, write: (value: unknown) => string) =>
  JSON.stringify(
    Object.fromEntries(fields.map(([name, value]) => [name, typeof value === type ? write(value) : value])),
  )

/** Forms of one message that say the same: each takes the fields of an object and writes them as text. */
const FORMS: Record<string, (fields: [string, unknown][]) => string> = {
  'in another order': (fields) => JSON.stringify(Object.fromEntries(fields.toReversed())),
  'with line ends and blanks between its fields': (fields) =>
    ` \r\n${JSON.stringify(Object.fromEntries(fields), null, 3)}\r\n`,
  'with blanks around its values': (fields) => withValues(fields, 'string', (value) => ` ${String(value)}\n`),
  'with its numbers as text': (fields) => withValues(fields, 'number', (value) => `${String(value)}.0`),
  'with a comma too much': (fields) => JSON.stringify(Object.fromEntries(fields)).replace(/\}$/, ',}'),
  'with a field that says nothing': (fields) =>
    JSON.stringify({ ...Object.fromEntries(fields), comment: null }),
}
/** Those that the strict form of POST /signals refuses. */
const OF_LENIENT = new Set(['with blanks around its values', 'with a field that says nothing'])
const MESSAGES: readonly [HookKind, Record<string, unknown>][] = (
  [
    ['json', { symbol: 'F', action: 'openLong', quantity: 10 }],
    ['tradingview', { ticker: 'F', action: 'buy', quantity: 10 }],
    ['traderspost', { ticker: 'F', action: 'buy', quantity: 10 }],
    ['trade-relay', { symbol: 'F', action: 'buy', quantity: 10 }],
    ['signalstack', { symbol: 'F', action: 'buy', quantity: 10 }],
    ['openalgo', { symbol: 'F', action: 'BUY', quantity: 10, strategy: 'x' }],
  ] as const
).flatMap(([kind, message]): [HookKind, Record<string, unknown>][] => [
  [kind, message],
  [kind, { ...message, timenow: NOW }],
])

describe('copies of a message', () => {
  for (const [kind, message] of MESSAGES)
    for (const [form, write] of Object.entries(FORMS).filter(
      ([name]) => kind !== 'json' || !OF_LENIENT.has(name),
    ))
      it(`a copy of a message of kind ${kind} ${'timenow' in message ? 'with' : 'without'} a moment, ${form}, is the same alert, and one for more is another`, () => {
        const text = write(Object.entries(message))
        assert.ok(isSame(kind, message, text), text)
        const more = write(Object.entries({ ...message, quantity: 11 }))
        assert.ok(!isSame(kind, message, more), more)
      })

  for (const kind of ['signalstack', 'tradingview'] as const)
    it(`a copy of a message in words of kind ${kind} is the same alert, with any blanks, line ends, case and fillers`, () => {
      const spellings = [
        'buy  10 F',
        'buy 10 F\n',
        '\r\nbuy 10\tF ',
        'BUY 10 f',
        'buy 10.0 F',
        '"buy 10 F"',
        '\ufeffbuy 10 F',
      ]
      for (const copy of [...spellings, 'buy 10 shares of F'])
        assert.ok(isSame(kind, 'buy 10 F', copy), JSON.stringify(copy))
      for (const other of ['buy 11 F', 'sell 10 F', 'buy 10 GE', 'buy 10 F at 10 limit', 'close F'])
        assert.ok(!isSame(kind, 'buy 10 F', other), other)
    })
})
