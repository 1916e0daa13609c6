import assert from 'node:assert/strict'
import fc from 'fast-check'
import { mintAccessToken } from '#api/http/access-token.ts'
import { readMessage } from '#api/hook/dialects/read.ts'
import { HOOK_KINDS, type HookKind } from '#domain/hook/settings.ts'
import { cases } from '#test/support/generators.ts'
import { faultsOf, readFor, settingsWith } from './support.ts'

/** As long as a body may be. */
const LONGEST = 64 * 1024
/** Milliseconds. */
const MOST_MS = 50
/** Stands near each mistake: no words repeat it. */
const SECRET = 'hunter2-Correct-Horse'
const TOKEN = mintAccessToken().token

const nested = (open: string, close: string, depth: number): string =>
  `{"ticker":"F","a":${open.repeat(depth)}${close.repeat(depth)}}`
const sell = (fields: string): string => `{"password":"${SECRET}","ticker":"F","action":"buy",${fields}}`

/** What the text is, the text, its faults, and the kind of hook, TradersPost where none is named. */
const HOSTILE: readonly [what: string, text: string, faults: string, kind?: HookKind][] = [
  ['nothing', '', 'invalid_json'],
  ['blanks', ' \n\t ', 'invalid_json'],
  ['a byte order mark', '\ufeff', 'invalid_json'],
  ['null', 'null', 'invalid_type'],
  ['a truth value', 'true', 'invalid_type'],
  ['a number', '17', 'invalid_type'],
  ['a text', `"${SECRET}"`, 'invalid_type'],
  ['an empty list', '[]', 'invalid_type'],
  ['a list of objects', `[{"a":"${SECRET}"}]`, 'invalid_type'],
  ['a NUL', '\u0000', 'invalid_json'],
  ['NULs in a text', '{"ticker":"F\\u0000","action":"exit"}', 'invalid_symbol ticker'],
  ['half a surrogate pair', '{"ticker":"\\ud800","action":"exit"}', 'invalid_symbol ticker'],
  ['a picture for a ticker', '{"ticker":"🚀","action":"exit"}', 'invalid_symbol ticker'],
  ['a ticker that runs to the left', '{"ticker":"\u202eLPAA","action":"exit"}', 'invalid_symbol ticker'],
  ['letters that look like others', '{"ticker":"ААPL","action":"exit"}', 'invalid_symbol ticker'],
  ['a letter that grows in upper case', '{"ticker":"ſpy","action":"exit"}', 'invalid_symbol ticker'],
  ['a long ticker', `{"ticker":"${'A'.repeat(60_000)}","action":"exit"}`, 'too_long'],
  ['a ticker that is a list', '{"ticker":["F"],"action":"exit"}', 'invalid_type ticker'],
  ['a ticker that is an object', '{"ticker":{"F":1},"action":"exit"}', 'invalid_type ticker'],
  ['an action that is a number', '{"ticker":"F","action":1}', 'unknown_word action'],
  ['an action that is a list', '{"ticker":"F","action":["buy"]}', 'unknown_word action'],
  ["an action of the language's own", '{"ticker":"F","action":"constructor"}', 'unknown_word action'],
  ['an action that names the prototype', '{"ticker":"F","action":"__proto__"}', 'unknown_word action'],
  ['a prototype', '{"__proto__":{"ticker":"F"},"action":"exit"}', 'forbidden_key __proto__'],
  [
    'a constructor within',
    '{"ticker":"F","action":"exit","extras":{"constructor":{"prototype":{}}}}',
    'forbidden_key extras.constructor',
  ],
  ['a prototype by an escape', '{"\\u005f_proto__":1,"ticker":"F"}', 'forbidden_key __proto__'],
  ['lists in lists', nested('[', ']', 25), 'too_deep'],
  ['thirty thousand lists in lists', nested('[', ']', 30_000), 'too_long'],
  ['lists that do not end', '['.repeat(LONGEST), 'too_long'],
  ['objects that do not end', '{"a":'.repeat(10_000), 'too_long'],
  ['braces', '{'.repeat(LONGEST), 'too_long'],
  ['typographic quotes alone', `{${'“'.repeat(20_000)}`, 'too_long'],
  ['commas and blanks', `{${', '.repeat(30_000)}}`, 'too_long'],
  ['a number beyond all', sell('"quantity":1e400'), 'invalid_type quantity'],
  ['a very large number', sell('"quantity":1e30'), 'invalid_type quantity'],
  ['a long number', sell(`"quantity":"${'9'.repeat(5_000)}"`), 'separators_in_number quantity'],
  ['a size below nothing', sell('"quantity":-5'), 'not_positive quantity'],
  ['minus nothing', sell('"quantity":-0'), 'not_positive quantity'],
  ['a hexadecimal size', sell('"quantity":"0x10"'), 'invalid_type quantity'],
  ['a size with an exponent', sell('"quantity":"1e3"'), 'invalid_type quantity'],
  ['a size with a comma for the point', sell('"quantity":"12,5"'), 'separators_in_number quantity'],
  ['a size with a sign of a currency', sell('"quantity":"$100"'), 'invalid_type quantity'],
  ['a size in other digits', sell('"quantity":"١٠"'), 'invalid_type quantity'],
  ['a size that is true', sell('"quantity":true'), 'invalid_type quantity'],
  ['a size that is a list', sell('"quantity":[10]'), 'invalid_type quantity'],
  ['a limit that is a list', sell('"quantity":1,"limitPrice":[]'), 'invalid_type limitPrice'],
  ['NaN', sell('"quantity":NaN'), 'invalid_json'],
  ['NaN as a text', sell('"quantity":"NaN"'), 'no_value quantity'],
  ['a word of another language for nothing', sell('"quantity":"undefined"'), 'no_value quantity'],
  ['an object that was made a text', sell('"quantity":"[object Object]"'), 'no_value quantity'],
  ['a placeholder', sell('"quantity":"{{strategy.order.contracts}}"'), 'unfilled_placeholder quantity'],
  ['half a placeholder', sell('"quantity":"{{close"'), 'unfilled_placeholder quantity'],
  ['a placeholder with a secret', sell(`"quantity":"{{ ${TOKEN} }}"`), 'leaked_token quantity'],
  ['a key twice', sell('"quantity":10,"quantity":1000'), 'repeated_key quantity'],
  ['a key in two cases', sell('"quantity":10,"Quantity":1000'), 'contradiction Quantity'],
  ['a stop that is a list', sell('"quantity":1,"stopLoss":[1]'), 'invalid_type stopLoss'],
  [
    'a stop below nothing',
    sell('"quantity":1,"stopLoss":{"stopPrice":-1}'),
    'not_positive stopLoss.stopPrice',
  ],
  ['a stop without a price', sell('"quantity":1,"stopLoss":{"type":"stop"}'), 'required stopLoss.stopPrice'],
  ['an access token', `{"ticker":"F","action":"exit","note":"${TOKEN}"}`, 'leaked_token note'],
  ['an end that was cut off', `{"password":"${SECRET}","ticker":"F","action":"bu`, 'invalid_json'],
  ['a form', `ticker=F&action=buy&password=${SECRET}`, 'invalid_json'],
  ['a page', `<!doctype html><p>${SECRET}</p><script>{"a":1}</script>`, 'required ticker, required action'],
  ['XML', `<order><ticker>F</ticker><key>${SECRET}</key></order>`, 'invalid_json'],
  ['YAML', `ticker: F\naction: exit\npassword: ${SECRET}`, 'invalid_json'],
  ['SQL in words', `buy 1 F'; drop table signals; -- ${SECRET}`, 'unknown_words message', 'signalstack'],
  ['a size below nothing in words', 'buy -5 F', 'not_positive quantity', 'signalstack'],
  ['a word of the language in words', 'constructor F', 'unknown_words message', 'signalstack'],
  ['a long line', `buy ${'1 '.repeat(30_000)}`, 'too_long', 'signalstack'],
  [
    'a name with control characters',
    '{"action":"exit","symbol":"F","signalId":"a\\u0007b"}',
    'custom signalId',
    'trade-relay',
  ],
  [
    'a long name',
    `{"action":"exit","symbol":"F","signalId":"${'a'.repeat(300)}"}`,
    'custom signalId',
    'trade-relay',
  ],
  [
    'objects in objects for fields',
    nested('{"strategy":', '1', 1).replace('1}', '1}}'),
    'required action',
    'tradingview',
  ],
  ['an access token in a name', `{"symbol":"F","${TOKEN}":1}`, 'leaked_token', 'json'],
]

