import type { AccountPermissions, KnownPermissions } from '#domain/account-may.ts'
import type { GivenApproval } from '#domain/approval.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { EarlierSignal, LedgerFacts } from '#domain/entry-check.ts'
import type { FlatSettings } from '#domain/flat-by-close.ts'
import type { SentEntry } from '#domain/entry-order.ts'
import type { SenderDenial } from '#domain/sender.ts'
import type { FreedStatus } from '#domain/signal-status.ts'
import type { Protection } from '#domain/protection.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { RestingEntry } from '#domain/exit-obstacles.ts'
import type { TokenBounds } from '#domain/token-bounds.ts'
import type { StatusReason } from '#domain/denial.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Signal } from '../entities/index.ts'
import { FREED, IN_TURN, UNDER_WAY } from '../engine/status-lists.ts'
import { ask, type Query } from '../engine/query.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { IS_CROSSING } from './sequencing.ts'
import { AS_SENT, PRICE_BEFORE_APPROVAL } from './decisions.ts'
import { signalBoundsSql, signalSenderSql } from './sender.ts'
import {
  findRiskFacts,
  riskFactsOf,
  riskFactsSql,
  type RiskCandidate,
  type RiskFactsJson,
} from '../risk/facts.ts'

export interface UnsentEnd {
  status: FreedStatus
  reason: StatusReason | null
  detail: string | null
}

export interface EntryFacts extends LedgerFacts {
  entryDecision: unknown
  /** As last changed. */
  protection: SignalTerms['protection']
  sent: SentEntry | null
  end: UnsentEnd | null
  approval: GivenApproval | null
  /** By the database's clock; UTC instant. */
  asOf: string
  /** When it became due; UTC instant. */
  dueSince: string
  /** End of its wait for earlier signals; UTC instant, null without one. */
  sequencingUntil: string | null
}

export interface LedgerFactsRow {
  is_active: boolean
  is_demo: boolean
  permissions: AccountPermissions | null
  permissions_at: StoredInstant | null
  trading_mode: 'PAPER' | 'LIVE'
  sender: SenderDenial | null
  bounds: TokenBounds
  strategy_status: 'active' | 'paused' | null
  flat_by_close: FlatSettings
  earlier: EarlierSignal[] | null
  opening: RestingEntry[] | null
}

interface EntryFactsRow extends LedgerFactsRow {
  risk: RiskFactsJson
  entry_decision: unknown
  protection: Protection | null
  sent: (SentEntry & { sentAt: StoredInstant }) | null
  ended: UnsentEnd | null
  price_before_approval: Decimal | null
  approval: (GivenApproval & { at: StoredInstant }) | null
  as_of: StoredInstant
  due_since: StoredInstant
  sequencing_until: StoredInstant | null
}

/** SQL condition: `e` comes before `s`. A signal that waits for approval has no turn. */
const IS_EARLIER = `(e.turn_at, e.sequence) < (coalesce(s.turn_at, 'infinity'), s.sequence)`

/** One statement, because it runs before every entry. */
export const readEntryFacts = (em: EntityManager, signalId: string): Promise<EntryFacts | null> =>
  ask(em, entryFactsQuery(signalId))

export const entryFactsQuery = (signalId: string): Query<EntryFacts | null> => ({
  sql: `select ${ledgerFactsSql(`and ${IS_EARLIER}`, signalSenderSql('s'), signalBoundsSql('s'))}, ${riskFactsSql('s')} as risk,
       s.decisions -> 'entry' as entry_decision, s.protection,
       (select ${SENT_ENTRY} from orders o
        where o.client_order_id = s.id || '-e1' and o.account_id = s.account_id) as sent,
       case when s.status in ${FREED} and s.order_id is null
         then json_build_object('status', s.status, 'reason', s.status_reason, 'detail', s.status_detail) end as ended,
       s.sequencing_until, s.decisions ->> '${PRICE_BEFORE_APPROVAL}' as price_before_approval,
       case when s.decided_by is not null then json_build_object('by', s.decided_by, 'at', s.decided_at,
         'asSent', coalesce(s.decisions -> '${AS_SENT}', jsonb_build_object('quantity', trim_scale(s.quantity)::text,
           'limitPrice', trim_scale(s.limit_price)::text)),
         'refusals', coalesce((s.approval_refused ->> 'count')::integer, 0)) end as approval, now() as as_of, coalesce(s.sequencing_until, s.updated_at) as due_since
     from signals s ${LEDGER_FACTS_JOINS} where s.id = ?`,
  parameters: [signalId],
  read: ([row]: readonly EntryFactsRow[]) => (row === undefined ? null : entryFactsOf(row)),
})

export const SENT_ENTRY = `json_build_object('symbol', o.symbol, 'side', o.side, 'orderType', o.order_type,
  'quantity', trim_scale(o.quantity)::text, 'limitPrice', trim_scale(o.limit_price)::text,
  'stopPrice', trim_scale(o.stop_price)::text, 'sentAt', o.submitted_at)`

function entryFactsOf(row: EntryFactsRow): EntryFacts {
  const { limits, context } = riskFactsOf(row.risk)
  return {
    ...ledgerFactsOf(row),
    limits,
    risk: { ...context, priceBeforeApproval: row.price_before_approval, isApproved: row.approval !== null },
    entryDecision: row.entry_decision,
    protection: row.protection ?? undefined,
    sent: row.sent && { ...row.sent, sentAt: instantOf(row.sent.sentAt) },
    end: row.ended,
    approval: row.approval && { ...row.approval, at: instantOf(row.approval.at) },
    asOf: instantOf(row.as_of),
    // Nothing is written about a queued signal between its due time and its sending.
    dueSince: instantOf(row.due_since),
    sequencingUntil: instantOrNull(row.sequencing_until),
  }
}

