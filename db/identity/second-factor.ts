import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'

export interface TotpFactor {
  /** Sealed for place {table: totp_factors, id: userId, userId, field: secret}. */
  sealedSecret: string
  isConfirmed: boolean
}

export async function findTotpFactor(em: EntityManager, userId: string): Promise<TotpFactor | null> {
  const [row] = await em.execute<TotpFactor[]>(
    `select sealed_secret as "sealedSecret", confirmed_at is not null as "isConfirmed"
     from totp_factors where user_id = ?`,
    [userId],
  )
  return row ?? null
}

/** Replaces an unconfirmed factor; false when one is in use. */
export async function beginTotpEnrolment(
  em: EntityManager,
  userId: string,
  sealedSecret: string,
): Promise<boolean> {
  const begun = await em.execute<unknown[]>(
    `insert into totp_factors (user_id, sealed_secret) values (?, ?)
     on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()
     where totp_factors.confirmed_at is null returning user_id`,
    [userId, sealedSecret],
  )
  return begun.length === 1
}

/** True for one caller; an earlier or equal step is refused (RFC 6238, section 5.2). 'enrolment' confirms a factor. */
export async function acceptTotpStep(
  em: EntityManager,
  userId: string,
  step: number,
  phase: 'enrolment' | 'use',
): Promise<boolean> {
  const accepted = await em.execute<unknown[]>(
    `update totp_factors set last_step = ?, confirmed_at = coalesce(confirmed_at, now())
     where user_id = ? and last_step < ? and (confirmed_at is not null) = ? returning user_id`,
    [step, userId, step, phase === 'use'],
  )
  return accepted.length === 1
}

/** Old codes end at once. */
export async function replaceBackupCodes(em: EntityManager, userId: string, hashes: string[]): Promise<void> {
  await em.execute('delete from backup_codes where user_id = ? and not (hash = any (?::text[]))', [
    userId,
    asArray(hashes),
  ])
  await em.execute(
    `insert into backup_codes (user_id, hash) select ?, unnest(?::text[]) on conflict do nothing`,
    [userId, asArray(hashes)],
  )
}

/** True for exactly one caller. */
export async function useBackupCode(em: EntityManager, userId: string, hash: string): Promise<boolean> {
  const used = await em.execute<unknown[]>(
    'update backup_codes set used_at = now() where user_id = ? and hash = ? and used_at is null returning hash',
    [userId, hash],
  )
  return used.length === 1
}

export async function countBackupCodes(em: EntityManager, userId: string): Promise<number> {
  const [row] = await em.execute<{ left: number }[]>(
    'select count(*)::int as left from backup_codes where user_id = ? and used_at is null',
    [userId],
  )
  return row!.left
}

export async function removeSecondFactor(em: EntityManager, userId: string): Promise<void> {
  await em.execute(
    `with codes as (delete from backup_codes where user_id = ?)
     delete from totp_factors where user_id = ?`,
    [userId, userId],
  )
}
