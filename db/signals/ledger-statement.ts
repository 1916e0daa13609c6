import { ALERTS, type AlertKind, type AlertNotice } from '#domain/alert.ts'
import type { ExitState } from '#domain/exit.ts'
import { isTerminal, ORDER_STATUSES, type OrderReport, type AcknowledgedEnd } from '#domain/order.ts'
import { statusesBefore, type SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { UNLESS_OPEN } from '../risk/alerts.ts'
import { exitMove } from './exit-move.ts'
import { STOPPED, type SendDecision } from '../orders/decisions.ts'
import { orderInsert } from '../orders/reports.ts'

/** What one step writes. */
export interface LedgerWrite {
  status?: SignalStatus
  /** Further columns of the signal. */
  set: Record<string, unknown>
  /**
   * Where the exit stands now, and columns that go with it; those of `atFirst` stay when it stood there already. Passed
   * over when the exit has gone beyond that.
   */
  exit?: ExitState & { set: Record<string, unknown>; atFirst?: Record<string, unknown> }
  /** The story is over for the `closing`-th time, and with what it goes on if a fill comes all the same. */
  ends?: { closing: number; reopenState: object }
  /** An order to add to the ledger, or to merge with what they hold. */
  report?: OrderReport
  /** The ends of orders that the workflow has now taken note of. */
  acknowledges?: AcknowledgedEnd[]
  /** Further things that the owner should know of. */
  advisories?: { code: string; message: string }[]
  /** A signal that places no entry needs no exit either. */
  cancelExit?: boolean
  /** The decision that is not to be taken any more; nothing is written when it was. */
  stops?: SendDecision
  /** Alerts that are due, unless the exit has gone beyond this step. */
  raises?: AlertNotice[]
  /** Alerts of the signal whose cause is gone with this step. */
  resolves?: readonly AlertKind[]
  timeline: TimelineEntry[]
}

/** A part of a statement, and the values of its placeholders in their order. */
interface Part {
  sql: string
  parameters: unknown[]
}

/** The one statement that a step writes. It selects one row, or none when the signal is not as it has to be. */
export function ledgerStatement(signalId: string, change: LedgerWrite): Part {
  const parts = [changed(signalId, change), ...placed(change), ...acknowledgedEnds(change), ...told(change)]
  const raised = raises(change)
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

/** Of the signal, for the other parts of the statement. */
const SIGNAL_COLUMNS = 'id, user_id, account_id, time_in_force, expires_at'

/** The signal itself. */
function changed(signalId: string, change: LedgerWrite): Part {
  const { exit, stops } = change
  // Repeating the write that already happened is allowed, leaving the table is not.
  const from = change.status ? [...statusesBefore(change.status), change.status] : []
  const which =
    `where id = ? ${from.length > 0 ? `and status in (${from.map(() => '?')})` : ''} ` +
    (stops ? 'and (decisions -> ?::text is null or decisions -> ?::text = ?::jsonb)' : '')
  const whose = [signalId, ...from, ...(stops ? [stops, stops, JSON.stringify(STOPPED)] : [])]
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

function assignments({ status, set, exit, ends, advisories, cancelExit, stops }: LedgerWrite): Part {
  const columns = { ...(status && { status }), ...set }
  const assigned = Object.keys(columns).map((column) => `${column} = ?`)
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
    assigned.push(
      'reopen_state = case when closings < ? then ?::jsonb else reopen_state end',
      'reopened_by = case when closings < ? then null else reopened_by end',
      'closings = greatest(closings, ?)',
    )
    parameters.push(ends.closing, JSON.stringify(ends.reopenState), ends.closing, ends.closing)
  }
  if (cancelExit) assigned.push(`exit_status = case when exit_rule is null then null else 'cancelled' end`)
  if (advisories && advisories.length > 0) {
    assigned.push('advisories = advisories || ?::jsonb')
    parameters.push(JSON.stringify(advisories))
  }
  if (stops) {
    assigned.push('decisions = decisions || jsonb_build_object(?::text, ?::jsonb)')
    parameters.push(stops, JSON.stringify(STOPPED))
  }
  assigned.push('workflow_started_at = coalesce(workflow_started_at, now())', 'updated_at = now()')
  return { sql: assigned.join(', '), parameters }
}

function placed({ report }: LedgerWrite): Part[] {
  if (!report) return []
  const { sql, parameters } = orderInsert(report, 'changed')
  return [{ sql: `placed as (${sql} returning id)`, parameters }]
}

const ENDED = ORDER_STATUSES.filter(isTerminal)
  .map((status) => `'${status}'`)
  .join(', ')

/**
 * An order is settled when the ledger holds the end that the workflow knows: one that has filled further is news that the
 * feed has yet to bring, and one that the ledger believes to work is what the comparison with the broker has yet to mend.
 */
function acknowledgedEnds({ acknowledges = [] }: LedgerWrite): Part[] {
  return acknowledges.map(({ clientOrderId, filledQuantity }, index) => ({
    sql:
      `acknowledged${index} as (update orders set end_acknowledged_at = coalesce(end_acknowledged_at, now()) ` +
      `where client_order_id = ? and filled_quantity = ?::numeric and status in (${ENDED}) ` +
      `and exists (select from changed) returning id)`,
    parameters: [clientOrderId, filledQuantity],
  }))
}

function told({ timeline }: LedgerWrite): Part[] {
  return timeline.map((entry, index) => ({
    sql:
      `told${index} as (insert into signal_events (signal_id, key, kind, at, message, data) ` +
      `select id, ?, ?, ?::timestamptz, ?, ?::jsonb from changed on conflict (signal_id, key) do nothing returning key)`,
    parameters: [entry.key, entry.kind, entry.at, entry.message, JSON.stringify(entry.data ?? null)],
  }))
}

function raises({ raises: notices = [] }: LedgerWrite): Part[] {
  return notices.map(({ kind, message, data }, index) => ({
    sql:
      `raised${index} as (insert into alerts (user_id, account_id, signal_id, kind, message, data) ` +
      `select user_id, account_id, ${ALERTS[kind].concerns === 'signal' ? 'id' : 'null::uuid'}, ?, ?, ?::jsonb ` +
      `from changed where forward ${UNLESS_OPEN} returning acknowledged_at is not null as acknowledged)`,
    parameters: [kind, message, JSON.stringify(data)],
  }))
}

function resolved({ resolves: kinds = [] }: LedgerWrite): Part[] {
  if (kinds.length === 0) return []
  return [
    {
      sql:
        `resolved as (update alerts set resolved_at = now() where resolved_at is null ` +
        `and kind in (${kinds.map(() => '?')}) and signal_id = (select id from changed where further) returning id)`,
      parameters: [...kinds],
    },
  ]
}