export async function findPendingTerms(
  em: EntityManager,
  signalId: string,
): Promise<(Pick<SignalTerms, 'accountId' | 'symbol' | 'action'> & { priceIsKept: boolean }) | null> {
  const [row] = await em.execute<
    (Pick<SignalTerms, 'accountId' | 'symbol' | 'action'> & { priceIsKept: boolean })[]
  >(
    `select account_id as "accountId", symbol, action, decisions -> ?::text is not null as "priceIsKept"
     from signals where id = ?`,
    [PRICE_BEFORE_APPROVAL, signalId],
  )
  return row ?? null
}

/** For a signal that is not stored; the order of `replaced` would be cancelled first. `tokenId` null: a person. */
export async function readProspectiveFacts(
  em: EntityManager,
  signal: RiskCandidate & Pick<SignalTerms, 'strategyId' | 'scheduledAt'>,
  replaced: Pick<Signal, 'id' | 'orderId'> | null,
  tokenId: string | null,
): Promise<LedgerFacts | null> {
  const risk = await findRiskFacts(em, signal, replaced?.orderId ?? null)
  const [row] = await em.execute<LedgerFactsRow[]>(
    `select ${ledgerFactsSql('and e.id is distinct from s.replaced and e.turn_at <= s.turn_at', signalSenderSql('s'), signalBoundsSql('s'))}
     from (select ?::uuid as user_id, ?::uuid as account_id, ?::uuid as strategy_id, ?::text as symbol,
       ?::uuid as replaced, ?::uuid as token_id, null::text as decided_by,
       greatest(?::timestamptz, now()) as turn_at) s
     ${LEDGER_FACTS_JOINS} where a.user_id = s.user_id`,
    [
      signal.userId,
      signal.accountId,
      signal.strategyId,
      signal.symbol,
      replaced?.id ?? null,
      tokenId,
      signal.scheduledAt,
    ],
  )
  return risk && row ? { ...ledgerFactsOf(row), limits: risk.limits, risk: risk.context } : null
}

/** For {@link ledgerFactsSql}, beside an alias `s` with the ids of a signal. */
export const LEDGER_FACTS_JOINS = `
  join accounts a on a.id = s.account_id
  join users u on u.id = s.user_id
  left join strategies strategy on strategy.id = s.strategy_id and strategy.user_id = s.user_id`

/** `before`: SQL condition of earlier open signals; `sender`, `bounds`: from `sender.ts`. */
export const ledgerFactsSql = (before: string, sender: string, bounds: string): string => `
  a.is_active, a.is_demo, a.permissions, a.last_synced_at as permissions_at, u.trading_mode, ${sender} as sender, ${bounds} as bounds, strategy.status as strategy_status,
  json_build_object('account', a.flat_by_close, 'strategy', strategy.flat_by_close,
    'hook', (select nullif(h.settings -> 'flatByClose', 'null') from hooks h where h.id = s.token_id)) as flat_by_close,
  (select json_agg(json_build_object('id', e.id, 'action', e.action, 'orderType', e.order_type,
      'timeInForce', e.time_in_force, 'status', e.status, 'target', e.target) order by e.turn_at, e.sequence)
   from (${[
     `entry_ended_at is null and status in ${IN_TURN}`,
     `entry_ended_at is not null and status in ${UNDER_WAY} and ${IS_CROSSING}`,
   ]
     .map(
       (
         which,
       ) => `select id, action, order_type, time_in_force, status, target, turn_at, sequence from signals
         where account_id = s.account_id and symbol = s.symbol and ${which}`,
     )
     .join(' union all ')}) e where true ${before}) as earlier,
  (select json_agg(json_build_object('clientOrderId', o.client_order_id, 'brokerOrderId', o.broker_order_id,
      'signalId', o.signal_id, 'role', o.role, 'symbol', o.symbol, 'side', o.side,
      'open', trim_scale(o.quantity - o.filled_quantity)::text, 'orderType', o.order_type,
      'limitPrice', trim_scale(o.limit_price)::text, 'stopPrice', trim_scale(o.stop_price)::text,
      'timeInForce', o.time_in_force, 'knownAt', o.created_at, 'takes', '[]'::json,
      'hasStop', coalesce((select coalesce(nullif(p.protection -> 'stop', 'null'), nullif(p.protection -> 'trail', 'null')) is not null
        from signals p where p.id = o.signal_id), false))
      order by o.created_at, o.id)
   from orders o
   where o.account_id = s.account_id and o.symbol = s.symbol and o.end_acknowledged_at is null
     and o.status in ('OPEN', 'PARTIALLY_FILLED') and o.side in ('BUY', 'SELL_SHORT')
     and o.broker_order_id is not null) as opening`

const permissionsOf = ({ permissions, permissions_at: at }: LedgerFactsRow): KnownPermissions | null =>
  permissions === null || at === null ? null : { ...permissions, at: instantOf(at) }

export const ledgerFactsOf = (row: LedgerFactsRow): Omit<LedgerFacts, 'limits' | 'risk'> => ({
  accountIsActive: row.is_active,
  accountIsDemo: row.is_demo,
  accountPermissions: permissionsOf(row),
  tradingMode: row.trading_mode,
  sender: row.sender,
  bounds: row.bounds,
  strategyStatus: row.strategy_status,
  flatByClose: row.flat_by_close,
  earlier: row.earlier ?? [],
  opening: row.opening ?? [],
})
