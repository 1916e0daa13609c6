import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { AT_TARGET, TARGET_SUPERSEDED } from '#domain/signal/target.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { isOpening, type Leg, type Target } from '#domain/signal/signal.ts'
import { cancelledEntry, crossingStoppedEntry } from '#domain/signal/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import { queryRows } from '../engine/row-security.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Signal } from '../entities/index.ts'
import { derivedId } from '../engine/query.ts'
import { IS_DECIDED } from '../order/decisions.ts'
import { GOES_ACROSS, IS_CROSSING } from '../order/sequencing.ts'
import { lockAccountSymbol } from '../position/symbol-state.ts'
import { recordClosed, type SignalEnd } from './ledger.ts'
import { write } from './ledger-write.ts'
import { acceptedFields, columnsOf } from './storing.ts'

const CONTINUATION_NAMESPACE = Buffer.from('b0a64c2ee1d94f0c8c3f5a7f1d2e9b46', 'hex')

/** The same id in a repetition. */
export const continuationOf = (signalId: string): string => derivedId(CONTINUATION_NAMESPACE, signalId)

/** SQL: the given target with the present levels. */
const GIVEN = `case when target -> 'protection' is null then given - 'protection'
  else jsonb_set(given, '{protection}', target -> 'protection') end`

/** Replaces earlier terms, in the transaction of the decision. Returns them as recorded. */
export async function recordLeg(em: EntityManager, signalId: string, leg: Leg): Promise<Leg> {
  const { protection: _, ...plain } = leg
  const { action, quantity, quantityType, exit, target } = plain
  const [row] = await em.execute<{ protection: Protection | null; target: Target }[]>(
    `update signals set action = ?, quantity = ?, quantity_type = ?, exit_rule = ?::jsonb,
       protection = case when ?::boolean then target -> 'protection' end, target = ${GIVEN}
     from (select ?::jsonb as given) leg where id = ? and decisions -> 'entry' is null returning protection, target`,
    [
      action,
      quantity,
      quantityType,
      exit && toStorableJson(exit),
      isOpening(action),
      toStorableJson(target),
      signalId,
    ],
  )
  if (!row) return leg
  return { ...plain, target: row.target, ...(row.protection && { protection: row.protection }) }
}

export async function readTarget(em: EntityManager, signalId: string): Promise<Target> {
  const [row] = await em.execute<{ target: Target | null }[]>('select target from signals where id = ?', [
    signalId,
  ])
  if (!row?.target) throw new Error(`there is no signal ${signalId} with a target`)
  return row.target
}

export async function recordTarget(em: EntityManager, signalId: string, target: Target): Promise<void> {
  await em.execute(
    `update signals set target = ${GIVEN} from (select ?::jsonb as given) found
     where id = ? and decisions -> 'entry' is null`,
    [toStorableJson(target), signalId],
  )
}

export interface NothingTraded {
  reason: keyof typeof ENDINGS
  detail: string
}

const ENDINGS = { [AT_TARGET]: 'at_target', [TARGET_SUPERSEDED]: 'target_superseded' } as const

/** Ends the signal. Throws DecidedAlready where an order was decided. */
export async function recordNothingTraded(
  em: EntityManager,
  signalId: string,
  at: string,
  { reason, detail }: NothingTraded,
): Promise<void> {
  await write(em, signalId, {
    ending: ENDINGS[reason],
    stops: 'entry',
    set: { status_reason: reason, status_detail: detail },
    cancelExit: true,
    timeline: [cancelledEntry(at, reason, detail)],
  })
}

/** The continuation has the same queue position. One repeatable transaction. */
export async function recordCrossed(
  em: EntityManager,
  signalId: string,
  at: string,
  end: SignalEnd,
): Promise<void> {
  await em.fork().transactional(async (inner) => {
    const [signal] = await inner.execute<{ accountId: string; symbol: string }[]>(
      'select account_id as "accountId", symbol from signals where id = ?',
      [signalId],
    )
    if (!signal) throw new Error(`there is no signal ${signalId}`)
    await lockAccountSymbol(inner, signal.accountId, signal.symbol)
    await recordClosed(inner, signalId, at, end)
    await inner.execute(continueSignal(inner), [
      continuationOf(signalId),
      signalId,
      ...notifiedOf(signalId, at),
    ])
  })
}

/** Sets a decided close's target to zero: no other side opens. False, unchanged, for any other signal. */
export async function stopCrossing(
  em: EntityManager,
  signalId: string,
  at: string,
  by: string,
): Promise<boolean> {
  const { key, kind, message } = crossingStoppedEntry(at, by)
  const told = await queryRows(
    em,
    `with stopped as (
       update signals set target = jsonb_set(target - 'move', '{position}', '"0"'), updated_at = now()
       where id = ? and (status = 'executed' or ${IS_DECIDED}) and ${IS_CROSSING} returning id)
     insert into signal_events (signal_id, key, kind, at, message)
     select id, ?, ?, ?::timestamptz, ? from stopped returning signal_id`,
    [signalId, key, kind, at, message],
  )
  return told.length > 0
}

function notifiedOf(signalId: string, at: string): unknown[] {
  const received: TimelineEntry = {
    key: 'received',
    kind: 'received',
    at,
    message: `The position on the other side is closed, and this signal goes on to the target of signal ${signalId}`,
    data: { continues: signalId },
  }
  const { key, kind, message, data } = received
  return [key, kind, at, message, toStorableJson(data)]
}

const OWN: Partial<Record<keyof Signal, string>> = {
  id: '?::uuid',
  sourceId: 'null',
  action: `case when (target ->> 'position')::numeric > 0 then 'openLong' else 'openShort' end`,
  quantity: `coalesce(target #>> '{move,quantity}', abs((target ->> 'position')::numeric)::text)::numeric`,
  quantityType: `coalesce(target #>> '{move,quantityType}', quantity_type)`,
  executeMode: `'immediate'`,
  scheduledAt: 'null',
  exitRule: `nullif(target -> 'exit', 'null')`,
  protection: `target -> 'protection'`,
  advisories: `'[]'`,
  status: `'queued'`,
  acceptedAt: 'now()',
  sendBefore:
    'coalesce(valid_until, now() + (send_before - greatest(scheduled_at, decided_at, accepted_at)))',
  decidedAt: 'case when decided_by is not null then now() end',
  continues: 'id',
}

/** The first approval applies; the time to send begins again. */
function continueSignal(em: EntityManager): string {
  const fields = [...acceptedFields(em), 'tokenId', 'sentBy', 'decidedBy', 'decidedAt', 'continues'] as const
  return `
  with stored as (
    insert into signals (${columnsOf(em, fields)}, sequence, queued_at)
    overriding system value
    select ${fields.map((field) => OWN[field] ?? columnsOf(em, [field])).join(', ')}, sequence, queued_at
    from signals where id = ? and status = 'executed' and ${GOES_ACROSS}
    on conflict do nothing
    returning id)
  insert into signal_events (signal_id, key, kind, at, message, data)
  select id, ?, ?, ?::timestamptz, ?, ?::jsonb from stored`
}
