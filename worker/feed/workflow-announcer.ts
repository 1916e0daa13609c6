import { WorkflowNotFoundError, type Client } from '@temporalio/client'
import { workflowIdFor } from '#domain/signal.ts'
import { ORDER_CHANGED, type OrderChanged } from '#workflows/contract.ts'
import type { Announcer } from './order-desk.ts'

/** Tells signal workflows of the ends of their orders. */
export function workflowAnnouncer(client: Client): Announcer {
  return {
    async announce(signalId, report) {
      try {
        await client.workflow.getHandle(workflowIdFor(signalId)).signal<[OrderChanged]>(ORDER_CHANGED, report)
        return true
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },
  }
}
