import type { CancelOrderInput, CancelOrderResult } from '#activities/contract.ts'
import { persistBriefly, persistStep, step, tryStep } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes, workflowNow } from '../steps/workflow-time.ts'
import type { OrderCancel } from './contract.ts'
import type { OrderFollower } from './follower.ts'

/**
 * Why an order is cancelled: a person wants it, a newer signal has taken its place, its good till date has come, or another order of
 * its signal is to be at the broker instead.
 */
export type CancelCause = 'asked' | 'replaced' | 'expired' | 'gives_way'

/** Minutes after which the broker is asked again to cancel an order that has not ended; the last one repeats. */
const CANCEL_RETRY_MINUTES: Record<CancelCause, readonly number[]> = {
  asked: [1, 5, 15],
  replaced: [1, 5, 15],
  expired: [1],
  gives_way: [0.1, 0.25, 1],
}

/** How long to wait for a cancel to take effect that the broker has been asked for so many times. */
export const askAgain = (cause: CancelCause, asked: number): Deadline => ({
  at: inMinutes(
    CANCEL_RETRY_MINUTES[cause][Math.min(Math.max(asked, 1), CANCEL_RETRY_MINUTES[cause].length) - 1]!,
  ),
  summary: 'Wait for the cancel to take effect',
})

const WORDS: Record<CancelCause, string> = {
  asked: '',
  replaced: 'replaced ',
  expired: 'expired ',
  gives_way: '',
}

/** A person wants this order cancelled and the broker has not been asked yet. */
export const isCancelDue = (run: OrderFollower, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** Asks the broker to cancel an order. It is accepted, not done: a fill may come first, and the feed tells of the end. */
export async function askToCancel(
  run: OrderFollower,
  clientOrderId: string,
  name: string,
  cause: CancelCause,
  givesWayTo: string | null = null,
): Promise<void> {
  const { brokerOrderId } = run.placed(clientOrderId)
  const wanted = run.orderCancel
  const cancel = { accountId: run.accountId, brokerOrderId, onlyIfUnfilled: false }
  const ask: Record<CancelCause, () => Promise<CancelOrderResult | null>> = {
    asked: () => cancelForPerson(run, wanted!, cancel),
    // An order that is to be cancelled on a clock anyway is not waited for: in between, people are answered.
    async replaced() {
      const tried = await persistBriefly('cancelOrder', `Cancel the replaced ${name}`, cancel)
      return tried.completed ? tried.result : null
    },
    // The broker knows no good till date: the order is cancelled in its stead, for as long as that takes.
    expired: () => step('cancelOrder', `Cancel the ${name}, whose good till date has come`, cancel),
    async gives_way() {
      const givesWay = { signalId: run.owner.signalId!, clientOrderId, to: givesWayTo!, at: workflowNow() }
      const input = { ...cancel, givesWay }
      const tried = await tryStep(
        'cancelOrder',
        `Cancel the ${name}, which gives way to ${givesWayTo}`,
        input,
      )
      return tried.completed ? tried.result : null
    },
  }
  run.waitFor(`the ${WORDS[cause]}${name} to be cancelled`)
  const result = await ask[cause]()
  if (result?.report) run.note(result.report)
  if (cause === 'asked') wanted!.isAsked = true
}

/** Asks the broker and writes down who wants that, at the same time: neither waits for the other. */
async function cancelForPerson(
  run: OrderFollower,
  cancelled: OrderCancel,
  cancel: CancelOrderInput,
): Promise<CancelOrderResult> {
  const [result] = await Promise.all([
    persistStep('cancelOrder', `Cancel the order, as ${cancelled.by} asked`, cancel),
    recordAsked(run, cancelled),
  ])
  return result
}

/** Writes down who wanted an order cancelled that ended before the broker was asked: why it ended is read from the ledger. */
export async function recordUnasked(run: OrderFollower, clientOrderId: string): Promise<void> {
  if (isCancelDue(run, clientOrderId)) await recordAsked(run, run.orderCancel!)
}

const recordAsked = (
  run: OrderFollower,
  { clientOrderId, by, at = workflowNow() }: OrderCancel,
): Promise<void> =>
  persistStep('recordCancelRequested', `Record that ${by} asked to cancel ${clientOrderId}`, {
    ...run.owner,
    at,
    clientOrderId,
    by,
  })
