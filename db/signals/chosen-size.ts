import type { ChosenSize, ExitStanding } from '#domain/chosen-size.ts'
import type { ShownBeyond } from '#domain/exit.ts'
import { figure } from '#domain/figures.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { queryRows } from '../engine/row-security.ts'
import { isAcceptedChange } from '../trades/position-acceptance.ts'

export const CHOSEN_SIZE = 'chosenSize'

/** SQL condition on signals `s`: its shares have become others since its levels were said. */
const IS_OF_BEFORE = `(s.decisions -> '${CHOSEN_SIZE}' is not null or exists (
  select from fills f
  where f.account_id = s.account_id and f.symbol = s.symbol and ${isAcceptedChange('f', 's.filled_quantity')}
    and f.recorded_at > coalesce((select max(e.at) from signal_events e
      where e.signal_id = s.id and e.kind = 'protection_changed'), s.accepted_at)))`

export async function readExitStanding(em: EntityManager, signalId: string): Promise<ExitStanding> {
  const [row] = await em.execute<(Omit<ExitStanding, 'dueAt'> & { dueAt: StoredInstant | null })[]>(
    `select s.exit_due_at as "dueAt", s.decisions -> '${CHOSEN_SIZE}' as choice,
       ${IS_OF_BEFORE} as "isOfBefore",
       exists (select from fill_cursors c where c.account_id = s.account_id) as "isListed",
       (select trim_scale(coalesce(sum(o.filled_quantity), 0))::text from orders o
        where o.signal_id = s.id and o.role = 'exit'
          and o.created_at >= (s.decisions -> '${CHOSEN_SIZE}' ->> 'at')::timestamptz) as "soldSince",
       (select jsonb_build_object('shown', a.data -> 'shown', 'executed', a.data -> 'executed') from alerts a
        where a.account_id = s.account_id and a.kind = 'position_differs' and a.symbol = s.symbol
          and a.resolved_at is null and a.good_since is null) as told
     from signals s where s.id = ?`,
    [signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return { ...row, dueAt: instantOrNull(row.dueAt) }
}

export async function findExitQuestion(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<ShownBeyond | null> {
  const [row] = await queryRows<{ beyond: ShownBeyond }>(
    em,
    `select data -> 'beyond' as beyond from alerts
     where user_id = ? and signal_id = ? and kind = 'unprotected_position' and resolved_at is null
       and data -> 'beyond' is not null`,
    [userId, signalId],
  )
  return row?.beyond ?? null
}

/** The newest choice counts. False when the exit's order is at the broker, or the exit is over. */
export async function chooseExitSize(
  em: EntityManager,
  { userId, signalId, symbol }: { userId: string; signalId: string; symbol: string },
  choice: Omit<ChosenSize, 'at'>,
): Promise<boolean> {
  const words = `${choice.by} has chosen that the exit sells ${figure(choice.quantity)} of the ${figure(choice.shown)} ${symbol} that the broker shows`
  const rows = await queryRows(
    em,
    `with chosen as (
       update signals set updated_at = now(),
         decisions = decisions || jsonb_build_object('${CHOSEN_SIZE}', ?::jsonb || jsonb_build_object('at', now()))
       where id = ? and user_id = ? and exit_status in ('waiting', 'scheduled') returning id)
     insert into signal_events (signal_id, key, kind, at, message)
     select id, 'exit-size-' || now(), 'exit_planned', now(), ? from chosen returning key`,
    [toStorableJson(choice), signalId, userId, words],
  )
  return rows.length > 0
}
