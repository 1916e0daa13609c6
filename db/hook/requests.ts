import type { HookOutcome } from '#domain/hook/outcome.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Query } from '../engine/query.ts'
import { queryRows, queryTogether } from '../engine/row-security.ts'
import { lockOfName, nameLock, namingOf, othersOfName, type NamedRequest } from '../signal/requests.ts'

type HookRequestVia = 'sender' | 'test' | 'again'

export interface StoredHookRequest {
  id: string
  hookId: string
  userId: string
  receivedAt: Date
  via: HookRequestVia
  again: string | null
  ip: string
  signature: string | null
  body: string
  /** Size as received. */
  bytes: number
}

export type HookRequestEnd = Omit<HookOutcome, 'requestId' | 'signals'>

/** Past `limit` (ms) nothing is stored; a stored request is processed, also after failures. */
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

export async function removeHookRequest(em: EntityManager, id: string): Promise<void> {
  await em.execute('delete from hook_requests where id = ? and outcome is null', [id])
}

export interface HookClaim {
  isRepeated: boolean
  isReplayed: boolean
  hasGroup: boolean
  /** A later request was processed already. */
  isOvertaken: boolean
}

/** Gives the name to one of concurrent requests; a unique message gets none. `symbol`: of its trades. */
export async function claimName(
  em: EntityManager,
  named: NamedRequest,
  { hookId, signature }: Pick<StoredHookRequest, 'hookId' | 'signature'>,
  symbol: string | null,
): Promise<HookClaim> {
  const { id, at } = named
  const sameName = othersOfName(named)
  const naming = namingOf(named, { sql: 'select from other', parameters: [] })
  const [, claim] = await queryTogether<HookClaim | null>(em, [
    nameLock(named),
    {
      sql: `with other as (
          select id, false as is_replayed from (${sameName.sql}) same
          union all
          select h.id, true from hook_requests h
          where h.hook_id = ?::uuid and h.signature = ?::text and h.id <> ?::uuid and ?::text is not null
            and (h.outcome in ('accepted', 'nothing') or exists (select from requests r where r.id = h.id))
        ), named as (${naming.sql})
        select exists (select from other) as "isRepeated", exists (select from other where is_replayed) as "isReplayed",
          exists (select from signal_groups where id = ?::uuid) as "hasGroup",
          exists (select from signal_groups g where g.token_id = ?::uuid and g.created_at > ?::timestamptz and g.id <> ?::uuid
            and g.symbol = coalesce(?::text, g.symbol)) as "isOvertaken"`,
      parameters: [
        ...sameName.parameters,
        hookId,
        signature,
        id,
        named.name,
        ...naming.parameters,
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

/** The first outcome remains. A refused, late or dry run frees its name, unless it has signals. */
export async function endHookRequest(
  em: EntityManager,
  id: string,
  { outcome, code, message, faults, advisories, groupId }: HookRequestEnd,
  status: number | null,
): Promise<void> {
  const ending: Query<null> = {
    sql: `update hook_requests set outcome = ?, code = ?, message = ?, faults = ?::jsonb, advisories = ?::jsonb, group_id = ?,
       status = ?, finished_at = now()
     where id = ? and outcome is null`,
    parameters: [
      outcome,
      code,
      message,
      toStorableJson(faults),
      toStorableJson(advisories),
      groupId,
      status,
      id,
    ],
    read: () => null,
  }
  await queryTogether(
    em,
    MAY_BE_SENT_AGAIN.includes(outcome) ? [ending, lockOfName(id), freeing(id)] : [ending],
  )
}

const MAY_BE_SENT_AGAIN: readonly HookOutcome['outcome'][] = ['refused', 'late', 'dry_run']

/** Under the name's lock: another process may be storing signals. */
const freeing = (id: string): Query<null> => ({
  sql: `delete from requests r where r.id = ? and not exists (select from signal_groups g where g.id = r.id)
    and exists (select from hook_requests h where h.id = r.id and h.outcome in (?))`,
  parameters: [id, MAY_BE_SENT_AGAIN],
  read: () => null,
})

/** SQL condition: the message is unprocessed or in process. */
export const IS_NOT_ENDED = 'outcome is null'

/** Requests from before `before` (UTC), round robin by person, then hook. `restMs`: between tries. */
export async function leftHookRequests(
  em: EntityManager,
  before: Date,
  { restMs, mostOfPerson, most }: { restMs: number; mostOfPerson: number; most: number },
): Promise<StoredHookRequest[]> {
  const rows = await em.execute<(Omit<StoredHookRequest, 'receivedAt'> & { receivedAt: string })[]>(
    `with by_hook as (
       select id, user_id, coalesce(tried_at, '-infinity') as tried, received_at,
         row_number() over (partition by hook_id order by tried_at nulls first, received_at, id) as turn
       from hook_requests where ${IS_NOT_ENDED} and received_at < ?::timestamptz
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

export async function noteTry(em: EntityManager, id: string): Promise<void> {
  await em.execute('update hook_requests set tried_at = clock_timestamp() where id = ?', [id])
}

export async function hasSignals(em: EntityManager, id: string): Promise<boolean> {
  const rows = await queryRows<object>(em, 'select id from signal_groups where id = ?', [id])
  return rows.length > 0
}
