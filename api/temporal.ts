import type { SignalTerms } from '#domain/signal.ts'
import { workflowIdFor } from '#domain/signal.ts'
import {
  AWAIT_ENTRY,
  searchAttributes,
  SIGNAL_WORKFLOW,
  type EntryAnswer,
  type SignalInput,
} from '#workflows/contract.ts'
import { describeEntry, describeExit } from '#workflows/summary.ts'
import {
  Client,
  Connection,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type ClientOptions,
  type WorkflowStartOptions,
} from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import { setTimeout } from 'node:timers/promises'
import { DeadlinePassed, within } from './deadline.ts'
import { GatewayUnavailable, type SignalGateway } from './signal-gateway.ts'

/** How to reach Temporal. */
export interface TemporalSettings {
  TEMPORAL_ADDRESS: string
  TEMPORAL_NAMESPACE: string
  TEMPORAL_TLS: boolean
  TEMPORAL_API_KEY?: string | undefined
  TEMPORAL_TASK_QUEUE: string
}

type SignalWorkflow = (input: SignalInput) => Promise<unknown>

/** One update id for every request, so that repeated waiting is one update in the history. */
const ENTRY_UPDATE_ID = 'entry'
/** A start that takes longer is tried again later. */
const START_DEADLINE = 5_000
/** A worker's long poll lasts a minute, so a younger poll means a living worker. */
const FRESHEST_POLL_AGE = 70_000
/** The client answers by then or gives up; a little more lets its own error come first. */
const CLIENT_GRACE = 50

/** Milliseconds between two attempts within one call. */
const SHORTEST_PAUSE = 50
const LONGEST_PAUSE = 500

/** gRPC's codes for a server that cannot serve now: cancelled, deadline, exhausted, aborted, unavailable. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([1, 4, 8, 10, 14])

/**
 * The gateway to a Temporal server; connects when first used, and again whenever the connection is lost.
 *
 * @param dataConverter how payloads are encrypted; the workers need the same
 */
export function createTemporalGateway(
  settings: TemporalSettings,
  dataConverter: ClientOptions['dataConverter'] = {},
): SignalGateway {
  const connection = Connection.lazy({
    address: settings.TEMPORAL_ADDRESS,
    tls: settings.TEMPORAL_TLS,
    ...(settings.TEMPORAL_API_KEY && { apiKey: settings.TEMPORAL_API_KEY }),
    // gRPC would otherwise wait up to two minutes before it tries a restarted server again.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
    // The SDK's own retries go on after a deadline, and fail outside of any call once the connection is closed.
    interceptors: [],
  })
  const client = new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE, dataConverter })

  /** Makes an idempotent call, again and again while Temporal is not there, until the time is over. */
  async function bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
    const end = Date.now() + milliseconds
    for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await within(end - Date.now() + CLIENT_GRACE, 'Temporal', client.withDeadline(end, call))
      } catch (error) {
        if (!isUnavailable(error)) throw error
        if (Date.now() + pause >= end)
          throw new GatewayUnavailable('Temporal did not answer', { cause: error })
      }
      await setTimeout(pause)
    }
  }

  return {
    startAndAwaitEntry: (terms, milliseconds) =>
      bounded(milliseconds, () =>
        client.workflow.executeUpdateWithStart<SignalWorkflow, EntryAnswer, []>(AWAIT_ENTRY, {
          updateId: ENTRY_UPDATE_ID,
          startWorkflowOperation: new WithStartWorkflowOperation<SignalWorkflow>(SIGNAL_WORKFLOW, {
            ...startOptions(terms, settings.TEMPORAL_TASK_QUEUE),
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        }),
      ),

    start: (terms) =>
      bounded(START_DEADLINE, async () => {
        try {
          await client.workflow.start<SignalWorkflow>(
            SIGNAL_WORKFLOW,
            startOptions(terms, settings.TEMPORAL_TASK_QUEUE),
          )
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
        }
      }),

    checkReachable: (milliseconds) =>
      bounded(milliseconds, async () => {
        await connection.workflowService.describeNamespace({ namespace: settings.TEMPORAL_NAMESPACE })
      }),

    checkWorkerPolling: (milliseconds) =>
      bounded(milliseconds, async () => {
        // Without a type this asks about workflow tasks, which every worker of ours takes.
        const { pollers } = await connection.workflowService.describeTaskQueue({
          namespace: settings.TEMPORAL_NAMESPACE,
          taskQueue: { name: settings.TEMPORAL_TASK_QUEUE },
        })
        const polls = (pollers ?? []).map(
          ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000,
        )
        if (Math.max(0, ...polls) < Date.now() - FRESHEST_POLL_AGE) throw new Error('No worker asks for work')
      }),

    close: () => connection.close(),
  }
}

/** A signal's workflow runs once for ever: its id is never used again, whatever became of it. */
function startOptions(terms: SignalTerms, taskQueue: string): WorkflowStartOptions<SignalWorkflow> {
  return {
    workflowId: workflowIdFor(terms.signalId),
    args: [{ terms }],
    taskQueue,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    // After a worker's death another one takes over that soon.
    workflowTaskTimeout: '5s',
    typedSearchAttributes: searchAttributesOf(terms),
    staticSummary: describeEntry(terms),
    staticDetails: detailsOf(terms),
  }
}

function searchAttributesOf(terms: SignalTerms): SearchAttributePair[] {
  return [
    { key: searchAttributes.status, value: 'queued' },
    { key: searchAttributes.accountId, value: terms.accountId },
    { key: searchAttributes.symbol, value: terms.symbol },
    { key: searchAttributes.action, value: terms.action },
    { key: searchAttributes.executeMode, value: terms.executeMode },
    ...(terms.strategyId === null ? [] : [{ key: searchAttributes.strategyId, value: terms.strategyId }]),
  ]
}

/** What an operator reads above the history, as markdown. */
function detailsOf(terms: SignalTerms): string {
  const rows: [string, string][] = [
    ['Entry', describeEntry(terms)],
    ['Exit', describeExit(terms) ?? 'none'],
    ['Accepted', terms.acceptedAt],
    ['Not sent after', terms.staleAfter ?? terms.validUntil ?? 'no limit'],
    ['Account', terms.accountId],
  ]
  return rows.map(([name, value]) => `- **${name}:** ${value}`).join('\n')
}

/** The SDK wraps gRPC's error, so the chain of causes is searched. */
function isUnavailable(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof DeadlinePassed || inner instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      return true
    if (isGrpcServiceError(inner) && UNAVAILABLE_CODES.has(inner.code)) return true
  }
  return false
}
