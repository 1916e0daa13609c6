import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow'
import type { FlattenActivities } from '#activities/contract.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { firstStart } from '../signal/start-contract.ts'
import { signalWorkflow } from '../signal/workflow.ts'
import { awaitFirstRound, type FlattenInput, type FlattenOutcome } from './contract.ts'

/** A repeated round finds what it has stored. A lost worker is noticed by its missing heartbeat. */
const { flattenRound } = proxyActivities<FlattenActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** Until nothing is held or nothing more can be tried; looks again when an order ends, or after a while. */
export async function flattenWorkflow({ flattenId, rounds = 0 }: FlattenInput): Promise<FlattenOutcome> {
  let round = rounds
  let ended = 0
  setHandler(
    awaitFirstRound,
    async () => {
      await condition(() => round > 0)
      return round
    },
    { description: 'Answers once orders are stored for all that is held' },
  )
  for (;;) {
    const before = ended
    const { orders, isOver, pause, standing } = await flattenRound.executeWithOptions(
      { summary: 'Look at what is held, and close it' },
      [{ flattenId }],
    )
    await Promise.all(orders.map((terms) => start(terms, () => (ended += 1))))
    round += 1
    setCurrentDetails(standing)
    if (isOver) {
      await condition(allHandlersFinished)
      return { rounds: round, standing }
    }
    await condition(() => ended > before, pause, { summary: 'Wait for orders to end' })
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished)
      await continueAsNew<typeof flattenWorkflow>({ flattenId, rounds: round })
    }
  }
}

/** Unless the supervisor was faster. The order lives on by itself. */
async function start(terms: SignalTerms, onEnd: () => void): Promise<void> {
  try {
    const order = await startChild(signalWorkflow, {
      ...firstStart(terms, workflowInfo().taskQueue),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    })
    // However it ends, the next round reads the ledger.
    void order.result().then(onEnd, onEnd)
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
