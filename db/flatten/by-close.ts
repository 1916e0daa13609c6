import type { FlatByClose } from '#domain/exit/flat-by-close.ts'
import { derivedId } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import { insertFlattening, type NewFlattening } from './flattenings.ts'

export interface ActiveFlat extends FlatByClose {
  userId: string
  accountId: string
  scope: 'account' | 'strategy' | 'hook'
  scopeId: string | null
  name: string | null
}

export async function activeFlats(em: EntityManager): Promise<ActiveFlat[]> {
  return em.execute<ActiveFlat[]>(
    `with standing as (
       select a.user_id, a.id as account_id, 'account' as scope, null::uuid as scope_id, null::text as name, a.flat_by_close as flat
       from accounts a where a.flat_by_close is not null
       union all
       select t.user_id, a.id, 'strategy', t.id, t.name, t.flat_by_close
       from strategies t join accounts a on a.user_id = t.user_id
       where t.flat_by_close is not null
         and exists (select from signals s where s.user_id = t.user_id and s.strategy_id = t.id and s.account_id = a.id)
       union all
       select h.user_id, a.id, 'hook', h.id, h.name, h.settings -> 'flatByClose'
       from hooks h join accounts a on a.user_id = h.user_id
       where jsonb_typeof(h.settings -> 'flatByClose') = 'object'
         and exists (select from signals s where s.user_id = h.user_id and s.token_id = h.id and s.account_id = a.id))
     select x.user_id as "userId", x.account_id as "accountId", x.scope, x.scope_id as "scopeId", x.name,
       (x.flat ->> 'minutes')::integer as minutes, (x.flat ->> 'includeManual')::boolean as "includeManual"
     from standing x join accounts a on a.id = x.account_id and a.is_active
     order by x.account_id, x.scope, x.scope_id`,
  )
}

export interface DueFlat {
  flat: ActiveFlat
  day: string
  closesAt: string
  alarmAt: string
}

const NAMESPACE = Buffer.from('5b0e7c8e0f4a4f5e9a3d2c1b0a998877', 'hex')

/** A setting changed on the day has another id. */
const idOfFlat = ({ flat, day, closesAt }: DueFlat): string => {
  const { scope, scopeId, accountId, minutes, includeManual } = flat
  return derivedId(
    NAMESPACE,
    `${scope} ${scopeId ?? ''} ${accountId} ${day} ${closesAt} ${minutes} ${includeManual}`,
  )
}

/** Once for each setting and session end; null where begun already, with the close updated. */
export async function beginFlat(em: EntityManager, due: DueFlat): Promise<string | null> {
  const { flat, day, closesAt, alarmAt } = due
  const { userId, accountId, scope, scopeId, name, minutes, includeManual } = flat
  const underWay = await em.execute<unknown[]>(
    `update flattenings set closes_at = ?::timestamptz, alarm_at = case when closes_at = ?::timestamptz then alarm_at else ?::timestamptz end
     where cause = 'close' and user_id = ? and scope = ? and scope_id is not distinct from ?::uuid and account_ids = array[?::uuid]
       and day = ?::date and status = 'working' returning id`,
    [closesAt, closesAt, alarmAt, userId, scope, scopeId, accountId, day],
  )
  if (underWay.length > 0) return null
  const id = idOfFlat(due)
  const whose = name === null ? 'the account' : `the ${scope} ${toStorableJson(name)}`
  const flattening: NewFlattening = {
    id,
    userId,
    cause: 'close',
    scope,
    scopeId,
    includeManual,
    day,
    closesAt,
    alarmAt,
    accountIds: [accountId],
    symbols: null,
    entriesOf: null,
    tokenId: null,
    reason: `Flat by the close: ${whose}, ${minutes} min before it`,
    askedBy: 'the close of the session',
  }
  return (await insertFlattening(em, flattening, null)) ? id : null
}
