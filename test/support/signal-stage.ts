import { randomUUID } from 'node:crypto'
import { WithStartWorkflowOperation, type Client, type WorkflowHandle } from '@temporalio/client'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { Worker, type NativeConnection } from '@temporalio/worker'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
import {
  AWAIT_ENTRY,
  ORDER_CHANGED,
  SIGNAL_PROGRESS,
  SIGNAL_WORKFLOW,
  searchAttributes,
  type EntryAnswer,
  type OrderChanged,
  type SignalInput,
  type SignalOutcome,
  type SignalProgress,
} from '#workflows/contract.ts'
import { RecordingActivities, type SignalScript } from './recording-activities.ts'
import { filled, reportOf, signalTerms } from './sample-signal.ts'
import { timeSkippingServerPath } from './servers.ts'
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
    server: { executable: { type: 'existing-path', path: await timeSkippingServerPath() } },
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
  #worker: { stop(): Promise<void> } | null = null

  constructor(server: TemporalServer) {
    this.#server = server
    this.#recording = new RecordingActivities(() => server.now())
  }

  static async onTimeSkippingServer(): Promise<SignalStage & { environment: TestWorkflowEnvironment }> {
    const environment = await timeSkippingServer()
    const stage = new SignalStage({
      client: environment.client,
      nativeConnection: environment.nativeConnection,
      now: () => environment.currentTimeMs(),
    })
    await stage.startWorker()
    return Object.assign(stage, { environment })
  }

  /** From now on workflow tasks are worked on. No workflow is kept in memory, so that every task replays the whole history. */
  async startWorker(): Promise<void> {
    const worker = await Worker.create({
      connection: this.#server.nativeConnection,
      taskQueue: this.#taskQueue,
      workflowBundle: await workflowBundle(),
      activities: this.#recording.activities,
      maxCachedWorkflows: 0,
    })
    const running = worker.run()
    this.#worker = {
      stop: async () => {
        worker.shutdown()
        await running
      },
    }
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop()
    this.#worker = null
  }

  /** What the steps of a signal are to answer; to be said before the signal begins. */
  scriptOf(terms: SignalTerms): SignalScript {
    return this.#recording.scriptOf(terms.signalId)
  }

  /** Starts the workflow of a signal. */
  async begin(
    changes: Partial<SignalTerms> = {},
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<SignalPlay> {
    const terms = signalTerms(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const handle = await this.#server.client.workflow.start<SignalWorkflow>(
      SIGNAL_WORKFLOW,
      this.#start(terms),
    )
    return new SignalPlay(this.#server, terms, script, handle)
  }

  /** Starts the workflow of a signal together with the question how its entry went, as the API does. */
  async beginAndAwaitEntry(
    changes: Partial<SignalTerms> = {},
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<{ play: SignalPlay; answer: EntryAnswer }> {
    const terms = signalTerms(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const { client } = this.#server
    const operation = new WithStartWorkflowOperation<SignalWorkflow>(SIGNAL_WORKFLOW, {
      ...this.#start(terms),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
    const answer = await client.workflow.executeUpdateWithStart<SignalWorkflow, EntryAnswer, []>(
      AWAIT_ENTRY,
      {
        updateId: AWAIT_ENTRY,
        startWorkflowOperation: operation,
      },
    )
    return { play: new SignalPlay(this.#server, terms, script, await operation.workflowHandle()), answer }
  }

  /** Starts the workflow of a signal together with a message that is there before the workflow's first task. */
  async beginWithMessage(
    changes: Partial<SignalTerms>,
    message: (terms: SignalTerms) => OrderReport,
    prepare: (script: SignalScript) => unknown = () => {},
  ): Promise<SignalPlay> {
    const terms = signalTerms(changes)
    const script = this.scriptOf(terms)
    prepare(script)
    const handle = await this.#server.client.workflow.signalWithStart<SignalWorkflow, [OrderChanged]>(
      SIGNAL_WORKFLOW,
      { ...this.#start(terms), signal: ORDER_CHANGED, signalArgs: [message(terms)] },
    )
    return new SignalPlay(this.#server, terms, script, handle)
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

type SignalWorkflow = (input: SignalInput) => Promise<SignalOutcome>

/** One signal on the stage. */
export class SignalPlay {
  readonly terms: SignalTerms
  readonly script: SignalScript
  readonly handle: WorkflowHandle<SignalWorkflow>
  readonly #server: TemporalServer

  constructor(
    server: TemporalServer,
    terms: SignalTerms,
    script: SignalScript,
    handle: WorkflowHandle<SignalWorkflow>,
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
    return clientOrderIdFor(this.terms.signalId, 'exit', generation)
  }

  /** The requests that were sent to the broker under a client order id. */
  sent(clientOrderId: string): OrderRequest[] {
    return this.script
      .inputs('submitOrder')
      .map(({ request }) => request)
      .filter((request) => request.clientOrderId === clientOrderId)
  }

  /** The feed tells the workflow of an order, once the order has been sent. */
  async tell(
    clientOrderId: string,
    status: OrderReport['status'],
    filledQuantity: string,
    changes: Partial<OrderReport> = {},
  ): Promise<void> {
    const [request] = this.sent(clientOrderId)
    if (!request) throw new Error(`${clientOrderId} has not been sent`)
    const at = new Date(await this.#server.now()).toISOString()
    await this.announce(reportOf(request, at, { status, ...filled(filledQuantity, at), ...changes }))
  }

  async announce(report: OrderReport): Promise<void> {
    await this.handle.signal<[OrderChanged]>(ORDER_CHANGED, report)
  }

  /** Waits until the entry is in the books, then reports it filled whole. */
  async fillEntry(): Promise<void> {
    await this.script.called('recordEntryAccepted')
    await this.tell(this.entryId, 'FILLED', this.terms.quantity)
  }

  awaitEntry(updateId?: string): Promise<EntryAnswer> {
    return this.handle.executeUpdate<EntryAnswer, []>(AWAIT_ENTRY, updateId === undefined ? {} : { updateId })
  }

  progress(): Promise<SignalProgress> {
    return this.handle.query<SignalProgress>(SIGNAL_PROGRESS)
  }

  /** Waits for the end; on a time-skipping server the time until then passes at once. */
  result(): Promise<SignalOutcome> {
    return this.handle.result()
  }

  async history(): Promise<HistoryEvent[]> {
    return (await this.handle.fetchHistory()).events ?? []
  }
}
