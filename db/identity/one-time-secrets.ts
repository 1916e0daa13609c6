import type { EntityManager } from '../engine/database.ts'

export type SecretPurpose = 'password_reset' | 'second_factor'

export async function insertOneTimeSecret(
  em: EntityManager,
  secret: { hash: string; userId: string; purpose: SecretPurpose; seconds: number },
): Promise<void> {
  await em.execute(
    `insert into one_time_secrets (hash, user_id, purpose, expires_at)
     values (?, ?, ?, now() + make_interval(secs => ?))`,
    [secret.hash, secret.userId, secret.purpose, secret.seconds],
  )
}

/** Null when unknown, used, expired, or of a disabled user. */
export async function findOneTimeSecret(
  em: EntityManager,
  hash: string,
  purpose: SecretPurpose,
): Promise<{ userId: string } | null> {
  const [row] = await em.execute<{ userId: string }[]>(
    `select o.user_id as "userId" from one_time_secrets o join users u on u.id = o.user_id
     where o.hash = ? and o.purpose = ? and o.used_at is null and o.expires_at > now() and u.disabled_at is null`,
    [hash, purpose],
  )
  return row ?? null
}

/** True for exactly one caller, unless used or expired. */
export async function useOneTimeSecret(
  em: EntityManager,
  hash: string,
  purpose: SecretPurpose,
): Promise<boolean> {
  const used = await em.execute<unknown[]>(
    `update one_time_secrets set used_at = now()
     where hash = ? and purpose = ? and used_at is null and expires_at > now() returning hash`,
    [hash, purpose],
  )
  return used.length === 1
}

export async function discardOneTimeSecrets(
  em: EntityManager,
  userId: string,
  purpose: SecretPurpose,
): Promise<void> {
  await em.execute('delete from one_time_secrets where user_id = ? and purpose = ? and used_at is null', [
    userId,
    purpose,
  ])
}
