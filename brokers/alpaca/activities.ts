import { negate } from '#domain/decimal.ts'
import type { Execution, Fee, FeeKind } from '#domain/fill.ts'
import type { z } from 'zod'
import type { BookedSplit, FillListing, UnreadableExecution } from '../port.ts'
import {
  faultsOf,
  wireActivity,
  wireActivityTime,
  wireFeeActivity,
  wireFillActivity,
  wireSplitActivity,
  type WireFeeActivity,
  type WireFillActivity,
} from './wire.ts'

/** A symbol of the options exchanges, such as AAPL260116C00150000: nothing that this service trades, counted in hundreds. */
const OPTION = /^[A-Z]{1,6}\d{6}[CP]\d{8}$/

/** The trades on which Alpaca's fees are charged; fees of options (ORF, OCC) and fees that are not listed here are borne by no trade. */
const FEE_KINDS: Readonly<Record<string, FeeKind>> = {
  TAF: 'sales',
  REG: 'sales',
  CAT: 'trades',
  COM: 'trades',
  LCT: 'trades',
  NRC: 'trades',
  NRV: 'trades',
}

/**
 * Activities of an account, oldest first, as fills and fees. One that cannot be read is named and hides no other: the books of
 * the account go on without it.
 */
export function fillListing(activities: readonly unknown[], hasMore: boolean): FillListing {
  const fills: WireFillActivity[] = []
  const fees: WireFeeActivity[] = []
  const unreadable: UnreadableExecution[] = []
  const bookedAt: string[] = []
  const read = <T extends z.ZodType>(schema: T, activity: unknown, into: z.output<T>[]): void => {
    const result = schema.safeParse(activity)
    if (result.success) into.push(result.data)
    else unreadable.push({ executionId: nameOf(activity), detail: faultsOf(result.error) })
  }
  for (const activity of activities) {
    const known = wireActivity.safeParse(activity)
    if (!known.success) unreadable.push({ executionId: nameOf(activity), detail: faultsOf(known.error) })
    else if (known.data.activity_type === 'FILL') read(wireFillActivity, activity, fills)
    else if (known.data.activity_type === 'FEE') read(wireFeeActivity, activity, fees)
    const time = wireActivityTime.safeParse(activity).data?.transaction_time
    if (time !== undefined) bookedAt.push(time)
  }
  bookedAt.push(...fees.flatMap(({ created_at }) => created_at ?? []))
  return {
    fills: fills.filter(({ symbol }) => !OPTION.test(symbol)).map(fill),
    fees: fees.map(fee),
    ...(unreadable.length > 0 && { unreadable }),
    until: bookedAt.toSorted().at(-1) ?? null,
    hasMore,
  }
}

/** An activity by the id of its execution; one without an id by its beginning. */
const nameOf = (activity: unknown): string => {
  const id = activityId(activity)
  return id === null ? `without an id: ${JSON.stringify(activity).slice(0, 80)}` : executionIdOf(id)
}

/** The id from which on a list is turned to its next page; null for an activity that has none. */
export const activityId = (activity: unknown): string | null =>
  wireActivity.pick({ id: true }).safeParse(activity).data?.id ?? null

/** Splits of a symbol among activities; one that cannot be read is none that anything is known of. */
export const splitListing = (activities: readonly unknown[], symbol: string): BookedSplit[] =>
  activities
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

/** Money that is taken from the account is negative there, and a fee above zero here. A cancelled fee was not charged. */
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
