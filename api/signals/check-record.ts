import { add, isPositive, negate, round, subtract, type Decimal } from '#domain/decimal.ts'
import { costOf, signedQuantity } from '#domain/order-cost.ts'
import { percentOf } from '#domain/performance.ts'
import { isoInstantOfText, toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { presentQuote } from '../market/record.ts'
import type { SignalCheckAnswer } from '#contract/signals/dry-run-answers.ts'
import type { SignalCheck } from './check-commands.ts'
import { presentDryRun } from './dry-run-record.ts'

export function presentCheck(check: SignalCheck, requestId: string): SignalCheckAnswer {
  const { signal, run, quote, account, position, driftLimit, notice } = check
  const { dryRun, message, advisories = [] } = presentDryRun(run, requestId)
  const held = signal.heldPrice ?? null
  const last = quote?.last ?? null
  const before: Decimal =
    position === null ? '0' : position.side === 'LONG' ? position.quantity : negate(position.quantity)
  const follows = run.follows?.quantity == null ? null : { ...run.follows, quantity: run.follows.quantity }
  const isUnsized = run.order === null || (run.follows !== null && follows === null)
  const after = [run.order, follows].reduce(
    (shares, order) => (order === null ? shares : add(shares, signedQuantity(order))),
    before,
  )
  return {
    dryRun,
    message,
    advisories,
    heldPrice: toJsonNumber(held),
    quote: quote && presentQuote(quote),
    driftPercent: toJsonNumber(percentFrom(last, held)),
    driftLimitPercent: toJsonNumber(driftLimit),
    limitDistancePercent: toJsonNumber(percentFrom(run.limitPrice, last)),
    cost: toJsonNumber(costOf(run.order, quote, run.orderCosts)),
    buyingPower: toJsonNumber(run.buyingPower ?? account.buyingPower),
    followingCost: toJsonNumber(follows && costOf(follows, quote, run.orderCosts)),
    position: {
      before: toJsonNumber(before),
      after: toJsonNumber(isUnsized ? null : after),
    },
    notice: notice && { ...notice, unreachedSince: isoInstantOfText(notice.unreachedSince) },
    checkedAt: toIsoInstant(new Date()),
  }
}

const percentFrom = (price: Decimal | null, other: Decimal | null): Decimal | null =>
  price === null || other === null || !isPositive(other)
    ? null
    : round(percentOf(subtract(price, other), other), 2)
