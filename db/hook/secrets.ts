import type { EntityManager } from '../engine/database.ts'

export interface HookSecret {
  id: string
  createdAt: string
  endsAt: string | null
  lastUsedAt: string | null
}

export const SECRET_IS_GOOD = '(s.ends_at is null or s.ends_at > now())'

/** Requires the hook's lock. The previous secret stays valid for `minutes`, older ones end. */
export async function insertSecret(
  em: EntityManager,
  userId: string,
  hookId: string,
  secret: { id: string; hash: string },
  minutes: number,
): Promise<HookSecret> {
  await em.execute(
    `with good as (
       select s.id, row_number() over (order by s.created_at desc, s.id) as age from hook_secrets s
       where s.hook_id = ? and s.user_id = ? and ${SECRET_IS_GOOD}
     )
     update hook_secrets s set ends_at = least(s.ends_at, now() + case when age = 1 then ? else 0 end * interval '1 minute')
     from good where good.id = s.id`,
    [hookId, userId, minutes],
  )
  const [made] = await em.execute<HookSecret[]>(
    `insert into hook_secrets (id, user_id, hook_id, hash, created_at) values (?, ?, ?, ?, clock_timestamp())
     returning id, created_at as "createdAt", ends_at as "endsAt", last_used_at as "lastUsedAt"`,
    [secret.id, userId, hookId, secret.hash],
  )
  return made!
}

export async function endSecretNow(
  em: EntityManager,
  userId: string,
  hookId: string,
  secretId: string,
): Promise<boolean> {
  const ended = await em.execute<unknown[]>(
    `update hook_secrets s set ends_at = now()
     where s.id = ? and s.hook_id = ? and s.user_id = ? and ${SECRET_IS_GOOD} returning s.id`,
    [secretId, hookId, userId],
  )
  return ended.length === 1
}
