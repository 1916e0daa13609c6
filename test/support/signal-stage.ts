import { randomUUID } from 'node:crypto'
import { Client, Connection, WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client'
import type { UpdateDefinition } from '@temporalio/common'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { NativeConnection, Worker, type InjectedSinks } from '@temporalio/worker'
import { addressedActivities } from '#worker/untrusted-messages.ts'
import {
  addressMessages,
  type UntrustedMessage,
  type UntrustedSinks,
} from '#workflows/messages/address-contract.ts'
import type { Decimal } from '#domain/decimal.ts'
import { orderWorkflowIdFor, type ManualOrderTerms } from '#domain/manual-order.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import { ORDER_WORKFLOW, SIGNAL_WORKFLOW } from '#workflows/names.ts'
import { cancelOrder, orderChanged, type CancelAnswer, type OrderCancel } from '#workflows/order/contract.ts'
import {
  approveSignal,
  awaitEntry,
  cancelExit,
  declineSignal,
  searchAttributes,
  signalProgress,
  replaceSignal,
  earlierSignalChanged,
  withdrawSignal,
  type Approval,
  type Decline,
  type EntryAnswer,
  type SignalInput,
  type SignalOutcome,
  type SignalProgress,
  type SignalState,
  type ReplaceAnswer,
  type Withdrawal,
} from '#workflows/signal/contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { workflowAnnouncer } from '#worker/feed/workflow-announcer.ts'
import { searchAttributesOfOrder } from '#workflows/manual-order/contract.ts'
import { OrderPlay } from './order-play.ts'
import { RecordingActivities, type SignalScript } from './recording-activities.ts'
import { manualOrderTerms } from './sample-order.ts'
import { filled, replacementBy, reportOf, signalTerms } from './sample-signal.ts'
import { tool } from './tools.ts'
import { quietTemporal } from './temporal-runtime.ts'
import { workflowBundle } from './workflow-bundle.ts'

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>
export type HistoryEvent = NonNullable<History['events']>[number]

/** A Temporal server to play signals on. */
export interface TemporalServer {
  client: Client
  nativeConnection: NativeConnection
  /** Milliseconds since the epoch by the server's clock. */
  now(): Promise<number>
}

/** Temporal's IndexedValueType of a keyword (temporal/api/enums/v1/common.proto). */
const KEYWORD = 2

/** A server whose clock jumps to the next timer while somebody waits for a workflow’s result, and runs like any other otherwise. */
export async function timeSkippingServer(): Promise<TestWorkflowEnvironment> {
  quietTemporal()
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: await tool('timeSkippingServer') } },
    client: { interceptors: { workflow: [addressMessages(randomUUID)] } },
  })
  // This server can add search attributes and not list them.
  await environment.client.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(Object.values(searchAttributes).map(({ name }) => [name, KEYWORD])),
  })
  return environment
}

/** Plays signals: the real workflow code and a real worker, on activities that only record what they are told. */
export class SignalStage {
  readonly #server: TemporalServer
  readonly #taskQueue = `signals-${randomUUID()}`
  readonly #recording: RecordingActivities
  readonly #memory: { maxCachedWorkflows?: number }
  #worker: { stop(): Promise<void> } | null = null
  /** What came for any signal of the stage and was not believed. */
  readonly untrusted: UntrustedMessage[] = []

  /** @param memory how many workflows the worker keeps in memory; with none, every task replays the whole history */
  constructor(server: TemporalServer, memory: { maxCachedWorkflows?: number }) {
    this.#server = server
    this.#memory = memory
    this.#recording = new RecordingActivities(() => server.now())
  }

  static async onTimeSkippingServer(): Promise<SignalStage & { environment: TestWorkflowEnvironment }> {
    const environment = await timeSkippingServer()
    const stage = new SignalStage(
      {
        client: environment.client,
        nativeConnection: environment.nativeConnection,
        now: () => environment.currentTimeMs(),
      },
      { maxCachedWorkflows: 0 },
    )
    await stage.startWorker()
    return Object.assign(stage, { environment })
  }

  /**
   * A stage on a real server; `close` stops its worker and leaves the server alone. Its worker remembers workflows as
   * one in production does: without memory, many messages at once can make the SDK (1.24) lose a task until it times
   * out, "There should not be any outgoing commands or messages ... if the activation was only an eviction".
   */
  static async onServerAt(address: string): Promise<SignalStage & { close(): Promise<void> }> {
    quietTemporal()
    const connection = await Connection.connect({ address })
    const nativeConnection = await NativeConnection.connect({ address })
    const stage = new SignalStage(
      {
        client: new Client({ connection, interceptors: { workflow: [addressMessages(randomUUID)] } }),
        nativeConnection,
        now: async () => Date.now(),
      },
      {},
    )
    await stage.startWorker()
    const close = async (): Promise<void> => {
      await stage.stopWorker()
      await nativeConnection.close()
      await connection.close()
    }
    return Object.assign(stage, { close })
  }

  /** Milliseconds since the epoch by the server's clock. */
  now(): Promise<number> {
    return this.#server.now()
  }

