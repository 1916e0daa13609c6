import type { Advisory, NotedOrder, SubmitOrderResult } from '#activities/contract.ts'
import type { ExitProgress } from '#domain/exit-progress.ts'
import type { AcknowledgedEnd, OrderReport, OrderToSend } from '#domain/order.ts'
import { step } from '../steps/steps.ts'
import type { OrderFollower, SendingTrouble } from './follower.ts'
import { sendOrder, type FirstAttempt } from './submit.ts'

export interface DecidedOrder extends OrderToSend {
  name: string
  advisories?: Advisory[]
  acknowledges?(): AcknowledgedEnd[]
  /** Of the exit, once the order is accepted. */
  progress?(): ExitProgress
  resting?: NotedOrder
  /** After a first try that settled nothing. */
  inDoubt(trouble: SendingTrouble): Promise<void>
}

export type Placement =
  { outcome: 'accepted'; orderId: string } | Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/** For as long as that takes, until the ledger and the run know the outcome. */
export async function placeOrder(
  run: OrderFollower,
  order: DecidedOrder,
  first: FirstAttempt | null = null,
): Promise<Placement> {
  const { accountId } = run
  const { name, request, sendBefore, sentAt = null, advisories = [], resting } = order
  const summary = `Send the ${name}: ${request.side} ${request.quantity} ${request.symbol}`
  const answer = await sendOrder(
    { accountId, request, sendBefore, unknownSince: sentAt },
    summary,
    first,
    async (trouble) => {
      await order.inDoubt(trouble)
      run.waitFor(`the broker to say whether it has the ${name} (${trouble.cause})`)
    },
  )
  if (answer.outcome !== 'accepted') return answer
  const orderId = first?.orderId ?? (await record(answer.report))
  run.note(answer.report)
  return { outcome: 'accepted', orderId }

  async function record(report: OrderReport): Promise<string> {
    const recorded = await step('recordAccepted', `Record the accepted ${name}`, {
      report: run.asKept(report),
      advisories,
      acknowledges: order.acknowledges?.() ?? [],
      ...(order.progress && { progress: order.progress() }),
      ...(resting !== undefined && { resting }),
    })
    return recorded.orderId
  }
}
