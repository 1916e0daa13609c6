import type { Calls } from './calls.ts'

/** Calls throw GatewayUnavailable when no answer came in time. */
export interface MarkGateway {
  readMark(milliseconds: number): Promise<number>
  writeMark(sequence: number, milliseconds: number): Promise<void>
}

/** Kept with the namespace, so that it is as old as the workflows in it. */
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
