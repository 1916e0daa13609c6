import assert from 'node:assert/strict'
import { safeText } from '#api/hooks/dialects/read-text.ts'
import { isSecretName } from '#api/http/validation/secrets.ts'
import { withoutSecrets } from '#api/signals/source.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'

const SECRET = 'pLaNtEd-7f3a9c'

// prettier-ignore
const NAMES = [
  'password', 'passwd', 'pwd', 'pass', 'passphrase', 'passcode', 'pin', 'pw', 'psk', 'otp', 'auth',
  'token', 'access_token', 'refreshToken', 'X-Auth-Token', 'bearer', 'jwt', 'cookie', 'sessionId',
  'secret', 'clientSecret', 'credentials', 'signature', 'sig', 'X-Amz-Signature', 'hmac', 'license',
  'key', 'api_key', 'api-key', 'apikey', 'APIKey', 'access_key', 'private_key', 'privateKey', 'signingKey',
  'webhook_key', 'authorization', 'Authorization',
]

const escaped = (name: string): string =>
  `${name.slice(0, 1)}\\u${name.charCodeAt(1).toString(16).padStart(4, '0')}${name.slice(2)}`
const TRADE = '"ticker":"AAPL","action":"buy","quantity":"1"'

/** Texts with a secret under a name. */
const FORMS: readonly [form: string, write: (name: string, secret: string) => string][] = [
  ['sound JSON', (name, secret) => `{${TRADE},"${name}":"${secret}"}`],
  ['JSON with an object', (name, secret) => `{${TRADE},"${name}":{"k":["${secret}"]}}`],
  ['JSON, deep inside', (name, secret) => `{${TRADE},"strategy":{"more":[{"${name}":"${secret}"}]}}`],
  ['a list', (name, secret) => `[{${TRADE},"${name}":"${secret}"}]`],
  ['a list with a comma too many', (name, secret) => `[{${TRADE},"${name}":"${secret}"},]`],
  ['JSON with a comma too many', (name, secret) => `{${TRADE},"${name}":"${secret}",}`],
  ['JSON with an object and a comma too many', (name, secret) => `{${TRADE},"${name}":{"k":"${secret}"},}`],
  ['guillemets', (name, secret) => `{${TRADE},«${name}»: «${secret}»}`],
  ['guillemets around the name alone', (name, secret) => `{${TRADE},«${name}»: "${secret}"}`],
  ['smart quotes', (name, secret) => `{${TRADE},“${name}”: “${secret}”}`],
  ['smart quotes and an object', (name, secret) => `{${TRADE},“${name}”: {“k”: “${secret}”}}`],
  ['escapes', (name, secret) => `{${TRADE},"${escaped(name)}":"${secret}"}`],
  ['escapes beside smart quotes', (name, secret) => `{${TRADE},“a”:“b”,"${escaped(name)}":"${secret}"}`],
  ['escapes in smart quotes', (name, secret) => `{${TRADE},“${escaped(name)}”:“${secret}”}`],
  ['JSON in a text', (name, secret) => JSON.stringify(`{${TRADE},"${name}":"${secret}"}`)],
  ['mended JSON in a text', (name, secret) => JSON.stringify(`{${TRADE},“${name}”:“${secret}”,}`)],
  ['JSON in a field', (name, secret) => `{${TRADE},"note":${JSON.stringify(`{"${name}":"${secret}"}`)}}`],
  [
    'JSON in a field of JSON in a field',
    (name, secret) =>
      `{${TRADE},"note":${JSON.stringify(JSON.stringify({ inner: JSON.stringify({ [name]: secret }) }))}}`,
  ],
  [
    'JSON with a comma too many in a field',
    (name, secret) => `{${TRADE},"note":${JSON.stringify(`{"${escaped(name)}":"${secret}",}`)},}`,
  ],
  ['a sentence before the object', (name, secret) => `${name}=${secret} {${TRADE}}`],
  ['a sentence behind the object', (name, secret) => `{${TRADE}} "${name}": "${secret}"`],
  ['broken JSON', (name, secret) => `{${TRADE} "${name}":"${secret}"`],
  ['broken JSON with a line break in the secret', (name, secret) => `{${TRADE} "${name}":"a\n${secret}"}`],
  ['broken JSON with a list', (name, secret) => `{${TRADE} "${name}":["a","${secret}"]`],
  ['broken JSON with escapes', (name, secret) => `{${TRADE} "${escaped(name)}" : "${secret}"`],
  ['broken JSON in smart quotes', (name, secret) => `{${TRADE} “${name}”: “${secret}” “a”`],
  ['single quotes', (name, secret) => `{'ticker':'AAPL','${name}':'${secret}'}`],
  ['lines', (name, secret) => `ticker=AAPL\n${name}=${secret}\naction=buy`],
  ['lines with colons', (name, secret) => `ticker: AAPL\n${name}: ${secret}\naction: buy`],
  ['words', (name, secret) => `buy 1 AAPL ${name}=${secret}`],
  ['words with quotes', (name, secret) => `buy 1 AAPL ${name} = "${secret}"`],
  ['a form', (name, secret) => `ticker=AAPL&${name}=${secret}&action=buy`],
  ['an address', (name, secret) => `{${TRADE},"url":"https://example.com/a?b=1&${name}=${secret}#top"}`],
  [
    'an address in metadata',
    (name, secret) => `{${TRADE},"metadata":{"url":"https://a.example/?x=1&${name}=${secret}"}}`,
  ],
  ['a text in a field', (name, secret) => `{${TRADE},"comment":"by ${name}: ${secret}"}`],
]

