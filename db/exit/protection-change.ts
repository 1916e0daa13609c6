import {
  changedLevels,
  faultsOfChange,
  type ChangedSignal,
  type ExitChange,
  type ProtectionChanged,
} from '#domain/exit/protection-check.ts'
import { protectionChangedEntry, protectionChangedKey } from '#domain/exit/protection-moves.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { isPositive, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'
import { isFailed, isByRisk } from '#domain/signal/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { IS_DECIDED } from '../order/decisions.ts'
import { readSymbolState, lockSymbolOf } from '../position/symbol-state.ts'
import { EXIT_SIZE_OVERRIDE, ONCE_SCHEDULED_AGAIN } from './exits.ts'
import { write } from '../signal/ledger-write.ts'
import { IS_OPEN } from '../signal/record.ts'

interface Row extends ChangedSignal {
  protection: Protection | null
  /** The entry may be sent in its decided size. */
  isDecided: boolean
  isDone: boolean
  id: string
  accountId: string
  symbol: string
  exitCancelledBy: string | null
  filledQuantity: Decimal
  /** Set where the change reopened the signal. */
  coveredThen: Decimal | null
  hasEnded: boolean
}

interface Change {
  signalId: string
  /** UTC instant that identifies a repetition. */
  at: string
  by: string
  change: ExitChange
  /** The workflow found the signal ended. */
  hasEnded?: boolean
}

/**
 * Merges the change with the present levels. Repeatable: one instant and person change once. An ended signal opens
 * again, for its own shares.
 */
export async function recordProtectionChanged(
  em: EntityManager,
  { signalId, at, by, change, hasEnded = false }: Change,
): Promise<ProtectionChanged> {
  return em.fork().transactional(async (inner) => {
    const signal = await readUnderLock(inner, signalId, protectionChangedKey(at, by))
    const { isDone, protection: protectionThen, coveredThen, ...now } = signal
    if (isDone) return { protection: protectionThen, ...(coveredThen !== null && { covered: coveredThen }) }
    if (isFailed(now.status)) return { refused: HAS_ENDED, faults: [] }
    const isSizedByIt = isByRisk(now.quantityType) && now.isDecided && now.status !== 'executed'
    if (isSizedByIt && (change.stop !== undefined || change.trail !== undefined))
      return { refused: SIZED_BY_STOP, faults: [] }
    const reopens = hasEnded && now.hasEnded
    if (now.exitCancelledBy !== null && !reopens)
      return { refused: `The exit was cancelled by ${now.exitCancelledBy}`, faults: [] }
    const before = reopens ? null : protectionThen
    const faults = faultsOfChange({ ...now, protection: before }, change)
    if (faults.length > 0) return { refused: faults.map(({ message }) => message).join('; '), faults }
    const protection = changedLevels(before, change)
    const owned = reopens ? await ownedShares(inner, now) : null
    if (owned !== null && (protection === null || now.exitRule != null || !isPositive(owned)))
      return { refused: HAS_ENDED, faults: [] }
    // An execution may be listed before its order's report.
    const covered = owned && subtract(now.filledQuantity, smaller(now.filledQuantity, owned))
    const entry = protectionChangedEntry(at, by, protection, covered)
    await write(inner, signalId, {
      set: covered === null ? {} : { exit_status: null, exit_reason: null, exit_order_id: null },
      timeline: [entry],
      resolves: covered === null ? [] : [ONCE_SCHEDULED_AGAIN],
    })
    // Earlier levels and a size override end here (`afterLevelsChanged` in the workflow).
    await inner.execute(
      `update signals set protection = changed.protection, exit_revision = exit_revision + 1,
         counted_quantity = case when covered is null then counted_quantity else 0 end,
         exit_cancelled_by = case when covered is null then exit_cancelled_by end,
         target = case when changed.protection is null then target - 'protection'
           else jsonb_set(target, '{protection}', changed.protection) end,
         decisions = decisions - '${EXIT_SIZE_OVERRIDE}',
         exit_progress = exit_progress - '{reached,sessionEndsAt,levelsEndedBy}'::text[] || jsonb_build_object(
           'levelsSince', changed.at,
           'time', exit_progress -> 'time' || '{"lookAt": null}',
           'waits', jsonb_strip_nulls(jsonb_build_object('TIME', exit_progress #> '{waits,TIME}'))) ||
           case when covered is null then '{}'
             else jsonb_build_object('coveredQuantity', covered, 'uncovered', '[]'::jsonb, 'cancelledBy', null) end
       from (select ?::jsonb as protection, ?::text as at, ?::text as covered) changed where id = ?`,
      [protection && toStorableJson(protection), at, covered, signalId],
    )
    return { protection, ...(covered !== null && { covered }) }
  })
}

const SIZED_BY_STOP =
  'The quantity follows from the distance of the stop and has been decided: change the stop once the entry is at the broker'

const HAS_ENDED =
  'The signal has ended: only shares that it still owns, without a time exit, can get a stop or target'

async function ownedShares(
  em: EntityManager,
  { id, accountId, symbol }: Pick<Row, 'id' | 'accountId' | 'symbol'>,
): Promise<Decimal> {
  const { shares } = await readSymbolState(em, accountId, symbol)
  return shares.of(id)
}

async function readUnderLock(em: EntityManager, signalId: string, key: string): Promise<Row> {
  // The lock orders this and the entry's decision.
  await lockSymbolOf(em, signalId)
  const [row] = await em.execute<Row[]>(
    `select action, status, quantity_type as "quantityType", exit_rule as "exitRule", protection,
       id, account_id as "accountId", symbol, exit_cancelled_by as "exitCancelledBy", trim_scale(filled_quantity)::text as "filledQuantity",
       (select e.data ->> 'covered' from signal_events e where e.signal_id = s.id and e.key = ?) as "coveredThen",
       closings > 0 and ${IS_OPEN} is not true as "hasEnded", limit_price as "limitPrice", stop_price as "stopPrice", avg_fill_price as "avgFillPrice",
       coalesce(${IS_DECIDED}, false) as "isDecided",
       exists (select from signal_events e where e.signal_id = s.id and e.key = ?) as "isDone"
     from signals s where id = ?`,
    [key, key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return row
}
