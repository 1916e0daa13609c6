import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mintAccessToken } from '#api/http/access-token.ts'
import { parseJsonObject } from '#api/http/body.ts'
import { ROUTES } from '#api/routes.ts'
import { policyOf } from '#test/api/support/access-policy.ts'
import { addAdministrator } from '../support/administrator.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import type { Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const { token } = mintAccessToken()
const { token: key } = mintAccessToken('dtk')

const refusalsOf = (text: string) => {
  const read = parseJsonObject(text)
  return 'faults' in read ? read.faults.map(({ code, field }) => `${code} ${field}`) : []
}

describe('an access token in a body', () => {
  it('an access token in a body is found in values and names at every depth, escaped or in the middle of other text', () => {
    const found: [body: string, at: string][] = [
      [JSON.stringify({ metadata: { apiKey: token } }), 'metadata.apiKey'],
      [JSON.stringify({ metadata: { apiKey: key } }), 'metadata.apiKey'],
      [JSON.stringify({ label: `Bearer ${token}` }), 'label'],
      [JSON.stringify({ label: `x${token}y` }), 'label'],
      [JSON.stringify({ metadata: { a: [1, { b: `https://example.test/?k=${key}&z` }] } }), 'metadata.a.1.b'],
      [JSON.stringify({ label: token }).replace('_', String.raw`\u005f`), 'label'],
      [JSON.stringify({ label: token }).replaceAll('d', String.raw`\u0064`), 'label'],
      [JSON.stringify({ metadata: { [token]: 1 } }), 'metadata'],
      [JSON.stringify({ [key]: { [token]: token } }), ''],
      [JSON.stringify({ label: `${token.slice(0, -1)} ${token}` }), 'label'],
    ]
    for (const [body, at] of found) assert.deepEqual(refusalsOf(body), [`leaked_token ${at}`], body)
  })

  it('an access token in a body is named once for each place, and never repeated', () => {
    const body = JSON.stringify({ a: token, [token]: 'x', b: { [key]: key } })
    assert.deepEqual(refusalsOf(body), ['leaked_token a', 'leaked_token ', 'leaked_token b'])
    const read = parseJsonObject(body)
    assert.ok('faults' in read && !JSON.stringify(read).includes(token.slice(3)))
  })

  it('an access token in a body differs by its checksum from text that looks alike', () => {
    const other = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    for (const text of [
      other,
      token.slice(0, 39).slice(0, -4),
      'dt_',
      `dt_${'a'.repeat(36)}`,
      token.toLowerCase(),
      'dtk_'.repeat(20),
    ])
      assert.deepEqual(refusalsOf(JSON.stringify({ label: text })), [], text)
  })

  describe('of a request', () => {
    let user: TestUser
    let person: Person
    const api = useApi()
    before(async () => {
      user = await api.addUser()
      person = await addAdministrator(api)
    })

    it('an access token in a body of a request is refused in metadata of a signal with its place and advice; nothing is stored or logged', async () => {
      const leaked = mintAccessToken().token
      for (const metadata of [{ apiKey: leaked }, { nested: { [leaked]: 1 } }]) {
        const body = { ...signalBody(user.accountId), sourceId: randomUUID(), metadata }
        const { status, body: answer } = await api.call('POST', '/api/v1/signals', {
          token: user.token,
          body: JSON.stringify(body),
        })
        assert.equal(status, 400)
        assert.equal(answer.code, 'VALIDATION_ERROR')
        assert.match(answer.details[0].message, /revoke this one/)
        assert.ok(!JSON.stringify(answer).includes(leaked))
      }
      await api.whenIdle()
      const [stored] = await api.database.em.execute<{ count: number }[]>(
        'select count(*)::int from signals where user_id = ?',
        [user.userId],
      )
      assert.equal(stored!.count, 0)
      assert.ok(!JSON.stringify(api.log).includes(leaked))
    })

    it('an access token in a body of a request is refused by every route that takes a body, in whichever field', async () => {
      const taking = ROUTES.filter(({ name, body }) => body !== undefined && name.includes(' /api/v1'))
      let judged = 0
      for (const { name } of taking) {
        const [method, template] = name.split(' ') as [string, string]
        const path = template.replaceAll(/:\w+/g, name.includes('userCode') ? 'WDJB-MJHT' : randomUUID())
        const { credentials } = policyOf(name)!
        const credential =
          credentials.length === 0 ? undefined : credentials.includes('jwt') ? person.jwt : user.token
        const body = JSON.stringify({ unheardOf: { deep: token } })
        const { status, body: answer } = await api.call(method, path, {
          ...(credential !== undefined && { token: credential }),
          body,
        })
        // A route that asks for more than a credential first has not read the body at all.
        if (status === 401 || status === 403) continue
        judged += 1
        assert.equal(status, 400, `${name}: ${status}`)
        assert.deepEqual(
          answer.details.map((detail: { code: string; field: string }) => `${detail.code} ${detail.field}`),
          ['leaked_token unheardOf.deep'],
          name,
        )
      }
      assert.ok(judged > 30, `${judged} routes`)
    })
  })
})
