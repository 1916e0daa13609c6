import type { WorkflowHandle } from '@temporalio/client'
import type { Decimal } from '#domain/decimal.ts'
import { manualClientOrderId, type ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderRequest } from '#domain/order.ts'
import {
  awaitPlacement,
  orderProgress,
  type OrderOutcome,
  type OrderProgress,
  type PlacementAnswer,
} from '#workflows/manual-order/contract.ts'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import { cancelOrder, orderChanged, type CancelAnswer } from '#workflows/order/contract.ts'
import type { SignalScript } from './recording-activities.ts'
import { filled, reportOf } from './sample-signal.ts'

/** One manual order on the stage. */
export class OrderPlay {
  readonly terms: ManualOrderTerms
  readonly script: SignalScript
  readonly handle: WorkflowHandle<typeof orderWorkflow>
  readonly #now: () => Promise<number>

  /** @param now milliseconds since the epoch by the server's clock */
  constructor(
    now: () => Promise<number>,
    terms: ManualOrderTerms,
    script: SignalScript,
    handle: WorkflowHandle<typeof orderWorkflow>,
  ) {
    this.#now = now
    this.terms = terms
    this.script = script
    this.handle = handle
  }

  /** The requests that were sent to the broker. */
  get sent(): OrderRequest[] {
    return this.script.inputs('submitOrder').map(({ request }) => request)
  }

  /** What the broker says of the order, of which it may not have been asked yet. */
  async report(status: OrderReport['status'], filledQuantity: Decimal): Promise<OrderReport> {
    const { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } =
      this.terms
    const request = { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours }
    const at = new Date(await this.#now()).toISOString()
    const clientOrderId = manualClientOrderId(this.terms.orderId)
    return reportOf({ clientOrderId, ...request }, at, { status, ...filled(filledQuantity, at) })
  }

  /** The feed tells the workflow of the order. */
  async tell(status: OrderReport['status'], filledQuantity: Decimal): Promise<void> {
    await this.handle.signal(orderChanged, await this.report(status, filledQuantity))
  }

  awaitPlacement(): Promise<PlacementAnswer> {
    return this.handle.executeUpdate(awaitPlacement)
  }

  cancel(by = 'bob@example.test'): Promise<CancelAnswer> {
    const clientOrderId = manualClientOrderId(this.terms.orderId)
    return this.handle.executeUpdate(cancelOrder, { args: [{ clientOrderId, by }] })
  }

  progress(): Promise<OrderProgress> {
    return this.handle.query(orderProgress)
  }

  /** Waits for the end; on a time-skipping server the time until then passes at once. */
  result(): Promise<OrderOutcome> {
    return this.handle.result()
  }

  /** The history, as a list of one run: nothing here makes it long. */
  async runs(): Promise<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>[]> {
    return [await this.handle.fetchHistory()]
  }
}
