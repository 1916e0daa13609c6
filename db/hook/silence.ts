import type { Expectation } from '#domain/hook/expectation.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import type { AlertNotice } from '#domain/alert/alert.ts'

export interface ExpectedSender {
  id: string
  what: 'hook' | 'strategy'
  userId: string
  name: string
  expects: Expectation
  since: string
}

export const findExpectedSenders = (em: EntityManager): Promise<ExpectedSender[]> =>
  em.execute<ExpectedSender[]>(`
    select h.id, 'hook' as what, h.user_id as "userId", h.name, h.expects, h.expects_since as since
    from hooks h join access_tokens t on t.id = h.id join users u on u.id = h.user_id
    where h.expects is not null and t.revoked_at is null and u.disabled_at is null
    union all
    select s.id, 'strategy', s.user_id, s.name, s.expects, s.expects_since
    from strategies s join users u on u.id = s.user_id
    where s.expects is not null and s.status = 'active' and s.archived_at is null and u.disabled_at is null`)

export interface Silence {
  sender: Pick<ExpectedSender, 'id' | 'what' | 'userId'>
  /** UTC instant from which a signal or request counts. */
  from: string
  notice: AlertNotice & { data: { session: string } }
}

const SILENT = `select * from json_to_recordset(?::json)
    as w (id uuid, what text, "userId" uuid, "from" timestamptz, message text, data jsonb, session text)
  where case w.what
      when 'hook' then not exists (select from hooks h where h.id = w.id and h.last_request_at >= w.from)
      else not exists (
        select from signals s where s.user_id = w."userId" and s.strategy_id = w.id and s.accepted_at >= w.from) end
    and not exists (
      select from alerts a where a.user_id = w."userId" and a.kind = 'sender_silent'
        and coalesce(a.token_id, a.strategy_id) = w.id and a.data ->> 'session' >= w.session)`

const asRows = (silences: readonly Silence[]): string =>
  toStorableJson(
    silences.map(({ sender: { id, what, userId }, from, notice: { message, data } }) => ({
      id,
      what,
      userId,
      from,
      message,
      data,
      session: data.session,
    })),
  )

export async function findUnnotified(em: EntityManager, silences: readonly Silence[]): Promise<Silence[]> {
  const rows = await em.execute<{ id: string }[]>(`select id from (${SILENT}) w`, [asRows(silences)])
  const ids = new Set(rows.map(({ id }) => id))
  return silences.filter(({ sender }) => ids.has(sender.id))
}

/** Alerts once per session, and ends earlier alerts. Returns the number. */
export const raiseSilences = (em: EntityManager, silences: readonly Silence[]): Promise<number> =>
  em.transactional(async (inner) => {
    const rows = asRows(silences)
    await inner.execute(
      `with silent as (${SILENT})
       update alerts a set resolved_at = now() from silent
       where a.user_id = silent."userId" and a.kind = 'sender_silent' and coalesce(a.token_id, a.strategy_id) = silent.id
         and a.resolved_at is null`,
      [rows],
    )
    const raised = await inner.execute<unknown[]>(
      `with silent as (${SILENT})
       insert into alerts (user_id, token_id, strategy_id, kind, message, data)
       select "userId", case what when 'hook' then id end, case what when 'strategy' then id end, 'sender_silent', message, data
       from silent on conflict do nothing returning id`,
      [rows],
    )
    return raised.length
  })

export async function endSilences(em: EntityManager): Promise<void> {
  await em.execute(
    `update alerts a set resolved_at = now()
     where a.kind = 'sender_silent' and a.resolved_at is null and not exists (
       select from hooks h join access_tokens t on t.id = h.id
       where h.id = a.token_id and t.revoked_at is null and h.expects is not null and h.expects_since <= a.raised_at
         and (h.last_request_at is null or h.last_request_at < (a.data ->> 'from')::timestamptz)
       union all
       select from strategies s
       where s.id = a.strategy_id and s.status = 'active' and s.archived_at is null and s.expects is not null
         and s.expects_since <= a.raised_at and not exists (
           select from signals g where g.user_id = s.user_id and g.strategy_id = s.id and g.accepted_at >= (a.data ->> 'from')::timestamptz))`,
  )
}
