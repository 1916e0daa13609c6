import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { inTrace } from '#tracing/spans.ts'

/**
 * Makes each activity of a signal a span of its trace, which follows from the workflow's id: the history holds nothing
 * of it.
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

/** The last completed step of an activity. */
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
