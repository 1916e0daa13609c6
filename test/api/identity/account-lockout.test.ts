import assert from 'node:assert/strict'
import type { Answer } from '../support/api-server.ts'
import { addPerson, enableSecondFactor, PASSWORD, type Person } from '../support/person.ts'
import { useApi, useCounts } from '../support/use-api.ts'

const NEW_PASSWORD = 'a kettle whistles at dawn'

describe('a stranger who tries passwords and codes from many addresses', () => {
  const { limits } = useCounts()
  let addresses = 0
  const api = useApi({
    proxies: '127.0.0.1',
    limits,
  })
  beforeEach(() => api.database.em.execute('truncate sign_in_counts, request_counts'))

  /** Calls from an address that nobody has called from. */
  const fromAnywhere = (path: string, body: object, cookie?: string): Promise<Answer> => {
    addresses += 1
    const from = `203.0.${Math.floor(addresses / 250)}.${addresses % 250}`
    const headers = {
      'X-Forwarded-For': from,
      Origin: 'https://trader.example.com',
      ...(cookie !== undefined && { Cookie: cookie }),
    }
    return api.call('POST', `/api/v1/auth/${path}`, { body, headers })
  }
  const login = (person: Person, password: string, cookie?: string) =>
    fromAnywhere('login', { email: person.email, password }, cookie)
  const second = (mfaToken: string, code: string, cookie?: string) =>
    fromAnywhere('mfa/verify', { mfaToken, code }, cookie)
  const deviceOf = ({ headers }: Answer): string =>
    headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('__Host-dt-device='))!
      .split(';')[0]!
  const tryPasswords = (person: Person, count = 20) =>
    Promise.all(Array.from({ length: count }, (_, n) => login(person, `wrong password ${n}`)))

  it('a stranger who tries passwords and codes from many addresses has twenty tries on an account in a quarter of an hour, and learns when to come back', async () => {
    const person = await addPerson(api)
    const answers = await tryPasswords(person, 30)
    assert.equal(answers.filter(({ status }) => status === 401).length, 20)
    const { status, headers, body } = await login(person, PASSWORD)
    assert.deepEqual([status, body.code], [429, 'RATE_LIMIT_EXCEEDED'])
    assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['20', '0'])
    const reset = Number(headers.get('ratelimit-reset'))
    assert.ok(reset > 800 && reset <= 900)
    assert.deepEqual([Number(headers.get('retry-after')), body.retryAfter], [reset, reset])
  })

  it('a stranger who tries passwords and codes from many addresses does not lock the owner out of a device from which they have signed in', async () => {
    const person = await addPerson(api)
    const device = deviceOf(await login(person, PASSWORD))
    await tryPasswords(person, 25)
    assert.equal((await login(person, PASSWORD)).status, 429, 'a stranger’s device')
    const signedIn = await login(person, PASSWORD, device)
    assert.equal(signedIn.status, 200)
    assert.notEqual(deviceOf(signedIn), device)
  })

  it('a stranger who tries passwords and codes from many addresses has twenty tries on a device that they took, which lock out no other device', async () => {
    const person = await addPerson(api)
    const [taken, other] = [deviceOf(await login(person, PASSWORD)), deviceOf(await login(person, PASSWORD))]
    const tries = Array.from({ length: 25 }, () => login(person, 'wrong password', taken))
    assert.equal((await Promise.all(tries)).filter(({ status }) => status === 429).length, 5)
    assert.equal((await login(person, PASSWORD, taken)).status, 429)
    assert.equal((await login(person, PASSWORD, other)).status, 200)
  })

  it('a stranger who tries passwords and codes from many addresses does not pass for a known device with that of another account, or of an earlier password', async () => {
    const [person, other] = [await addPerson(api), await addPerson(api)]
    const [own, foreign] = [deviceOf(await login(person, PASSWORD)), deviceOf(await login(other, PASSWORD))]
    await person.call('PUT', '/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    await tryPasswords(person)
    for (const cookie of [own, foreign, '__Host-dt-device=x.y.z', `${own}é`])
      assert.equal((await login(person, NEW_PASSWORD, cookie)).status, 429)
  })

  it('a stranger who tries passwords and codes from many addresses does not keep a signed-in user from changing the password, after which their browser is known', async () => {
    const person = await addPerson(api)
    await tryPasswords(person)
    const changed = await api.call('PUT', '/api/v1/auth/password', {
      token: person.jwt,
      body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
      headers: { Origin: 'https://trader.example.com' },
    })
    assert.equal(changed.status, 200)
    await tryPasswords(person)
    assert.equal((await login(person, NEW_PASSWORD, deviceOf(changed))).status, 200)
  })

  it('a stranger who tries passwords and codes from many addresses has twenty tries in a session that they took, which lock out no other session and no sign-in', async () => {
    const person = await addPerson(api)
    const other = (await login(person, PASSWORD)).body.data.accessToken
    const verify = (password: string, token = person.jwt) =>
      api.call('POST', '/api/v1/auth/verify', { token, body: { password } })
    const answers = await Promise.all(Array.from({ length: 25 }, () => verify('wrong password')))
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    assert.equal((await verify(PASSWORD)).status, 429)
    assert.equal((await verify(PASSWORD, other)).status, 200)
    assert.equal((await login(person, PASSWORD)).status, 200)
  })

  it('a stranger who tries passwords and codes from many addresses and knows the password has ten tries of codes, which lock out no known device and no session', async () => {
    const person = await addPerson(api)
    const { authenticator, backupCodes } = await enableSecondFactor(person)
    const first = async (cookie?: string): Promise<string> =>
      (await login(person, PASSWORD, cookie)).body.data.mfaToken
    const device = deviceOf(await second(await first(), backupCodes[0]!))
    const mfaToken = await first()
    const answers = await Promise.all(Array.from({ length: 15 }, () => second(mfaToken, '000000')))
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    assert.equal((await second(mfaToken, backupCodes[1]!)).status, 429, 'a stranger’s device')
    assert.equal((await person.call('POST', '/auth/verify', { code: authenticator.code() })).status, 200)
    await Promise.all(Array.from({ length: 15 }, () => second(mfaToken, '000000')))
    assert.equal((await second(await first(device), backupCodes[2]!, device)).status, 200)
  })

  it('a stranger who tries passwords and codes from many addresses cannot keep out the owner who resets the password by the link in a message', async () => {
    const person = await addPerson(api)
    await tryPasswords(person)
    await fromAnywhere('forgot-password', { email: person.email })
    await api.whenIdle()
    const [, token] = /#token=([\w-]+)/.exec(api.mails.findLast(({ to }) => to === person.email)!.text)!
    const reset = await fromAnywhere('reset-password', { token, password: NEW_PASSWORD })
    assert.equal(reset.status, 200)
    assert.equal((await login(person, 'wrong password')).status, 401, 'the count began anew')
    await tryPasswords(person)
    assert.equal((await login(person, NEW_PASSWORD, deviceOf(reset))).status, 200)
  })

  describe('and reads the mailbox', () => {
    const resetBy = async (person: Person, password: string): Promise<Answer> => {
      await fromAnywhere('forgot-password', { email: person.email })
      await api.whenIdle()
      const [, token] = /#token=([\w-]+)/.exec(api.mails.findLast(({ to }) => to === person.email)!.text)!
      return fromAnywhere('reset-password', { token, password })
    }
    const codes = async (person: Person, password: string, count: number, cookie?: string) => {
      const { mfaToken } = (await login(person, password, cookie)).body.data
      return Promise.all(Array.from({ length: count }, () => second(mfaToken, '000000', cookie)))
    }
    const forgetStrangers = () =>
      api.database.em.execute(`delete from sign_in_counts where key like 'secondFactor-attempts-%'`)

    it('a stranger who tries passwords and codes from many addresses and reads the mailbox does not become a known device by a reset where there is a second factor', async () => {
      const person = await addPerson(api)
      await enableSecondFactor(person)
      assert.equal((await codes(person, PASSWORD, 10)).filter(({ status }) => status === 401).length, 10)
      for (const n of [1, 2, 3]) {
        const reset = await resetBy(person, `${NEW_PASSWORD} ${n}`)
        assert.deepEqual([reset.status, reset.headers.getSetCookie()], [200, []])
        for (const { status } of await codes(person, `${NEW_PASSWORD} ${n}`, 3)) assert.equal(status, 429)
      }
    })

    it('a stranger who tries passwords and codes from many addresses and reads the mailbox has thirty codes of an account in a day, on any devices, and its owner is notified once', async () => {
      const person = await addPerson(api)
      const { authenticator, backupCodes } = await enableSecondFactor(person)
      const device = deviceOf(
        await second((await login(person, PASSWORD)).body.data.mfaToken, backupCodes[0]!),
      )
      const answers = [...(await codes(person, PASSWORD, 10)), ...(await codes(person, PASSWORD, 10, device))]
      await forgetStrangers()
      answers.push(...(await codes(person, PASSWORD, 15)))
      await forgetStrangers()
      answers.push(...(await codes(person, PASSWORD, 5, device)))
      assert.equal(answers.filter(({ status }) => status === 401).length, 30)
      await forgetStrangers()
      const { mfaToken } = (await login(person, PASSWORD, device)).body.data
      const refused = await second(mfaToken, authenticator.code(), device)
      assert.deepEqual([refused.status, refused.headers.get('ratelimit-limit')], [429, '30'])
      assert.match(refused.body.message, /use a backup code/)
      await api.whenIdle()
      const told = api.mails.filter(({ to, subject }) => to === person.email && /wrong codes/.test(subject))
      assert.equal(told.length, 1)
      // The owner has two ways left: the session that is open, and a backup code.
      assert.equal((await person.call('POST', '/auth/verify', { code: authenticator.code() })).status, 200)
      assert.equal((await second(mfaToken, backupCodes[1]!, device)).status, 200)
    })

    it('gets no fresh count of codes by a sign-in of the owner, whose own codes do not count', async () => {
      const person = await addPerson(api)
      const { authenticator } = await enableSecondFactor(person)
      await codes(person, PASSWORD, 9)
      const signedIn = await second((await login(person, PASSWORD)).body.data.mfaToken, authenticator.code())
      assert.equal(signedIn.status, 200)
      const [count] = await api.database.em.execute<{ points: number }[]>(
        `select points from sign_in_counts where key = ?`,
        [`secondFactorInAll-attempts-86400:${person.userId}`],
      )
      assert.equal(count!.points, 9)
    })
  })

  it('silences no warning and blocks no registration by asking for letters', async () => {
    const person = await addPerson(api)
    const letters = (subject: RegExp) =>
      api.mails.filter((mail) => mail.to === person.email && subject.test(mail.subject)).length
    const ask = (ip: string) =>
      api.call('POST', '/api/v1/auth/forgot-password', {
        body: { email: person.email },
        headers: { 'X-Forwarded-For': ip },
      })
    await Promise.all(Array.from({ length: 8 }, () => ask('198.51.100.7')))
    await api.whenIdle()
    assert.equal(letters(/Choose a new password/), 5)
    await ask('198.51.100.8')
    await api.whenIdle()
    assert.equal(letters(/Choose a new password/), 6, 'the owner asks from another address')
    for (let n = 1; n <= 30; n++) await ask(`198.51.101.${n}`)
    await api.whenIdle()
    assert.equal(letters(/Choose a new password/), 20, 'no address is flooded')
    await person.call('PUT', '/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    await enableSecondFactor(person)
    await api.whenIdle()
    assert.equal(letters(/password was changed/), 1)
    assert.equal(letters(/Two-step sign-in was enabled/), 1)
  })
})
