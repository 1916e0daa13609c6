import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import type { Stack } from '#test/support/stack.ts'
import { startChild } from './child.ts'

/** The smallest workflow with a durable answer, on the service's Temporal server, with a separate worker. */
export interface Floor {
  processes: Record<string, number>
  call(): Promise<void>
  close(): Promise<void>
}

const QUEUE = 'floor'
const fileBeside = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Starts a floor without the service's encryption and interceptors: it is the cost of Temporal alone. */
export async function startFloor({ addresses, parts }: Stack): Promise<Floor> {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-bench-'))
  const bundle = join(folder, 'floor.js')
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileBeside('floor/workflow.ts'),
    logger: new DefaultLogger('ERROR'),
  })
  writeFileSync(bundle, code)
  const worker = await startChild(fileBeside('floor/worker.ts'), {
    TEMPORAL_ADDRESS: addresses.temporal,
    TASK_QUEUE: QUEUE,
    WORKFLOW_BUNDLE: bundle,
  })
  const connection = await Connection.connect({ address: addresses.temporal })
  const { workflow } = new Client({ connection })
  return {
    processes: { temporal: parts.temporal.pid, worker: worker.pid },
    async call() {
      await workflow.executeUpdateWithStart('awaitAnswer', {
        startWorkflowOperation: new WithStartWorkflowOperation('floorWorkflow', {
          workflowId: `floor-${randomUUID()}`,
          taskQueue: QUEUE,
          workflowIdConflictPolicy: 'FAIL',
        }),
      })
    },
    async close() {
      await connection.close()
      await worker.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
