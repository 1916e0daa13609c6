import { randomUUID } from 'node:crypto'
import type { App } from './browser.ts'

/** A person of the test's service, who signs in with the password of the stack's own person. */
export interface AddedPerson {
  email: string
  password: string
}

/** Adds a person of whom no other test knows. */
export async function addPerson(app: App, role: 'member' | 'admin' = 'member'): Promise<AddedPerson> {
  const email = `${randomUUID()}@example.test`
  const { password } = app.stack.person
  await app.stack.query(
    `insert into users (id, email, role, plan, password_hash)
     select '${randomUUID()}', '${email}', '${role}', 'PRO', password_hash from users
     where email = '${app.stack.person.email}'`,
  )
  return { email, password }
}
