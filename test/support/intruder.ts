import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { Connection, type WorkflowService } from '@temporalio/client'
import type { temporal } from '@temporalio/proto'

export type RawPayload = temporal.api.common.v1.IPayload
type HistoryEvent = temporal.api.history.v1.IHistoryEvent

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/**
 * Somebody who reaches Temporal and has none of the installation's keys: reads histories, copies payloads, and sends
 * whatever they like in whatever place. Speaks to the server itself, past everything that our clients do.
 */
export class Intruder {
  readonly #connection: Connection

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  static async at(address: string): Promise<Intruder> {
    return new Intruder(await Connection.connect({ address }))
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  get #service(): WorkflowService {
    return this.#connection.workflowService
  }

  async history(workflowId: string): Promise<HistoryEvent[]> {
    const { history } = await this.#service.getWorkflowExecutionHistory({
      namespace: 'default',
      execution: { workflowId },
    })
    return history?.events ?? []
  }

  /** The arguments with which a workflow was started. */
  async inputOf(workflowId: string): Promise<RawPayload[]> {
    const [started] = await this.history(workflowId)
    return started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  }

  /** The arguments of the updates that a workflow has accepted under a name. */
  async updatesOf(workflowId: string, name: string): Promise<RawPayload[][]> {
    const events = await this.history(workflowId)
    return events.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => {
      const input = accepted?.acceptedRequest?.input
      return input?.name === name ? [input.args?.payloads ?? []] : []
    })
  }

  /** The arguments of the signals that a workflow has been sent under a name. */
  async signalsOf(workflowId: string, name: string): Promise<RawPayload[][]> {
    const events = await this.history(workflowId)
    return events.flatMap(({ workflowExecutionSignaledEventAttributes: sent }) =>
      sent?.signalName === name ? [sent.input?.payloads ?? []] : [],
    )
  }

  async signal(workflowId: string, signalName: string, payloads: RawPayload[]): Promise<void> {
    await this.#service.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      signalName,
      input: { payloads },
      requestId: randomBytes(8).toString('hex'),
    })
  }

  /** Sends an update and waits for its end; answers the failure, in words as far as it is readable, or null. */
  async update(
    workflowId: string,
    name: string,
    payloads: RawPayload[],
    updateId = randomBytes(8).toString('hex'),
  ): Promise<string | null> {
    const { outcome } = await this.#connection.withDeadline(Date.now() + 15_000, () =>
      this.#service.updateWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId },
        waitPolicy: { lifecycleStage: 3 },
        request: { meta: { updateId, identity: 'intruder' }, input: { name, args: { payloads } } },
      }),
    )
    return outcome?.failure ? (outcome.failure.applicationFailureInfo?.type ?? 'a failure') : null
  }

  async start(workflowId: string, workflowType: string, payloads: RawPayload[]): Promise<void> {
    await this.#service.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      workflowType: { name: workflowType },
      taskQueue: { name: 'signals' },
      input: { payloads },
      requestId: randomBytes(8).toString('hex'),
    })
  }

  async terminate(workflowId: string): Promise<void> {
    await this.#service.terminateWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
    })
  }

  /** How a workflow's last run stands, such as FAILED. */
  async stateOf(workflowId: string): Promise<string> {
    const { workflowExecutionInfo } = await this.#service.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId },
    })
    const names = ['', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED', 'TERMINATED', 'CONTINUED_AS_NEW']
    return names[workflowExecutionInfo?.status ?? 0] ?? 'UNKNOWN'
  }

  /** The activity that a workflow waits for; throws while a worker is not at it. */
  async activityUnderWay(workflowId: string, type: string): Promise<string> {
    const { pendingActivities } = await this.#service.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId },
    })
    const found = pendingActivities?.find(
      ({ activityType, state }) => activityType?.name === type && Number(state) === STARTED,
    )
    if (!found) throw new Error(`no worker is at ${type}`)
    return found.activityId!
  }

  /** What a workflow asked of an activity. */
  async askedOf(workflowId: string, activityId: string): Promise<RawPayload[]> {
    const events = await this.history(workflowId)
    const asked = events.find(({ activityTaskScheduledEventAttributes: at }) => at?.activityId === activityId)
    return asked?.activityTaskScheduledEventAttributes?.input?.payloads ?? []
  }

  /** Answers in the place of the worker that is at it. */
  async completeActivity(workflowId: string, activityId: string, result: RawPayload[]): Promise<void> {
    await this.#service.respondActivityTaskCompletedById({
      namespace: 'default',
      workflowId,
      activityId,
      result: { payloads: result },
    })
  }

  /** Says in the place of the worker that it failed, for good. */
  async failActivity(workflowId: string, activityId: string, type: string): Promise<void> {
    await this.#service.respondActivityTaskFailedById({
      namespace: 'default',
      workflowId,
      activityId,
      failure: { message: 'no', applicationFailureInfo: { type, nonRetryable: true } },
    })
  }
}

/** Temporal's PendingActivityState of one that a worker is at. */
const STARTED = 2

/** What everybody can write. */
export const plain = (value: unknown): RawPayload => ({
  metadata: { encoding: text('json/plain') },
  data: text(JSON.stringify(value)),
})

/** The same payload without its end. */
export const truncated = (payload: RawPayload): RawPayload => ({
  ...payload,
  data: payload.data!.subarray(0, payload.data!.length - 5),
})

/** The same payload with one bit changed. */
export function changed(payload: RawPayload): RawPayload {
  const data = Uint8Array.from(payload.data!)
  data[data.length >> 1]! ^= 1
  return { ...payload, data }
}

/** What stands before a payload that is encrypted: the length of the id of its key, that id, and the owner. */
const headerOf = ({ data }: RawPayload): Buffer => Buffer.from(data!.subarray(0, 1 + data![0]! + OWNER_BYTES))
const OWNER_BYTES = 16

/** The same payload, which says that it is another workflow's. */
export function relabelled(payload: RawPayload, workflowId: string): RawPayload {
  const owner = createHash('sha256')
    .update(JSON.stringify(['default', workflowId, null]))
    .digest()
  const data = Buffer.from(payload.data!)
  owner.copy(data, headerOf(payload).length - OWNER_BYTES, 0, OWNER_BYTES)
  return { ...payload, data }
}

/** Encrypted as ours are, by a key of one's own under the name of a key of the installation or another name. */
export function sealedByStranger(like: RawPayload, value: unknown, keyId?: string): RawPayload {
  const nonce = randomBytes(12)
  const theirs = headerOf(like)
  const header =
    keyId === undefined
      ? theirs
      : Buffer.concat([Buffer.of(keyId.length), Buffer.from(keyId), theirs.subarray(-OWNER_BYTES)])
  const cipher = createCipheriv('aes-256-gcm', randomBytes(32), nonce).setAAD(
    Buffer.concat([Buffer.from('temporal-payload'), header]),
  )
  // 1: JSON follows.
  const content = Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify(value))])
  const data = Buffer.concat([header, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
  return { ...like, data }
}
