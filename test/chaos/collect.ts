import { setTimeout as sleep } from 'node:timers/promises'
import type { Decimal } from '#domain/money/decimal.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type {
  Evidence,
  StoredAlert,
  StoredFill,
  StoredOrder,
  StoredSignal,
  StoredTrade,
  WorkflowEnd,
} from '#test/support/evidence.ts'
import type { ByHandBooks, StoredByHand, StoredFlattening } from '#test/support/by-hand-faults.ts'
import { STORED_GROUPS, type StoredGroup } from '#test/support/group-faults.ts'
import type { Stack } from '#test/support/stack.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'

/** What the service and the broker have on record. */
export type Books = Pick<
  Evidence,
  | 'ledger'
  | 'signals'
  | 'groups'
  | 'orders'
  | 'positions'
  | 'fills'
  | 'trades'
  | 'workflows'
  | 'alerts'
  | 'givenUp'
  | 'collectedAt'
>

/** How many workflows are asked about at once. */
const AT_ONCE = 8
/** How often it is looked whether anything still moves, in milliseconds. */
const LOOK_EVERY_MS = 500

/** The orders at the broker by the ledger, with the shares that were set apart for them. */
export const collectOrders = (stack: Stack): Promise<StoredOrder[]> =>
  stack.query<StoredOrder>(
    `select o.client_order_id as "clientOrderId", o.status, o.filled_quantity::text as "filledQuantity",
            s.ask is not null as "isByHand", s.decisions -> 'entry' -> 'reservedLots' as "reservedLots",
            (select json_agg(coalesce(take ->> 'owner', 'nobody')) from jsonb_array_elements(s.decisions -> 'entry' -> 'reservedLots') take
             left join signals taken on taken.id::text = take ->> 'owner'
             where s.manages = 'own' and not coalesce(taken.strategy_id is not distinct from s.strategy_id
               and (s.strategy_id is not null or taken.origin = s.origin and (s.origin <> 'hook' or taken.token_id = s.token_id)), false)) as "takesOfOthers"
     from orders o join signals s on s.id = o.signal_id
     -- One that was refused before it was sent is on record and nowhere else.
     where o.broker_order_id is not null`,
  )

/** Orders by hand and flattenings, with the keys that their senders gave them. */
export async function collectByHand(stack: Stack): Promise<Pick<ByHandBooks, 'orders' | 'flattenings'>> {
  // The sender of the key stands before it.
  const key = `(select split_part(r.name, ' ', 3) from requests r where r.id = %) as key`
  return {
    orders: await stack.query<StoredByHand>(
      `select s.id as "signalId", o.id as "orderId", ${key.replace('%', 's.id')}, s.origin, to_json(s.accepted_at) #>> '{}' as "acceptedAt",
              o.status
       from signals s join orders o on o.client_order_id = s.id || '-e1' where s.ask is not null`,
    ),
    flattenings: await stack.query<StoredFlattening>(
      `select id, ${key.replace('%', 'flattenings.id')}, to_json(symbols) as symbols, status, to_json(created_at) #>> '{}' as "createdAt",
              to_json(ended_at) #>> '{}' as "endedAt"
       from flattenings`,
    ),
  }
}

