import type { MarkGateway } from '../reconcile/set-back.ts'
import type { Calls } from './calls.ts'

/** The mark is kept with the namespace, so that it is of the same age as the workflows in it. */
export function markCalls({ client, taskQueue, bounded }: Calls): MarkGateway {
  const { namespace } = client.options
  const key = `durable-trader.ledger-mark.${taskQueue}`
  return {
    readMark: (milliseconds) =>
      bounded(milliseconds, async () => {
        const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace })
        return Number(namespaceInfo?.data?.[key] ?? 0)
      }),
    writeMark: (sequence, milliseconds) =>
      bounded(milliseconds, async () => {
        await client.workflowService.updateNamespace({
          namespace,
          updateInfo: { data: { [key]: String(sequence) } },
        })
      }),
  }
}
