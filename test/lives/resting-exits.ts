import { add, compare, isPositive, subtract, type Decimal } from '#domain/money/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import { onSide, type Levels } from './levels.ts'

/** Milliseconds, and looks, after which nothing is on its way any more: a change is tried again every 15 s. */
const LASTS = { milliseconds: 60_000, looks: 3 }

/** Exit orders of a signal that work, and what they are to be like. */
interface Resting {
  /** Which signal of its life. */
  index: number
  side: TradeSide
  /** Shares of its entry that nobody has closed. */
  owned: Decimal
  /** Null for no exit plan, and where it is not known. */
  levels: Levels | null
  resting: readonly OrderReport[]
}

/** Looks again and again whether exits that rest are for no more than is owned, at the prices of their plan. */
export class RestingExits {
  readonly #seen = new Map<string, { since: number; looks: number; isReported: boolean }>()

  /**
   * @param now milliseconds since the epoch
   * @returns what has been wrong for too long, in words
   */
  judge(signals: readonly Resting[], isStopped: boolean, now: number): string[] {
    const wrong = new Set(
      signals.flatMap((one) => [...(isStopped ? [] : tooMuch(one)), ...otherFigures(one, isStopped)]),
    )
    for (const known of this.#seen.keys()) if (!wrong.has(known)) this.#seen.delete(known)
    return [...wrong].filter((words) => {
      const seen = this.#seen.get(words) ?? { since: now, looks: 0, isReported: false }
      seen.looks += 1
      this.#seen.set(words, seen)
      const lasts = seen.looks >= LASTS.looks && now - seen.since >= LASTS.milliseconds
      const isNew = lasts && !seen.isReported
      seen.isReported ||= isNew
      return isNew
    })
  }
}

function tooMuch({ index, owned, resting }: Resting): string[] {
  const open = resting.reduce<Decimal>(
    (sum, { quantity, filledQuantity }) => add(sum, subtract(quantity, filledQuantity)),
    '0',
  )
  return isPositive(open) && compare(open, owned) > 0
    ? [`exits of signal ${index} rest for ${open} shares, and it owns ${owned}`]
    : []
}

/** While all trading is stopped an order is changed where it lies, and no other takes its place. */
function otherFigures({ index, levels, side, resting }: Resting, isStopped: boolean): string[] {
  if (levels === null) return []
  const { stop, target, trails, breaksEven } = levels
  return resting.flatMap(({ clientOrderId, orderType, stopPrice, limitPrice, changedBy }) => {
    if (parseClientOrderId(clientOrderId)?.purpose !== 'plan' || changedBy === 'others') return []
    if (isStopped && orderType !== (target === null ? 'stop' : 'oco')) return []
    const [lies, limit] = [stopPrice, limitPrice].map((price) => price && onSide(price, side))
    const isNearer = stop !== null && lies != null && compare(lies, stop) > 0
    const mayBeNearer = trails !== null || breaksEven
    const isWrong =
      (stop !== null && lies != null && compare(lies, stop) !== 0 && !(isNearer && mayBeNearer)) ||
      (target !== null && limit != null && compare(limit, target) !== 0)
    const at = [lies && `stop ${lies}`, limit && `target ${limit}`].filter(Boolean).join(', ')
    return isWrong
      ? [
          `the order of the plan of signal ${index} rests at ${at}, and the plan says stop ${stop}, target ${target}`,
        ]
      : []
  })
}
