import type { Caller } from '../http/caller.ts'
import {
  UPDATE_REJECTIONS,
  type UpdateRejection,
  type Approval,
  type Decline,
  type EntryAnswer,
  type ProtectionChange,
  type SignalState,
  type ReplaceAnswer,
  type ReplaceRequest,
  type Withdrawal,
} from '#workflows/signal/contract.ts'
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  Client,
  Connection,
  type ClientOptions,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { DeadlinePassed, within } from '../http/deadline.ts'
import { connectionOptions, type TemporalSettings } from '#config/temporal-address.ts'
import { Backoff } from '#domain/async/backoff.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { RuleFault } from '#domain/exit/protection-check.ts'
import type { SignalTerms, SignalStatus } from '#domain/signal/signal.ts'

/** Milliseconds, even for a late request. */
const MIN_ENGINE_TIME_MS = 50

export const timeLeft = (
  { receivedAt }: Pick<Caller, 'receivedAt'>,
  { answerDeadline }: { answerDeadline: number },
): number => Math.max(receivedAt + answerDeadline - performance.now(), MIN_ENGINE_TIME_MS)

/** gRPC codes; 9 (failed precondition) comes from an update whose workflow task is repeated. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([1, 4, 8, 9, 10, 14])
/** gRPC codes that end a running call; the last also means no connection. */
const UNAVAILABLE = 14
const LATE_CODES: ReadonlySet<number> = new Set([1, 4, UNAVAILABLE])
const NOT_SENT = /^(No connection established|Name resolution failed)/

const ENDED_MEANWHILE = 'AcceptedUpdateCompletedWorkflow'

function asAnswer(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
    return new WorkflowOver('the workflow has ended', { cause: error })
  const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined
  if (!(failure instanceof ApplicationFailure)) return error
  if (failure.type === ENDED_MEANWHILE)
    return new WorkflowOver('the workflow ended meanwhile', { cause: error })
  const rejection = UPDATE_REJECTIONS.find((known) => known === failure.type)
  if (!rejection) return error
  const [details = {}] = failure.details ?? []
  return new UpdateRejected(rejection, failure.message, details as object)
}

export const inAnswers = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw asAnswer(error)
  })

/** `unreachable`: not sent. `late`: Temporal may still act on it. */
function troubleIn(error: unknown): 'late' | 'unreachable' | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof DeadlinePassed || inner instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      return 'late'
    if (isGrpcServiceError(inner) && UNAVAILABLE_CODES.has(inner.code))
      return LATE_CODES.has(inner.code) && !NOT_SENT.test(inner.details) ? 'late' : 'unreachable'
  }
  return null
}

const CLIENT_GRACE_MS = 50
const CALL_PAUSE_MS = { first: 50, most: 500 }

export interface Calls {
  client: Client
  taskQueue: string
  /** Repeats an idempotent call while Temporal is away, within `milliseconds`. */
  bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T>
}

export function callsTo(
  settings: TemporalSettings,
  dataConverter: NonNullable<ClientOptions['dataConverter']>,
): Calls & Pick<SignalGateway, 'checkReachable' | 'close'> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = settings
  const connection = Connection.lazy({
    ...connectionOptions(settings),
    // gRPC's default is up to two minutes.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
    // The SDK's retries outlive deadlines, and fail outside any call on a closed connection.
    interceptors: [],
  })
  const client = new Client({
    connection,
    namespace,
    dataConverter,
    interceptors: { workflow: [addressMessages(randomUUID)] },
  })

  async function bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
    const end = Date.now() + milliseconds
    let wasLate = false
    const backoff = new Backoff(CALL_PAUSE_MS)
    for (;;) {
      let pause: number
      try {
        return await within(end - Date.now() + CLIENT_GRACE_MS, 'Temporal', client.withDeadline(end, call))
      } catch (error) {
        const trouble = troubleIn(error)
        if (trouble === null) throw error
        wasLate ||= trouble === 'late'
        pause = backoff.next()
        if (Date.now() + pause >= end) {
          const Unavailable = wasLate ? AnswerOverdue : GatewayUnavailable
          throw new Unavailable('Temporal did not answer', { cause: error })
        }
      }
      await setTimeout(pause)
    }
  }

  return {
    client,
    taskQueue,
    bounded,
    checkReachable: (milliseconds) =>
      bounded(milliseconds, async () => {
        await connection.workflowService.describeNamespace({ namespace })
      }),
    close: () => connection.close(),
  }
}

/** The start or message may have arrived; repetition is harmless. */
export class GatewayUnavailable extends Error {
  override readonly name: string = 'GatewayUnavailable'
}

export class AnswerOverdue extends GatewayUnavailable {
  override readonly name = 'AnswerOverdue'
}

export interface Why {
  code?: DenialCode | null
  faults?: readonly RuleFault[]
}

export class UpdateRejected extends Error {
  override readonly name = 'UpdateRejected'
  readonly rejection: UpdateRejection
  /** Set for WOULD_BE_REFUSED. */
  readonly denial: DenialCode | null
  /** Faults of a changed exit. */
  readonly faults: readonly RuleFault[]
  constructor(rejection: UpdateRejection, message: string, { code = null, faults = [] }: Why = {}) {
    super(message)
    this.rejection = rejection
    this.denial = code
    this.faults = faults
  }
}

export class WorkflowOver extends Error {
  override readonly name = 'WorkflowOver'
}

/** A message starts its workflow where none runs. */
export interface Recipient {
  signalId: string
  terms: SignalTerms
  status: SignalStatus
}

/**
 * Starting is idempotent. Messages throw {@link UpdateRejected}, {@link WorkflowOver}, and {@link GatewayUnavailable},
 * after which only the ledger shows the outcome.
 */
export interface SignalGateway {
  /** Throws {@link WorkflowOver} after the end. */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  start(terms: SignalTerms, milliseconds?: number): Promise<void>

  /** Idempotent for the same number of `refusals`. */
  approve(to: Recipient, approval: Approval, milliseconds: number, refusals: number): Promise<EntryAnswer>
  decline(to: Recipient, decline: Decline, milliseconds: number): Promise<SignalState>
  withdraw(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  cancelExit(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  changeProtection(to: Recipient, change: ProtectionChange, milliseconds: number): Promise<SignalState>
  retryExit(signalId: string, milliseconds: number): Promise<void>
  replace(to: Recipient, replaceRequest: ReplaceRequest, milliseconds: number): Promise<ReplaceAnswer>

  checkReachable(milliseconds: number): Promise<void>
  close(): Promise<void>
}
