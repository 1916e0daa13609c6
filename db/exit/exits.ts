import type { ExitSizeOverride, ExitSizeFacts } from '#domain/risk/sizing.ts'
import type { ShownBeyond, ExitReason } from '#domain/exit/exit.ts'
import { figure, type Decimal } from '#domain/money/decimal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant, asArray, instantOf, WORKING } from '../engine/query.ts'
import { queryRows } from '../engine/row-security.ts'
import { isAcceptedChange } from '../position/position-acceptance.ts'
import { unprotectedByMove, unprotectedByPart } from '#domain/alert/alert.ts'
import type { ScheduledExit } from '#domain/exit/schedule.ts'
import type { OrderPurpose } from '#domain/order/order.ts'
import type { Resolved } from '../alert/changes.ts'
import type { LedgerWrite } from '../signal/ledger-statement.ts'
import type { ScheduledBy } from '#domain/time/judged-calendar.ts'
import type { GivingWay } from '#domain/exit/flat-by-close.ts'
import type { CancelMarks } from '#domain/exit/progress.ts'
import { nameOfOrder, type LiveOrder } from '#domain/position/symbol-state.ts'
import { cancelledForEntry } from '#domain/signal/timeline.ts'
import { write } from '../signal/ledger-write.ts'

export const EXIT_SIZE_OVERRIDE = 'chosenSize'

/** SQL condition on `s`: shares have changed since the levels were set. */
const IS_OF_BEFORE = `(s.decisions -> '${EXIT_SIZE_OVERRIDE}' is not null or exists (
  select from fills f
  where f.account_id = s.account_id and f.symbol = s.symbol and ${isAcceptedChange('f', 's.filled_quantity')}
    and f.recorded_at > coalesce((select max(e.at) from signal_events e
      where e.signal_id = s.id and e.kind = 'protection_changed'), s.accepted_at)))`

