import { randomUUID } from 'node:crypto'
import { mintAccessToken } from '#api/http/access-token.ts'
import { SCOPES } from '#domain/risk/token-bounds.ts'
import { mintOpaqueSecret } from '#api/access/access-jwt.ts'
import type { ApiServer } from './api-server.ts'
import { addPerson, enableSecondFactor, PASSWORD, signIn, type Person } from './person.ts'

/** Somebody who asks: how their credential is sent. */
export interface TestPrincipal {
  name: string
  headers: Record<string, string>
}

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

/** Stores a token of a user and answers its text. */
export async function storeToken(
  api: ApiServer,
  userId: string,
  {
    form = 'dt',
    ...columns
  }: { form?: 'dt' | 'dtk'; scopes?: string; revoked_at?: string; expires_at?: string },
): Promise<string> {
  const { token, hash, prefix } = mintAccessToken(form)
  const row = {
    id: randomUUID(),
    user_id: userId,
    kind: form === 'dt' ? 'access' : 'legacy',
    label: 'matrix',
    hash,
    prefix,
    scopes: `{${SCOPES.join(',')}}`,
    ...columns,
  }
  await api.database.em.execute(
    `insert into access_tokens (${Object.keys(row).join(', ')}) values (${Object.keys(row).map(() => '?')})`,
    Object.values(row),
  )
  return token
}

/**
 * Everybody who must get nothing of `owner`: nobody, each kind of credential of somebody else, and credentials of
 * the owner that are not good for anything, or not for this.
 */
export async function strangersTo(api: ApiServer, owner: Person): Promise<TestPrincipal[]> {
  const other = await addPerson(api)
  const desktop = await api.call('POST', '/api/v1/auth/desktop-login', {
    body: { email: other.email, password: PASSWORD, deviceName: 'matrix' },
  })
  const disabled = await addPerson(api)
  const disabledToken = await storeToken(api, disabled.userId, {})
  await api.database.em.execute('update users set disabled_at = now() where id = ?', [disabled.userId])
  const free = await addPerson(api, { plan: 'FREE' })

  const careful = await addPerson(api)
  await enableSecondFactor(careful)
  const pending = (await signIn(api, careful.email)).body.data.mfaToken as string
  const reset = mintOpaqueSecret()
  await api.database.em.execute(
    `insert into one_time_secrets (hash, user_id, purpose, expires_at)
     values (?, ?, 'password_reset', now() + interval '1 hour')`,
    [reset.hash, owner.userId],
  )
  const own = (columns: Parameters<typeof storeToken>[2]) => storeToken(api, owner.userId, columns)
  const others = (columns: Parameters<typeof storeToken>[2]) => storeToken(api, other.userId, columns)
  return [
    { name: 'nobody', headers: {} },
    { name: 'another user’s JWT', headers: bearer(other.jwt) },
    { name: 'another user’s token', headers: bearer(await others({})) },
    { name: 'another user’s legacy key', headers: { 'X-API-Key': await others({ form: 'dtk' }) } },
    { name: 'another user’s desktop', headers: bearer(desktop.body.data.token) },
    { name: 'an own token without any scope', headers: bearer(await own({ scopes: '{}' })) },
    { name: 'an own token that has expired', headers: bearer(await own({ expires_at: '2020-01-01' })) },
    { name: 'an own token that is revoked', headers: bearer(await own({ revoked_at: '2020-01-01' })) },
    { name: 'a token of a plan without tokens', headers: bearer(await storeToken(api, free.userId, {})) },
    { name: 'a sign-in whose second step is to come', headers: bearer(pending) },
    { name: 'an own refresh token in the place of a JWT', headers: bearer(owner.refreshToken) },
    { name: 'an own link to reset the password', headers: bearer(reset.text) },
    { name: 'a disabled user’s token', headers: bearer(disabledToken) },
  ]
}
