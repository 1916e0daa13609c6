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

/** A repeated round finds its stored orders. */
const { flattenRound } = proxyActivities<FlattenActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** Closes holdings until none is left or nothing more can be tried. */
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
    const { orders, hasEnded, pause, standing } = await flattenRound.executeWithOptions(
      { summary: 'Look at what is held, and close it' },
      [{ flattenId }],
    )
    await Promise.all(orders.map((terms) => start(terms, () => (ended += 1))))
    round += 1
    setCurrentDetails(standing)
    if (hasEnded) {
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

/** The order outlives this workflow. */
async function start(terms: SignalTerms, onEnd: () => void): Promise<void> {
  try {
    const order = await startChild(signalWorkflow, {
      ...firstStart(terms, workflowInfo().taskQueue),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    })
    void order.result().then(onEnd, onEnd)
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
