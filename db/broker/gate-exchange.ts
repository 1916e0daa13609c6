import type { RequestExchange } from '#domain/account/request-gate-sync.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/** Seven slots of ten seconds cover any minute. */
const SLOT_SECONDS = 10
const SLOTS = 7
/** Longer waits stem from a corrected clock, and are ignored. */
const LONGEST_WAIT_SECONDS = { wait: 60, othersWait: 120 }
const believed = (column: string, seconds: number): string =>
  `case when gate.${column} <= now() + interval '${seconds} seconds' then gate.${column} end`

/** PostgreSQL's clock counts, since processes' clocks differ. Removed connections are omitted. */
export const gateExchange =
  (em: EntityManager): RequestExchange =>
  async (news) =>
    em.fork().execute(
      `with told as materialized (
         select t.connection_id, t.requests, t.is_open, coalesce((t.refused ->> 'isReported')::boolean, false) as is_reported,
           now() + (t.refused ->> 'wait')::float8 * interval '1 millisecond' as not_before,
           now() + (t.refused ->> 'othersWait')::float8 * interval '1 millisecond' as others_not_before
         from jsonb_to_recordset(?::jsonb) as t (connection_id uuid, requests integer, is_open boolean, refused jsonb)
         where exists (select from broker_connections b where b.id = t.connection_id)
         order by t.connection_id),
       noted as (
         insert into broker_gates as gate (connection_id, slot, requests, not_before, others_not_before, is_reported)
         select connection_id, floor(extract(epoch from clock_timestamp()) / ${SLOT_SECONDS}),
           array[requests] || array_fill(0, array[${SLOTS - 1}]), not_before, others_not_before, is_reported
         from told
         on conflict (connection_id) do update set
           -- A slot that is still to come was begun before the clock was set back: the count begins anew.
           slot = case when gate.slot > excluded.slot + 1 then excluded.slot else greatest(gate.slot, excluded.slot) end,
           requests = (
             select array[moved.counts[1] + excluded.requests[1]] || moved.counts[2:]
             from (select (array_fill(0, array[
               case when gate.slot > excluded.slot + 1 then ${SLOTS}
                 else least(greatest(excluded.slot - gate.slot, 0), ${SLOTS}) end::integer])
               || gate.requests)[1:${SLOTS}] as counts) moved),
           not_before = greatest(${believed('not_before', LONGEST_WAIT_SECONDS.wait)}, excluded.not_before),
           others_not_before = case
             when excluded.not_before is null and gate.not_before <= now()
               and (select is_open from told where told.connection_id = gate.connection_id) then null
             else greatest(${believed('others_not_before', LONGEST_WAIT_SECONDS.othersWait)}, excluded.others_not_before) end,
           is_reported = case when excluded.not_before > coalesce(gate.not_before, '-infinity') then excluded.is_reported else gate.is_reported end
         returning *),
       known as (
         select * from noted
         union all
         select connection_id, slot, requests, ${believed('not_before', LONGEST_WAIT_SECONDS.wait)},
           ${believed('others_not_before', LONGEST_WAIT_SECONDS.othersWait)}, is_reported
         from broker_gates gate
         where greatest(gate.not_before, gate.others_not_before) > now()
           and gate.connection_id not in (select connection_id from told))
       select connection_id as "connectionId", is_reported as "isReported",
         (select sum(count) from unnest(requests) as count)::integer as requests,
         greatest(0, coalesce(extract(epoch from not_before - now()), 0) * 1000)::float8 as wait,
         greatest(0, coalesce(extract(epoch from others_not_before - now()), 0) * 1000)::float8 as "othersWait"
       from known`,
      [
        toStorableJson(
          news.map(({ connectionId, isOpen, ...rest }) => ({
            ...rest,
            connection_id: connectionId,
            is_open: isOpen,
          })),
        ),
      ],
    )
