import type { Client } from '@temporalio/client'
import { workflowIdFor } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Stack } from '#test/support/stack.ts'
import { callFloor, sendSignal } from './contestants.ts'

/** What the history of one workflow takes. */
interface HistorySize {
  events: number
  /** As Temporal counts them, payloads included. */
  bytes: number
}

/** By what the workflow went through. */
export type HistorySizes = Record<string, HistorySize>

/** What signals may go through; each is sent by itself, at a time when nothing else is under way. */
const PATHS: Record<string, (stack: Stack) => Promise<string>> = {
  'entry, no exit': (stack) => sendSignal(stack, { symbol: 'ZTPATHA' }),
  'entry, exit at once': (stack) => sendSignal(stack, { symbol: 'ZTPATHB', exitTriggerType: 'immediate' }),
  'entry, exit after a minute': (stack) =>
    sendSignal(stack, { symbol: 'ZTPATHC', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
  async 'entry that rests and fills later, exit at once'(stack) {
    await stack.venue.pin('ZTPATHD', 100)
    const limit = { symbol: 'ZTPATHD', orderType: 'limit', limitPrice: 95 }
    const id = await sendSignal(stack, { ...limit, exitTriggerType: 'immediate' })
    await stack.venue.pin('ZTPATHD', 94)
    return id
  },
}

/** Sends a signal down every path; the sizes are there when all have ended, after a minute or more. */
export async function sendDownEveryPath(stack: Stack, client: Client): Promise<() => Promise<HistorySizes>> {
  const workflows: [string, string][] = [['floor', await callFloor(client)]]
  for (const [name, send] of Object.entries(PATHS)) workflows.push([name, workflowIdFor(await send(stack))])
  return async () => {
    const sizes: HistorySizes = {}
    for (const [name, workflowId] of workflows) sizes[name] = await sizeOf(client, workflowId)
    return sizes
  }
}

async function sizeOf(client: Client, workflowId: string): Promise<HistorySize> {
  const handle = client.workflow.getHandle(workflowId)
  return eventually(
    async () => {
      const { status, historyLength, historySize } = await handle.describe()
      if (status.name === 'RUNNING') throw new Error(`${workflowId} still runs`)
      return { events: historyLength, bytes: historySize ?? 0 }
    },
    { within: 120_000, every: 500 },
  )
}
