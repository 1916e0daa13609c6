import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { cancelOrder, orderChanged, type CancelAnswer } from '#workflows/order/contract.ts'
import {
  approveSignal,
  awaitEntry,
  cancelExit,
  changeProtection,
  declineSignal,
  earlierSignalChanged,
  replaceSignal,
  signalProgress,
  withdrawSignal,
  type Approval,
  type EntryAnswer,
  type ReplaceAnswer,
  type SignalOutcome,
  type SignalProgress,
  type SignalState,
} from '#workflows/signal/contract.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import type { BareHandle, Message } from './bare-temporal.ts'
import type { BareRun } from './bare-workflow.ts'
import type { SignalScript, StepInput } from './recording-activities.ts'
import { changeTo, filled, replacementBy, reportOf } from './sample-signal.ts'
import type { History, HistoryEvent, PlayHandle, StageServer } from './stage-server.ts'

type SignalEnd = Extract<StepInput<'recordClosed'>, { signalId: string }>

/** One signal on the stage. */
export class SignalPlay {
  readonly terms: SignalTerms
  readonly script: SignalScript
  readonly handle: PlayHandle
  readonly #server: StageServer

  constructor(server: StageServer, terms: SignalTerms, script: SignalScript, handle: PlayHandle) {
    this.#server = server
    this.terms = terms
    this.script = script
    this.handle = handle
  }

  get entryId(): string {
    return clientOrderIdFor(this.terms.signalId, 'entry', 1)
  }

  exitId(generation = 1): string {
    return clientOrderIdFor(this.terms.signalId, 'timed', generation)
  }

  /** The requests that were sent to the broker under a client order id. */
  sent(clientOrderId: string): OrderRequest[] {
    return this.script
      .inputs('submitOrder')
      .map(({ request }) => request)
      .filter((request) => request.clientOrderId === clientOrderId)
  }

  /**
   * The client order ids under which anything was sent, in order. A task that is done over sends an order again, under
   * the same id: to the broker that is one order.
   */
  get orderIds(): string[] {
    return [...new Set(this.script.inputs('submitOrder').map(({ request }) => request.clientOrderId))]
  }

  /** Each exit order that was sent: the end of its id, and its quantity. */
  get exits(): string[] {
    return this.orderIds
      .filter((id) => id !== this.entryId)
      .map((id) => `${id.slice(this.terms.signalId.length + 1)} ${this.sent(id)[0]!.quantity}`)
  }

  /** The first end of the signal that was recorded. */
  get closed(): SignalEnd {
    const isOfSignal = (end: StepInput<'recordClosed'>): end is SignalEnd => end.signalId !== undefined
    const [end] = this.script.inputs('recordClosed').filter(isOfSignal)
    if (!end) throw new Error('its end was not recorded')
    return end
  }

  /** What people were told of an exit that could not be placed. */
  get troubles(): StepInput<'recordExitTrouble'>[] {
    return this.script.inputs('recordExitTrouble')
  }

  /** The feed tells the workflow of an order, once the order has been sent. */
  async tell(
    clientOrderId: string,
    status: OrderReport['status'],
    filledQuantity: Decimal,
    changes: Partial<OrderReport> = {},
  ): Promise<void> {
    const [request] = this.sent(clientOrderId)
    if (!request) throw new Error(`${clientOrderId} has not been sent`)
    const at = new Date().toISOString()
    await this.announce(reportOf(request, at, { status, ...filled(filledQuantity, at), ...changes }))
  }

  async announce(report: OrderReport): Promise<void> {
    this.script.stored?.hear(report)
    await this.handle.signal(orderChanged, report)
  }

  /** An earlier signal has changed, which this one may wait for. */
  earlierSignalChanged(): Promise<void> {
    return this.handle.signal(earlierSignalChanged)
  }

  /** Sends a message that changes nothing: of an order that is not this signal's. */
  idleMessage(): Promise<void> {
    return this.announce(reportOf(orderRequest(), this.terms.acceptedAt))
  }

  /** Waits until the entry is in the ledger, then reports it filled whole. */
  async fillEntry(): Promise<void> {
    await this.script.accepted('entry')
    await this.tell(this.entryId, 'FILLED', this.terms.quantity)
  }

  /** Waits until the exit order of this number is in the ledger, reports it filled whole, and waits for the end. */
  async fillExit(generation = 1): Promise<SignalOutcome> {
    await this.script.accepted('exit', generation)
    const id = this.exitId(generation)
    await this.tell(id, 'FILLED', this.sent(id)[0]!.quantity)
    return this.result()
  }

  awaitEntry(updateId?: string): Promise<EntryAnswer> {
    return this.#update<EntryAnswer>(awaitEntry, undefined, updateId)
  }

  approve(edits: Partial<Approval> = {}, updateId?: string): Promise<EntryAnswer> {
    const unchanged = { quantity: null, limitPrice: null, sendBefore: null }
    return this.#update(approveSignal, { by: 'ann@example.test', ...unchanged, ...edits }, updateId)
  }

  decline(reason: string | null = null): Promise<SignalState> {
    return this.#update(declineSignal, { by: 'ann@example.test', reason })
  }

  /** Somebody wants an order of the signal cancelled that works at the broker. */
  cancelOrder(clientOrderId: string, by = 'bob@example.test'): Promise<CancelAnswer> {
    return this.#update(cancelOrder, { by, clientOrderId })
  }

  withdraw(by = 'bob@example.test'): Promise<SignalState> {
    return this.#update(withdrawSignal, { by })
  }

  cancelExit(by = 'bob@example.test'): Promise<SignalState> {
    return this.#update(cancelExit, { by })
  }

  /** A newer signal, known by the name of its sender, asks to take the place of this one. */
  replace(by = 'the sender'): Promise<ReplaceAnswer> {
    return this.#update(replaceSignal, replacementBy(by))
  }

  changeProtection(protection: Protection | null, by = 'ann'): Promise<SignalState> {
    return this.#update(changeProtection, { by, change: changeTo(protection) })
  }

  async #update<Result>(update: Message, argument?: unknown, updateId?: string): Promise<Result> {
    return (await this.handle.executeUpdate(update, {
      ...(argument !== undefined && { args: [argument] }),
      ...(updateId !== undefined && { updateId }),
    })) as Result
  }

  async progress(): Promise<SignalProgress> {
    return (await this.handle.query(signalProgress)) as SignalProgress
  }

  /** Waits for the end; without a server the time until then passes at once. */
  async result(): Promise<SignalOutcome> {
    return (await this.handle.result()) as SignalOutcome
  }

  /** The histories of all its runs, first to last; more than one once it has continued as new. */
  runs(): Promise<History[]> {
    return this.#server.historiesOf(this.handle.workflowId)
  }

  /** The events of its last run. */
  async history(): Promise<HistoryEvent[]> {
    return (await this.runs()).at(-1)?.events ?? []
  }

  /** What it has asked for in its present run, where it lives without a server. */
  get run(): BareRun {
    return this.#bare.run
  }

  /** How its earlier runs went on, where it lives without a server: in another queue, or in the same. */
  get continued(): ('moved' | 'stayed')[] {
    return this.#bare.continued.map(({ options }) => ('taskQueue' in options ? 'moved' : 'stayed'))
  }

  get #bare(): BareHandle {
    return this.handle as unknown as BareHandle
  }
}
