import type { EntityManager } from '../engine/database.ts'

/** isCompared false: the broker refused. `dueWithin`: milliseconds until the feed's next sign. */
export async function recordFeedNews(
  em: EntityManager,
  accountId: string,
  { isCompared, dueWithin }: { isCompared: boolean; dueWithin: number },
): Promise<void> {
  await em.execute(
    `insert into account_feeds (account_id, compared_at, due_at)
     select id, case when ? then now() end, now() + ? * interval '1 millisecond' from accounts where id = ?
     on conflict (account_id) do update set due_at = excluded.due_at,
       compared_at = coalesce(excluded.compared_at, account_feeds.compared_at)`,
    [isCompared, dueWithin, accountId],
  )
}
