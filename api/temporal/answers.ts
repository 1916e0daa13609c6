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

/** Also failed precondition, for an update whose workflow task is repeated. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([1, 4, 8, 9, 10, 14])
/** These end a call under way; the last one also means that none could be made. */
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

/** `unreachable`: Temporal was asked nothing. `late`: it may still do what it was asked. */
export function troubleIn(error: unknown): 'late' | 'unreachable' | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof DeadlinePassed || inner instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      return 'late'
    if (isGrpcServiceError(inner) && UNAVAILABLE_CODES.has(inner.code))
      return LATE_CODES.has(inner.code) && !NOT_SENT.test(inner.details) ? 'late' : 'unreachable'
  }
  return null
}
