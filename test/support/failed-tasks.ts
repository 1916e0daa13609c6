import proto from '@temporalio/proto'
import type { temporal } from '@temporalio/proto'

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1

/**
 * Causes that are no fault of any code: a message reached the workflow while it was ending or going on in a new run, and Temporal has the task done
 * once more, with the message.
 */
const MET_BY_A_MESSAGE: readonly number[] = [
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_UPDATE,
]

/** Workflow tasks of a history that have failed for any other reason than {@link MET_BY_A_MESSAGE}, each as its cause and message. */
export const failedTasks = (history: temporal.api.history.v1.IHistory): string[] =>
  (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
    if (!failed) return []
    const cause = failed.cause ?? WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNSPECIFIED
    return MET_BY_A_MESSAGE.includes(cause)
      ? []
      : [`${WorkflowTaskFailedCause[cause]}: ${failed.failure?.message}`]
  })
