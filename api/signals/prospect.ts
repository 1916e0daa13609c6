import type { OrderCosts } from '#domain/buying-power.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { EntryDecision, EntryVerdict, HeldEntry } from '#domain/entry-check.ts'
import type { ExitPlan } from '#domain/exit.ts'
import type { OrderRequest } from '#domain/order.ts'
import type { SessionState } from '#domain/prospect.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Advisory } from './schema.ts'

/**
 * What would become of the signal: its entry may be sent, or not, or not before a person has approved it; or it would not be taken, with the code of that answer;
 * or the signal that holds its sourceId would be answered instead; or nothing is to be done by what is held.
 */
export type Prospect =
  | EntryDecision
  | HeldEntry
  | { outcome: 'denied'; code: ErrorCode; detail: string }
  | { outcome: 'existing'; signalId: string }
  | { outcome: 'nothing'; detail: string }

/** An order that opens; its shares are null where they are known only once it is sized. */
interface FollowingOrder extends Pick<OrderRequest, 'side' | 'limitPrice' | 'stopPrice'> {
  quantity: Decimal | null
}

/** The fate of a signal that was sent now. */
export interface DryRun {
  /** Null when no size can be worked out, so that there would be no order. */
  order: OrderRequest | null
  /** The order of the signal that goes on on the other side once this one has filled; null where none does. */
  follows: FollowingOrder | null
  prospect: Prospect
  verdicts: EntryVerdict[]
  /** Ids of earlier signals that it would wait for. */
  waitsFor: string[]
  /** When it would be sent, by its schedule; null where that is at once. */
  scheduledAt: string | null
  /** The session at the moment at which the order would be sent. */
  session: SessionState
  /** When its exit would be sent if the entry were filled as soon as it can be; null without an exit. */
  exit: ExitPlan | null
  /** Dollars that the account may spend on the asset, as its broker tells it; null when it tells none. */
  buyingPower: Decimal | null
  orderCosts: OrderCosts
  advisories: Advisory[]
}
