import type { OrderCosts } from '#domain/buying-power.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { EntryDecision, EntryVerdict, HeldEntry } from '#domain/entry-check.ts'
import type { ExitPlan } from '#domain/exit.ts'
import type { OrderRequest } from '#domain/order.ts'
import type { SessionState } from '#domain/prospect.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Advisory } from './schema.ts'

/** A second `denied`: it would not be taken, with the code of that answer. */
export type Prospect =
  | EntryDecision
  | HeldEntry
  | { outcome: 'denied'; code: ErrorCode; detail: string }
  | { outcome: 'existing'; signalId: string }
  | { outcome: 'nothing'; detail: string }

interface FollowingOrder extends Pick<OrderRequest, 'side' | 'limitPrice' | 'stopPrice'> {
  quantity: Decimal | null
}

export interface DryRun {
  order: OrderRequest | null
  follows: FollowingOrder | null
  prospect: Prospect
  verdicts: EntryVerdict[]
  waitsFor: string[]
  scheduledAt: string | null
  session: SessionState
  /** If the entry were filled as soon as it can be. */
  exit: ExitPlan | null
  /** Dollars; null when the broker tells none. */
  buyingPower: Decimal | null
  orderCosts: OrderCosts
  advisories: Advisory[]
}
