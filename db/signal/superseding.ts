import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import type { Query } from '../engine/query.ts'
import { queryTogether } from '../engine/row-security.ts'
import { STOPPED } from '../order/decisions.ts'
import { symbolLockQuery } from '../position/symbol-state.ts'
import { isHeld, IS_UNSENT } from './ledger-statement.ts'

export interface SupersedingScope {
  tokenId: string
  accountId: string
  symbol: string
}

export interface Superseded {
  id: string
  detail: string
}

/** SQL: later by the moments that both state, or else by arrival. */
const IS_LATER = `case when l.meant_at is null or o.meant_at is null then (l.created_at, l.sequence) > (o.created_at, o.sequence)
  else (l.meant_at, l.created_at, l.sequence) > (o.meant_at, o.created_at, o.sequence) end`

/** Cancels waiting signals of older alerts, after the newer is stored. Requires the lock of account and symbol. */
export const supersedingQuery = ({ tokenId, accountId, symbol }: SupersedingScope): Query<Superseded[]> => ({
  sql: `with waiting as materialized (
      select s.id, s.action, s.sequence, g.meant_at, g.created_at
      from signals s join signal_groups g on g.id = s.group_id
      where s.token_id = ?::uuid and s.account_id = ?::uuid and s.symbol = ? and s.status in ('pending', 'scheduled')
    ), alerts as (
      select s.id, s.sequence, g.summary, g.supersedes, g.meant_at, g.created_at
      from signals s join signal_groups g on g.id = s.group_id
      where exists (select from waiting) and s.token_id = ?::uuid and s.account_id = ?::uuid and s.symbol = ?
        and s.accepted_at > now() - interval '90 days' and coalesce(s.status_reason, '') not in ('WITHDRAWN', 'DECLINED')
    ), ends as (
      select distinct on (o.id) o.id, 'A newer alert of the same hook came before it was decided: ' || l.summary as detail
      from waiting o join alerts l on l.id <> o.id and l.supersedes @> to_jsonb(o.action) and ${IS_LATER}
      order by o.id, l.sequence desc
    ), ended as (
      update signals set status = 'cancelled', status_reason = 'SUPERSEDED', status_detail = ends.detail,
        exit_status = case when exit_rule is null then null else 'cancelled' end,
        decisions = decisions || jsonb_build_object('entry', ?::jsonb),
        workflow_started_at = coalesce(workflow_started_at, now()), updated_at = now()
      from ends where signals.id = ends.id and signals.status in ('pending', 'scheduled') and ${IS_UNSENT}
        and (decisions -> 'entry' is null or ${isHeld(`'entry'`)})
      returning signals.id, ends.detail
    ), noted as (
      insert into signal_events (signal_id, key, kind, at, message, data)
      select id, 'cancelled', 'cancelled', clock_timestamp(), detail, '{"reason": "SUPERSEDED"}'::jsonb from ended on conflict do nothing
    )
    select id, detail from ended`,
  parameters: [tokenId, accountId, symbol, tokenId, accountId, symbol, toStorableJson(STOPPED)],
  read: (rows: readonly Superseded[]) => [...rows],
})

/** Cancels also signals pending again after an approval. */
export async function supersede(em: EntityManager, scope: SupersedingScope): Promise<Superseded[]> {
  const queries = [symbolLockQuery(scope.accountId, scope.symbol), supersedingQuery(scope)]
  const answers = await queryTogether<unknown>(em, queries)
  return answers[1] as Superseded[]
}