/** Secrets that are known without a name. */
const NAMELESS: readonly [what: string, text: string][] = [
  ['a bearer in a field', `{${TRADE},"header":"Bearer ${SECRET}"}`],
  ['a header in a field', `{${TRADE},"headers":"Authorization: Bearer ${SECRET}"}`],
  ['a header in a line', `buy 1 AAPL\nAuthorization: Bearer ${SECRET}`],
  ['a header in a list', `{${TRADE},"headers":["Authorization: Basic ${SECRET}"]}`],
  ['a header with a comma too many', `{${TRADE},"headers":"authorization:bearer ${SECRET}",}`],
  ['a user in an address', `{${TRADE},"url":"https://u:${SECRET}@example.com/a"}`],
  ['a user without a password in an address', `{${TRADE},"url":"https://${SECRET}@example.com/a"}`],
  ['a user in an address in a line', `see https://u:${SECRET}@example.com/a`],
  [
    'a user in an address whose slashes are escaped',
    `{${TRADE},"url":"https:\\/\\/u:${SECRET}@example.com",}`,
  ],
  [
    'a key in several lines',
    `{${TRADE},"text":"-----BEGIN RSA PRIVATE KEY-----\\n${SECRET}\\n-----END RSA PRIVATE KEY-----"}`,
  ],
  ['a JWT', `{${TRADE},"text":"eyJhbGciOiJIUzI1NiJ9.${SECRET}.abc"}`],
  ['an address as a name', `{${TRADE},"https://u:${SECRET}@example.com":1}`],
]

/** As a sender writes them, and what is kept as it is. */
const KEPT: readonly string[] = [
  `{"symbol":"KEY","exchange":"NYSE:KEY"}`,
  `{"ticker":"NYSE:KEY","action":"buy","price":"10.5","idempotencyKey":"a"}`,
  `{"metadata":{"key":"RSI","value":30,"pin":"bullish","note":"key: a level"}}`,
  `{"url":"https://www.tradingview.com/chart/?symbol=NASDAQ:AAPL","time":"2026-03-02T15:00:00Z"}`,
  `{"password":null,"token":false,"key":true}`,
  `{"comment":"basic materials, bullish; keyword: gap, monkey=1"}`,
  'buy 10 AAPL at 187.5 limit',
  'buy 10 NYSE:KEY',
]

describe('secrets that senders put into messages', function () {
  this.timeout(120_000)

  for (const [form, write] of FORMS)
    it(`a message keeps no secret under any name: ${form}`, () => {
      for (const name of NAMES) {
        const text = write(name, SECRET)
        const { body } = safeText(text)
        const isMeantForNotes = form.includes('metadata') && !isSecretName(name, 'notes')
        if (!isMeantForNotes) assert.ok(!body.includes(SECRET), `${text}\n${body}`)
        // What is kept is kept so when it comes again.
        assert.equal(safeText(body).body, body)
      }
    })

  for (const [what, text] of NAMELESS)
    it(`a message keeps no secret without a name: ${what}`, () => {
      const { body } = safeText(text)
      assert.ok(!body.includes(SECRET), body)
      assert.match(body, /AAPL|see/)
    })

  for (const text of KEPT)
    it(`a message is kept as it is where there is no secret: ${text}`, () => {
      assert.equal(safeText(text).body, text)
    })

  it('the body of a signal and the message of a hook are kept by the same rule', () => {
    for (const name of NAMES) {
      const text = `{${TRADE},"${name}":"${SECRET}","comment":"${name}=${SECRET}"}`
      assert.equal(withoutSecrets(text), safeText(text).body)
    }
  })

  it('what stands beside a secret in words stays', () => {
    assert.equal(safeText('buy 1 AAPL token=abc at 5').body, 'buy 1 AAPL token=[redacted] at 5')
    assert.equal(safeText(`{${TRADE},"key":"a",}`).body, `{${TRADE},"key":"[redacted]" }`)
  })

  describe('in the database', () => {
    const api = useApi()
    let hook: TestHook

    async function tablesWithSecret(): Promise<string[]> {
      const em = api.database.em.fork()
      const tables = await em.execute<{ name: string }[]>(
        `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      )
      const found: string[] = []
      for (const { name } of tables) {
        const [{ n }] = (await em.execute(
          `select count(*)::int as n from "${name}" t where t::text like '%${SECRET}%'`,
        )) as [{ n: number }]
        if (n > 0) found.push(name)
      }
      return found
    }

    it('no table holds a secret that stood in a message of a hook, however it was written', async () => {
      hook = await addHook(api, { executeMode: 'pending', requestsPerMinute: 600 })
      for (const [, write] of FORMS) await hook.send(write('private_key', SECRET))
      for (const [, text] of NAMELESS) await hook.send(text)
      await api.whenIdle()
      assert.ok((await hook.requests()).length > 20)
      assert.ok((await hook.signals()).length > 0)
      assert.deepEqual(await tablesWithSecret(), [])
    })

    it('no table holds a secret that stood in the body of a signal', async () => {
      hook = await addHook(api)
      const { status, body } = await hook.owner.call('POST', '/signals', {
        symbol: 'AAPL',
        action: 'openLong',
        quantity: '1',
        executeMode: 'pending',
        accountId: hook.accountIds[0],
        metadata: {
          ...Object.fromEntries(
            NAMES.filter((name) => isSecretName(name, 'notes')).map((name) => [name, SECRET]),
          ),
          url: `https://u:${SECRET}@example.com/?token=${SECRET}`,
          note: JSON.stringify({ pwd: SECRET, header: `Bearer ${SECRET}` }),
        },
      })
      assert.equal(status, 201, JSON.stringify(body))
      assert.deepEqual(await tablesWithSecret(), [])
    })
  })
})