  /** The UTC instant so many minutes from the server's now. */
  async minutesFromNow(minutes: number): Promise<string> {
    return new Date((await this.now()) + minutes * 60_000).toISOString()
  }

  /** From now on workflow tasks are worked on. */
  async startWorker(): Promise<void> {
    const worker = await Worker.create({
      connection: this.#server.nativeConnection,
      taskQueue: this.#taskQueue,
      workflowBundle: await workflowBundle(),
      interceptors: { activity: [addressedActivities] },
      activities: this.#recording.activities,
      sinks: {
        untrusted: { note: { fn: (_, what) => void this.untrusted.push(what) } },
      } satisfies InjectedSinks<UntrustedSinks>,
      ...this.#memory,
    })
    const running = worker.run()
    this.#worker = {
      stop: async () => {
        worker.shutdown()
        await running
      },
    }
  }

  /** Has a signal’s next task find its history longer by so many events. */
  async lengthen(play: SignalPlay, events: number): Promise<void> {
    await this.stopWorker()
    await Promise.all(Array.from({ length: events }, () => play.idleMessage()))
    await this.startWorker()
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop()
    this.#worker = null
  }

  /** What the steps of a signal are to answer; to be said before the signal begins. */
  scriptOf(terms: SignalTerms): SignalScript {
    return this.#recording.scriptOf(terms.signalId)
  }

  /**
   * Starts the workflow of a signal.
   *
   * @param isToMove whether it is to go on in another queue once its entry is sent; here that is its own, as of any other
   */
  async begin(
    changes: Partial<SignalTerms> = {},
    prepare: (script: SignalScript) => unknown = () => {},
    { isToMove = false }: { isToMove?: boolean } = {},
  ): Promise<SignalPlay> {
    const terms = await this.#termsNow(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const handle = await this.#server.client.workflow.start<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
      ...this.#start(terms),
      ...(isToMove && { args: [{ terms, thenQueue: this.#taskQueue }] }),
    })
    return new SignalPlay(this.#server, terms, script, handle)
  }

  /** A signal of this moment: one that is too old to be sent ends at the first check that fails, as on a slow machine. */
  async #termsNow(changes: Partial<SignalTerms>): Promise<SignalTerms> {
    const isImmediate = (changes.executeMode ?? 'immediate') === 'immediate'
    const acceptedAt = await this.minutesFromNow(0)
    const window = (isImmediate ? 1 : 24 * 60) * 60_000
    const sendBefore = new Date(Date.parse(acceptedAt) + window).toISOString()
    return signalTerms({ acceptedAt, sendBefore, ...changes })
  }

  /** Starts the workflow of a signal together with the question how its entry went, as the API does. */
  async beginAndAwaitEntry(
    changes: Partial<SignalTerms> = {},
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<{ play: SignalPlay; answer: EntryAnswer }> {
    const terms = await this.#termsNow(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const { client } = this.#server
    const operation = new WithStartWorkflowOperation<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
      ...this.#start(terms),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
    const answer = await client.workflow.executeUpdateWithStart(awaitEntry, {
      updateId: awaitEntry.name,
      startWorkflowOperation: operation,
    })
    return { play: new SignalPlay(this.#server, terms, script, await operation.workflowHandle()), answer }
  }

  /** Starts the workflow of a signal together with a message that is there before the workflow's first task. */
  async beginWithMessage(
    changes: Partial<SignalTerms>,
    message: (terms: SignalTerms) => OrderReport,
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<SignalPlay> {
    const terms = await this.#termsNow(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const handle = await this.#server.client.workflow.signalWithStart<typeof signalWorkflow, [OrderReport]>(
      SIGNAL_WORKFLOW,
      { ...this.#start(terms), signal: orderChanged, signalArgs: [message(terms)] },
    )
    return new SignalPlay(this.#server, terms, script, handle)
  }

  /** Starts the workflow of a manual order. */
  async beginOrder(
    changes: Partial<ManualOrderTerms> = {},
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<OrderPlay> {
    const terms = manualOrderTerms(changes)
    const script = this.#recording.scriptOf(terms.orderId)
    prepare(script)
    const handle = await this.#server.client.workflow.start<typeof orderWorkflow>(ORDER_WORKFLOW, {
      workflowId: orderWorkflowIdFor(terms.orderId),
      taskQueue: this.#taskQueue,
      args: [{ terms }],
      typedSearchAttributes: searchAttributesOfOrder(terms),
    })
    return new OrderPlay(() => this.#server.now(), terms, script, handle)
  }

  /** The feed opens a signal again that had ended, because a fill of an order of it came all the same. */
  async reopen(
    { terms, script }: SignalPlay,
    clientOrderId: string,
    filledQuantity: Decimal,
  ): Promise<SignalPlay> {
    const [call] = script
      .callsOf('submitOrder')
      .filter(({ input }) => input.request.clientOrderId === clientOrderId)
    if (!call) throw new Error(`${clientOrderId} has not been sent`)
    const at = new Date(await this.now()).toISOString()
    const report = reportOf(call.input.request, at, { status: 'CANCELLED', ...filled(filledQuantity, at) })
    const { client } = this.#server
    await workflowAnnouncer(client, this.#taskQueue).reopen(terms, report)
    const run = client.workflow.getHandle<typeof signalWorkflow>(workflowIdFor(terms.signalId))
    return new SignalPlay(this.#server, terms, script, run)
  }

  #start(terms: SignalTerms) {
    return {
      workflowId: workflowIdFor(terms.signalId),
      taskQueue: this.#taskQueue,
      args: [{ terms }] as [SignalInput],
      typedSearchAttributes: [
        { key: searchAttributes.status, value: 'queued' },
        { key: searchAttributes.symbol, value: terms.symbol },
      ],
    }
  }
}

/** One signal on the stage. */
export class SignalPlay {
  readonly terms: SignalTerms
  readonly script: SignalScript
  readonly handle: WorkflowHandle<typeof signalWorkflow>
  readonly #server: TemporalServer

  constructor(
    server: TemporalServer,
    terms: SignalTerms,
    script: SignalScript,
    handle: WorkflowHandle<typeof signalWorkflow>,
  ) {
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

  /** The feed tells the workflow of an order, once the order has been sent. */
  async tell(
    clientOrderId: string,
    status: OrderReport['status'],
    filledQuantity: Decimal,
    changes: Partial<OrderReport> = {},
  ): Promise<void> {
    const [request] = this.sent(clientOrderId)
    if (!request) throw new Error(`${clientOrderId} has not been sent`)
    const at = new Date(await this.#server.now()).toISOString()
    await this.announce(reportOf(request, at, { status, ...filled(filledQuantity, at), ...changes }))
  }

  async announce(report: OrderReport): Promise<void> {
    await this.handle.signal(orderChanged, report)
  }

  /** An earlier signal has changed, which this one may wait for. */
  earlierSignalChanged(): Promise<void> {
    return this.handle.signal(earlierSignalChanged)
  }

  /** Sends a message that changes nothing: of an order that is not this signal's. */
  idleMessage(): Promise<void> {
    const request = {
      clientOrderId: clientOrderIdFor(randomUUID(), 'entry', 1),
      symbol: 'AAPL',
      side: 'BUY',
      quantity: '1',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
    } as const
    return this.announce(reportOf(request, this.terms.acceptedAt))
  }

  /** Waits until the entry is in the ledger, then reports it filled whole. */
  async fillEntry(): Promise<void> {
    await this.script.accepted('entry')
    await this.tell(this.entryId, 'FILLED', this.terms.quantity)
  }

  awaitEntry(updateId?: string): Promise<EntryAnswer> {
    return this.handle.executeUpdate(awaitEntry, updateId === undefined ? {} : { updateId })
  }

  approve(edits: Partial<Approval> = {}, updateId?: string): Promise<EntryAnswer> {
    const unchanged = { quantity: null, limitPrice: null, sendBefore: null }
    const approval: Approval = { by: 'ann@example.test', ...unchanged, ...edits }
    return this.#update(approveSignal, approval, updateId)
  }

  decline(reason: string | null = null): Promise<SignalState> {
    const decline: Decline = { by: 'ann@example.test', reason }
    return this.#update(declineSignal, decline)
  }

  /** Somebody wants an order of the signal cancelled that works at the broker. */
  cancelOrder(clientOrderId: string, by = 'bob@example.test'): Promise<CancelAnswer> {
    const cancel: OrderCancel = { by, clientOrderId }
    return this.#update(cancelOrder, cancel)
  }

  withdraw(by = 'bob@example.test'): Promise<SignalState> {
    const withdrawal: Withdrawal = { by }
    return this.#update(withdrawSignal, withdrawal)
  }

  cancelExit(by = 'bob@example.test'): Promise<SignalState> {
    const withdrawal: Withdrawal = { by }
    return this.#update(cancelExit, withdrawal)
  }

  /** A newer signal, known by the name of its sender, asks to take the place of this one. */
  replace(by = 'the sender'): Promise<ReplaceAnswer> {
    return this.#update(replaceSignal, replacementBy(by))
  }

  #update<Result, Argument>(
    update: UpdateDefinition<Result, [Argument]>,
    argument: Argument,
    updateId?: string,
  ): Promise<Result> {
    return this.handle.executeUpdate<Result, [Argument]>(update, {
      args: [argument],
      ...(updateId !== undefined && { updateId }),
    })
  }

  progress(): Promise<SignalProgress> {
    return this.handle.query(signalProgress)
  }

  /** Waits for the end; on a time-skipping server the time until then passes at once. */
  result(): Promise<SignalOutcome> {
    return this.handle.result()
  }

  /** The histories of all its runs, first to last; more than one once it has continued as new. */
  async runs(): Promise<History[]> {
    const { client } = this.#server
    const histories = [await this.handle.fetchHistory()]
    for (;;) {
      const before =
        histories[0]?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId
      if (!before) return histories
      histories.unshift(await client.workflow.getHandle(this.handle.workflowId, before).fetchHistory())
    }
  }

  async history(): Promise<HistoryEvent[]> {
    return (await this.handle.fetchHistory()).events ?? []
  }
}
