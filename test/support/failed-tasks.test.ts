import assert from 'node:assert/strict'
import proto from '@temporalio/proto'
import { failedTasks } from './failed-tasks.ts'

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1
type Cause = keyof typeof WorkflowTaskFailedCause

const historyWith = (...causes: (Cause | null)[]) => ({
  events: [
    { workflowTaskCompletedEventAttributes: {} },
    ...causes.map((cause) => ({
      workflowTaskFailedEventAttributes: {
        failure: { message: 'why' },
        ...(cause !== null && { cause: WorkflowTaskFailedCause[cause] }),
      },
    })),
  ],
})

describe('workflow tasks that have failed', () => {
  it('workflow tasks that have failed are not those that a message met, which Temporal has done once more', () => {
    assert.deepEqual(
      failedTasks(
        historyWith(
          'WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND',
          'WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_UPDATE',
        ),
      ),
      [],
    )
  })

  it('workflow tasks that have failed are all others, of every cause that Temporal knows and of none', () => {
    const others = Object.keys(WorkflowTaskFailedCause).filter(
      (name): name is Cause => name.startsWith('WORKFLOW_TASK') && !/UNHANDLED_(COMMAND|UPDATE)$/.test(name),
    )
    assert.ok(others.includes('WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR'))
    assert.deepEqual(
      failedTasks(historyWith(...others)),
      others.map((cause) => `${cause}: why`),
    )
    assert.deepEqual(failedTasks(historyWith(null)), ['WORKFLOW_TASK_FAILED_CAUSE_UNSPECIFIED: why'])
  })
})
