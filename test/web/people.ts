import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { totpCodeAt } from '#test/api/support/totp-code.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { fillSignIn, type App } from './browser.ts'

/** A person of the test's service, who signs in with the password of the stack's own person. */
export interface AddedPerson {
  email: string
  password: string
}

/** Adds a person of whom no other test knows. */
export async function addPerson(
  app: App,
  role: 'member' | 'admin' = 'member',
  email = `${randomUUID()}@example.test`,
): Promise<AddedPerson> {
  const { password } = app.stack.person
  await app.stack.query(
    `insert into users (id, email, role, plan, password_hash)
     select '${randomUUID()}', '${email}', '${role}', 'PRO', password_hash from users
     where email = '${app.stack.person.email}'`,
  )
  return { email, password }
}

/** The code of an authenticator so many half minutes from now; each is taken once only. */
export const codeOf = (secret: string, steps: number): string =>
  totpCodeAt(secret, Date.now() + steps * 30_000)

/** Turns two-step sign-in on by the code of the half minute before this one; resolves with the secret. */
export async function enrol(app: App, person: AddedPerson): Promise<string> {
  const { body } = await app.stack.api.post('/auth/login', person)
  const api = new ApiClient(app.origin, body.data.accessToken)
  const { secret } = (await api.post('/auth/mfa/setup', {})).body.data
  assert.equal((await api.post('/auth/mfa/verify', { code: codeOf(secret, -1) })).status, 200)
  return secret
}

/** Signs in by password and the code of this half minute. */
export async function signInByTwoSteps(page: Page, person: AddedPerson, secret: string): Promise<void> {
  await fillSignIn(page, person)
  await page.getByLabel('Code from your authenticator').fill(codeOf(secret, 0))
  await page.getByRole('button', { name: 'Sign in' }).click()
}
