import type { Decimal } from '#domain/decimal.ts'
import type { EarlierSignal, LedgerFacts } from '#domain/entry-check.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { PRICE_BEFORE_APPROVAL } from './decisions.ts'
import {
  findRiskFacts,
  riskFactsOf,
  riskFactsSql,
  type RiskCandidate,
  type RiskFactsJson,
} from '../risk/facts.ts'

/** What the ledger says, right before an entry is sent, about whether it may be. */
export interface EntryFacts extends LedgerFacts {
  /** The answer that was given before, if this is asked again. */
  entryDecision: unknown
  /** When this was read, by the database's clock; UTC instant. */
  asOf: string
  /** Until when it waits for earlier signals; null when it has not waited. UTC instant. */
  sequencingUntil: string | null
}

export interface LedgerFactsRow {
  is_active: boolean
  is_demo: boolean
  trading_mode: 'PAPER' | 'LIVE'
  strategy_status: 'active' | 'paused' | null
  earlier: EarlierSignal[] | null
}

/** Everything in one statement: this runs before every entry. Null when there is no such signal. */
export async function readEntryFacts(em: EntityManager, signalId: string): Promise<EntryFacts | null> {
  const [row] = await em.execute<
    (LedgerFactsRow & {
      risk: RiskFactsJson
      entry_decision: unknown
      price_before_approval: Decimal | null
      as_of: Date | string
      sequencing_until: Date | string | null
    })[]
  >(
    `select ${ledgerFactsSql('and e.sequence < s.sequence')}, ${riskFactsSql('s')} as risk,
       s.decisions -> 'entry' as entry_decision, s.sequencing_until, s.decisions ->> '${PRICE_BEFORE_APPROVAL}' as price_before_approval,
       now() as as_of
     from signals s ${LEDGER_FACTS_JOINS} where s.id = ?`,
    [signalId],
  )
  if (!row) return null
  const { limits, context } = riskFactsOf(row.risk)
  const risk = { ...context, priceBeforeApproval: row.price_before_approval }
  const asOf = new Date(row.as_of).toISOString()
  const sequencingUntil = row.sequencing_until === null ? null : new Date(row.sequencing_until).toISOString()
  return { ...ledgerFactsOf(row), limits, risk, entryDecision: row.entry_decision, asOf, sequencingUntil }
}

/** What of a signal that begins to wait decides whether its price is asked for; null when there is no such signal. */
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

/** How a signal that is not stored would stand if it were accepted now; null when the user has no such account. */
export async function readProspectiveFacts(
  em: EntityManager,
  signal: RiskCandidate & { strategyId: string | null },
): Promise<LedgerFacts | null> {
  const risk = await findRiskFacts(em, signal)
  const [row] = await em.execute<LedgerFactsRow[]>(
    `select ${ledgerFactsSql('')}
     from (select ?::uuid as user_id, ?::uuid as account_id, ?::uuid as strategy_id, ?::text as symbol) s
     ${LEDGER_FACTS_JOINS} where a.user_id = s.user_id`,
    [signal.userId, signal.accountId, signal.strategyId, signal.symbol],
  )
  return risk && row ? { ...ledgerFactsOf(row), limits: risk.limits, risk: risk.context } : null
}

/** What the columns of {@link ledgerFactsSql} are read from, beside an alias `s` with the ids of a signal. */
export const LEDGER_FACTS_JOINS = `
  join accounts a on a.id = s.account_id
  join users u on u.id = s.user_id
  left join strategies strategy on strategy.id = s.strategy_id and strategy.user_id = s.user_id`

/**
 * The columns of {@link LedgerFactsRow}.
 *
 * @param before which of the signals under way count as earlier; all of them when empty
 */
export const ledgerFactsSql = (before: string): string => `
  a.is_active, a.is_demo, u.trading_mode, strategy.status as strategy_status,
  (select json_agg(json_build_object('id', e.id, 'action', e.action, 'orderType', e.order_type,
      'timeInForce', e.time_in_force, 'status', e.status) order by e.sequence)
   from signals e
   where e.account_id = s.account_id and e.symbol = s.symbol ${before}
     and e.entry_ended_at is null and e.status in ('queued', 'transmitted', 'executed')) as earlier`

export const ledgerFactsOf = (row: LedgerFactsRow): Omit<LedgerFacts, 'limits' | 'risk'> => ({
  accountIsActive: row.is_active,
  accountIsDemo: row.is_demo,
  tradingMode: row.trading_mode,
  strategyStatus: row.strategy_status,
  earlier: row.earlier ?? [],
})
