import { exitStatusesBefore, type ExitState } from '#domain/exit/exit.ts'
import { ALERTS } from '#domain/alert/alert.ts'
import type { StatusReason } from '#domain/risk/denial.ts'
import { SIGNAL_ENDINGS, type SignalEndingName } from '#domain/signal/end-notices.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitProgress } from '#domain/exit/progress.ts'
import {
  isTerminal,
  parseClientOrderId,
  type AcknowledgedEnd,
  type OrderReport,
} from '#domain/order/order.ts'
import { statusesBefore, type FreedStatus, type SignalStatus } from '#domain/signal/signal.ts'
import { progressEntry, type TimelineEntry } from '#domain/signal/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import { TERMINAL } from '../engine/query.ts'
import { UNLESS_OPEN } from '../alert/alerts.ts'
import type { Raised, Resolved } from '../alert/changes.ts'
import { notifiedOfEnding } from './end-notices.ts'
import { AS_SENT, STOPPED, type SendDecision, noEarlierThanFirst } from '../order/decisions.ts'
import { VOIDED } from '../order/send-permits.ts'
import { hasProgress, orderInsert } from '../order/order-rows.ts'

/** SQL: `forward` permits the present exit state, `further` only a new one. */
function exitMove({ generation, status }: ExitState): { columns: string; parameters: unknown[] } {
  const before = exitStatusesBefore(status)
  const beyond = (from: readonly string[]) =>
    `coalesce(exit_generation < ? or (exit_generation = ? and exit_status = any(array[${from.map(() => '?')}]::text[])), true)`
  const parametersFor = (from: readonly string[]) => [generation, generation, ...from]
  const standing = [...before, status]
  return {
    columns: `${beyond(standing)} as forward, ${beyond(before)} as further`,
    parameters: [...parametersFor(standing), ...parametersFor(before)],
  }
}

export interface LedgerWrite {
  status?: Exclude<SignalStatus, FreedStatus>
  ending?: SignalEndingName
  set: Record<string, unknown>
  /** Ignored when the exit is in a later state; `atFirst` applies to a new one. */
  exit?: ExitState & { set: Record<string, unknown>; atFirst?: Record<string, unknown> }
  /** `entryFilled`: shares that this end counts; a late fill continues from `progress`. */
  ends?: { closing: number; entryFilled: Decimal; progress: ExitProgress }
  report?: OrderReport
  acknowledges?: AcknowledgedEnd[]
  cancels?: { clientOrderId: string; by: string }
  advisories?: { code: string; message: string }[]
  cancelExit?: boolean
  /** Nothing is written after this decision or, after a restoration, an order at the broker. */
  stops?: SendDecision
  strikesOut?: SendDecision
  /** Wait for approval; not written after another decision or an approval. */
  holds?: object
  /** With `holds`: required number of rejected approvals. */
  refusesAfter?: number
  /** UTC instant of an approval: decides again, unless that approval was rejected. */
  releases?: string
  raises?: readonly Raised[]
  resolves?: readonly Resolved[]
  timeline: TimelineEntry[]
}

interface Part {
  sql: string
  parameters: unknown[]
}

