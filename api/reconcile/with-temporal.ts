import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { workflowOf } from '../supervisor/ensure-running.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { absentSignals } from '#db/watch/comparison.ts'
import { TEMPORAL_LIST_LAG_MS } from '#db/watch/failing-workflows.ts'
import { startedInSlices } from '#db/watch/open-work.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { EMPTY, wordsOf, type Comparison, type Difference } from './difference.ts'

const COMPARISON_LIMIT_MS = 10_000

const WORKFLOW_ID = /^signal-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export async function compareWithTemporal(
  em: EntityManager,
  gateway: Pick<WatchGateway, 'inspect' | 'listRunning'>,
): Promise<Comparison> {
  try {
    const running = await gateway.listRunning(COMPARISON_LIMIT_MS)
    const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()
    const expected: { workflowId: string; accountId: string | null }[] = []
    for await (const slice of startedInSlices(em, startedBefore))
      for (const each of slice) expected.push({ workflowId: workflowOf(each), accountId: each.accountId })
    const missing: typeof expected = []
    for (const each of expected)
      if (
        !running.has(each.workflowId) &&
        (await gateway.inspect(each.workflowId, COMPARISON_LIMIT_MS)) === null
      )
        missing.push(each)
    const differences = [...missing.map(asMissing), ...(await unknownToLedger(em, running))]
    const workflows = new Set([...running.keys(), ...expected.map(({ workflowId }) => workflowId)]).size
    return { ...EMPTY, differences, workflows }
  } catch (error) {
    return {
      ...EMPTY,
      failures: [{ accountId: null, message: `Temporal could not be asked: ${wordsOf(error)}` }],
    }
  }
}

const asMissing = ({
  workflowId,
  accountId,
}: {
  workflowId: string
  accountId: string | null
}): Difference => ({
  key: `missing ${workflowId}`,
  from: 'temporal',
  accountId,
  message: `${workflowId} is not over by the ledger, and no workflow runs in Temporal`,
  advice: 'the service starts it again from the ledger: see that it runs (/readyz)',
})

async function unknownToLedger(
  em: EntityManager,
  running: ReadonlyMap<string, string | null>,
): Promise<Difference[]> {
  const ids = [...running.keys()].flatMap((workflowId) => WORKFLOW_ID.exec(workflowId)?.[1] ?? [])
  const workflows = (await absentSignals(em, ids)).map(workflowIdFor)
  return workflows.map((workflowId) => ({
    key: `unknown ${workflowId}`,
    from: 'temporal',
    accountId: running.get(workflowId) ?? null,
    message: `${workflowId} runs in Temporal, and the ledger does not know it`,
    advice: 'the ledger is older than it: see its orders at the broker, then terminate it in Temporal',
  }))
}
