import assert from 'node:assert/strict'
import { safeText } from '#api/hook/dialects/read.ts'
import { isSecretName } from '#contract/values/secrets.ts'
import { withoutSecrets } from '#api/signal/new-signal.ts'
import { signalBody } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'

const SECRET = 'pLaNtEd-7f3a9c'

const NAMES = (
  'password passwd pwd pass passphrase passcode pin pw psk otp auth token access_token refreshToken ' +
  'X-Auth-Token bearer jwt cookie sessionId secret clientSecret credentials signature sig ' +
  'X-Amz-Signature hmac license key api_key api-key apikey APIKey access_key private_key privateKey ' +
  'signingKey webhook_key authorization Authorization'
).split(' ')

const escaped = (name: string): string =>
  `${name.slice(0, 1)}\\u${name.charCodeAt(1).toString(16).padStart(4, '0')}${name.slice(2)}`
const TRADE = '"ticker":"AAPL","action":"buy","quantity":"1"'

/** Texts with a secret under a name. */
const FORMS: readonly [form: string, write: (name: string) => string][] = [
  ['sound JSON', (name) => `{${TRADE},"${name}":"${SECRET}"}`],
  ['JSON with an object', (name) => `{${TRADE},"${name}":{"k":["${SECRET}"]}}`],
  ['JSON, deep inside', (name) => `{${TRADE},"strategy":{"more":[{"${name}":"${SECRET}"}]}}`],
  ['a list', (name) => `[{${TRADE},"${name}":"${SECRET}"}]`],
  ['a list with a comma too many', (name) => `[{${TRADE},"${name}":"${SECRET}"},]`],
  ['JSON with a comma too many', (name) => `{${TRADE},"${name}":"${SECRET}",}`],
  ['JSON with an object and a comma too many', (name) => `{${TRADE},"${name}":{"k":"${SECRET}"},}`],
  ['guillemets', (name) => `{${TRADE},«${name}»: «${SECRET}»}`],
  ['guillemets around the name alone', (name) => `{${TRADE},«${name}»: "${SECRET}"}`],
  ['smart quotes', (name) => `{${TRADE},“${name}”: “${SECRET}”}`],
  ['smart quotes and an object', (name) => `{${TRADE},“${name}”: {“k”: “${SECRET}”}}`],
  ['escapes', (name) => `{${TRADE},"${escaped(name)}":"${SECRET}"}`],
  ['escapes beside smart quotes', (name) => `{${TRADE},“a”:“b”,"${escaped(name)}":"${SECRET}"}`],
  ['escapes in smart quotes', (name) => `{${TRADE},“${escaped(name)}”:“${SECRET}”}`],
  ['JSON in a text', (name) => JSON.stringify(`{${TRADE},"${name}":"${SECRET}"}`)],
  ['mended JSON in a text', (name) => JSON.stringify(`{${TRADE},“${name}”:“${SECRET}”,}`)],
  ['JSON in a field', (name) => `{${TRADE},"note":${JSON.stringify(`{"${name}":"${SECRET}"}`)}}`],
  [
    'JSON in a field of JSON in a field',
    (name) =>
      `{${TRADE},"note":${JSON.stringify(JSON.stringify({ inner: JSON.stringify({ [name]: SECRET }) }))}}`,
  ],
  [
    'JSON with a comma too many in a field',
    (name) => `{${TRADE},"note":${JSON.stringify(`{"${escaped(name)}":"${SECRET}",}`)},}`,
  ],
  ['a sentence before the object', (name) => `${name}=${SECRET} {${TRADE}}`],
  ['a sentence behind the object', (name) => `{${TRADE}} "${name}": "${SECRET}"`],
  ['broken JSON', (name) => `{${TRADE} "${name}":"${SECRET}"`],
  ['broken JSON with a line break in the secret', (name) => `{${TRADE} "${name}":"a\n${SECRET}"}`],
  ['broken JSON with a list', (name) => `{${TRADE} "${name}":["a","${SECRET}"]`],
  ['broken JSON with escapes', (name) => `{${TRADE} "${escaped(name)}" : "${SECRET}"`],
  ['broken JSON in smart quotes', (name) => `{${TRADE} “${name}”: “${SECRET}” “a”`],
  ['single quotes', (name) => `{'ticker':'AAPL','${name}':'${SECRET}'}`],
  ['lines', (name) => `ticker=AAPL\n${name}=${SECRET}\naction=buy`],
  ['lines with colons', (name) => `ticker: AAPL\n${name}: ${SECRET}\naction: buy`],
  ['words', (name) => `buy 1 AAPL ${name}=${SECRET}`],
  ['words with quotes', (name) => `buy 1 AAPL ${name} = "${SECRET}"`],
  ['a form', (name) => `ticker=AAPL&${name}=${SECRET}&action=buy`],
  ['an address', (name) => `{${TRADE},"url":"https://example.com/a?b=1&${name}=${SECRET}#top"}`],
  [
    'an address in metadata',
    (name) => `{${TRADE},"metadata":{"url":"https://a.example/?x=1&${name}=${SECRET}"}}`,
  ],
  ['a text in a field', (name) => `{${TRADE},"comment":"by ${name}: ${SECRET}"}`],
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
        const text = write(name)
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

  it('the text beside a secret in words stays', () => {
    assert.equal(safeText('buy 1 AAPL token=abc at 5').body, 'buy 1 AAPL token=[redacted] at 5')
    assert.equal(safeText(`{${TRADE},"key":"a",}`).body, `{${TRADE},"key":"[redacted]" }`)
  })

  describe('in the database', () => {
    const api = useApi()
    let hook: TestHook

    /** The log holds it no more than they do. */
    async function tablesWith(secret = SECRET): Promise<string[]> {
      const em = api.database.em.fork()
      const tables = await em.execute<{ name: string }[]>(
        `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      )
      const found: string[] = []
      for (const { name } of tables) {
        const [row] = await em.execute<object[]>(`select from "${name}" t where t::text like ? limit 1`, [
          `%${secret}%`,
        ])
        if (row) found.push(name)
      }
      assert.doesNotMatch(JSON.stringify(api.log), new RegExp(secret))
      return found
    }

    it('no table holds a secret of a message of a hook, in any spelling', async () => {
      hook = await addHook(api, { executeMode: 'pending', requestsPerMinute: 600 })
      for (const [, write] of FORMS) await hook.send(write('private_key'))
      for (const [, text] of NAMELESS) await hook.send(text)
      await hook.send(`{${TRADE},"token":"${hook.secret}","comment":"see ${hook.secret}"}`)
      await api.whenIdle()
      assert.deepEqual(await tablesWith(hook.secret), [])
      assert.ok((await hook.requests()).length > 20)
      assert.ok((await hook.signals()).length > 0)
      assert.deepEqual(await tablesWith(), [])
    })

    it('no table holds a secret of the body of a signal', async () => {
      hook = await addHook(api)
      const names = NAMES.filter((name) => isSecretName(name, 'notes')).map((name) => [name, SECRET])
      const url = `https://u:${SECRET}@example.com/?token=${SECRET}`
      const note = JSON.stringify({ pwd: SECRET, header: `Bearer ${SECRET}` })
      const metadata = { ...(Object.fromEntries(names) as object), url, note }
      const trade = signalBody(hook.accountIds[0]!, { executeMode: 'pending', metadata })
      const { status, body } = await hook.owner.call('POST', '/signals', trade)
      assert.equal(status, 201, JSON.stringify(body))
      assert.deepEqual(await tablesWith(), [])
    })
  })
})
