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
import { cancelOrder, orderChanged, type CancelAnswer } from '#workflows/order/contract.ts'
import type { SignalScript } from './recording-activities.ts'
import { filled, reportOf } from './sample-signal.ts'
import type { History, PlayHandle, StageServer } from './stage-server.ts'

/** One manual order on the stage. */
export class OrderPlay {
  readonly terms: ManualOrderTerms
  readonly script: SignalScript
  readonly handle: PlayHandle
  readonly #server: StageServer

  constructor(server: StageServer, terms: ManualOrderTerms, script: SignalScript, handle: PlayHandle) {
    this.#server = server
    this.terms = terms
    this.script = script
    this.handle = handle
  }

  /** The requests that were sent to the broker. */
  get sent(): OrderRequest[] {
    return this.script.inputs('submitOrder').map(({ request }) => request)
  }

  /** What the broker says of the order, of which it may not have been asked yet. */
  report(status: OrderReport['status'], filledQuantity: Decimal): OrderReport {
    const { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } =
      this.terms
    const request = { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours }
    const at = new Date().toISOString()
    const clientOrderId = manualClientOrderId(this.terms.orderId)
    return reportOf({ clientOrderId, ...request }, at, { status, ...filled(filledQuantity, at) })
  }

  /** The feed tells the workflow of the order. */
  async tell(status: OrderReport['status'], filledQuantity: Decimal): Promise<void> {
    await this.handle.signal(orderChanged, this.report(status, filledQuantity))
  }

  async awaitPlacement(): Promise<PlacementAnswer> {
    return (await this.handle.executeUpdate(awaitPlacement)) as PlacementAnswer
  }

  async cancel(by = 'bob@example.test'): Promise<CancelAnswer> {
    const clientOrderId = manualClientOrderId(this.terms.orderId)
    return (await this.handle.executeUpdate(cancelOrder, { args: [{ clientOrderId, by }] })) as CancelAnswer
  }

  async progress(): Promise<OrderProgress> {
    return (await this.handle.query(orderProgress)) as OrderProgress
  }

  /** Waits for the end; without a server the time until then passes at once. */
  async result(): Promise<OrderOutcome> {
    return (await this.handle.result()) as OrderOutcome
  }

  /** The history of its only run. */
  runs(): Promise<History[]> {
    return this.#server.historiesOf(this.handle.workflowId)
  }
}
