import type { EntityManager } from '../engine/database.ts'

export async function insertPendingRegistration(
  em: EntityManager,
  registration: { hash: string; email: string; passwordHash: string; seconds: number },
): Promise<void> {
  await em.execute(
    `insert into pending_registrations (hash, email, password_hash, expires_at)
     values (?, ?, ?, now() + make_interval(secs => ?))`,
    [registration.hash, registration.email, registration.passwordHash, registration.seconds],
  )
}

export async function findPendingRegistration(
  em: EntityManager,
  hash: string,
): Promise<{ email: string; passwordHash: string } | null> {
  const [row] = await em.execute<{ email: string; passwordHash: string }[]>(
    `select email, password_hash as "passwordHash" from pending_registrations
     where hash = ? and expires_at > now()`,
    [hash],
  )
  return row ?? null
}

export async function discardPendingRegistrations(em: EntityManager, email: string): Promise<void> {
  await em.execute('delete from pending_registrations where lower(email) = lower(?)', [email])
}
