import type { ApiServer } from './api-server.ts'
import { addPerson, enableSecondFactor, signIn, type Person } from './person.ts'

/** An administrator who has just shown their second factor. */
export async function addAdministrator(api: ApiServer): Promise<Person> {
  const person = await addPerson(api, { role: 'admin', plan: 'FREE' })
  const { authenticator } = await enableSecondFactor(person)
  const { body } = await signIn(api, person.email)
  const second = await api.call('POST', '/api/v1/auth/mfa/verify', {
    body: { mfaToken: body.data.mfaToken, code: authenticator.code() },
  })
  person.jwt = second.body.data.accessToken
  return person
}