/** Selects one row, or none when the signal is not in the required state. */
export function ledgerStatement(signalId: string, change: LedgerWrite): Part {
  const parts = [changed(signalId, change), ...placed(change), ...endedUnsent(change)]
  parts.push(...acknowledgedEnds(change), ...askedCancel(change), ...told(change))
  const raised = raises([...(change.raises ?? []), ...endNotices(change)])
  parts.push(...raised, ...resolved(change))
  const acknowledged =
    raised.length > 0
      ? `(select bool_or(acknowledged) from (${raised.map((_, index) => `select acknowledged from raised${index}`).join(' union all ')}) r)`
      : 'false'
  return {
    sql:
      `with ${parts.map(({ sql }) => sql).join(', ')} select account_id, ` +
      `${change.report ? '(select count(*)::int from placed)' : '1'} as placed, ${acknowledged} as acknowledged from changed`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

export const statusAfter = ({
  status,
  ending,
}: Pick<LedgerWrite, 'status' | 'ending'>): SignalStatus | undefined =>
  ending === undefined ? status : SIGNAL_ENDINGS[ending].into

function endNotices({ ending, set, timeline }: LedgerWrite): Raised[] {
  const first = timeline[0]
  if (ending === undefined || first === undefined) return []
  const code = (set['status_reason'] ?? null) as StatusReason | null
  return notifiedOfEnding(ending, { message: first.message, code })
}

/** SQL condition: the decision waits for approval. */
export const isHeld = (key: string): string => `decisions -> ${key} ->> 'outcome' = 'held'`

const REFUSALS = `coalesce((approval_refused ->> 'count')::integer, 0)`

/** SQL condition: no entry order is known at the broker. */
export const IS_UNSENT = `not exists (select from orders o where o.client_order_id = signals.id || '-e1'
  and o.broker_order_id is not null)`

/** The first end without an order counts: an unaware workflow records its own. */
const REASONS: ReadonlySet<string> = new Set(['status_reason', 'status_detail'])

const SIGNAL_COLUMNS = 'id, user_id, account_id, time_in_force, expires_at'

function changed(signalId: string, change: LedgerWrite): Part {
  const { exit, stops, holds, refusesAfter, releases } = change
  const status = statusAfter(change)
  const from = status ? [...statusesBefore(status), status] : []
  const which =
    `where id = ? ${from.length > 0 ? `and status in (${from.map(() => '?')})` : ''} ` +
    (stops
      ? `and (decisions -> ?::text -> 'stopped' is not null or (decisions -> ?::text is null or ${isHeld('?::text')})${stops === 'entry' ? ` and ${IS_UNSENT}` : ''})`
      : '') +
    (holds
      ? `and ${refusesAfter === undefined ? 'decided_by is null' : `decided_by is not null and ${REFUSALS} = ?`} and (decisions -> 'entry' is null or ${isHeld(`'entry'`)})`
      : '') +
    (releases ? `and decisions #>> '{entry,refused,approvedAt}' is distinct from ?` : '')
  const whose = [
    signalId,
    ...from,
    ...(stops ? [stops, stops, stops] : []),
    ...(refusesAfter === undefined ? [] : [refusesAfter]),
    ...(releases ? [releases] : []),
  ]
  const { sql, parameters } = assignments(change)
  if (!exit)
    return {
      sql: `changed as (update signals set ${sql} ${which} returning ${SIGNAL_COLUMNS}, true as forward, true as further)`,
      parameters: [...parameters, ...whose],
    }
  const move = exitMove(exit)
  return {
    sql:
      `held as materialized (select id as held_id, ${move.columns} from signals ${which} for no key update), ` +
      `changed as (update signals set ${sql} from held where id = held_id ` +
      `returning ${SIGNAL_COLUMNS}, forward, further)`,
    parameters: [...move.parameters, ...whose, ...parameters],
  }
}

function assignments(change: LedgerWrite): Part {
  const { set, exit, ends, report, advisories, cancelExit, stops, strikesOut, holds, releases } = change
  const status = statusAfter(change)
  const columns = { ...(status && { status }), ...set }
  const assigned = Object.keys(columns).map((column) =>
    stops === 'entry' && REASONS.has(column)
      ? `${column} = case when decisions #> '{entry,stopped}' is not null and status = '${status}' then ${column} else ? end`
      : `${column} = ?`,
  )
  const parameters: unknown[] = Object.values(columns)
  if (exit) {
    const moved = { exit_status: exit.status, exit_generation: exit.generation, ...exit.set }
    for (const [column, value] of Object.entries(moved)) {
      assigned.push(`${column} = case when forward then ? else ${column} end`)
      parameters.push(value)
    }
    for (const [column, value] of Object.entries(exit.atFirst ?? {})) {
      assigned.push(`${column} = case when further then ? else ${column} end`)
      parameters.push(value)
    }
  }
  if (ends) {
    const { closing, entryFilled, progress } = ends
    for (const [column, type, value] of [
      ['exit_progress', 'jsonb', toStorableJson(progress)],
      ['counted_quantity', 'numeric', entryFilled],
      ['closings', 'integer', closing],
    ] as const) {
      assigned.push(`${column} = case when closings < ? then ?::${type} else ${column} end`)
      parameters.push(closing, value)
    }
  }
  if (report && hasProgress(report) && parseClientOrderId(report.clientOrderId)?.role === 'entry') {
    // A stored order's report is merged, which updates the signal too.
    const isFurther =
      'not exists (select from orders where client_order_id = ?::text) and filled_quantity < ?::numeric'
    for (const [column, value] of [
      ['filled_quantity', report.filledQuantity],
      ['avg_fill_price', report.avgFillPrice],
    ]) {
      assigned.push(`${column} = case when ${isFurther} then ?::numeric else ${column} end`)
      parameters.push(report.clientOrderId, report.filledQuantity, value)
    }
    if (isTerminal(report.status)) {
      assigned.push(
        'entry_ended_at = case when exists (select from orders where client_order_id = ?::text) ' +
          'then entry_ended_at else coalesce(entry_ended_at, now()) end',
      )
      parameters.push(report.clientOrderId)
    }
  }
  if (cancelExit) assigned.push(`exit_status = case when exit_rule is null then null else 'cancelled' end`)
  if (advisories && advisories.length > 0) {
    // An acceptance may be recorded twice, after a lost answer.
    assigned.push(
      'advisories = case when advisories @> ?::jsonb then advisories else advisories || ?::jsonb end',
    )
    parameters.push(toStorableJson(advisories), toStorableJson(advisories))
  }
  if (stops) {
    assigned.push('decisions = decisions || jsonb_build_object(?::text, ?::jsonb)')
    parameters.push(stops, toStorableJson(STOPPED))
  }
  if (strikesOut) {
    assigned.push(`decisions = ${VOIDED}`)
    parameters.push(strikesOut)
  }
  if (holds) {
    assigned.push(`decisions = jsonb_build_object('entry', ?::jsonb) || decisions`)
    parameters.push(toStorableJson(holds))
  }
  if (releases)
    assigned.push(
      `decisions = jsonb_build_object('${AS_SENT}', jsonb_build_object('quantity', trim_scale(quantity)::text,
        'limitPrice', trim_scale(limit_price)::text)) ||
        case when ${isHeld(`'entry'`)} then decisions - 'entry' else decisions end`,
    )
  assigned.push('workflow_started_at = coalesce(workflow_started_at, now())', 'updated_at = now()')
  return { sql: assigned.join(', '), parameters }
}

function endedUnsent({ ending, set }: LedgerWrite): Part[] {
  if (ending === undefined) return []
  return [
    {
      sql:
        `ended as (update orders set status = ?, reason = ?, end_acknowledged_at = now(), revision = revision + 1, ` +
        `updated_at = now() from changed where orders.signal_id = changed.id and broker_order_id is null ` +
        `and orders.status = 'PENDING' returning orders.id)`,
      parameters: [
        SIGNAL_ENDINGS[ending].into === 'cancelled' ? 'CANCELLED' : 'REJECTED',
        set['status_detail'] ?? null,
      ],
    },
  ]
}

function placed({ report }: LedgerWrite): Part[] {
  if (!report) return []
  const { sql, parameters } = orderInsert(report, 'changed')
  return [{ sql: `placed as (${sql} returning id)`, parameters }]
}

/** A larger fill must still be reported; a smaller one follows a cancelled execution. */
function acknowledgedEnds({ acknowledges = [] }: LedgerWrite): Part[] {
  return acknowledges.map(({ clientOrderId, filledQuantity }, index) => ({
    sql:
      `acknowledged${index} as (update orders set end_acknowledged_at = coalesce(end_acknowledged_at, now()) ` +
      `where client_order_id = ? and filled_quantity <= ?::numeric and status in ${TERMINAL} ` +
      `and exists (select from changed) returning id)`,
    parameters: [clientOrderId, filledQuantity],
  }))
}

function askedCancel({ cancels }: LedgerWrite): Part[] {
  if (!cancels) return []
  return [
    {
      sql:
        `asked as (update orders set cancel_asked_by = coalesce(cancel_asked_by, ?) ` +
        `where client_order_id = ? and exists (select from changed) returning id)`,
      parameters: [cancels.by, cancels.clientOrderId],
    },
  ]
}

const FOLLOWS_ALL: ReadonlySet<TimelineEntry['kind']> = new Set(['closed', 'exit_planned'])

function told({ timeline, report }: LedgerWrite): Part[] {
  // Workflow time does not advance during a task: the broker's end may be later.
  const afterAll = `greatest(?::timestamptz, (select max(at) from signal_events where signal_id = changed.id))`
  const tell = (entry: TimelineEntry, name: string, condition = ''): Part => ({
    sql:
      `${name} as (insert into signal_events (signal_id, key, kind, at, message, data) ` +
      `select id, ?, ?, ${FOLLOWS_ALL.has(entry.kind) ? afterAll : noEarlierThanFirst('changed.id')}, ?, ?::jsonb ` +
      `from changed ${condition} on conflict (signal_id, key) do nothing returning key)`,
    parameters: [entry.key, entry.kind, entry.at, entry.message, toStorableJson(entry.data ?? null)],
  })
  const entries = timeline.map((entry, index) => ({ entry, name: `told${index}` }))
  if (!report || !hasProgress(report)) return entries.map(({ entry, name }) => tell(entry, name))
  return [
    ...entries.map(({ entry, name }) => tell(entry, name)),
    tell(progressEntry(report, report.submittedAt), 'notified_progress', AFTER_ACCEPTANCE),
  ]
}

/** Entries of one instant appear in the order of writing. */
const AFTER_ACCEPTANCE = 'where exists (select from placed) and (select count(*) from told0) >= 0'

function raises(notices: readonly Raised[]): Part[] {
  return notices.map(({ kind, message, data, where }, index) => {
    const subject = ALERTS[kind].concerns === 'signal' ? 'id' : 'null::uuid'
    return {
      sql:
        `raised${index} as (insert into alerts (user_id, account_id, signal_id, kind, message, data) ` +
        `select user_id, account_id, ${subject}, ?, ?, ?::jsonb ` +
        `from changed where forward ${where ? `and ${where.sql} ` : ''}` +
        `${UNLESS_OPEN} returning acknowledged_at is not null as acknowledged)`,
      parameters: [kind, message, toStorableJson(data), ...(where?.parameters ?? [])],
    }
  })
}

/** A repeated end resolves nothing: more may have happened since. */
function resolved({ resolves = [], ends, timeline }: LedgerWrite): Part[] {
  const isFirst = ends
    ? `and exists (select from told${timeline.findIndex(({ kind }) => kind === 'closed')}) `
    : ''
  return resolves.map(({ kind, where, inSameState }, index) => ({
    sql:
      `resolved${index} as (update alerts set resolved_at = now() where resolved_at is null and kind = ? ` +
      `and signal_id = (select id from changed where ${inSameState ? 'forward' : 'further'}) ${isFirst}` +
      `${where ? `and ${where.sql} ` : ''}returning id)`,
    parameters: [kind, ...(where?.parameters ?? [])],
  }))
}
