import type { AskedCancel, RecordedOrder, SignalRecord } from '#db/watch/unfinished-work.ts'
import { add, compare, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import { afterEarlyEnd, isExitAhead } from '#domain/exit.ts'
import { isTerminal, parseClientOrderId } from '#domain/order.ts'
import type { ExitProgress } from '#workflows/signal/contract.ts'

/** The kept size of an exit, see `activities/exit/size.ts`. */
interface KeptSize {
  quantity: Decimal
  coversQuantity: Decimal
  /** Set when it was given up: no order is sent under its number any more. */
  stopped?: boolean
}

/** What the ledger has of one number: a size, an order, or both. */
interface NumberedExit {
  generation: number
  size: KeptSize | null
  order: RecordedOrder | null
}

/** How far an exit has come by the ledger. */
export interface ToldProgress {
  exit: ExitProgress
  /** The person who cancelled an exit order; null when nobody has. */
  cancelledBy: string | null
  /** A size was worked out, or an order sent. */
  hasBegun: boolean
}

/**
 * How far the exit has come: the story of `workflows/signal/exit.ts` told from the kept sizes and the exit orders. Numbers may
 * be missing between them: each end of the signal uses one up.
 */
export function exitProgressOf(record: SignalRecord): ToldProgress {
  const exits = exitsOf(record)
  const exit: ExitProgress = {
    generation: nextNumber(record, exits),
    coveredQuantity: '0',
    workingOrder: null,
    ended: [],
    uncovered: null,
    failures: 0,
    notBefore: null,
  }
  let cancelledBy: string | null = null
  for (const { size, order } of exits) {
    if (order) cancelledBy = takeUpOrder(exit, record, order, size) ?? cancelledBy
    else if (size && !isPositive(size.quantity))
      exit.coveredQuantity = add(exit.coveredQuantity, size.coversQuantity)
  }
  return { exit, cancelledBy, hasBegun: exits.length > 0 }
}

/** The exits of a signal by their numbers. A number that a person has stopped before anything was sized is none of them. */
function exitsOf({ orders, decisions }: SignalRecord): NumberedExit[] {
  const exits = new Map<number, NumberedExit>()
  for (const [key, kept] of Object.entries(decisions)) {
    const generation = numberIn(key)
    if (generation !== null && 'quantity' in (kept as object))
      exits.set(generation, { generation, size: kept as KeptSize, order: null })
  }
  for (const order of orders) {
    const { role, generation } = parseClientOrderId(order.report.clientOrderId)!
    if (role === 'exit')
      exits.set(generation, { generation, size: exits.get(generation)?.size ?? null, order })
  }
  return [...exits.values()].toSorted((a, b) => a.generation - b.generation)
}

const numberIn = (key: string): number | null => (key.startsWith('exit-') ? Number(key.slice(5)) : null)

/** The number of the next exit order: above every one that is used up, or that of an order that may be out. */
function nextNumber({ signal, exitGeneration }: SignalRecord, exits: NumberedExit[]): number {
  const last = exits.at(-1)
  // Sent or not, that is found out under the same number; unless a later one shows that it was refused.
  const mayBeOut = last?.size && !last.order && !last.size.stopped && isPositive(last.size.quantity)
  const next = last === undefined ? 1 : mayBeOut ? last.generation : last.generation + 1
  // The state of an exit that is ahead was written for the next order, any other one for the last.
  const isAhead = signal.exitStatus != null && isExitAhead(signal.exitStatus)
  const written = isAhead ? exitGeneration : exitGeneration + 1
  return written > next ? written : next
}

/** Takes note of an exit order. Returns the person who has ended the exit by cancelling it; null when nobody has. */
function takeUpOrder(
  exit: ExitProgress,
  { signal, cancels }: { signal: SignalRecord['signal']; cancels: readonly AskedCancel[] },
  { report: order, cancelledFor }: RecordedOrder,
  size: KeptSize | null,
): string | null {
  const { clientOrderId, quantity } = order
  // An order that exists is the decision, where a ledger that was set back holds another one or none.
  const coversQuantity = size && compare(size.quantity, quantity) === 0 ? size.coversQuantity : quantity
  if (!isTerminal(order.status)) {
    // Of several the latest: that one before it has ended the ledger may not know yet.
    exit.workingOrder = { clientOrderId, quantity, coversQuantity }
    return null
  }
  exit.ended = [...exit.ended, clientOrderId]
  const rest = subtract(quantity, order.filledQuantity)
  const isCancelled = order.status === 'CANCELLED'
  const asked = cancels.find((cancel) => cancel.clientOrderId === clientOrderId)
  if (!isPositive(rest)) exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
  else if (asked && isCancelled) return asked.by
  else if (isCancelled && cancelledFor)
    exit.coveredQuantity = add(exit.coveredQuantity, subtract(coversQuantity, rest))
  else if (signal.exitRule && afterEarlyEnd(signal.exitRule, order.status) === 'uncovered') {
    exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
    exit.uncovered = { quantity: add(exit.uncovered?.quantity ?? '0', rest), clientOrderId }
  } else exit.coveredQuantity = add(exit.coveredQuantity, subtract(coversQuantity, rest))
  return null
}
