import type { EntityManager } from '../engine/database.ts'

/** Signals that wait for earlier ones of their account and symbol. */

/**
 * Notes behind which signals one waits, and for how long at most; the first instant stays, and its owner is told once.
 * Returns the instant (UTC) up to which it waits.
 */
export async function recordSequencingWait(
  em: EntityManager,
  signalId: string,
  { behind, until }: { behind: readonly string[]; until: string },
): Promise<string> {
  const advisory = {
    code: 'waits_for_earlier_signals',
    message: `It waits for earlier signals of its account and symbol (${behind.join(', ')}), until ${until} at most`,
  }
  const [row] = await em.execute<{ until: Date | string }[]>(
    `update signals set sequenced_behind = ?::uuid[], sequencing_since = coalesce(sequencing_since, now()),
       sequencing_until = coalesce(sequencing_until, ?::timestamptz),
       advisories = case when sequencing_since is null then advisories || ?::jsonb else advisories end
     where id = ? returning sequencing_until as until`,
    [`{${behind.join(',')}}`, until, JSON.stringify([advisory]), signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return new Date(row.until).toISOString()
}

/**
 * The signals that wait for one that has changed. Each is given out once for that: of several workers that ask, one is
 * to tell it.
 */
export async function claimWaitersFor(em: EntityManager, changedId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `update signals w set sequenced_behind = array_remove(w.sequenced_behind, c.id)
     from signals c where c.id = ? and w.account_id = c.account_id and w.symbol = c.symbol
       and w.status = 'queued' and w.sequenced_behind is not null and c.id = any (w.sequenced_behind)
     returning w.id`,
    [changedId],
  )
  return rows.map(({ id }) => id)
}

/** Every signal that waits for an earlier one, for whoever may have missed what has changed. */
export async function listWaiters(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where status = 'queued' and sequenced_behind is not null and decisions -> 'entry' is null`,
  )
  return rows.map(({ id }) => id)
}
