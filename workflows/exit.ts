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
  const { terms } = run
  const plan = await step('planExit', 'Resolve the exit time from the calendar', {
    signalId: terms.signalId,
    accountId: terms.accountId,
    rule,
    entry,
    entryEndedAt: workflowNow(),
  })
  run.waitFor('the exit time', plan.submitAt)
  await untilInstant(plan.submitAt, `Exit ${entry.filledQuantity} ${terms.symbol} at ${plan.submitAt}`)
  return describeExitEnd(entry, await closeFilled(run, entry.clientOrderId, rule))
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
