import { parseJsonObject } from '#api/http/body.ts'
import assert from 'node:assert/strict'
import fc from 'fast-check'

/** As long as a body may be. */
const LONGEST = 64 * 1024

const faultsOf = (text: string) => {
  const read = parseJsonObject(text)
  return 'faults' in read ? read.faults : []
}

/** What stands next to mistakes: it is repeated by no answer. */
const SECRET = 'hunter2'

describe('JSON that cannot be read', () => {
  for (const [what, text, place, cause] of [
    ['an empty body', '', [1, 1], /empty/],
    ['a bare NaN', '{\n  "quantity": NaN\n}', [2, 15], /NaN.*Leave the field out/],
    ['a bare Infinity', '{"quantity":-Infinity}', [1, 13], /Infinity/],
    ['a bare None', '{"a":None}', [1, 6], /no value here/],
    ['a bare undefined', '{"a":undefined}', [1, 6], /no value here/],
    ['True in capitals', '{"a":True}', [1, 6], /small letters/],
    ['a value that became empty', '{"quantity":,"a":1}', [1, 13], /a value is missing/],
    ['a comma at the end of an object', '{"a":1,\n}', [2, 1], /a comma before a closing bracket/],
    ['a comma at the end of a list', '{"a":[1,]}', [1, 9], /a comma before a closing bracket/],
    ['two commas', '{"a":1,,"b":2}', [1, 8], /a comma too many/],
    ['a missing comma', '{"a":1\n"b":2}', [2, 1], /a comma is missing/],
    ['a missing colon', '{"a" 1}', [1, 6], /a colon is missing/],
    ['single quotes', `{'a':'${SECRET}'}`, [1, 2], /a single quote/],
    ['typographic quotes', `{“a”:“${SECRET}”}`, [1, 2], /a typographic quote/],
    ['a typographic quote at a value', `{"a":„${SECRET}“}`, [1, 6], /a typographic quote/],
    ['a line break in a text', `{"a":"${SECRET}\n${SECRET}"}`, [1, 6], /a line break/],
    ['a tab in a text', `{"a":"${SECRET}\t"}`, [1, 6], /a tab/],
    ['a double quote in a text', `{"a":"say "${SECRET}" there"}`, [1, 12], /a double quote within a text/],
    ['a backslash in a text', `{"a":"C:\\${SECRET}"}`, [1, 6], /a backslash/],
    ['a placeholder without quotes', '{"quantity": {{strategy.order.contracts}}}', [1, 14], /a placeholder/],
    ['a placeholder of a script without quotes', '{"quantity": ${quantity}}', [1, 14], /a placeholder/],
    ['a comment to the end of the line', `{"a":1 // ${SECRET}\n}`, [1, 8], /a comment/],
    ['a comment between', `{"a":1 /* ${SECRET} */}`, [1, 8], /a comment/],
    ['a comment of Python', `{ # ${SECRET}\n"a":1}`, [1, 3], /a comment/],
    ['an object that is cut off', '{"a":1', [1, 7], /ends too early/],
    ['a text that is cut off', `{"a":"${SECRET}`, [1, 6], /does not end/],
    ['a byte order mark', '\ufeff{"a":1}', [1, 1], /a byte order mark/],
    ['a blank that does not break', '{"a":\u00a01}', [1, 6], /an invisible character/],
    ['text before it', `${SECRET} {"a":1}`, [1, 1], /something comes before/],
    ['a fence around it', '```json\n{"a":1}\n```', [1, 1], /something comes before/],
    ['a form', `a=1&b=${SECRET}`, [1, 1], /something comes before/],
    ['text after it', `{"a":1} ${SECRET}`, [1, 9], /something comes after/],
    ['a bracket after it', '{"a":1}}', [1, 8], /something comes after/],
    ['two objects', '{"a":1}{"b":2}', [1, 8], /something comes after/],
    ['a name without quotes', '{a:1}', [1, 2], /has no double quotes/],
    ['a text without quotes', `{"a":${SECRET}}`, [1, 6], /has no double quotes/],
    ['a comma within a number', '{"a":1,000}', [1, 8], /a comma within a number/],
    ['a number with a leading zero', '{"a":01}', [1, 7], /a number that JSON does not allow/],
    ['a number with a leading point', '{"a":.5}', [1, 6], /a number that JSON does not allow/],
    ['a number with a plus sign', '{"a":+5}', [1, 6], /a number that JSON does not allow/],
  ] as const)
    it(`JSON that cannot be read is reported with its place and its cause: ${what}`, () => {
      const [fault, ...others] = faultsOf(text)
      assert.deepEqual([fault?.code, others], ['invalid_json', []])
      const [line, column] = place
      assert.ok(
        fault!.message.startsWith(`The body is not valid JSON: line ${line}, column ${column}: `),
        fault!.message,
      )
      assert.match(fault!.message, cause)
      assert.doesNotMatch(fault!.message, /hunter/)
    })

  it('JSON that cannot be read differs from JSON that is no object, whose kind is reported', () => {
    const told = (text: string) => faultsOf(text).map(({ code, message }) => `${code}: ${message}`)
    assert.deepEqual(told('null'), ['invalid_type: The body must be a JSON object'])
    assert.match(told('[{"a":1}]')[0]!, /^invalid_type.*list/)
    assert.match(told(JSON.stringify('{"a":1}'))[0]!, /^invalid_type.*a text with JSON in it/)
  })

  it('repeats nothing of its text, wherever that is broken', () => {
    const text = JSON.stringify({ [SECRET]: SECRET, a: [SECRET, { b: SECRET }] }, null, 1)
    const breaks = fc.tuple(
      fc.nat(text.length),
      fc.nat(3),
      fc.constantFrom('', '"', "'", '{', '}', ',', ':', '\\', '\n', 'NaN', '//', '{{', '\u0000', '“'),
    )
    fc.assert(
      fc.property(breaks, ([at, length, put]) => {
        const [fault] = faultsOf(text.slice(0, at) + put + text.slice(at + length))
        if (fault?.code === 'invalid_json') assert.doesNotMatch(fault.message, /unter|hunt/)
      }),
    )
  })
})

