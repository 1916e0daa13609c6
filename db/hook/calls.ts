import type { EntityManager } from '../engine/database.ts'

export interface CallOfHook {
  hookId: string
  hookName: string
  at: Date
  ip: string
}

const LOOKED_AT = 200
const MOST_CALLERS = 50

export async function listCalls(em: EntityManager, userId: string): Promise<CallOfHook[]> {
  const rows = await em.execute<(Omit<CallOfHook, 'at'> & { at: string })[]>(
    `select "hookId", "hookName", at, ip from (
       select distinct on (r.ip) r.ip, h.id as "hookId", h.name as "hookName", r.received_at as at
       from hooks h
       cross join lateral (
         select ip, received_at from hook_requests
         where hook_id = h.id and via = 'sender'
         order by received_at desc, id desc
         limit ${LOOKED_AT}
       ) r
       where h.user_id = ?
       order by r.ip, r.received_at desc
     ) newest
     order by at desc
     limit ${MOST_CALLERS}`,
    [userId],
  )
  return rows.map((row) => ({ ...row, at: new Date(row.at) }))
}
