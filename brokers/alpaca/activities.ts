import { negate } from '#domain/money/decimal.ts'
import type { Execution, Fee, FeeKind } from '#domain/order/fill.ts'
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

/** Options, such as AAPL260116C00150000, are not traded here. */
const OPTION = /^[A-Z]{1,6}\d{6}[CP]\d{8}$/

const FEE_KINDS: Readonly<Record<string, FeeKind>> = {
  TAF: 'sales',
  REG: 'sales',
  CAT: 'trades',
  COM: 'trades',
  LCT: 'trades',
  NRC: 'trades',
  NRV: 'trades',
}

/** Activities, oldest first. An unreadable one is named and hides no other. */
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

const nameOf = (activity: unknown): string => {
  const id = activityId(activity)
  return id === null ? `without an id: ${JSON.stringify(activity).slice(0, 80)}` : executionIdOf(id)
}

export const activityId = (activity: unknown): string | null =>
  wireActivity.pick({ id: true }).safeParse(activity).data?.id ?? null

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

/** Charged money is negative at Alpaca. */
const fee = (wire: WireFeeActivity): Fee => ({
  feeId: wire.id,
  executionId: wire.execution_id ?? null,
  day: wire.date,
  amount: wire.status === 'canceled' ? '0' : negate(wire.net_amount),
  kind: FEE_KINDS[wire.activity_sub_type ?? ''] ?? 'other',
})

/** Ids end with a UUID; fees name an execution by it. */
const executionIdOf = (activityId: string): string => activityId.split('::').at(-1)!
