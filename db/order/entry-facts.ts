import type { Ask } from '#domain/signal/origin.ts'
import type { AccountPermissions, KnownPermissions } from '#domain/risk/permissions.ts'
import type { GivenApproval } from '#domain/signal/approval.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { EarlierSignal, LedgerFacts } from '#domain/risk/entry-check.ts'
import type { FlatSettings } from '#domain/exit/flat-by-close.ts'
import type { SentEntry } from '#domain/order/entry-order.ts'
import type { SenderDenial } from '#domain/signal/sender.ts'
import type { FreedStatus, Action, SignalTerms } from '#domain/signal/signal.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { WorkingOrder } from '#domain/exit/obstacles.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import type { StatusReason } from '#domain/risk/denial.ts'
import type { EntityManager } from '../engine/database.ts'
import {
  FREED,
  IN_TURN,
  UNDER_WAY,
  instantOf,
  instantOrNull,
  type StoredInstant,
  ask,
  type Query,
} from '../engine/query.ts'
import { IS_CROSSING } from './sequencing.ts'
import { AS_SENT, PRICE_BEFORE_APPROVAL } from './decisions.ts'
import { boundsOfSignal, senderOfSignal } from './sender.ts'
import { OWNING_SIGNAL } from '../position/execution-attribution.ts'
import { riskFactsOf, riskFactsSql, type RiskFactsJson } from '../risk/facts.ts'

interface UnsentEnd {
  status: FreedStatus
  reason: StatusReason | null
  detail: string | null
}

export interface EntryFacts extends LedgerFacts {
  /** For an order by hand, as last evaluated. */
  action: Action
  entryDecision: unknown
  /** As last changed. */
  protection: SignalTerms['protection']
  sent: SentEntry | null
  end: UnsentEnd | null
  approval: GivenApproval | null
  /** UTC instant by the database's clock. */
  asOf: string
  /** UTC instant. */
  dueSince: string
  /** UTC instant; null without a wait for earlier signals. */
  sequencingUntil: string | null
}

interface LedgerFactsRow {
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
  working: WorkingOrder[] | null
}

