import assert from 'node:assert/strict'
import { faultsOf, inShort, readFor, toldOf, understood } from './support.ts'

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
    it(`a message with ${what} is read, and what was mended is told`, () => {
      assert.deepEqual(inShort('traderspost', text), READ)
      const repaired = understood('traderspost', text).advisories.filter(
        ({ code }) => code === 'body_repaired',
      )
      if (told === null) return assert.deepEqual(repaired, [])
      assert.match(repaired[0]!.message, told)
    })

  it('typographic quotes within a text stay what they are', () => {
    const text = '{"ticker":"F","action":"exit","comment":"the “cross”, and more"}'
    assert.deepEqual(toldOf('traderspost', text), ['fields_ignored'])
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
    ['a key twice', '{"ticker":"F","action":"buy","quantity":10,"quantity":1000}', /stands twice/],
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
