import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { inTrace } from '#tracing/spans.ts'

/**
 * Makes each activity of a signal a span of its trace, which follows from the id of the workflow: no
 * header is needed for it, and nothing of it is in a history.
 */
export const tracedActivities: ActivityInterceptorsFactory = ({ info }) => {
  const { activityType, attempt, isLocal, workflowExecution } = info
  const attributes = {
    'temporal.activity.type': activityType,
    'temporal.activity.attempt': attempt,
    'temporal.activity.local': isLocal,
  }
  return {
    inbound: {
      execute: (input, next) =>
        inTrace(
          workflowExecution?.workflowId ?? '',
          { name: `activity ${activityType}`, attributes },
          async (span) => {
            const result = await next(input)
            if (span) span.setAttributes(outcomeOf(result))
            return result
          },
        ),
    },
  }
}

/** The progress that an activity tells: where it made several steps, the last one that was done. */
function outcomeOf(result: unknown): Record<string, string> {
  const { submission, check } = asRecord(result)
  const last = [submission, check].map((step) => asRecord(step)['result']).find(Boolean) ?? result
  const { outcome, code } = asRecord(last)
  return {
    ...(typeof outcome === 'string' && { 'durable_trader.outcome': outcome }),
    ...(typeof code === 'string' && { 'durable_trader.code': code }),
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
