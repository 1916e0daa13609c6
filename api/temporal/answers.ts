import type { DenialCode } from '#domain/denial.ts'
import { UPDATE_REJECTIONS } from '#workflows/signal/contract.ts'
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { DeadlinePassed } from '../http/deadline.ts'
import { UpdateRejected, WorkflowOver } from './signals.ts'

/**
 * gRPC's codes for a server that cannot serve now: cancelled, deadline, exhausted, aborted, unavailable. And failed
 * precondition, with which Temporal lets go of an update whose workflow task has to be done over.
 */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([1, 4, 8, 9, 10, 14])
/** The codes that end a call that was under way; the last also says that none could be made. */
const UNAVAILABLE = 14
const LATE_CODES: ReadonlySet<number> = new Set([1, 4, UNAVAILABLE])
/** How the SDK's gRPC begins the details of a call that has left for nobody. */
const NOT_SENT = /^(No connection established|Name resolution failed)/

/** The failure that a worker's SDK answers an update with when the workflow ended before it did. */
const ENDED_MEANWHILE = 'AcceptedUpdateCompletedWorkflow'

/** The meaning of an error for the workflow, in the gateways' words; any other error as it is. */
function asAnswer(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
    return new WorkflowOver('the workflow has ended', { cause: error })
  const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined
  if (!(failure instanceof ApplicationFailure)) return error
  if (failure.type === ENDED_MEANWHILE)
    return new WorkflowOver('the workflow ended meanwhile', { cause: error })
  const rejection = UPDATE_REJECTIONS.find((known) => known === failure.type)
  if (!rejection) return error
  const [details] = failure.details ?? []
  return new UpdateRejected(rejection, failure.message, (details as { code?: DenialCode } | undefined)?.code)
}

/** The same answer; what it fails with is thrown in the gateways' words. */
export const inAnswers = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw asAnswer(error)
  })

/**
 * What kept Temporal from answering: it cannot be reached, and was asked nothing; or the answer is late or lost, and it may do what
 * it was asked. Null for an answer that is an
 * error. The SDK wraps gRPC's error, so the chain of causes is searched.
 */
export function troubleIn(error: unknown): 'late' | 'unreachable' | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof DeadlinePassed || inner instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      return 'late'
    if (isGrpcServiceError(inner) && UNAVAILABLE_CODES.has(inner.code))
      return LATE_CODES.has(inner.code) && !NOT_SENT.test(inner.details) ? 'late' : 'unreachable'
  }
  return null
}
