import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startApi, type Answer, type ApiServer } from '../support/api-server.ts'
import { identitySettings } from '../support/identity.ts'
import { addPerson, enableSecondFactor, PASSWORD, signIn } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const NEW_PASSWORD = 'a kettle whistles at dawn'
const without = ({ status, body }: Answer) => ({ status, ...body, requestId: undefined })
const secretIn = (text: string): string => /#token=([\w-]+)/.exec(text)![1]!

describe('a forgotten password', () => {
  const api = useApi()

  const forgot = async (email: string) => {
    const answer = await api.call('POST', '/api/v1/auth/forgot-password', { body: { email } })
    await api.whenIdle()
    return answer
  }
  const linkFor = async (email: string): Promise<string> => {
    await forgot(email)
    return secretIn(api.mails.findLast(({ to, text }) => to === email && text.includes('#token'))!.text)
  }
  const reset = (token: string, password = NEW_PASSWORD) =>
    api.call('POST', '/api/v1/auth/reset-password', { body: { token, password } })

  it('a forgotten password is answered the same way whether or not there is such a user, whom alone a link is sent', async () => {
    const { email } = await addPerson(api)
    const disabled = (await addPerson(api, { disabledAt: new Date() })).email
    const answers = [await forgot(email), await forgot('nobody@example.test'), await forgot(disabled)]
    for (const answer of answers) assert.deepEqual(without(answer), without(answers[0]!))
    assert.equal(answers[0]!.status, 202)
    assert.deepEqual(
      api.mails.map(({ to }) => to).filter((to) => [email, disabled, 'nobody@example.test'].includes(to)),
      [email],
    )
  })

  it('gets a link to the configured address, for any host that the request names', async () => {
    const { email } = await addPerson(api)
    await api.call('POST', '/api/v1/auth/forgot-password', {
      body: { email },
      headers: { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' },
    })
    await api.whenIdle()
    const mail = api.mails.findLast(({ to }) => to === email)!
    assert.match(mail.text, /^https:\/\/trader\.example\.com\/reset-password#token=[\w-]{43}$/m)
    assert.doesNotMatch(mail.text, /evil/)
  })

  it('a forgotten password is replaced by the link, once, which ends all sessions', async () => {
    const person = await addPerson(api)
    const link = await linkFor(person.email)
    assert.equal((await reset(link)).status, 200)
    assert.equal((await person.call('GET', '/me')).status, 401)
    assert.equal((await signIn(api, person.email)).status, 401)
    assert.equal((await signIn(api, person.email, NEW_PASSWORD)).status, 200)
    const again = await reset(link)
    assert.deepEqual([again.status, again.body.code], [400, 'LINK_INVALID'])
    await api.whenIdle()
    assert.ok(api.mails.some(({ to, subject }) => to === person.email && subject.includes('was changed')))
  })

  it('a forgotten password is not replaced by an old link, an invented one, or a password that is too easy', async () => {
    const { email } = await addPerson(api)
    const link = await linkFor(email)
    const weak = await reset(link, 'password1')
    assert.deepEqual([weak.status, weak.body.details[0].field], [400, 'password'])
    assert.equal((await reset('invented')).status, 400)
    await api.database.em.execute('update one_time_secrets set expires_at = now()')
    assert.equal((await reset(link)).status, 400)
    assert.equal((await signIn(api, email)).status, 200)
  })

  it('a forgotten password does not get around the second factor', async () => {
    const person = await addPerson(api)
    await enableSecondFactor(person)
    await reset(await linkFor(person.email))
    const { body } = await signIn(api, person.email, NEW_PASSWORD)
    assert.deepEqual(Object.keys(body.data), ['mfaRequired', 'mfaToken'])
  })
})

describe('changing a password', () => {
  const api = useApi()

  it('needs the old one, and ends the other sessions', async () => {
    const person = await addPerson(api)
    const other = (await signIn(api, person.email)).body.data.accessToken
    const wrong = await person.call('PUT', '/auth/password', {
      currentPassword: 'wrong password',
      newPassword: NEW_PASSWORD,
    })
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'WRONG_PASSWORD'])
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assert.equal((await person.call('PUT', '/auth/password', change)).status, 200)
    assert.equal((await person.call('GET', '/me')).status, 200)
    assert.equal((await api.call('GET', '/api/v1/me', { token: other })).status, 401)
    assert.equal((await signIn(api, person.email, NEW_PASSWORD)).status, 200)
  })

  it('needs a code too where there is a second factor, which is used up by it', async () => {
    const person = await addPerson(api)
    const { authenticator } = await enableSecondFactor(person)
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    const without = await person.call('PUT', '/auth/password', change)
    assert.deepEqual([without.status, without.body.code], [400, 'WRONG_CODE'])
    const code = authenticator.code()
    assert.equal((await person.call('PUT', '/auth/password', { ...change, code })).status, 200)
    const back = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD, code }
    assert.equal((await person.call('PUT', '/auth/password', back)).status, 400)
  })

  it('gives up the second factor and renews backup codes with password and code only', async () => {
    const person = await addPerson(api)
    const { authenticator, backupCodes } = await enableSecondFactor(person)
    for (const route of ['/auth/mfa/disable', '/auth/mfa/backup-codes/regenerate']) {
      const code = backupCodes[0]!
      assert.equal((await person.call('POST', route, { password: 'wrong password', code })).status, 400)
      assert.equal((await person.call('POST', route, { password: PASSWORD, code: '000000' })).status, 400)
      assert.equal((await person.call('POST', route, { password: PASSWORD })).status, 400)
    }
    const renewed = await person.call('POST', '/auth/mfa/backup-codes/regenerate', {
      password: PASSWORD,
      code: backupCodes[0],
    })
    assert.equal(renewed.body.data.backupCodes.length, 10)
    const disable = (code: string) => person.call('POST', '/auth/mfa/disable', { password: PASSWORD, code })
    assert.equal((await disable(backupCodes[1]!)).status, 400, 'an old backup code')
    assert.equal((await disable(authenticator.code())).status, 200)
    assert.equal((await disable(authenticator.code(1))).body.code, 'MFA_NOT_ENABLED')
    assert.ok((await signIn(api, person.email)).body.data.accessToken)
  })

  it('keeps the seed of an authenticator sealed', async () => {
    const person = await addPerson(api)
    const { authenticator } = await enableSecondFactor(person)
    const rows = JSON.stringify(await api.database.em.execute('select * from totp_factors'))
    assert.ok(!rows.includes(authenticator.secret))
    const { body } = await person.call('POST', '/auth/mfa/setup', {})
    assert.equal(body.code, 'MFA_ALREADY_ENABLED')
  })
})

