import type { Calls } from './calls.ts'

/** The mark in Temporal, beside that of the ledger. Calls throw GatewayUnavailable when no answer came in time. */
export interface MarkGateway {
  /** 0 when there is none. */
  readMark(milliseconds: number): Promise<number>
  writeMark(sequence: number, milliseconds: number): Promise<void>
}

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
