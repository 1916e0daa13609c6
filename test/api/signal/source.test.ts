import assert from 'node:assert/strict'
import fc from 'fast-check'
import { mintAccessToken } from '#api/http/access-token.ts'
import { withoutSecrets } from '#api/signal/new-signal.ts'

describe('a body without its secrets', () => {
  for (const [text, kept] of [
    ['{"password":"a\\"b"}', '{"password":"[redacted]"}'],
    ['{"brokerApiKey" : "x", "a": 1}', '{"brokerApiKey" : "[redacted]", "a": 1}'],
    ['{"credentials":{"a":["}",{}],"b":"x"},"c":1}', '{"credentials":"[redacted]","c":1}'],
    ['{"secrets":["a]","b",["c"]],"c":1}', '{"secrets":"[redacted]","c":1}'],
    ['{"p\\u0061ssword":"x"}', '{"p\\u0061ssword":"[redacted]"}'],
    ['{"token":"a","token":"b"}', '{"token":"[redacted]","token":"[redacted]"}'],
    ['{"note":"use dt_0123456789abc"}', '{"note":"use dt_[redacted]"}'],
    ['{"note":"dt\\u005f0123456789abc\\n"}', '{"note":"dt_[redacted]\\n"}'],
    ['{"a":"{\\"b\\":\\"dt_0123456789abc\\"}"}', '{"a":"{\\"b\\":\\"dt_[redacted]\\"}"}'],
    [`{"a":1${' '.repeat(40_000)}}`, `{"a":1${' '.repeat(256)}}`],
    [
      `{"token"${'\n'.repeat(999)}:${'\t'.repeat(999)}1}`,
      `{"token"${'\n'.repeat(256)}:${'\t'.repeat(256)}"[redacted]"}`,
    ],
  ] as const)
    it(`hides what is secret in ${JSON.stringify(text).slice(0, 60)}`, () =>
      assert.equal(withoutSecrets(text), kept))

  for (const text of [
    '{"note":"no password","list":["token","x"]}',
    '{"token":null,"secret": false,"passwords":true}',
    '{"note":"dt_4nQ8s is the one"}',
    '{ "symbol" :\t"A\\u0041PL\\/" , "quantity" : 1.50e+1 }\r\n',
    '{"symbol":"KEY","quantity":3}',
  ] as const)
    it(`keeps ${JSON.stringify(text)} as it was written`, () => assert.equal(withoutSecrets(text), text))

  it('stays JSON of the same shape, and shows no token, with any content', () => {
    const { token } = mintAccessToken()
    const written = fc.tuple(fc.json({ maxDepth: 4 }), fc.boolean()).map(([json, isSpread]) => {
      const text = JSON.stringify({ before: JSON.parse(json) as unknown, note: token, apiKey: json })
      return isSpread ? JSON.stringify(JSON.parse(text), null, 2) : text
    })
    fc.assert(
      fc.property(written, (text) => {
        const kept = withoutSecrets(text)
        const { before, note, apiKey } = JSON.parse(kept) as Record<string, unknown>
        assert.deepEqual([note, apiKey], ['dt_[redacted]', '[redacted]'])
        const read = JSON.parse(text) as Record<string, unknown>
        if (!SECRET_NAME.test(JSON.stringify(read['before']))) assert.deepEqual(before, read['before'])
      }),
    )
  })
})

/** What a text has that may be taken for a secret, roughly. */
const SECRET_NAME =
  /tok|sec|pas|pwd|cred|auth|key|bea|jwt|sig|hmac|coo|sess|seed|lic|pin|pw|psk|otp|@|basic|eyj|---|dt[kh]?_/i