describe('registration', function () {
  this.timeout(60_000)
  const register = (api: ApiServer, email: string, more: object = {}) =>
    api.call('POST', '/api/v1/auth/register', { body: { email, password: PASSWORD, ...more } })
  const setupSecret = identitySettings.SETUP_SECRET
  const newAddress = () => `${randomUUID()}@example.test`

  it('makes the first user an administrator, and exactly one of twenty that come at once', async () => {
    const api = await startApi()
    try {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => register(api, newAddress(), { setupSecret })),
      )
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      for (const { status, body } of answers)
        if (status !== 201) assert.deepEqual([status, body.code], [403, 'REGISTRATION_CLOSED'])
      const { user } = answers.find(({ status }) => status === 201)!.body.data
      assert.deepEqual([user.role, user.plan], ['admin', 'FREE'])
      assert.equal((await signIn(api, user.email)).status, 200)
    } finally {
      await api.stop()
    }
  })

  it('registration of the first user needs the setup secret of the installation, later registrations do not', async () => {
    const api = await startApi()
    try {
      for (const wrong of [{}, { setupSecret: 'a guess' }, { setupSecret: `${setupSecret} ` }]) {
        const { status, body } = await register(api, newAddress(), wrong)
        assert.deepEqual([status, body.code], [403, 'SETUP_SECRET_WRONG'])
      }
      assert.equal((await register(api, newAddress(), { setupSecret: 7 })).status, 400)
      assert.equal((await register(api, newAddress(), { setupSecret })).status, 201)
      for (const late of [{}, { setupSecret }, { setupSecret: 'a guess' }]) {
        const { status, body } = await register(api, newAddress(), late)
        assert.deepEqual([status, body.code], [403, 'REGISTRATION_CLOSED'])
      }
    } finally {
      await api.stop()
    }
  })

  describe('where it is open', () => {
    const api = useApi({ identity: { REGISTRATION: 'open', DEFAULT_PLAN: 'PRO' } })

    const confirm = (token: string, password = PASSWORD) =>
      api.call('POST', '/api/v1/auth/register/confirm', { body: { token, password } })
    const mailTo = async (email: string) => {
      await api.whenIdle()
      return api.mails.findLast(({ to }) => to === email)!.text
    }

    it('answers alike whether or not the address has an account, and notifies its owner', async () => {
      const { email } = await addPerson(api)
      const fresh = newAddress()
      const [known, unknown] = [await register(api, email), await register(api, fresh)]
      assert.equal(known.status, 202)
      assert.deepEqual(without(known), without(unknown))
      assert.match(await mailTo(email), /account already/)
      assert.match(await mailTo(fresh), /\/confirm#token=/)
    })

    it('makes no account before the link is opened by who knows the password', async () => {
      const email = newAddress()
      await register(api, email)
      assert.equal((await signIn(api, email)).status, 401)
      const link = secretIn(await mailTo(email))
      const guessed = await confirm(link, 'what a stranger guesses')
      assert.deepEqual([guessed.status, guessed.body.code], [400, 'WRONG_PASSWORD'])
      const { status, body } = await confirm(link)
      assert.equal(status, 201)
      assert.deepEqual([body.data.user.role, body.data.user.plan], ['member', 'PRO'])
      assert.equal((await signIn(api, email)).status, 200)
      assert.equal((await confirm(link)).status, 400)
    })

    it('makes one account of twenty confirmations at once', async () => {
      const email = newAddress()
      await register(api, email)
      const link = secretIn(await mailTo(email))
      const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(link)))
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    })

    const faults: Record<string, [body: Record<string, unknown>, field: string]> = {
      'no address': [{ password: PASSWORD }, 'email'],
      'an address with a line break': [
        { email: 'jane@example.test\nBcc: x@y.zz', password: PASSWORD },
        'email',
      ],
      'a password of megabytes': [{ email: 'jane@example.test', password: 'x'.repeat(2_000) }, 'password'],
      'a broken surrogate pair': [{ email: 'jane@example.test', password: 'good long \ud800' }, 'password'],
      'a role': [{ email: 'jane@example.test', password: PASSWORD, role: 'admin' }, 'role'],
    }
    for (const [name, [body, field]] of Object.entries(faults)) {
      it(`names the fault in ${name}`, async () => {
        const answer = await api.call('POST', '/api/v1/auth/register', { body })
        assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'])
        const fields = answer.body.details.map((detail: { field: string }) => detail.field)
        assert.deepEqual([...new Set(fields)], [field])
      })
    }
  })
})
