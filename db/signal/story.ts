import { add, decimal, type Decimal } from '#domain/money/decimal.ts'
import { exitReasonOf, type ClosingExit, type ClosingReason } from '#domain/exit/reason.ts'
import type { LedgerRole } from '#domain/signal/by-hand.ts'
import { asArray, instantOf, type StoredInstant } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { OWNING_SIGNAL } from '../position/execution-attribution.ts'
import type { CLOSERS } from '#domain/signal/list-choices.ts'

export async function findSource(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<string | null> {
  const [row] = await queryRows<{ body: string }>(
    em,
    `select body from signal_sources where signal_id = ? and user_id = ?`,
    [signalId, userId],
  )
  return row?.body ?? null
}
/** exit: of the same signal. signal: another's order. person: a manual order. elsewhere: not placed here. */
type Closer = (typeof CLOSERS)[number]

interface ShareClose {
  /** UTC instant of the last fill. */
  at: string
  quantity: Decimal
  /** Average dollars a share. */
  price: Decimal
  /** Dollars after fees. */
  realisedPnl: Decimal
  by: Closer
  /** CLOSE where another order closed the shares. */
  reason: ClosingReason
  clientOrderId: string | null
  signalId: string | null
  person: string | null
}

export interface SignalResult {
  closedQuantity: Decimal
  /** Dollars after fees. */
  realisedPnl: Decimal
  /** Dollars, of opening and closing. */
  fees: Decimal
  closes: ShareClose[]
}

export const findResult = async (
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<SignalResult> => (await findResults(em, userId, [signalId])).get(signalId) ?? sumOf([])

export async function findResults(
  em: EntityManager,
  userId: string,
  signalIds: readonly string[],
): Promise<ReadonlyMap<string, SignalResult>> {
  if (signalIds.length === 0) return new Map()
  const rows = await queryRows<
    Record<'signal_id' | 'quantity' | 'price' | 'realised_pnl' | 'fees', string> & {
      exit_at: StoredInstant
      role: LedgerRole | null
      closer_id: string | null
      person: string | null
      exit: Omit<ClosingExit, 'price'> | null
    }
  >(
    em,
    `select t.signal_id, t.exit_at, t.quantity::text, t.exit_price::text as price, t.realised_pnl::text, t.fees::text,
       o.role,
       ${OWNING_SIGNAL} as closer_id,
       (select e.data ->> 'by' from signal_events e where e.signal_id = o.signal_id and e.key = 'placed') as person,
       case when o.id is not null then jsonb_build_object('clientOrderId', o.client_order_id, 'orderType', o.order_type,
         'limitPrice', trim_scale(o.limit_price)::text, 'stopPrice', trim_scale(o.stop_price)::text, 'side', t.side,
         'reason', s.decisions -> ('exit-' || substring(o.client_order_id from '[0-9]+$')) #>> '{order,reason}',
         'levels', case when p.signal_id is not null and s.protection is not null then jsonb_build_object(
           'protection', s.protection, 'best', trim_scale(p.best_price)::text, 'position', jsonb_build_object('side', p.side,
             'average', trim_scale(p.average_price)::text, 'fees', trim_scale(p.fees)::text)) end) end as exit
     from trades t left join orders o on o.id = t.exit_order_ids[1]
     left join signals s on s.id = t.signal_id left join protections p on p.signal_id = t.signal_id
     where t.user_id = ? and t.signal_id = any(?::uuid[]) and t.status = 'CLOSED' order by t.exit_at, t.id`,
    [userId, asArray(signalIds)],
  )
  const bySignal = Map.groupBy(rows, (row) => row.signal_id)
  return new Map(
    [...bySignal].map(([signalId, own]) => [
      signalId,
      sumOf(
        own.map((row) => ({
          at: instantOf(row.exit_at),
          quantity: decimal(row.quantity),
          price: decimal(row.price),
          realisedPnl: decimal(row.realised_pnl),
          fees: decimal(row.fees),
          by: closerOf(row.role, row.closer_id === signalId),
          reason:
            row.role === 'exit' && row.closer_id === signalId && row.exit !== null
              ? exitReasonOf({ ...row.exit, price: decimal(row.price) })
              : 'CLOSE',
          clientOrderId: row.exit?.clientOrderId ?? null,
          signalId: row.closer_id,
          person: row.person,
        })),
      ),
    ]),
  )
}

function sumOf(trades: readonly (ShareClose & { fees: Decimal })[]): SignalResult {
  const sum = (values: readonly Decimal[]): Decimal => values.reduce(add, '0')
  return {
    closedQuantity: sum(trades.map(({ quantity }) => quantity)),
    realisedPnl: sum(trades.map(({ realisedPnl }) => realisedPnl)),
    fees: sum(trades.map(({ fees }) => fees)),
    closes: trades.map(({ fees, ...close }) => close),
  }
}

const closerOf = (role: LedgerRole | null, isOwn: boolean): Closer =>
  role === null ? 'elsewhere' : role === 'manual' ? 'person' : isOwn ? 'exit' : 'signal'

export const closedQuantitySql = (s: string): string =>
  `coalesce((select sum(t.quantity) from trades t where t.signal_id = ${s}.id and t.status = 'CLOSED'), 0)`

/** SQL condition: others have not closed all shares. `closed`: expression. */
export const exitIsAheadSql = (s: string, closed = closedQuantitySql(s)): string =>
  `(${s}.exit_status in ('waiting', 'scheduled') and (${s}.filled_quantity = 0 or ${s}.filled_quantity > ${closed}))`
