import {
  changedPlan,
  faultsOfChange,
  type ChangedSignal,
  type PlanChange,
  type ProtectionChanged,
} from '#domain/protection-change.ts'
import { protectionChangedEntry, protectionChangedKey } from '#domain/protection-moves.ts'
import type { Protection } from '#domain/protection.ts'
import { isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import { isByRisk } from '#domain/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { IS_DECIDED } from '../orders/decisions.ts'
import { readSymbolBook } from '../orders/symbol-book.ts'
import { lockSymbolOf } from '../orders/symbol-lock.ts'
import { CHOSEN_SIZE } from './chosen-size.ts'
import { write } from './ledger-write.ts'
import { IS_OPEN } from './record.ts'

interface Row extends ChangedSignal {
  protection: Protection | null
  /** Its entry may be sent in the size that was decided. */
  isDecided: boolean
  isDone: boolean
  id: string
  accountId: string
  symbol: string
  exitCancelledBy: string | null
  filledQuantity: Decimal
  /** As the last end has left it. */
  covered: Decimal | null
  hasEnded: boolean
}

/**
 * Merges the change with the plan that is there then. Repeatable: the same instant and person change once. A signal that has ended
 * is open again, for the shares that it owns.
 */
export async function recordProtectionChanged(
  em: EntityManager,
  { signalId, at, by, change }: { signalId: string; at: string; by: string; change: PlanChange },
): Promise<ProtectionChanged> {
  return em.fork().transactional(async (inner) => {
    const signal = await readUnderLock(inner, signalId, protectionChangedKey(at, by))
    if (signal.isDone)
      return { plan: signal.protection, ...(signal.covered !== null && { covered: signal.covered }) }
    const isSizedByIt = isByRisk(signal.quantityType) && signal.isDecided && signal.status !== 'executed'
    if (isSizedByIt && (change.stop !== undefined || change.trail !== undefined))
      return { refused: SIZED_BY_STOP, faults: [] }
    const faults = faultsOfChange(signal, change)
    if (faults.length > 0) return { refused: faults.map(({ message }) => message).join('; '), faults }
    const plan = changedPlan(signal.protection, change)
    // It is about to end.
    if (signal.exitCancelledBy !== null && !signal.hasEnded)
      return { refused: `The exit was cancelled by ${signal.exitCancelledBy}`, faults: [] }
    const owned = signal.hasEnded ? await ownedShares(inner, signal) : null
    if (owned !== null && (plan === null || signal.exitRule != null || !isPositive(owned)))
      return { refused: HAS_ENDED, faults: [] }
    const covered = owned && subtract(signal.filledQuantity, owned)
    await write(inner, signalId, { set: {}, timeline: [protectionChangedEntry(at, by, plan)] })
    // Earlier levels, and a size chosen under them, count no longer (`afterLevelsChanged` for the workflow).
    await inner.execute(
      `update signals set protection = changed.plan, exit_revision = exit_revision + 1,
         counted_quantity = case when covered is null then counted_quantity else 0 end,
         exit_cancelled_by = case when covered is null then exit_cancelled_by end,
         target = case when changed.plan is null then target - 'protection'
           else jsonb_set(target, '{protection}', changed.plan) end,
         decisions = decisions - '${CHOSEN_SIZE}',
         exit_progress = exit_progress - '{reached,sessionEndsAt,levelsEndedBy}'::text[] || jsonb_build_object(
           'levelsSince', changed.at,
           'time', exit_progress -> 'time' || '{"lookAt": null}',
           'waits', jsonb_strip_nulls(jsonb_build_object('TIME', exit_progress #> '{waits,TIME}'))) ||
           case when covered is null then '{}'
             else jsonb_build_object('coveredQuantity', covered, 'uncovered', '[]'::jsonb, 'cancelledBy', null) end
       from (select ?::jsonb as plan, ?::text as at, ?::text as covered) changed where id = ?`,
      [plan && toStorableJson(plan), at, covered, signalId],
    )
    return { plan, ...(covered !== null && { covered }) }
  })
}

const SIZED_BY_STOP =
  'The quantity follows from the distance of the stop and has been decided: change the stop once the entry is at the broker'

const HAS_ENDED =
  'The signal has ended: only shares that it still owns, and that it had no time to leave for, can get an exit plan'

async function ownedShares(em: EntityManager, { id, accountId, symbol }: Row): Promise<Decimal> {
  const { shares } = await readSymbolBook(em, accountId, symbol)
  return shares.of(id)
}

async function readUnderLock(em: EntityManager, signalId: string, key: string): Promise<Row> {
  // A decision on the entry takes it too, and so sees the plan before or after.
  await lockSymbolOf(em, signalId)
  const [row] = await em.execute<Row[]>(
    `select action, status, quantity_type as "quantityType", exit_rule as "exitRule", protection,
       id, account_id as "accountId", symbol, exit_cancelled_by as "exitCancelledBy", trim_scale(filled_quantity)::text as "filledQuantity",
       case when closings > 0 then exit_progress ->> 'coveredQuantity' end as covered,
       closings > 0 and ${IS_OPEN} is not true as "hasEnded", limit_price as "limitPrice", stop_price as "stopPrice", avg_fill_price as "avgFillPrice",
       coalesce(${IS_DECIDED}, false) as "isDecided",
       exists (select from signal_events e where e.signal_id = s.id and e.key = ?) as "isDone"
     from signals s where id = ?`,
    [key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return row
}
