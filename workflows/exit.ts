import { sleep } from '@temporalio/workflow'
import { compare, isPositive, subtract } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import type { OrderReport, OrderRequest } from '#domain/order.ts'
import { describeExitEnd, type EndedExit, type ExitEnd } from './exit-end.ts'
import { exitRequest, exitSide, submitExit } from './exit-order.ts'
import type { SignalRun } from './signal-run.ts'
import { persistStep, step } from './steps.ts'
import { untilEnded, untilInstant } from './waits.ts'
import { workflowNow } from './workflow-time.ts'

/** Minutes to wait before a refused exit is tried again; the last one repeats. */
const REFUSAL_LADDER = [0.1, 0.25, 1, 5, 15]

/** Waits for the exit's time, sends it sized to the fill, and sees it to its end. */
export async function leave(run: SignalRun, entry: OrderReport, rule: ExitRule): Promise<ExitEnd> {
  await untilExitTime(run, entry, rule)
  return describeExitEnd(entry, await closeFilled(run, entry.clientOrderId, rule))
}

/** Waits for the exit's time as the calendar gives it. */
async function untilExitTime(run: SignalRun, entry: OrderReport, rule: ExitRule): Promise<void> {
  const { signalId, accountId, symbol } = run.terms
  const entryEndedAt = workflowNow()
  const latest = () => run.report(entry.clientOrderId)!
  let known: OrderReport
  let hasGrown: boolean
  do {
    // A late fill is planned for like the first ones. The time stays the same, but only so do the books learn that
    // the fill has been taken note of, and until they do the feed brings it again at every comparison.
    known = latest()
    const plan = await step('planExit', 'Resolve the exit time from the calendar', {
      signalId,
      accountId,
      rule,
      entry: known,
      entryEndedAt,
    })
    run.waitFor('the exit time', plan.submitAt)
    hasGrown = await untilInstant(
      plan.submitAt,
      `Exit ${known.filledQuantity} ${symbol} at ${plan.submitAt}`,
      () => compare(latest().filledQuantity, known.filledQuantity) > 0,
    )
  } while (hasGrown)
}

/**
 * Sends exit orders until every share that the entry has filled is answered for: one more with a new client
 * order id after each definitive refusal, and one for shares that were filled while an exit was under way. Each is
 * sized anew, because in the meantime a person may have closed the position, and an exit must not flip it.
 */
async function closeFilled(run: SignalRun, entryId: string, rule: ExitRule): Promise<EndedExit[]> {
  const { terms } = run
  const side = exitSide(terms)
  const entryFilled = () => run.report(entryId)!.filledQuantity
  const ended: EndedExit[] = []
  let answeredFor = '0'
  let generation = 0
  while (compare(answeredFor, entryFilled()) < 0) {
    run.waitFor('the exit order to be sent')
    const filled = entryFilled()
    // In the history before the order goes out: a repeated task that sized it again, with the position moved by
    // the order itself, would send another quantity under the same client order id, or none.
    const { quantity } = await persistStep('sizeExit', 'Size the exit to what is held', {
      accountId: terms.accountId,
      symbol: terms.symbol,
      side,
      filledQuantity: subtract(filled, answeredFor),
      entryEndedAt: run.lastNewsAt(entryId),
    })
    if (isPositive(quantity)) {
      generation += 1
      const request = exitRequest(terms, rule, side, quantity, generation)
      const accepted = await placeExit(run, request, generation)
      if (!accepted) continue
      run.waitFor('the exit order to end')
      const order = await untilEnded(run, accepted.clientOrderId)
      ended.push({ order, quantity })
      if (compare(order.filledQuantity, quantity) < 0) break
    }
    answeredFor = filled
  }
  return ended
}

/** Sends an exit order once. When it is refused, writes that down, waits and returns null. */
async function placeExit(
  run: SignalRun,
  request: OrderRequest,
  generation: number,
): Promise<OrderReport | null> {
  const { signalId } = run.terms
  const answer = await submitExit(run, request, generation)
  if (answer.outcome === 'accepted') {
    await step('recordExitAccepted', 'Record the accepted exit', { signalId, report: answer.report })
    return run.note(answer.report)
  }
  const { code, detail } = answer
  await step('recordExitTrouble', `Record that the exit was refused: ${code}`, {
    signalId,
    at: workflowNow(),
    generation,
    kind: 'refused',
    code,
    detail,
  })
  const pause = REFUSAL_LADDER[Math.min(generation, REFUSAL_LADDER.length) - 1]!
  run.waitFor(`another try of the exit, which the broker refused (${code}: ${detail})`)
  await sleep(`${pause} minutes`, {
    summary: `Try the refused exit of ${request.quantity} ${request.symbol} again`,
  })
  return null
}