/** Reads all books. */
export async function collectLedgers(stack: Stack): Promise<Books> {
  const signals = await stack.query<StoredSignal>(
    `select id, source_id as "sourceId", execute_mode as "executeMode", sequencing_since is not null as "hasWaitedForTurn", status, filled_quantity::text as "filledQuantity", exit_status as "exitStatus",
            to_json(accepted_at) #>> '{}' as "acceptedAt", status_reason as "statusReason",
            (select to_json(max(at)) #>> '{}' from signal_events event
             where event.signal_id = signals.id and event.kind = 'cancelled') as "cancelledAt",
            (select to_json(max(at) filter (where kind <> 'reopened')) #>> '{}' from signal_events event
             where event.signal_id = signals.id
               and event.kind in ('closed', 'cancelled', 'declined', 'rejected', 'not_placed', 'reopened')
             having max(at) filter (where kind = 'reopened') is null
               or max(at) filter (where kind <> 'reopened') > max(at) filter (where kind = 'reopened')) as "endedAt",
            exists (select from alerts where alerts.signal_id = signals.id
                    and alerts.kind = 'replaced_order_working') as "replacedUncancelled"
     from signals where ask is null`,
  )
  const groups = await stack.query<StoredGroup>(STORED_GROUPS)
  const orders = await collectOrders(stack)
  const positions = await stack.query<{ symbol: string; quantity: Decimal }>(
    `select symbol, (case side when 'SHORT' then -quantity else quantity end)::text as quantity from positions`,
  )
  const fills = await stack.query<StoredFill>(
    `select execution_id as "executionId", quantity::text, price::text, to_json(recorded_at) #>> '{}' as "recordedAt" from fills`,
  )
  const trades = await stack.query<StoredTrade>(
    `select symbol, side, quantity::text, entry_price::text as "entryPrice", fees::text, realised_pnl::text as "realisedPnl"
     from trades`,
  )
  const alerts = await stack.query<StoredAlert>(
    `select signal_id as "signalId", kind, data ->> 'what' as what, to_json(raised_at) #>> '{}' as "raisedAt" from alerts where signal_id is not null`,
  )
  const givenUp = await stack.query<{ id: string }>(
    `select client_order_id as id from send_permits where given_up is not null`,
  )
  const collectedAt = new Date().toISOString()
  const [ledger, workflows] = await Promise.all([stack.venue.ledger(), endsOf(stack, signals)])
  return {
    ledger,
    signals,
    groups,
    orders,
    positions,
    fills,
    trades,
    workflows,
    alerts,
    givenUp: givenUp.map(({ id }) => id),
    collectedAt,
  }
}

/**
 * Waits until no signal waits for its start, no order and no workflow is open, and positions and fills agree; returns after the limit
 * all the same, because what is wrong then is for the oracle to say. `meanwhile` is done before each look.
 */
export async function settle(
  stack: Stack,
  limitMs: number,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Evidence['drain']> {
  const begun = performance.now()
  for (;;) {
    await meanwhile()
    const tookMs = performance.now() - begun
    const moving = await whatMoves(stack)
    if (moving === null) return { tookMs, limitMs }
    if (tookMs > limitMs) return { tookMs, limitMs, moving }
    await sleep(LOOK_EVERY_MS)
  }
}

/** In words; null when everything has its outcome. */
async function whatMoves(stack: Stack): Promise<string | null> {
  // No order of a run is meant to work on when it is over; what the stream missed, a comparison finds later.
  const waiting = await stack.query<{ what: string }>(
    `select 'signal ' || id as what from signals
     where workflow_started_at is null or status in ('queued', 'transmitted')
     union all select 'order ' || client_order_id from orders where status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
     union all select 'flattening ' || id from flattenings where ended_at is null`,
  )
  if (waiting.length > 0) return waiting.map(({ what }) => what).join(', ')
  const client = await stack.temporal()
  const running: string[] = []
  const query = `ExecutionStatus = 'Running' and WorkflowType = '${SIGNAL_WORKFLOW}'`
  for await (const { workflowId } of client.workflow.list({ query })) running.push(workflowId)
  if (running.length > 0) return running.join(', ')
  const shown = await stack.query<{ symbol: string; quantity: Decimal }>(
    `select symbol, trim_scale(case side when 'SHORT' then -quantity else quantity end)::text as quantity
     from positions order by symbol`,
  )
  const { positions, orders } = await stack.venue.ledger()
  const [{ fills }] = (await stack.query<{ fills: number }>('select count(*)::int as fills from fills')) as [
    { fills: number },
  ]
  const executed = orders.flatMap((order) => order.fills).length
  if (fills !== executed) return `${fills} of ${executed} executions on record`
  const held = positions
    .map(({ symbol, qty }) => ({ symbol, quantity: qty }))
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
  return JSON.stringify(shown) === JSON.stringify(held) ? null : 'the positions'
}

/** How the workflow of every signal ended. */
async function endsOf(stack: Stack, signals: readonly StoredSignal[]): Promise<WorkflowEnd[]> {
  const ids = signals.map(({ id }) => id)
  const ends: WorkflowEnd[] = []
  const work = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const end = await endOf(stack, id)
      if (end) ends.push(end)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ends
}

/** Null for a signal whose workflow was never started. */
async function endOf(stack: Stack, signalId: string): Promise<WorkflowEnd | null> {
  const client = await stack.temporal()
  const handle = client.workflow.getHandle(workflowIdFor(signalId))
  try {
    const { status } = await handle.describe()
    const outcome = status.name === 'COMPLETED' ? ((await handle.result()) as SignalOutcome) : null
    return { signalId, status: status.name, outcome }
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null
    throw error
  }
}