interface EntryFactsRow extends LedgerFactsRow {
  risk: RiskFactsJson
  action: Action
  ask: Ask | null
  by_person: boolean
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

/** SQL condition: `e` precedes `s`. A signal awaiting approval has no queue position. */
const IS_EARLIER = `(e.queued_at, e.sequence) < (coalesce(s.queued_at, 'infinity'), s.sequence)`

export const readEntryFacts = (em: EntityManager, signalId: string): Promise<EntryFacts | null> =>
  ask(em, entryFactsQuery(signalId))

export const entryFactsQuery = (signalId: string): Query<EntryFacts | null> => ({
  sql: `select ${LEDGER_FACTS}, ${riskFactsSql('s')} as risk,
       s.action, s.ask, s.decisions -> 'entry' as entry_decision, s.protection,
       s.token_id is null and s.ask is not null as by_person,
       (select ${SENT_ENTRY} from orders o
        where o.client_order_id = s.id || '-e1' and o.account_id = s.account_id and o.broker_order_id is not null) as sent,
       case when s.status in ${FREED} and s.order_id is null
         then json_build_object('status', s.status, 'reason', s.status_reason, 'detail', s.status_detail) end as ended,
       s.sequencing_until, s.decisions ->> '${PRICE_BEFORE_APPROVAL}' as price_before_approval,
       case when s.decided_by is not null then json_build_object('by', s.decided_by, 'at', s.decided_at,
         'asSent', coalesce(s.decisions -> '${AS_SENT}', jsonb_build_object('quantity', trim_scale(s.quantity)::text,
           'limitPrice', trim_scale(s.limit_price)::text)),
         'refusals', coalesce((s.approval_refused ->> 'count')::integer, 0)) end as approval, now() as as_of, coalesce(s.sequencing_until, s.updated_at) as due_since
     from signals s
  join accounts a on a.id = s.account_id
  join users u on u.id = s.user_id
  left join strategies strategy on strategy.id = s.strategy_id and strategy.user_id = s.user_id
     where s.id = ?`,
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
    risk: {
      ...context,
      priceBeforeApproval: row.price_before_approval,
      isApproved: row.approval !== null || row.by_person,
      isManual: row.ask !== null,
    },
    action: row.action,
    entryDecision: row.entry_decision,
    protection: row.protection ?? undefined,
    sent: row.sent && { ...row.sent, sentAt: instantOf(row.sent.sentAt) },
    end: row.ended,
    approval: row.approval && { ...row.approval, at: instantOf(row.approval.at) },
    asOf: instantOf(row.as_of),
    // A queued signal is not written between due time and sending.
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

const LEDGER_FACTS = `
  a.is_active, a.is_demo, a.permissions, a.last_synced_at as permissions_at, u.trading_mode, ${senderOfSignal('s')} as sender, ${boundsOfSignal('s')} as bounds, strategy.status as strategy_status,
  json_build_object('account', a.flat_by_close, 'strategy', strategy.flat_by_close,
    'hook', (select nullif(h.settings -> 'flatByClose', 'null') from hooks h where h.id = s.token_id)) as flat_by_close,
  (select json_agg(json_build_object('id', e.id, 'action', e.action, 'orderType', e.order_type,
      'timeInForce', e.time_in_force, 'status', e.status, 'target', e.target) order by e.queued_at, e.sequence)
   from (${[
     `entry_ended_at is null and status in ${IN_TURN}`,
     `entry_ended_at is not null and status in ${UNDER_WAY} and ${IS_CROSSING}`,
   ]
     .map(
       (
         which,
       ) => `select id, action, order_type, time_in_force, status, target, queued_at, sequence from signals
         where account_id = s.account_id and symbol = s.symbol and ${which}`,
     )
     .join(' union all ')}) e where ${IS_EARLIER}) as earlier,
  (select json_agg(json_build_object('clientOrderId', o.client_order_id, 'brokerOrderId', o.broker_order_id,
      'signalId', ${OWNING_SIGNAL}, 'role', o.role, 'symbol', o.symbol, 'side', o.side,
      'open', trim_scale(o.quantity - o.filled_quantity)::text, 'orderType', o.order_type,
      'limitPrice', trim_scale(o.limit_price)::text, 'stopPrice', trim_scale(o.stop_price)::text,
      'timeInForce', o.time_in_force, 'knownAt', o.created_at, 'reservedLots', '[]'::json, 'isFilling', o.filled_quantity > 0 and o.updated_at > now() - interval '10 seconds',
      'hasStop', coalesce((select coalesce(nullif(p.protection -> 'stop', 'null'), nullif(p.protection -> 'trail', 'null')) is not null
        from signals p where p.id = o.signal_id), false))
      order by o.created_at, o.id)
   from orders o
   where o.account_id = s.account_id and o.symbol = s.symbol and o.end_acknowledged_at is null
     and o.status in ('OPEN', 'PARTIALLY_FILLED') and o.broker_order_id is not null) as working`

const permissionsOf = ({ permissions, permissions_at: at }: LedgerFactsRow): KnownPermissions | null =>
  permissions === null || at === null ? null : { ...permissions, at: instantOf(at) }

const ledgerFactsOf = (row: LedgerFactsRow): Omit<LedgerFacts, 'limits' | 'risk'> => ({
  accountIsActive: row.is_active,
  accountIsDemo: row.is_demo,
  accountPermissions: permissionsOf(row),
  tradingMode: row.trading_mode,
  sender: row.sender,
  bounds: row.bounds,
  strategyStatus: row.strategy_status,
  flatByClose: row.flat_by_close,
  earlier: row.earlier ?? [],
  working: row.working ?? [],
})
