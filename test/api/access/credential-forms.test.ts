import assert from 'node:assert/strict'
import { mintAccessToken } from '#api/http/access-token.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const { token } = mintAccessToken()
const { token: key } = mintAccessToken('dtk')
const authorization = (text: string) => ({ headers: { Authorization: text } })
const apiKey = (text: string) => ({ headers: { 'X-API-Key': text } })

/** What is sent, the code of the answer, and what the sender is told. */
const FORMS: Record<string, [{ headers?: Record<string, string>; query?: string }, string, RegExp]> = {
  'no credential': [{}, 'UNAUTHENTICATED', /carries no credential.*in the body is not read/],
  'a token without Bearer': [authorization(token), 'UNAUTHENTICATED', /does not begin with Bearer/],
  'Bearer twice': [authorization(`Bearer Bearer ${token}`), 'UNAUTHENTICATED', /says Bearer twice/],
  'Bearer alone': [authorization('Bearer'), 'UNAUTHENTICATED', /no access token behind Bearer/],
  'a colon behind Bearer': [authorization(`Bearer: ${token}`), 'UNAUTHENTICATED', /colon behind Bearer/],
  'a token in quotes': [authorization(`Bearer "${token}"`), 'UNAUTHENTICATED', /quote/],
  'a header in quotes': [authorization(`"Bearer ${token}"`), 'UNAUTHENTICATED', /quote/],
  'a blank within the token': [
    authorization(`Bearer ${token.slice(0, 9)} ${token.slice(9)}`),
    'UNAUTHENTICATED',
    /more than one word/,
  ],
  'the scheme Token': [
    authorization(`Token ${token}`),
    'UNAUTHENTICATED',
    /says Token in the place of Bearer/,
  ],
  'the scheme Basic': [
    authorization(`Basic ${token}`),
    'UNAUTHENTICATED',
    /says Basic in the place of Bearer/,
  ],
  'half a token': [authorization(`Bearer ${token.slice(0, 20)}`), 'UNAUTHENTICATED', /cut off/],
  'a token with a comma behind it': [authorization(`Bearer ${token},`), 'UNAUTHENTICATED', /copy it again/],
  'an API key as a token': [authorization(`Bearer ${key}`), 'UNAUTHENTICATED', /send it as X-API-Key/],
  'a placeholder': [authorization('Bearer {{token}}'), 'UNAUTHENTICATED', /never replaced/],
  'a token in another header': [
    { headers: { 'X-Auth-Token': token } },
    'UNAUTHENTICATED',
    /a header that is not read here/,
  ],
  'a token as an API key': [apiKey(token), 'INVALID_API_KEY', /access token \(dt_\) is where API keys/],
  'Bearer before an API key': [apiKey(`Bearer ${key}`), 'INVALID_API_KEY', /begins with Bearer/],
  'an API key in quotes': [apiKey(`'${key}'`), 'INVALID_API_KEY', /quote/],
  '?apikey=': [{ query: `apikey=${key}` }, 'UNAUTHENTICATED', /parameter of the address.*as apiKey/],
  '?token=': [{ query: `token=${token}` }, 'UNAUTHENTICATED', /parameter of the address/],
  'a token as apiKey in the query': [
    { query: `apiKey=${token}` },
    'INVALID_API_KEY',
    /access token \(dt_\).*the query/,
  ],
  'a line feed at the end of a key': [{ query: `apiKey=${key}%0A` }, 'INVALID_API_KEY', /line break/],
  'a blank at the end of a key': [{ query: `apiKey=${key}%20` }, 'INVALID_API_KEY', /a blank/],
}

describe('a credential in another form', () => {
  let user: TestUser
  const api = useApi()
  before(async () => {
    user = await api.addUser()
  })

  const post = (query: string | undefined, headers: Record<string, string> = {}) =>
    api.call('POST', `/api/v1/signals${query === undefined ? '' : `?${query}`}`, {
      headers,
      body: signalBody(user.accountId),
    })

  for (const [name, [{ headers, query }, code, words]] of Object.entries(FORMS))
    it(`a credential in another form is named, and not repeated: ${name}`, async () => {
      const { status, body } = await post(query, headers)
      assert.deepEqual([status, body.code], [401, code])
      assert.match(body.error, words)
      for (const secret of [token, key]) {
        assert.equal(JSON.stringify(body).includes(secret.slice(4, 12)), false)
        assert.equal(JSON.stringify(api.log).includes(secret.slice(4, 12)), false)
      }
    })

  it('a credential in another form has one answer for every owner or none, and a right form reveals nothing', async () => {
    const error = async (text: string) => (await post(undefined, authorization(text).headers)).body.error
    assert.equal(await error(`Token ${user.token}`), await error(`Token ${token}`))
    const revoked = await user.mint({ revokedAt: new Date() })
    assert.equal(await error(`Bearer ${revoked}`), await error(`Bearer ${token}`))
    assert.equal(await error(`Bearer ${token}`), 'The credential is missing, invalid or expired')
  })

  it('a credential in another form of a token says in a GET as well which form is read', async () => {
    const { body } = await api.call('GET', `/api/v1/orders?apiKey=${key}`)
    assert.match(body.message, /No API key is taken from the query here/)
  })
})