export async function readExitSizeFacts(em: EntityManager, signalId: string): Promise<ExitSizeFacts> {
  const [row] = await em.execute<(Omit<ExitSizeFacts, 'dueAt'> & { dueAt: StoredInstant | null })[]>(
    `select s.exit_due_at as "dueAt", s.decisions -> '${EXIT_SIZE_OVERRIDE}' as choice,
       ${IS_OF_BEFORE} as "isOfBefore",
       exists (select from fill_cursors c where c.account_id = s.account_id) as "isListed",
       (select trim_scale(coalesce(sum(o.filled_quantity), 0))::text from orders o
        where o.signal_id = s.id and o.role = 'exit'
          and o.created_at >= (s.decisions -> '${EXIT_SIZE_OVERRIDE}' ->> 'at')::timestamptz) as "soldSince",
       (select jsonb_build_object('shown', a.data -> 'shown', 'executed', a.data -> 'executed') from alerts a
        where a.account_id = s.account_id and a.kind = 'position_differs' and a.symbol = s.symbol
          and a.resolved_at is null and a.healthy_since is null) as told
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

/** False once the exit is at the broker or has ended. The newest choice counts. */
export async function chooseExitSize(
  em: EntityManager,
  { userId, signalId, symbol }: { userId: string; signalId: string; symbol: string },
  choice: Omit<ExitSizeOverride, 'at'>,
): Promise<boolean> {
  const words = `${choice.by} has chosen that the exit sells ${figure(choice.quantity)} of the ${figure(choice.shown)} ${symbol} that the broker shows`
  const rows = await queryRows(
    em,
    `with chosen as (
       update signals set updated_at = now(),
         decisions = decisions || jsonb_build_object('${EXIT_SIZE_OVERRIDE}', ?::jsonb || jsonb_build_object('at', now()))
       where id = ? and user_id = ? and exit_status in ('waiting', 'scheduled') returning id)
     insert into signal_events (signal_id, key, kind, at, message)
     select id, 'exit-size-' || now(), 'exit_planned', now(), ? from chosen returning key`,
    [toStorableJson(choice), signalId, userId, words],
  )
  return rows.length > 0
}

// A step of an exit ends only the alerts whose conditions it removes.

/** SQL condition on `alerts`: no exit was abandoned before a late fill. */
const NONE_GIVEN_UP = `not exists (
  select from signals s where s.id = alerts.signal_id
    and s.closings > 0 and s.exit_progress -> 'uncovered' <> '[]')`

const unprotected = (sql: string, parameters: unknown[] = []): Resolved => ({
  kind: 'unprotected_position',
  where: { sql, parameters },
})

const ONCE_SCHEDULED = unprotected(`alerts.data ->> 'trouble' = 'unplanned' and ${NONE_GIVEN_UP}`)

export const ONCE_SCHEDULED_AGAIN = unprotected(`alerts.data ->> 'trouble' = 'uncovered'`)

const ONCE_MOVED_BACK: Resolved = {
  ...unprotected(`alerts.data ->> 'trouble' = 'moved'`),
  inSameState: true,
}

export function alertsOnceScheduled(
  shift: ScheduledExit['shift'],
  submitAt: string,
  generation: number,
): Required<Pick<LedgerWrite, 'raises' | 'resolves'>> {
  return shift?.staysOpen
    ? { raises: [unprotectedByMove({ from: shift.from, submitAt }, generation)], resolves: [] }
    : { raises: [], resolves: shift ? [ONCE_SCHEDULED, ONCE_MOVED_BACK] : [ONCE_SCHEDULED] }
}

/** Exits still late while such an order is open; one at its time, or at market, closes for all. */
const STILL_LATE: Record<OrderPurpose, readonly ExitReason[]> = {
  entry: [],
  plan: ['TIME'],
  target: ['TIME'],
  timed: [],
}

export function alertsOnceOut(
  generation: number,
  purpose: OrderPurpose,
): Pick<LedgerWrite, 'raises' | 'resolves'> {
  const parameters = [`exit-${generation}`]
  const isPart = (signal: string, besides = ''): string =>
    `exists (select from signals p, lateral (select p.decisions -> ?::text as size) sized where p.id = ${signal}
       and size -> 'leaves' is not null ${besides})`
  // The whole shares follow a fraction at once; an existing alert lasts until then.
  const isAlerted = isPart('changed.id', `and size -> 'isFraction' is null`)
  const isWhole = `not ${isPart('alerts.signal_id')}`
  const isOut = `not coalesce(alerts.data ->> 'exitReason', '') = any(?::text[])`
  return {
    raises: [{ ...unprotectedByPart(generation), where: { sql: isAlerted, parameters } }],
    resolves: [
      { kind: 'fill_after_end', where: { sql: isWhole, parameters } },
      unprotected(`${isWhole} and ${NONE_GIVEN_UP} and ${isOut}`, [
        ...parameters,
        asArray(STILL_LATE[purpose]),
      ]),
    ],
  }
}

export const onceEnded = (rest: Decimal | null): readonly Resolved[] => [
  { kind: 'replaced_order_working' },
  { kind: 'exit_unfilled' },
  ...(rest === null ? ([{ kind: 'unprotected_position' }, { kind: 'fill_after_end' }] as const) : []),
]

/** UTC instants by the ledger's clock. */
export interface EntryByLedger {
  now: string
  /** Instant of sending, or its earliest; null without a signal. */
  sentAt: string | null
}

export async function readEntryByLedger(em: EntityManager, signalId: string): Promise<EntryByLedger> {
  const [row] = await em.execute<{ now: StoredInstant; sent_at: StoredInstant | null }[]>(
    `select clock_timestamp() as now,
       (select coalesce(o.sent_at, s.accepted_at) from signals s
        left join orders o on o.signal_id = s.id and o.client_order_id = s.id || '-e1' where s.id = ?) as sent_at`,
    [signalId],
  )
  return { now: instantOf(row!.now), sentAt: instantOrNull(row!.sent_at) }
}

export const listWaitingExits = (
  em: EntityManager,
  accountId: string,
): Promise<{ signalId: string; scheduledBy: ScheduledBy }[]> =>
  em.execute(
    `select id as "signalId", exit_calendar as "scheduledBy" from signals
     where account_id = ? and exit_due_at > now() and exit_status in ('waiting', 'scheduled')
       and exit_calendar is not null`,
    [accountId],
  )

export async function symbolsWithExitsToCome(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ symbol: string }[]>(
    `select distinct symbol from signals
     where account_id = ? and filled_quantity > 0 and exit_status in ('waiting', 'scheduled', 'submitted') order by symbol`,
    [accountId],
  )
  return rows.map(({ symbol }) => symbol)
}

/** The order's end may be reported before the request returns. `closer`: id of the blocked order. */
export async function recordCancelledFor(
  em: EntityManager,
  { clientOrderId }: Pick<LiveOrder, 'clientOrderId'>,
  closer: string,
  at: string,
): Promise<void> {
  const [order] = await em.execute<{ signalId: string }[]>(
    `update orders set cancelled_for = ?, cancelled_for_at = now() where client_order_id = ? and status in ${WORKING}
     returning signal_id as "signalId"`,
    [closer, clientOrderId],
  )
  if (!order) return
  await write(em, order.signalId, { set: {}, timeline: [cancelledForEntry(at, clientOrderId, closer)] })
}

export async function readCancelMarks(em: EntityManager, clientOrderId: string): Promise<CancelMarks> {
  const [marks] = await em.execute<CancelMarks[]>(
    'select cancel_asked_by as "askedBy", cancelled_for as "cancelledFor" from orders where client_order_id = ?',
    [clientOrderId],
  )
  return marks ?? { askedBy: null, cancelledFor: null }
}

/** Our orders cancelled for `closer`; null without any. */
export async function readGivingWay(
  em: EntityManager,
  { accountId, symbol }: { accountId: string; symbol: string },
  closer: string,
): Promise<(GivingWay & { asOf: string }) | null> {
  const rows = await em.execute<
    (Parameters<typeof nameOfOrder>[0] & { works: boolean; asked_at: StoredInstant; as_of: StoredInstant })[]
  >(
    `select side, trim_scale(quantity - filled_quantity)::text as open, symbol, order_type as "orderType",
       trim_scale(limit_price)::text as "limitPrice", trim_scale(stop_price)::text as "stopPrice",
       client_order_id as "clientOrderId", status in ${WORKING} as works, cancelled_for_at as asked_at, now() as as_of
     from orders where account_id = ? and symbol = ? and cancelled_for is not null and cancelled_for = ?
     order by cancelled_for_at desc`,
    [accountId, symbol, closer],
  )
  const [last] = rows
  if (!last) return null
  return {
    working: rows.filter(({ works }) => works).map(nameOfOrder),
    askedAt: instantOf(last.asked_at),
    asOf: instantOf(last.as_of),
  }
}
