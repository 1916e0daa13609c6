import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { setTimeout } from 'node:timers/promises'
import type { SignalTerms } from '#domain/signal.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { DeadlinePassed, within } from '../http/deadline.ts'
import { signalStartOptions } from './start-options.ts'

/** A worker in the process of the API. */
export interface OwnWorker {
  /** What this client starts eagerly begins on that worker; null while it takes no tasks. */
  client(): Client | null
  /**
   * To be called before the workflow of a signal is started there. The answer is the outcome of the entry, once it is
   * recorded; null when the worker has none to tell, and the workflow has to be asked.
   */
  awaitEntry(terms: SignalTerms): {
    answer: Promise<EntryAnswer | null>
    /**
     * To be called when Temporal was asked to start the workflow. Until `started` tells that it is, and its first task is here,
     * nothing is sent; where the start `isExpected` to be answered, the entry is decided meanwhile.
     */
    begin(start: { started: Promise<boolean>; isExpected: boolean }): Promise<void>
    over(): void
  }
}

/** Milliseconds that the start may take. On a machine with more to do than it can, a start waits its turn for half a second. */
const START_WITHIN = 1_000
/** Milliseconds that are left for the ordinary way when the start was not answered. */
const LEFT_FOR_ORDINARY_WAY = 300
/** With fewer milliseconds left nothing is started here. */
const LEAST_TIME = 500
/**
 * Milliseconds until the call itself is given up. The first task comes with its answer: given up with the wait, the call
 * would leave a workflow whose first task nobody has, until that times out.
 */
const START_DEADLINE = 5_000
/** Milliseconds after which the workflow is asked for an outcome that the worker in this process has not told. */
const HAND_OVER_WITHIN = 1_000
/** Milliseconds after the answer to a start during which another one is expected to be answered too. */
const EXPECTED_FOR = 2_000
/** Milliseconds during which nothing is started here after a start that says that its connection may be broken. */
const AVOIDED_FOR = 5_000

/**
 * Starts the workflow of a signal on the worker in this process, and waits for that to tell the outcome of its entry: the
 * first task comes with the answer to the start, and whoever waits is answered without the way back through Temporal.
 * Null when nothing was told. What keeps it from being so, the ordinary way meets again, and says.
 */
export type EnterHere = (terms: SignalTerms, milliseconds: number) => Promise<EntryAnswer | null>

/** @param ownWorker null where every worker is a process of its own: then nothing is started here */
export function entryHere(ownWorker: OwnWorker | null, taskQueue: string): EnterHere {
  let avoidedUntil = Number.NEGATIVE_INFINITY
  let lastAnswered = Number.NEGATIVE_INFINITY

  return async (terms, milliseconds) => {
    const begun = performance.now()
    if (milliseconds < LEAST_TIME || begun < avoidedUntil) return null
    const client = ownWorker?.client() ?? null
    if (ownWorker === null || client === null) return null
    const end = begun + milliseconds
    const awaited = ownWorker.awaitEntry(terms)
    const patience = new AbortController()
    try {
      const started = client.withDeadline(Date.now() + START_DEADLINE, () =>
        client.workflow.start<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
          ...signalStartOptions(terms, taskQueue),
          requestEagerStart: true,
        }),
      )
      const isHere = started.then(
        ({ eagerlyStarted }) => eagerlyStarted,
        () => false,
      )
      void awaited.begin({ started: isHere, isExpected: begun - lastAnswered < EXPECTED_FOR })
      const { eagerlyStarted } = await within(
        Math.min(START_WITHIN, milliseconds - LEFT_FOR_ORDINARY_WAY),
        'Temporal',
        started,
      )
      lastAnswered = performance.now()
      if (!eagerlyStarted) return null
      const wait = Math.min(HAND_OVER_WITHIN, end - performance.now())
      return await Promise.race([awaited.answer, setTimeout(wait, null, { signal: patience.signal })])
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) lastAnswered = performance.now()
      // While other starts are answered a late one says that there is much to do: the ordinary way would take even more.
      else if (!(error instanceof DeadlinePassed && lastAnswered > begun))
        avoidedUntil = performance.now() + AVOIDED_FOR
      return null
    } finally {
      patience.abort()
      awaited.over()
    }
  }
}
