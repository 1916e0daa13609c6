import jwt from 'jsonwebtoken'
import { randomUUID } from 'node:crypto'
import { ACCESS_JWT_SECONDS } from '#api/access/access-jwt.ts'
import { hash } from '@node-rs/argon2'
import { totpCodeAt } from '#test/api/support/totp-code.ts'
import type { User } from '#db/entities/index.ts'
import { createUser } from '../../support/factories.ts'
import type { Answer, ApiServer } from './api-server.ts'

export const PASSWORD = 'marmalade over the northern pier'
/** Hashed once and for little: to verify it costs as much. */
let passwordHash: Promise<string> | undefined

/** Somebody with a password, signed in at the web application. */
export interface Person {
  userId: string
  email: string
  /** The newest JWT. */
  jwt: string
  refreshToken: string
  /** Calls the API with the JWT. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

export async function addPerson(api: ApiServer, fields: Partial<User> = {}): Promise<Person> {
  const email = fields.email ?? `${randomUUID()}@example.test`
  passwordHash ??= hash(PASSWORD, { memoryCost: 64, timeCost: 1, parallelism: 1 })
  const { id: userId } = await createUser(api.database.em, {
    email,
    passwordHash: await passwordHash,
    ...fields,
  })
  const person: Person = {
    userId,
    email,
    jwt: '',
    refreshToken: '',
    call: (method, path, body) => api.call(method, `/api/v1${path}`, { token: person.jwt, body }),
  }
  if (fields.passwordHash !== null && !fields.disabledAt) {
    const { body } = await signIn(api, email)
    person.jwt = body.data.accessToken
    person.refreshToken = body.data.refreshToken
  }
  return person
}

/** As if a person had last proven who they are longer ago than counts as fresh. */
export const letProofGrowOld = (api: ApiServer, { userId }: Person): Promise<unknown> =>
  api.database.em.execute(
    `update sessions set verified_at = now() - interval '6 minutes' where user_id = ?`,
    [userId],
  )

/**
 * As if a person had just proven again who they are, by all they have proven it by before, and got a new JWT: for tests
 * that may take longer than either lasts.
 */
export async function renewProof(api: ApiServer, person: Person): Promise<void> {
  const { header, payload } = jwt.decode(person.jwt, { complete: true })!
  const now = Math.floor(Date.now() / 1_000)
  const claims = { ...(payload as jwt.JwtPayload), iat: now, exp: now + ACCESS_JWT_SECONDS }
  person.jwt = jwt.sign(claims, api.signingKey, { header })
  await api.database.em.execute(
    `update sessions
     set verified_at = now(), second_factor_at = case when second_factor_at is not null then now() end
     where user_id = ?`,
    [person.userId],
  )
}

export const signIn = (api: ApiServer, email: string, password = PASSWORD): Promise<Answer> =>
  api.call('POST', '/api/v1/auth/login', { body: { email, password } })

/** Codes of an authenticator, each of a time step that was not used before, as far as the window allows. */
export class Authenticator {
  readonly secret: string
  constructor(secret: string) {
    this.secret = secret
  }
  /** @param steps half minutes from now, -1 to 1 */
  code(steps = 0): string {
    return totpCodeAt(this.secret, Date.now() + steps * 30_000)
  }
}

/** Takes an authenticator into use with the code of the step before this one; answers it and the backup codes. */
export async function enableSecondFactor(
  person: Person,
): Promise<{ authenticator: Authenticator; backupCodes: string[] }> {
  const setup = await person.call('POST', '/auth/mfa/setup', {})
  const authenticator = new Authenticator(setup.body.data.secret)
  const verified = await person.call('POST', '/auth/mfa/verify', { code: authenticator.code(-1) })
  return { authenticator, backupCodes: verified.body.data.backupCodes }
}