describe('a key that occurs twice', () => {
  for (const [text, field] of [
    ['{"quantity":10,"quantity":1000}', 'quantity'],
    ['{"quantity":10,"quantity":10}', 'quantity'],
    ['{"quantity":10,"\\u0071uantity":1000}', 'quantity'],
    ['{"metadata":{"a":[0,{"x":1,"x":2}]}}', 'metadata.a.1.x'],
    ['{"":1,"":2}', ''],
  ])
    it(`a key that occurs twice is a fault of its field: ${text}`, () => {
      const [fault, ...others] = faultsOf(text!)
      assert.deepEqual([fault?.code, fault?.field, others], ['repeated_key', field, []])
      assert.match(fault!.message, /is there twice.*line 1, column \d+/)
    })

  it('a key that occurs twice is reported with the other faults of the structure, and its name holds no token', () => {
    const faults = faultsOf('{"__proto__":1,"__proto__":2,"dt_0123456789abc":1,"dt_0123456789abc":2}')
    assert.deepEqual(
      faults.map(({ code, field }) => `${code} ${field}`),
      ['repeated_key __proto__', 'repeated_key dt_[redacted]', 'forbidden_key __proto__'],
    )
  })

  it('a key that occurs twice is none where two objects have one key each, or a text looks like one', () => {
    for (const text of [
      '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}],"x":1}',
      '{"a":"\\"a\\":1,","b":"a"}',
    ])
      assert.deepEqual(faultsOf(text), [], text)
  })
})

describe('the reader of JSON', () => {
  /** JSON as programs write it, with keys that repeat now and then and mistakes here and there. */
  const written = fc
    .tuple(
      fc.jsonValue({ maxDepth: 4 }),
      fc.nat(2),
      fc.option(fc.tuple(fc.nat(), fc.nat(2), fc.string({ unit: 'binary', maxLength: 3 }))),
    )
    .map(([value, indent, broken]) => {
      const text = JSON.stringify({ value }, null, indent)
      if (broken === null) return text
      const [where, length, put] = broken
      const at = where % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + length)
    })

  it('reads what JSON.parse reads, as the same, and nothing else', () => {
    fc.assert(
      fc.property(written, (text) => {
        const read = parseJsonObject(text)
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          assert.ok('faults' in read && read.faults[0]?.code === 'invalid_json')
          return
        }
        if ('body' in read) assert.deepEqual(read.body, value)
        else assert.ok(read.faults.every(({ code }) => code !== 'invalid_json'))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds a repeated key wherever there is one, and none else', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', '"', '\\', 'é')
    const { object } = fc.letrec<{ object: Node; value: Node | null }>((tie) => ({
      object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }),
      value: fc.option(tie('object'), { depthSize: 'small', maxDepth: 4 }),
    }))
    fc.assert(
      fc.property(object, (node) => {
        const codes = new Set(faultsOf(textOf(node)).map(({ code }) => code))
        assert.deepEqual([...codes], repeats(node) ? ['repeated_key'] : [])
      }),
    )
  })

  it('takes 64 KiB of anything in a few milliseconds', () => {
    const filled = (text: string) => text.repeat(Math.floor(LONGEST / text.length))
    for (const text of [
      '[',
      '{"a":',
      '{"a":[',
      '"',
      '\\',
      '{',
      '}',
      ' ',
      '\n',
      '/*',
      '//',
      'NaN',
      '{{',
      '0',
      '\u00a0',
      '"a",',
      '1,',
      '{},',
    ].map(filled)) {
      fastest(text)
      fastest(`{"a":${text}`)
      fastest(`{"a":"${text}`)
      fastest(`{"a":[${text}`)
    }
    fastest(`{${filled('"a":1,').slice(12)}"a":1}`)
    fastest(`{"a":"${'\\\\'.repeat(32_000)}"}`)
    fastest(
      JSON.stringify({ a: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`key${i}`, i])) }),
    )
  })
})

type Node = [string, Node | null][]
const textOf = (node: Node): string =>
  `{${node.map(([key, inner]) => `${JSON.stringify(key)}:${inner === null ? '1' : textOf(inner)}`).join(',')}}`
const repeats = (node: Node): boolean =>
  new Set(node.map(([key]) => key)).size < node.length ||
  node.some(([, inner]) => inner !== null && repeats(inner))

/** Milliseconds, with room for a slow machine: each of these bodies takes less than ten. */
const LIMIT = 50

/** Holds the fastest of several tries to the limit: the first is not compiled yet, and other work takes the processor from some. */
function fastest(text: string): void {
  let best = Infinity
  for (let time = 0; time < 8 && best > LIMIT; time += 1) {
    const began = performance.now()
    parseJsonObject(text)
    best = Math.min(best, performance.now() - began)
  }
  assert.ok(best <= LIMIT, `${best} ms for ${text.slice(0, 20)}`)
}
