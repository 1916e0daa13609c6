import type { EntityManager } from '../engine/database.ts'

export const KEPT_REQUESTS = { days: 30, requests: 2_000, bytes: 8 * 1024 * 1024 } as const

export async function removeOldRequests(em: EntityManager): Promise<number> {
  const removed = await em.execute<unknown[]>(
    `with gone as (delete from hook_requests where received_at < now() - ? * interval '1 day' returning id),
       past as (delete from requests r using gone where r.id = gone.id and r.seconds is not null)
     select id from gone`,
    [KEPT_REQUESTS.days],
  )
  return removed.length
}

/** Covers hooks called within the last hour. `unfinished`: not processed. */
export async function removeSurplusRequests(
  em: EntityManager,
): Promise<{ removed: number; unfinished: number }> {
  const removed = await em.execute<{ isUnfinished: boolean }[]>(
    `with called as (
       select distinct hook_id from hook_requests where received_at > now() - interval '1 hour'
     ), ranked as (
       select r.id, row_number() over newest as place, sum(r.bytes) over newest as size
       from hook_requests r join called on called.hook_id = r.hook_id
       window newest as (partition by r.hook_id order by r.received_at desc, r.id desc)
     ), gone as (
       delete from hook_requests r using ranked
       where r.id = ranked.id and (ranked.place > ? or ranked.size > ?) returning r.id, r.outcome is null as "isUnfinished"
     ), past as (
       delete from requests r using gone where r.id = gone.id and (r.seconds is not null
         or gone."isUnfinished" and not exists (select from signal_groups g where g.id = r.id))
     )
     select "isUnfinished" from gone`,
    [KEPT_REQUESTS.requests, KEPT_REQUESTS.bytes],
  )
  return { removed: removed.length, unfinished: removed.filter(({ isUnfinished }) => isUnfinished).length }
}
