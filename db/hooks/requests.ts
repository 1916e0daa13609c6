import type { HookOutcome } from '#domain/hook/outcome.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows, queryTogether } from '../engine/row-security.ts'

/** How a request came: from its sender, as a person's trial, or sent again by a person. */
type HookRequestVia = 'sender' | 'test' | 'again'

/** A request of a hook as it is kept before it is understood. */
export interface StoredHookRequest {
  id: string
  hookId: string
  userId: string
  receivedAt: Date
  via: HookRequestVia
  /** The request that was sent again; null for every other. */
  again: string | null
  ip: string
  /** Of a message that was signed; null for every other. */
  signature: string | null
  /** Without secrets. */
  body: string
  /** Of the body as it came. */
  bytes: number
}

/** What became of a request, as far as it is kept with it: its signals have records of their own. */
export type HookRequestEnd = Omit<HookOutcome, 'requestId' | 'signals'>

/**
 * Keeps a request. From here on it is carried out, whatever fails.
 *
 * @param limit milliseconds after which nothing is stored any more
 */
export async function storeHookRequest(
  em: EntityManager,
  { id, hookId, userId, receivedAt, via, again, ip, signature, body, bytes }: StoredHookRequest,
  limit: number,
): Promise<void> {
  await queryRows(
    em,
    `insert into hook_requests (id, user_id, hook_id, received_at, via, again, ip, signature, body, bytes)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    [id, userId, hookId, receivedAt.toISOString(), via, again, ip, signature, body, bytes],
    { plan: 'once', limit },
  )
}

/** Takes a request away again whose sender was told that it was not stored, unless it has been carried out. */
export async function removeHookRequest(em: EntityManager, id: string): Promise<void> {
  await em.execute('delete from hook_requests where id = ? and outcome is null', [id], 'run')
}

/** How a request stands among those of its hook. */
export interface HookClaim {
  /** Another request carries the same alert out, or has. */
  isRepeated: boolean
  /** Another request has the same signature. */
  isReplayed: boolean
  /** It was carried out before, as far as its signals. */
  hasGroup: boolean
  /** What came to the hook after it has been carried out already. */
  isOvertaken: boolean
}

/**
 * Takes an alert for a request, unless another one of the hook has it: of any number at the same time, and of any number of
 * repetitions, one. Whoever has taken it has it when it is asked again.
 *
 * @param alert the identity of the alert; `seconds` for which it is one with an equal one, null for ever. Null for a request that is
 *   an alert of its own
 * @param symbol in which it trades; null for any
 */
export async function claimAlert(
  em: EntityManager,
  { id, hookId, receivedAt, signature }: StoredHookRequest,
  alert: { text: string; seconds: number | null } | null,
  symbol: string | null,
): Promise<HookClaim> {
  const at = receivedAt.toISOString()
  const seconds = alert?.seconds ?? null
  const [, claim] = await queryTogether<HookClaim | null>(em, [
    {
      sql: `select pg_advisory_xact_lock(hashtextextended('alert ' || ?::text || ' ' || coalesce(?::text, ?::text), 0))`,
      parameters: [hookId, alert?.text ?? null, id],
      read: () => null,
    },
    {
      sql: `with other as (
          select r.signature = ?::text as is_replayed from hook_requests r
          where r.hook_id = ?::uuid and r.id <> ?::uuid and ?::text is not null and r.identity is not null
            and (r.outcome is null or r.outcome not in ('refused', 'late', 'dry_run'))
            and (r.signature = ?::text or r.identity = ?::text and (?::integer is null
              or abs(extract(epoch from r.received_at - ?::timestamptz)) < ?::integer))
          order by 1 desc nulls last limit 1
        ), taken as (
          update hook_requests set identity = ?::text
          where id = ?::uuid and identity is null and not exists (select from other) returning id
        )
        select exists (select from other) as "isRepeated", coalesce((select is_replayed from other), false) as "isReplayed", exists (select from signal_groups where id = ?::uuid) as "hasGroup",
          exists (select from signal_groups g where g.token_id = ?::uuid and g.created_at > ?::timestamptz and g.id <> ?::uuid
            and g.symbol = coalesce(?::text, g.symbol)) as "isOvertaken", (select count(*) from taken) as taken`,
      parameters: [
        signature,
        hookId,
        id,
        alert?.text ?? null,
        signature,
        alert?.text ?? null,
        seconds,
        at,
        seconds,
        alert?.text ?? null,
        id,
        id,
        hookId,
        at,
        id,
        symbol,
      ],
      read: ([row]: readonly HookClaim[]) => row!,
    },
  ])
  return claim!
}

/** Whether a message with this signature came to the hook before. */
export async function isKnownSignature(
  em: EntityManager,
  hookId: string,
  signature: string,
): Promise<boolean> {
  const rows = await em.execute<object[]>(
    'select id from hook_requests where hook_id = ? and signature = ? limit 1',
    [hookId, signature],
  )
  return rows.length > 0
}

/** Writes down what became of a request, and how its sender was answered; the first outcome stays. */
export async function endHookRequest(
  em: EntityManager,
  id: string,
  { outcome, code, message, faults, advisories, groupId }: HookRequestEnd,
  status: number | null,
): Promise<void> {
  await queryRows(
    em,
    `update hook_requests set outcome = ?, code = ?, message = ?, faults = ?::jsonb, advisories = ?::jsonb, group_id = ?,
       status = ?, finished_at = now()
     where id = ? and outcome is null`,
    [outcome, code, message, toStorableJson(faults), toStorableJson(advisories), groupId, status, id],
  )
}

/**
 * Requests that were stored some time ago and not carried out: their process has died, or what they needed was away. People take turns,
 * and so do the hooks of each; of a hook the request comes first that was tried longest ago, or never.
 *
 * @param before UTC instant before which they came
 * @param restMs milliseconds for which a request is left alone after it was tried
 */
export async function leftHookRequests(
  em: EntityManager,
  before: Date,
  { restMs, mostOfPerson, most }: { restMs: number; mostOfPerson: number; most: number },
): Promise<StoredHookRequest[]> {
  const rows = await em.execute<(Omit<StoredHookRequest, 'receivedAt'> & { receivedAt: string })[]>(
    `with by_hook as (
       select id, user_id, coalesce(tried_at, '-infinity') as tried, received_at,
         row_number() over (partition by hook_id order by tried_at nulls first, received_at, id) as turn
       from hook_requests where outcome is null and received_at < ?::timestamptz
         and (tried_at is null or tried_at < clock_timestamp() - ? * interval '1 millisecond')
     ), by_person as (
       select id, tried, received_at, row_number() over (partition by user_id order by turn, tried, received_at, id) as turn
       from by_hook
     )
     select r.id, r.hook_id as "hookId", r.user_id as "userId", r.received_at as "receivedAt", r.via, r.again, r.ip, r.signature,
       r.body, r.bytes
     from by_person p join hook_requests r on r.id = p.id
     where p.turn <= ? order by p.turn, p.tried, p.received_at limit ?`,
    [before.toISOString(), restMs, mostOfPerson, most],
  )
  return rows.map((row) => ({ ...row, receivedAt: new Date(row.receivedAt) }))
}

/** Notes that a request is carried out once more, so that others have their turn before the next time. */
export async function noteTry(em: EntityManager, id: string): Promise<void> {
  await em.execute('update hook_requests set tried_at = clock_timestamp() where id = ?', [id], 'run')
}

/** Whether the signals of a request are stored. */
export async function hasSignals(em: EntityManager, id: string): Promise<boolean> {
  const rows = await queryRows<object>(em, 'select id from signal_groups where id = ?', [id])
  return rows.length > 0
}
