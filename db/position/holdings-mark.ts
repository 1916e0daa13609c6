import type { EntityManager } from '../engine/database.ts'

export async function readHoldingsMark(
  em: EntityManager,
  { userId, accountId }: { userId: string; accountId: string },
): Promise<string> {
  const [row] = await em.execute<{ mark: string }[]>(
    `select concat_ws(' ',
       (select updated_at from orders where user_id = ? order by updated_at desc limit 1),
       (select md5(string_agg(concat_ws(' ', symbol, side, quantity), ',' order by symbol))
        from positions where account_id = ?)) as mark`,
    [userId, accountId],
  )
  return row!.mark
}
