import type { CancelOrderInput, CancelOrderResult } from '#activities/contract.ts'
import { persistBriefly, persistStep, step, tryStep } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes, workflowNow } from '../steps/workflow-time.ts'
import type { OrderCancel } from './contract.ts'
import type { OrderFollower } from './follower.ts'

/** replaced: by a newer signal. expired: its good till date has come. gives_way: to another order of its signal. */
export type CancelCause = 'asked' | 'replaced' | 'expired' | 'gives_way'

/** Minutes after which the broker is asked again; the last one repeats. */
const CANCEL_RETRY_MINUTES: Record<CancelCause, readonly number[]> = {
  asked: [1, 5, 15],
  replaced: [1, 5, 15],
  expired: [1],
  gives_way: [0.1, 0.25, 1],
}

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

export const isCancelDue = (run: OrderFollower, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** Accepted is not done: a fill may come first, and the feed reports the end. */
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
    // It is asked again on a clock, so it is not waited for: people are answered in between.
    async replaced() {
      const tried = await persistBriefly('cancelOrder', `Cancel the replaced ${name}`, cancel)
      return tried.completed ? tried.result : null
    },
    // The broker knows no good till date: the order is cancelled for as long as that takes.
    expired: () => step('cancelOrder', `Cancel the ${name}, whose good till date has come`, cancel),
    async gives_way() {
      const givesWay = { signalId: run.signalId, clientOrderId, to: givesWayTo!, at: workflowNow() }
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

/** Asks and records at the same time: neither waits for the other. */
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

/** The order ended before the broker was asked; the cause of its end is read from the ledger. */
export async function recordUnasked(run: OrderFollower, clientOrderId: string): Promise<void> {
  if (isCancelDue(run, clientOrderId)) await recordAsked(run, run.orderCancel!)
}

const recordAsked = (
  run: OrderFollower,
  { clientOrderId, by, at = workflowNow() }: OrderCancel,
): Promise<void> =>
  persistStep('recordCancelRequested', `Record that ${by} asked to cancel ${clientOrderId}`, {
    signalId: run.signalId,
    at,
    clientOrderId,
    by,
  })
