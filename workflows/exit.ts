import { sleep } from '@temporalio/workflow'
import { add, compare, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import type { OrderReport, OrderRequest } from '#domain/order.ts'
import { close } from './close.ts'
import { describeExitEnd, type EndedExit } from './exit-end.ts'
import { exitRequest, exitSide, submitExit } from './exit-order.ts'
import type { SignalRun } from './signal-run.ts'
import { step } from './steps.ts'
import { untilEnded, untilOr } from './waits.ts'
import { recordExitCancel } from './work.ts'
import { millisecondsUntil, workflowNow } from './workflow-time.ts'

/** Minutes to wait before a refused exit is tried again; the last one repeats. */
const REFUSAL_LADDER = [0.1, 0.25, 1, 5, 15]

/**
 * Waits for the exit's time, sends it sized to the fill, and sees it to its end. Returns the shares that were
 * closed. A person may cancel the exit until it is sent.
 */
export async function leave(run: SignalRun): Promise<Decimal> {
  const rule = run.terms.exit
  if (rule === null) throw new TypeError('the signal has no exit')
  await untilExitTime(run, rule)
  await recordExitCancel(run)
  if (run.exitCancelledBy !== null) {
    const message = `The exit was cancelled by ${run.exitCancelledBy}; the position stays open`
    await close(run, { message, exit: null, rejected: false })
    return '0'
  }
  run.phase = 'exiting'
  const end = describeExitEnd(await closeFilled(run, rule))
  await close(run, {
    message: end.message,
    exit: { status: end.status, reason: end.reason },
    rejected: false,
  })
  return end.filledQuantity
}

/** Waits for the exit's time as the calendar gives it, or until a person cancels the exit. */
async function untilExitTime(run: SignalRun, rule: ExitRule): Promise<void> {
  const { signalId, accountId, symbol } = run.terms
  run.entryEndedAt ??= run.entry.filledAt ?? run.lastNewsAt(run.entryId)
  const { entryEndedAt } = run
  let known: OrderReport
  let isCutShort: boolean
  do {
    // A late fill is planned for like the first ones. The time stays the same, but only so do the books learn that
    // the fill has been taken note of, and until they do the feed brings it again at every comparison.
    known = run.entry
    const { submitAt } = await step('planExit', 'Resolve the exit time from the calendar', {
      signalId,
      accountId,
      rule,
      entry: known,
      entryEndedAt,
    })
    run.waitFor('the exit time', submitAt)
    isCutShort = await untilOr(
      run,
      () => run.exitCancelledBy !== null || compare(run.entry.filledQuantity, known.filledQuantity) > 0,
      { at: submitAt, summary: `Exit ${known.filledQuantity} ${symbol} at ${submitAt}` },
    )
  } while (isCutShort && run.exitCancelledBy === null)
}

/**
 * Sends exit orders until every share that the entry has filled is answered for: one more with a new client
 * order id after each definitive refusal, and one for shares that were filled while an exit was under way. Each is
 * sized anew, because in the meantime a person may have closed the position, and an exit must not flip it.
 */
async function closeFilled(run: SignalRun, rule: ExitRule): Promise<EndedExit[]> {
  const { terms } = run
  const side = exitSide(terms)
  const ended: EndedExit[] = []
  let answeredFor = '0'
  let generation = 1
  while (compare(answeredFor, run.entry.filledQuantity) < 0) {
    run.waitFor('the exit order to be sent')
    const filled = run.entry.filledQuantity
    const { quantity, answersFor, notBefore } = await step('sizeExit', 'Size the exit to what is held', {
      signalId: terms.signalId,
      generation,
      accountId: terms.accountId,
      symbol: terms.symbol,
      side,
      filledQuantity: subtract(filled, answeredFor),
      entryEndedAt: run.lastNewsAt(run.entryId),
      rule,
    })
    if (notBefore !== null) {
      run.waitFor('the next session: the exchange is closed at the time planned', notBefore)
      await sleep(Math.max(1, millisecondsUntil(notBefore)), {
        summary: `Exit ${filled} ${terms.symbol} at ${notBefore}`,
      })
      continue
    }
    if (isPositive(quantity)) {
      const request = exitRequest(terms, rule, side, quantity, generation)
      const accepted = await placeExit(run, request, generation)
      generation += 1
      if (!accepted) continue
      run.waitFor('the exit order to end')
      const order = await untilEnded(run, accepted.clientOrderId)
      ended.push({ order, quantity })
      if (compare(order.filledQuantity, quantity) < 0) break
    } else generation += 1
    answeredFor = add(answeredFor, answersFor)
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
