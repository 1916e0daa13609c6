import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answer } from '../support/api-server.ts'
import { addPerson, enableSecondFactor, PASSWORD, signIn, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

describe('a device', () => {
  const api = useApi()

  const desktop = (body: Record<string, unknown>) =>
    api.call('POST', '/api/v1/auth/desktop-login', { body: { deviceName: 'Desk', ...body } })

  describe('that signs in by password', () => {
    it('gets a token that reads, on any plan, and counts for none', async () => {
      const person = await addPerson(api, { plan: 'FREE' })
      const { status, body } = await desktop({ email: person.email, password: PASSWORD })
      assert.equal(status, 200)
      const { token } = body.data
      assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
      assert.equal((await api.call('GET', '/api/v1/accounts', { token })).status, 200)
      const post = await api.call('POST', '/api/v1/signals', { token, body: {} })
      assert.deepEqual([post.status, post.body.code], [403, 'INSUFFICIENT_SCOPES'])
      const list = await person.call('GET', '/tokens')
      const [listed] = list.body.data.tokens
      assert.deepEqual([listed.kind, listed.label, listed.isReadOnly], ['desktop', 'Desk', true])
      assert.equal((await person.call('DELETE', `/tokens/${listed.id}`)).status, 404)
    })

    it('a device that signs in by password is refused with a wrong password, and needs a code where there is a second factor', async () => {
      const person = await addPerson(api)
      const { authenticator } = await enableSecondFactor(person)
      const { email } = person
      assert.equal((await desktop({ email, password: 'wrong password' })).body.code, 'UNAUTHENTICATED')
      const needs = await desktop({ email, password: PASSWORD })
      assert.deepEqual([needs.status, needs.body.code], [401, 'MFA_REQUIRED'])
      const wrong = await desktop({ email, password: PASSWORD, code: '000000' })
      assert.deepEqual([wrong.status, wrong.body.code], [401, 'UNAUTHENTICATED'])
      assert.equal((await desktop({ email, password: PASSWORD, code: authenticator.code() })).status, 200)
    })
  })

  describe('that is confirmed in a browser', () => {
    const begin = async () =>
      (await api.call('POST', '/api/v1/auth/device-login', { body: { deviceName: 'Terminal' } })).body.data
    const poll = (deviceCode: string) =>
      api.call('POST', '/api/v1/auth/device-login/token', { body: { deviceCode } })
    const wait = () =>
      api.database.em.execute(
        `update device_grants set last_polled_at = last_polled_at - interval '1 minute'`,
      )

    it('shows a code, waits, and gets its token once its user has confirmed it', async () => {
      const person = await addPerson(api)
      const { deviceCode, userCode, verificationUri, verificationUriComplete, expiresIn, interval } =
        await begin()
      assert.match(userCode, /^[A-Z]{4}-[A-Z]{4}$/)
      assert.equal(verificationUri, 'https://trader.example.com/device')
      assert.equal(verificationUriComplete, `https://trader.example.com/device?code=${userCode}`)
      assert.deepEqual([expiresIn, interval], [600, 5])

      const pending = await poll(deviceCode)
      assert.deepEqual([pending.status, pending.body.code], [400, 'AUTHORIZATION_PENDING'])
      const soon = await poll(deviceCode)
      assert.deepEqual([soon.status, soon.body.code], [400, 'SLOW_DOWN'])

      const typed = userCode.toLowerCase().replace('-', '')
      const shown = await person.call('GET', `/auth/device-login/${typed}`)
      assert.equal(shown.body.data.device.deviceName, 'Terminal')
      assert.equal((await person.call('POST', `/auth/device-login/${typed}/approve`, {})).status, 200)
      await wait()
      const signedIn = await poll(deviceCode)
      assert.equal(signedIn.status, 200)
      const { token } = signedIn.body.data
      assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
      await wait()
      assert.equal((await poll(deviceCode)).body.code, 'EXPIRED_TOKEN')
      assert.equal((await person.call('POST', `/auth/device-login/${typed}/approve`, {})).status, 404)
    })

    it('gets exactly one token of twenty asked for at once', async () => {
      const person = await addPerson(api)
      const { deviceCode, userCode } = await begin()
      await person.call('POST', `/auth/device-login/${userCode}/approve`, {})
      const answers = await Promise.all(Array.from({ length: 20 }, () => poll(deviceCode)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    it('a device that is confirmed in a browser is notified when its user refuses it, when it took too long, and when it is unknown', async () => {
      const person = await addPerson(api)
      const refused = await begin()
      assert.equal((await person.call('POST', `/auth/device-login/${refused.userCode}/deny`, {})).status, 200)
      assert.equal((await poll(refused.deviceCode)).body.code, 'ACCESS_DENIED')
      const late = await begin()
      await api.database.em.execute('update device_grants set expires_at = now()')
      assert.equal((await poll(late.deviceCode)).body.code, 'EXPIRED_TOKEN')
      assert.equal((await person.call('GET', `/auth/device-login/${late.userCode}`)).status, 404)
      assert.equal((await poll('invented')).body.code, 'EXPIRED_TOKEN')
    })

    it('a device that is confirmed in a browser is confirmed by a person only who has shown lately who they are', async () => {
      const person = await addPerson(api)
      const { userCode } = await begin()
      await api.database.em.execute(`update sessions set verified_at = now() - interval '1 hour'`)
      const { status, body } = await person.call('POST', `/auth/device-login/${userCode}/approve`, {})
      assert.deepEqual([status, body.code], [403, 'VERIFICATION_REQUIRED'])
    })
  })
})

describe('sessions', () => {
  const api = useApi()

  it('sessions are listed with the present one marked, and ended one by one or all others at once', async () => {
    const person = await addPerson(api)
    const others = await Promise.all([1, 2, 3].map(() => signIn(api, person.email)))
    const { sessions, total } = (await person.call('GET', '/sessions')).body.data
    assert.equal(total, 4)
    assert.equal(sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent).length, 1)
    const other = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    assert.equal((await person.call('DELETE', `/sessions/${other.id}`)).status, 200)
    assert.equal((await person.call('DELETE', `/sessions/${other.id}`)).status, 404)
    const { body } = await person.call('DELETE', '/sessions')
    assert.equal(body.data.ended, 2)
    for (const { body: answer } of others)
      assert.equal((await api.call('GET', '/api/v1/me', { token: answer.data.accessToken })).status, 401)
    assert.equal((await person.call('GET', '/me')).status, 200)
  })

  it('sessions of others look like those that do not exist', async () => {
    const [person, stranger] = [await addPerson(api), await addPerson(api)]
    const { sessions } = (await stranger.call('GET', '/sessions')).body.data
    const foreign = await person.call('DELETE', `/sessions/${sessions[0].id}`)
    const absent = await person.call('DELETE', `/sessions/${randomUUID()}`)
    assert.deepEqual([foreign.status, foreign.body.code], [absent.status, absent.body.code])
    assert.equal((await stranger.call('GET', '/me')).status, 200)
  })

  it('sessions of a user who is disabled end with the next request, and begin again with none of them ended', async () => {
    const person = await addPerson(api)
    const disable = (at: string) =>
      api.database.em.execute(`update users set disabled_at = ${at} where id = ?`, [person.userId])
    await disable('now()')
    assert.equal((await person.call('GET', '/me')).status, 401)
    assert.equal(
      (await api.call('POST', '/api/v1/auth/refresh', { body: { refreshToken: person.refreshToken } }))
        .status,
      401,
    )
    await disable('null')
    assert.equal((await person.call('GET', '/me')).status, 200)
  })
})

describe('the end of sessions', () => {
  const api = useApi()

  /** Elsewhere: a session in a browser, a desktop, and a device that is approved and has not fetched its token yet. */
  async function elsewhere(person: Person) {
    const { email } = person
    const browser = (await signIn(api, email)).body.data.accessToken
    const desktop = await api.call('POST', '/api/v1/auth/desktop-login', {
      body: { email, password: PASSWORD, deviceName: 'Desk' },
    })
    const begun = await api.call('POST', '/api/v1/auth/device-login', { body: { deviceName: 'Wall' } })
    const { userCode, deviceCode } = begun.body.data
    assert.equal((await person.call('POST', `/auth/device-login/${userCode}/approve`, {})).status, 200)
    return async () => ({
      browser: (await api.call('GET', '/api/v1/me', { token: browser })).status,
      desktop: (await api.call('GET', '/api/v1/signals', { token: desktop.body.data.token })).status,
      device: (await api.call('POST', '/api/v1/auth/device-login/token', { body: { deviceCode } })).body.code,
    })
  }
  const ENDED = { browser: 401, desktop: 401, device: 'ACCESS_DENIED' }

  const changes: Record<string, (person: Person) => Promise<Answer>> = {
    'a second factor that is taken into use': async (person) => {
      await enableSecondFactor(person)
      return person.call('GET', '/me')
    },
    'a new password': (person) =>
      person.call('PUT', '/auth/password', {
        currentPassword: PASSWORD,
        newPassword: 'a kettle whistles at dawn',
      }),
    'the end of all other sessions': (person) => person.call('DELETE', '/sessions'),
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`${name} ends browsers, desktops and approved devices elsewhere, and not the present session`, async () => {
      const person = await addPerson(api)
      const standing = await elsewhere(person)
      assert.equal((await change(person)).status, 200)
      assert.deepEqual(await standing(), ENDED)
      assert.equal((await person.call('GET', '/me')).status, 200)
    })
  }

  it('a second factor that is given up ends the other sessions too', async () => {
    const person = await addPerson(api)
    const { authenticator, backupCodes } = await enableSecondFactor(person)
    const { mfaToken } = (await signIn(api, person.email)).body.data
    const other = await api.call('POST', '/api/v1/auth/mfa/verify', {
      body: { mfaToken, code: backupCodes[0] },
    })
    const token = other.body.data.accessToken
    assert.equal((await api.call('GET', '/api/v1/me', { token })).status, 200)
    const proof = { password: PASSWORD, code: authenticator.code() }
    assert.equal((await person.call('POST', '/auth/mfa/disable', proof)).status, 200)
    assert.equal((await api.call('GET', '/api/v1/me', { token })).status, 401)
    assert.equal((await person.call('GET', '/me')).status, 200)
  })

  it('a password that is reset ends all of them, approved devices included', async () => {
    const person = await addPerson(api)
    const standing = await elsewhere(person)
    await api.call('POST', '/api/v1/auth/forgot-password', { body: { email: person.email } })
    await api.whenIdle()
    const [, token] = /#token=([\w-]+)/.exec(api.mails.findLast(({ to }) => to === person.email)!.text)!
    const reset = { token, password: 'a kettle whistles at dawn' }
    assert.equal((await api.call('POST', '/api/v1/auth/reset-password', { body: reset })).status, 200)
    assert.deepEqual(await standing(), ENDED)
    assert.equal((await person.call('GET', '/me')).status, 401)
  })
})

describe('the audit log', () => {
  const api = useApi()

  it('shows its owner alone which actions were done in their name, without secrets', async () => {
    const [person, stranger] = [await addPerson(api, { plan: 'PRO' }), await addPerson(api)]
    await signIn(api, person.email, 'canary-wrong-password')
    const { token } = (await person.call('POST', '/tokens', { label: 'Hook', scopes: ['signals:write'] }))
      .body.data
    const { body } = await person.call('GET', '/audit-log?limit=3')
    assert.deepEqual(
      body.data.events.map(({ kind }: { kind: string }) => kind),
      ['token.created', 'sign_in.failed', 'sign_in.succeeded'],
    )
    assert.equal(body.data.total, 3)
    assert.ok(
      body.data.events.every(
        (event: Record<string, unknown>) => event['ip'] === '127.0.0.1' && event['requestId'],
      ),
    )
    const everything = JSON.stringify(await api.database.em.execute('select * from audit_events'))
    for (const secret of ['canary', token.slice(9), person.refreshToken])
      assert.ok(!everything.includes(secret))
    const theirs = await stranger.call('GET', '/audit-log')
    assert.ok(!JSON.stringify(theirs.body).includes('token.created'))
  })

  it('the audit log can only be added to', async () => {
    await addPerson(api)
    for (const statement of [
      `update audit_events set kind = 'nothing'`,
      'delete from audit_events',
      'truncate audit_events',
    ])
      await assert.rejects(api.database.em.execute(statement), /only added to/)
  })
})
