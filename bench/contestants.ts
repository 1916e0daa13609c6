import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WithStartWorkflowOperation, type Client } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { eventually } from '#test/support/eventually.ts'
import type { Service } from '#test/support/service.ts'
import type { Stack } from '#test/support/stack.ts'
import { startChild } from './child.ts'
import { MinuteBudget } from './minute-budget.ts'
import { postSignal } from './post.ts'

/** Something that is measured. */
export interface Contestant {
  /** Ids of the processes that do the work, by name; the caller itself is not among them. */
  processes: Record<string, number>
  /** Waits until so many calls may follow at once. */
  prepare(calls: number): Promise<void>
  /** One call, from the request to its whole answer. Throws for any answer but the best. */
  call(): Promise<void>
  /** Waits until the work that the calls left behind is done. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

const nothing = async (): Promise<void> => {}

const FLOOR_QUEUE = 'floor'

/** The smallest workflow that answers durably, on the service's own Temporal server. */
export async function floor(stack: Stack, client: Client): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-bench-'))
  const bundle = join(folder, 'floor.js')
  // Without the interceptors of the service: the floor is what Temporal itself costs.
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('floor/workflow.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  })
  writeFileSync(bundle, code)
  const worker = await startChild(fileURLToPath(new URL('floor/worker.ts', import.meta.url)), {
    TEMPORAL_ADDRESS: stack.addresses.temporal,
    TASK_QUEUE: FLOOR_QUEUE,
    WORKFLOW_BUNDLE: bundle,
  })
  return {
    processes: { temporal: stack.parts.temporal.pid, worker: worker.pid },
    prepare: nothing,
    call: async () => void (await callFloor(client)),
    whenIdle: nothing,
    async close() {
      await worker.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Runs the floor's workflow once and returns its id. */
export async function callFloor(client: Client): Promise<string> {
  const workflowId = `floor-${randomUUID()}`
  await client.workflow.executeUpdateWithStart('awaitAnswer', {
    startWorkflowOperation: new WithStartWorkflowOperation('floorWorkflow', {
      workflowId,
      taskQueue: FLOOR_QUEUE,
      workflowIdConflictPolicy: 'FAIL',
    }),
  })
  return workflowId
}

/** Traded in turn: as many as a busy account holds. */
const SYMBOLS = ['AAPL', 'AMD', 'AMZN', 'DIA', 'GOOGL', 'IWM', 'JPM', 'META', 'MSFT', 'NVDA']

/** The whole service: a webhook that buys a share at market, until the answer says that the broker has the order. */
export function service(stack: Service): Contestant {
  const budget = new MinuteBudget()
  let sent = 0
  return {
    processes: stack.processes(),
    prepare: (calls) => budget.take(calls),
    async call() {
      const symbol = SYMBOLS[sent++ % SYMBOLS.length]!
      await sendSignal(stack, { symbol })
    },
    // Every signal that was sent without an exit is closed when its fill is in the ledger.
    whenIdle: () =>
      eventually(
        async () => {
          const [open] = await stack.query<{ count: number }>(
            `select count(*)::int as count from signals s where exit_rule is null
             and not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'closed')`,
          )
          if (open!.count > 0) throw new Error(`${open!.count} signals are not closed`)
        },
        { within: 60_000, every: 100 },
      ),
    close: nothing,
  }
}

/** Sends a signal and returns its id; throws unless it is answered as executed. */
export async function sendSignal(
  stack: Service,
  changes: { symbol: string } & Record<string, unknown>,
): Promise<string> {
  const accountId = stack.accountOf(changes.symbol)
  const { status, body } = await postSignal(stack.api, {
    action: 'openLong',
    accountId,
    quantity: 1,
    executeMode: 'immediate',
    ...changes,
  })
  if (status !== 201 || body.signal.status !== 'executed')
    throw new Error(`A signal was answered ${status}: ${JSON.stringify(body)}`)
  return body.signal.id as string
}

/** The bare Koa handler, on the service's own database. */
export async function koaRow(stack: Stack): Promise<Contestant> {
  const server = await startChild(fileURLToPath(new URL('koa-row.ts', import.meta.url)), {
    DATABASE_URL: stack.addresses.database,
  })
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ symbol: 'AAPL', action: 'openLong', quantity: 1 }),
  }
  return {
    processes: { handler: server.pid, postgres: stack.parts.postgres.pid },
    prepare: nothing,
    async call() {
      // Not through the client of the API, which holds every answer against the API's description.
      const response = await fetch(server.ready as string, request)
      await response.json()
      if (response.status !== 201) throw new Error(`The bare handler answered ${response.status}`)
    },
    whenIdle: nothing,
    close: () => server.stop(),
  }
}
