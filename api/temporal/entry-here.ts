import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { setTimeout } from 'node:timers/promises'
import {
  AVOIDED_FOR,
  HAND_OVER_WITHIN,
  LEAST_TIME,
  LEFT_FOR_ORDINARY_WAY,
  START_DEADLINE,
  START_WITHIN,
} from '#domain/entry-times.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import { firstStart } from '#workflows/signal/start-contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { DeadlinePassed, within } from '../http/deadline.ts'

export interface OwnWorker {
  /** Eagerly started workflows begin on that worker; null while it takes no tasks. */
  client(): Client | null
  awaitEntry(signalId: string): { answer: Promise<EntryAnswer | null>; over(): void }
  beginEntry(terms: SignalTerms): Promise<void>
}

/** Null: the ordinary way follows, and meets the same errors. */
export type EnterHere = (terms: SignalTerms, milliseconds: number) => Promise<EntryAnswer | null>

export function entryHere(ownWorker: OwnWorker | null, taskQueue: string): EnterHere {
  let avoidedUntil = Number.NEGATIVE_INFINITY
  let lastAnswered = Number.NEGATIVE_INFINITY

  return async (terms, milliseconds) => {
    const begun = performance.now()
    if (milliseconds < LEAST_TIME || begun < avoidedUntil) return null
    const client = ownWorker?.client() ?? null
    if (ownWorker === null || client === null) return null
    const end = begun + milliseconds
    const awaited = ownWorker.awaitEntry(terms.signalId)
    const patience = new AbortController()
    try {
      const started = client.withDeadline(Date.now() + START_DEADLINE, () =>
        client.workflow.start<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
          ...firstStart(terms, taskQueue),
          requestEagerStart: true,
        }),
      )
      const { eagerlyStarted } = await within(
        Math.min(START_WITHIN, milliseconds - LEFT_FOR_ORDINARY_WAY),
        'Temporal',
        started,
      )
      lastAnswered = performance.now()
      if (!eagerlyStarted) return null
      void ownWorker.beginEntry(terms)
      const wait = Math.min(HAND_OVER_WITHIN, end - performance.now())
      return await Promise.race([awaited.answer, setTimeout(wait, null, { signal: patience.signal })])
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) lastAnswered = performance.now()
      // Other starts are answered, so a late one means load: the ordinary way would take even longer.
      else if (!(error instanceof DeadlinePassed && lastAnswered > begun))
        avoidedUntil = performance.now() + AVOIDED_FOR
      return null
    } finally {
      patience.abort()
      awaited.over()
    }
  }
}