describe('a hostile message', () => {
  for (const [what, text, faults, kind = 'traderspost'] of HOSTILE)
    it(`a hostile message that is or has ${what} (${kind}) is refused in words that repeat no secret`, () => {
      const read = readFor(kind, text)
      const words = JSON.stringify(read)
      assert.equal(faultsOf(kind, text).join(', '), faults)
      assert.ok(!words.includes(SECRET) && !words.includes(TOKEN), words)
      assert.ok(words.isWellFormed() && !words.includes('\\u0000') && !/\\ud[89a-f]/.test(words), words)
      assert.ok(words.length < 20_000, String(words.length))
    })

  for (const kind of HOOK_KINDS)
    it(`thousands of fields within one whose name is long (${kind}) are read in no time`, () => {
      for (const field of ['a', 'stop', 'timenow'])
        for (const value of [1, { timenow: '{{timenow}}' }]) {
          const fields = Object.fromEntries(
            Array.from({ length: 1_500 }, (_, at) => [`${field}${at}`, value]),
          )
          const began = performance.now()
          readFor(kind, { ticker: 'F', symbol: 'F', action: 'buy', ['x'.repeat(16_500)]: fields })
          assert.ok(performance.now() - began < 20 * MOST_MS)
        }
    })

  const PIECES = ['{{', '}}', '${', '<%', '1e9', '"ticker":', '"action":"buy"', 'buy ', 'AAPL', '```', '//']
  const piece = fc.oneof(
    fc.constantFrom(...PIECES.concat(Array.from('{}[]"“”,:\\ \u00a0\ufeff\n0-\'\ud800\u0000'))),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const text = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: LONGEST }))
    .map(([pieces, times]) => pieces.join('').repeat(times).slice(0, LONGEST))

  it('any text is read without an error, in a time that grows with its length alone', function () {
    this.timeout(120_000)
    const settings = settingsWith({ mayShort: true })
    const timed = (kind: HookKind, message: string) => {
      const began = performance.now()
      const read = readMessage(message, { kind, settings })
      return { read, took: performance.now() - began }
    }
    fc.assert(
      fc.property(fc.constantFrom(...HOOK_KINDS), text, (kind, message) => {
        const { read, took } = timed(kind, message)
        assert.ok(('faults' in read ? read.faults : read.instructions).length > 0)
        assert.ok(JSON.stringify(read).isWellFormed())
        if (took < MOST_MS) return
        // The machine may have had something else to do.
        const again = Math.min(...Array.from({ length: 5 }, () => timed(kind, message).took))
        assert.ok(again < MOST_MS, `${again} ms`)
      }),
      { numRuns: cases(2_000) },
    )
  })
})
