import { negate } from '#domain/decimal.ts'
import type { Execution, Fee, FeeKind } from '#domain/fill.ts'
import type { z } from 'zod'
import type { BookedSplit, FillListing } from '../port.ts'
import {
  readWire,
  wireFeeActivity,
  wireFillActivity,
  wireSplitActivity,
  type WireFeeActivity,
  type WireFillActivity,
  type wireActivityPage,
} from './wire.ts'

export type ActivityPage = z.output<typeof wireActivityPage>

/** A symbol of the options exchanges, such as AAPL260116C00150000: nothing that this service trades, counted in hundreds. */
const OPTION = /^[A-Z]{1,6}\d{6}[CP]\d{8}$/

/** What Alpaca's fees are charged on; of options (ORF, OCC) and of what is not listed here no trade bears any. */
const FEE_KINDS: Readonly<Record<string, FeeKind>> = {
  TAF: 'sales',
  REG: 'sales',
  CAT: 'trades',
  COM: 'trades',
  LCT: 'trades',
  NRC: 'trades',
  NRV: 'trades',
}

/** Activities of an account, oldest first, as fills and fees. */
export function fillListing(activities: ActivityPage, hasMore: boolean): FillListing {
  const fills = activities
    .filter(({ activity_type }) => activity_type === 'FILL')
    .map((activity) => readWire(wireFillActivity, activity, 'execution'))
  const fees = activities
    .filter(({ activity_type }) => activity_type === 'FEE')
    .map((activity) => readWire(wireFeeActivity, activity, 'fee'))
  const bookedAt = [
    ...fills.map(({ transaction_time }) => transaction_time),
    ...fees.flatMap(({ created_at }) => created_at ?? []),
  ]
  return {
    fills: fills.filter(({ symbol }) => !OPTION.test(symbol)).map(fill),
    fees: fees.map(fee),
    until: bookedAt.toSorted().at(-1) ?? null,
    hasMore,
  }
}

/** Splits of a symbol among activities; one that cannot be read is none that anything is known of. */
export const splitListing = (activities: ActivityPage, symbol: string): BookedSplit[] =>
  activities
    .filter(({ activity_type }) => activity_type === 'SPLIT')
    .flatMap((activity) => wireSplitActivity.safeParse(activity).data ?? [])
    .filter((split) => split.symbol === symbol)
    .map(({ date, qty }) => ({ date, quantity: qty }))

const fill = (wire: WireFillActivity): Execution => ({
  executionId: executionIdOf(wire.id),
  brokerOrderId: wire.order_id,
  symbol: wire.symbol,
  side: wire.side === 'buy' ? 'BUY' : 'SELL',
  quantity: wire.qty,
  price: wire.price,
  at: wire.transaction_time,
  orderFilled: wire.cum_qty,
})

/** What is taken from the account is negative there, and a fee above zero here. A cancelled fee was not charged. */
const fee = (wire: WireFeeActivity): Fee => ({
  feeId: wire.id,
  executionId: wire.execution_id ?? null,
  day: wire.date,
  amount: wire.status === 'canceled' ? '0' : negate(wire.net_amount),
  kind: FEE_KINDS[wire.activity_sub_type ?? ''] ?? 'other',
})

/**
 * Ids of activities are a time and, after two colons, a UUID. Of an execution the UUID is that by which fees name it,
 * as far as was seen; the time would add nothing, since no UUID comes twice.
 */
const executionIdOf = (activityId: string): string => activityId.split('::').at(-1)!
