import assert from 'node:assert/strict'
import type { HookKind } from '#domain/hook/settings.ts'
import { faultsOf, inShort, readFor, notifiedOf, understood } from './support.ts'

const EXIT = '{"ticker":"F","action":"exit"}'
const READ = ['close all F']

describe('the text of a message', () => {
  for (const [what, text, told] of [
    ['blanks around it', `\r\n ${EXIT}\t`, null],
    ['a byte order mark', `\ufeff${EXIT}`, /byte order mark/],
    ['typographic quotes', '{“ticker”:“F”,“action”:“exit”}', /typographic quotes/],
    ['German and French quotes', '{„ticker“:"F", «action» : »exit«}', /typographic quotes/],
    ['a comma before the end', '{"ticker":"F","action":"exit", }', /comma before a closing/],
    ['a blank that does not break', '{\u00a0"ticker":"F",\u200b"action":"exit"}', /invisible characters/],
    ['a fence of code', `\`\`\`json\n${EXIT}\n\`\`\``, /around the object/],
    ['a sentence before it', `Alert on F, 15 min: ${EXIT}`, /around the object/],
    ['words after it', `${EXIT} sent by my bot`, /around the object/],
    ['JSON within a text', JSON.stringify(EXIT), /within a text/],
    [
      'JSON with mistakes within a text',
      JSON.stringify('{“ticker”:“F”,“action”:“exit”,}'),
      /within a text; .*typographic/,
    ],
    [
      'several mistakes',
      'Alert:\n{“ticker”:“F”,\u00a0“action”:“exit”,}',
      /around.*typographic.*invisible|around.*typographic.*comma/,
    ],
  ] as const)
    it(`a message with ${what} is read, and what was mended is reported`, () => {
      assert.deepEqual(inShort('traderspost', text), READ)
      const repaired = understood('traderspost', text).advisories.filter(
        ({ code }) => code === 'body_repaired',
      )
      if (told === null) return assert.deepEqual(repaired, [])
      assert.match(repaired[0]!.message, told)
    })

  it('typographic quotes within a text stay what they are', () => {
    const text = '{"ticker":"F","action":"exit","comment":"the “cross”, and more"}'
    assert.deepEqual(notifiedOf('traderspost', text), ['fields_ignored'])
  })

  for (const [what, text, words] of [
    ['nothing', '', /empty/],
    ['a byte order mark alone', '\ufeff', /invisible character|empty/],
    [
      'typographic quotes whose end is not certain',
      '{“ticker”:“F “the” motor”,“action”:“exit”}',
      /typographic quote/,
    ],
    [
      'a placeholder without quotes',
      '{"ticker":"F","action":"buy","quantity":{{strategy.order.contracts}}}',
      /line 1, column 41: a placeholder/,
    ],
    ['NaN', '{"ticker":"F","action":"buy","quantity":NaN}', /NaN and Infinity/],
    ['NaN behind a sentence', 'Alert: {"ticker":"F","quantity":NaN}', /column 33: NaN/],
    ['a thousand with a comma', '{"ticker":"F","action":"buy","quantity":1,000}', /comma within a number/],
    ['an end that was cut off', '{"ticker":"F","action":"exi', /cut off/],
    ['a key twice', '{"ticker":"F","action":"buy","quantity":10,"quantity":1000}', /is there twice/],
    ['two objects', `${EXIT}\n${EXIT}`, /after the end of the JSON/],
    ['a list', `[${EXIT}]`, /is a list/],
    ['a list with mistakes', `[${EXIT},]`, /./],
    ['single quotes', "{'ticker':'F'}", /single quote/],
    ['a form', 'ticker=F&action=exit', /before the JSON/],
    ['a page', '<html><body>Bad gateway</body></html>', /before the JSON/],
  ] as const)
    it(`a message that is ${what} is refused in words that name the mend`, () => {
      const read = readFor('traderspost', text)
      assert.ok('faults' in read, JSON.stringify(read))
      assert.match(read.faults[0]!.message, words)
    })

  it('words are taken of the senders that have them, and of no other', () => {
    assert.deepEqual(faultsOf('traderspost', 'buy 10 F'), ['invalid_json'])
    assert.deepEqual(inShort('signalstack', '\ufeffclose F'), READ)
    assert.deepEqual(faultsOf('signalstack', '{"action": "close", "symbol": F}'), ['invalid_json'])
  })
})

/** Lines whose share would be a word of people. */
const NO_SHARE =
  'sell all, sell 10 all, close ALL, CLOSE ALL, exit everything, close long, close short, close position, exit positions, ' +
  'sell it, sell now, close out, sell half, close 50 long, sell market, close all positions, sell all F'

describe('a line of words', () => {
  for (const [kind, line, expected] of [
    ['signalstack', 'close all', ['flatten']],
    ['signalstack', 'Exit All', ['flatten']],
    ['trade-relay', 'cancel all', ['cancel all']],
    ['signalstack', 'close NYSE:ALL', ['close all ALL']],
    ['tradingview', 'close NYSE:ALL', ['close all ALL']],
    ['signalstack', 'BUY 5 NOW', ['buy 5 NOW: open, reverse, nothing']],
  ] as const)
    it(`the line "${line}" (${kind}) is read as it is meant`, () => {
      assert.deepEqual(inShort(kind, line), expected)
    })

  for (const kind of ['signalstack', 'trade-relay', 'tradingview'] as const)
    it(`a line of words whose share would be a word of people (${kind}) is refused`, () => {
      for (const line of NO_SHARE.split(', '))
        assert.deepEqual(faultsOf(kind, line, { mayShort: true }), ['unknown_words message'], line)
    })

  it('a line of words that may mean everything names the word for it, and the share', () => {
    const told = (kind: HookKind) => JSON.stringify(readFor(kind, 'close ALL'))
    assert.match(told('signalstack'), /NYSE:ALL, or FLATTEN/)
    assert.doesNotMatch(told('tradingview'), /FLATTEN/)
    assert.deepEqual(faultsOf('tradingview', 'close all'), ['unknown_words message'])
    assert.deepEqual(faultsOf('signalstack', 'cancel orders'), ['unknown_words message'])
  })
})
