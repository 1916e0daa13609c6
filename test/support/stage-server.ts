import { randomUUID } from 'node:crypto'
import { Client, Connection, WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client'
import type { SearchAttributePair, UpdateDefinition } from '@temporalio/common'
import { NativeConnection, Worker, type InjectedSinks } from '@temporalio/worker'
import { addressedActivities } from '#worker/untrusted-messages.ts'
import {
  addressMessages,
  type UntrustedMessage,
  type UntrustedSinks,
} from '#workflows/messages/address-contract.ts'
import { BareTemporal, type Message } from './bare-temporal.ts'
import type { RecordingActivities } from './recording-activities.ts'
import { quietTemporal } from './temporal-runtime.ts'
import { workflowBundle } from './workflow-bundle.ts'

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>
export type HistoryEvent = NonNullable<History['events']>[number]

/** What a test has of a workflow: messages, and its end. */
export interface PlayHandle {
  readonly workflowId: string
  signal(message: Message, ...args: unknown[]): Promise<void>
  executeUpdate(message: Message, options?: { args?: unknown[]; updateId?: string }): Promise<unknown>
  query(message: Message): Promise<unknown>
  result(): Promise<unknown>
}

export interface WorkflowStart {
  workflowId: string
  args: [object]
  typedSearchAttributes: SearchAttributePair[]
}

/** A Temporal server with one worker, on which workflows are played: a real one, or what stands in for one. */
export interface StageServer {
  readonly taskQueue: string
  start(type: string, start: WorkflowStart): Promise<PlayHandle>
  /** With a message that is there before the workflow's first task; to a workflow that runs already the message alone. */
  startWithSignal(type: string, start: WorkflowStart, name: string, argument: unknown): Promise<PlayHandle>
  startWithUpdate(
    type: string,
    start: WorkflowStart,
    message: Message,
  ): Promise<{ handle: PlayHandle; answer: unknown }>
  /** The histories of all runs of a workflow, first to last. */
  historiesOf(workflowId: string): Promise<History[]>
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
}

/** A real server; its worker remembers workflows as one in production does. */
export class RealServer implements StageServer {
  readonly taskQueue = `signals-${randomUUID()}`
  readonly client: Client
  readonly #connection: NativeConnection
  readonly #recording: RecordingActivities
  #worker: { stop(): Promise<void> } | null = null
  /** What came for any workflow and was not believed. */
  readonly untrusted: UntrustedMessage[] = []

  private constructor(client: Client, connection: NativeConnection, recording: RecordingActivities) {
    this.client = client
    this.#connection = connection
    this.#recording = recording
  }

  static async at(address: string, recording: RecordingActivities): Promise<RealServer> {
    quietTemporal()
    const connection = await Connection.connect({ address })
    const client = new Client({ connection, interceptors: { workflow: [addressMessages(randomUUID)] } })
    const server = new RealServer(client, await NativeConnection.connect({ address }), recording)
    await server.startWorker()
    return server
  }

  async close(): Promise<void> {
    await this.stopWorker()
    await this.#connection.close()
    await this.client.connection.close()
  }

  async startWorker(): Promise<void> {
    const worker = await Worker.create({
      connection: this.#connection,
      taskQueue: this.taskQueue,
      workflowBundle: await workflowBundle(),
      interceptors: { activity: [addressedActivities] },
      activities: this.#recording.activities,
      sinks: {
        untrusted: { note: { fn: (_, what) => void this.untrusted.push(what) } },
      } satisfies InjectedSinks<UntrustedSinks>,
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

  start(type: string, start: WorkflowStart): Promise<PlayHandle> {
    return this.client.workflow.start(type, { ...start, taskQueue: this.taskQueue })
  }

  startWithSignal(
    type: string,
    start: WorkflowStart,
    signal: string,
    argument: unknown,
  ): Promise<PlayHandle> {
    const { taskQueue } = this
    return this.client.workflow.signalWithStart(type, { ...start, taskQueue, signal, signalArgs: [argument] })
  }

  async startWithUpdate(
    type: string,
    start: WorkflowStart,
    message: Message,
  ): Promise<{ handle: PlayHandle; answer: unknown }> {
    const operation = new WithStartWorkflowOperation(type, {
      ...start,
      taskQueue: this.taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
    const answer = await this.client.workflow.executeUpdateWithStart(message as UpdateDefinition<unknown>, {
      updateId: 'asked with the start',
      startWorkflowOperation: operation,
    })
    return { handle: await operation.workflowHandle(), answer }
  }

  async historiesOf(workflowId: string): Promise<History[]> {
    const histories = [await this.client.workflow.getHandle(workflowId).fetchHistory()]
    for (;;) {
      const { events } = histories[0]!
      const before = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId
      if (!before) return histories
      histories.unshift(await this.client.workflow.getHandle(workflowId, before).fetchHistory())
    }
  }
}

const START = Date.parse('2026-03-02T15:00:00.000Z')

/** No server at all: see {@link BareTemporal}. It has no histories. */
export class BareServer implements StageServer {
  readonly taskQueue = 'the only one'
  readonly temporal: BareTemporal

  constructor(recording: RecordingActivities) {
    this.temporal = new BareTemporal(
      (step) => recording.perform(step),
      () => recording.isAwaited,
    )
    recording.whenAwaited = () => this.temporal.wake()
  }

  begin(): void {
    this.temporal.begin(START)
  }

  close(): void {
    this.temporal.end()
  }

  async startWorker(): Promise<void> {
    this.temporal.startWorker()
  }

  async stopWorker(): Promise<void> {
    this.temporal.stopWorker()
  }

  async start(type: string, start: WorkflowStart): Promise<PlayHandle> {
    return this.temporal.start(type, start)
  }

  async startWithSignal(
    type: string,
    start: WorkflowStart,
    signal: string,
    argument: unknown,
  ): Promise<PlayHandle> {
    const isRunning = this.temporal.isRunning(start.workflowId)
    const handle = isRunning ? this.temporal.handleOf(start.workflowId) : this.temporal.start(type, start)
    const send = (): Promise<void> => handle.signal(signal, argument)
    await (isRunning ? send() : this.temporal.atOnce(send))
    return handle
  }

  async startWithUpdate(
    type: string,
    start: WorkflowStart,
    message: Message,
  ): Promise<{ handle: PlayHandle; answer: unknown }> {
    const handle = this.temporal.start(type, start)
    return { handle, answer: await this.temporal.atOnce(() => handle.executeUpdate(message)) }
  }

  historiesOf(): never {
    throw new TypeError('there are no histories without a server')
  }
}
