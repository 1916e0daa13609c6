import { connectionOptions, type TemporalSettings } from '#config/temporal-address.ts'
import { Backoff } from '#domain/backoff.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
import { START_DEADLINE } from '#domain/entry-times.ts'
import type { accountSyncWorkflow } from '#workflows/accounts/sync.ts'
import { accountSyncIdFor } from '#workflows/accounts/sync-contract.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { ACCOUNT_SYNC_WORKFLOW, SIGNAL_WORKFLOW } from '#workflows/names.ts'
import {
  approveSignal,
  awaitEntry,
  cancelExit,
  declineSignal,
  replaceSignal,
  retryExit,
  withdrawSignal,
  searchAttributes,
} from '#workflows/signal/contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type ClientOptions,
} from '@temporalio/client'
import type { UpdateDefinition } from '@temporalio/common'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { SyncGivenUp, type AccountSyncGateway } from './account-syncs.ts'
import { within } from '../http/deadline.ts'
import type { OrderGateway } from './orders.ts'
import { AnswerOverdue, GatewayUnavailable, type Recipient, type SignalGateway } from './signals.ts'
import { asAnswer, troubleIn } from './answers.ts'
import { entryHere, type OwnWorker } from './entry-here.ts'
import { markCalls } from './ledger-mark.ts'
import { orderCalls } from './manual-orders.ts'
import { signalStartOptions } from './start-options.ts'
import { watchCalls } from './watch.ts'
import type { MarkGateway } from '../reconcile/set-back.ts'
import type { WatchGateway } from '../watch/gateway.ts'

/** One update id for every request, so that repeated waiting is one update in the history. */
const ENTRY_UPDATE_ID = 'entry'
/** One for every approval of a signal, so that any number of people at once approve it once. */
const APPROVAL_UPDATE_ID = 'approve'
/** The client answers by then or gives up; a little more lets its own error come first. */
const CLIENT_GRACE = 50

/** Milliseconds between two attempts within one call. */
const MIN_CALL_PAUSE_MS = 50
const MAX_CALL_PAUSE_MS = 500

/**
 * The gateway to a Temporal server; connects when first used, and again whenever the connection is lost.
 *
 * @param dataConverter how payloads are encrypted; the workers need the same
 * @param ownWorker null where every worker is a process of its own
 */
export function createTemporalGateway(
  settings: TemporalSettings,
  dataConverter: ClientOptions['dataConverter'] = {},
  ownWorker: OwnWorker | null = null,
): SignalGateway & OrderGateway & AccountSyncGateway & WatchGateway & MarkGateway {
  const connection = Connection.lazy({
    ...connectionOptions(settings),
    // gRPC would otherwise wait up to two minutes before it tries a restarted server again.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
    // The SDK's own retries go on after a deadline, and fail outside of any call once the connection is closed.
    interceptors: [],
  })
  const client = new Client({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter,
    interceptors: { workflow: [addressMessages(randomUUID)] },
  })

  /** Makes an idempotent call, again and again while Temporal is not there, until the time is over. */
  async function bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
    const end = Date.now() + milliseconds
    let wasLate = false
    const backoff = new Backoff({ first: MIN_CALL_PAUSE_MS, most: MAX_CALL_PAUSE_MS })
    for (;;) {
      let pause: number
      try {
        return await within(end - Date.now() + CLIENT_GRACE, 'Temporal', client.withDeadline(end, call))
      } catch (error) {
        const trouble = troubleIn(error)
        if (trouble === null) throw error
        wasLate ||= trouble === 'late'
        pause = backoff.next()
        if (Date.now() + pause >= end) {
          const Unavailable = wasLate ? AnswerOverdue : GatewayUnavailable
          throw new Unavailable('Temporal did not answer', { cause: error })
        }
      }
      await setTimeout(pause)
    }
  }

  const startOperation = (terms: SignalTerms) =>
    new WithStartWorkflowOperation<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
      ...signalStartOptions(terms, settings.TEMPORAL_TASK_QUEUE),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })

  const enterHere = entryHere(ownWorker, settings.TEMPORAL_TASK_QUEUE)

  /** Sends an update and waits for its result, starting the workflow first where that is asked for. */
  async function ask<Answer, Question>(
    update: UpdateDefinition<Answer, [Question]>,
    { signalId, startWith }: Recipient,
    question: Question,
    milliseconds: number,
    updateId: string = randomUUID(),
  ): Promise<Answer> {
    const options: { updateId: string; args: [Question] } = { updateId, args: [question] }
    try {
      return await bounded(milliseconds, () =>
        startWith === null
          ? client.workflow.getHandle(workflowIdFor(signalId)).executeUpdate(update, options)
          : client.workflow.executeUpdateWithStart(update, {
              ...options,
              startWorkflowOperation: startOperation(startWith),
            }),
      )
    } catch (error) {
      throw asAnswer(error)
    }
  }

  return {
    async startAndAwaitEntry(terms, milliseconds) {
      const end = performance.now() + milliseconds
      const told = await enterHere(terms, milliseconds)
      if (told !== null) return told
      try {
        return await bounded(end - performance.now(), () =>
          client.workflow.executeUpdateWithStart(awaitEntry, {
            updateId: ENTRY_UPDATE_ID,
            startWorkflowOperation: startOperation(terms),
          }),
        )
      } catch (error) {
        throw asAnswer(error)
      }
    },

    start: (terms, milliseconds = START_DEADLINE) =>
      bounded(milliseconds, async () => {
        try {
          await client.workflow.start<typeof signalWorkflow>(
            SIGNAL_WORKFLOW,
            signalStartOptions(terms, settings.TEMPORAL_TASK_QUEUE),
          )
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
        }
      }),

    approve: (to, approval, milliseconds) =>
      ask(approveSignal, to, approval, milliseconds, APPROVAL_UPDATE_ID),
    decline: (to, decline, milliseconds) => ask(declineSignal, to, decline, milliseconds),
    withdraw: (to, withdrawal, milliseconds) => ask(withdrawSignal, to, withdrawal, milliseconds),
    cancelExit: (to, withdrawal, milliseconds) => ask(cancelExit, to, withdrawal, milliseconds),
    async retryExit(signalId, milliseconds) {
      try {
        await bounded(milliseconds, () =>
          client.workflow.getHandle(workflowIdFor(signalId)).signal(retryExit),
        )
      } catch (error) {
        throw asAnswer(error)
      }
    },
    replace: (to, replaceRequest, milliseconds) => ask(replaceSignal, to, replaceRequest, milliseconds),

    async syncAccount(accountId, milliseconds) {
      const end = Date.now() + milliseconds
      try {
        const sync = await bounded(milliseconds, () =>
          client.workflow.start<typeof accountSyncWorkflow>(ACCOUNT_SYNC_WORKFLOW, {
            workflowId: accountSyncIdFor(accountId),
            workflowIdConflictPolicy: 'USE_EXISTING',
            taskQueue: settings.TEMPORAL_TASK_QUEUE,
            workflowTaskTimeout: '5s',
            args: [{ accountId }],
            typedSearchAttributes: [{ key: searchAttributes.accountId, value: accountId }],
            staticSummary: 'Sync on request',
          }),
        )
        return await bounded(end - Date.now(), () => sync.result())
      } catch (error) {
        throw error instanceof WorkflowFailedError ? new SyncGivenUp(error.message, { cause: error }) : error
      }
    },

    ...watchCalls({ client, bounded, taskQueue: settings.TEMPORAL_TASK_QUEUE }),

    ...markCalls({ client, bounded, taskQueue: settings.TEMPORAL_TASK_QUEUE }),

    ...orderCalls({ client, taskQueue: settings.TEMPORAL_TASK_QUEUE, bounded }),

    checkReachable: (milliseconds) =>
      bounded(milliseconds, async () => {
        await connection.workflowService.describeNamespace({ namespace: settings.TEMPORAL_NAMESPACE })
      }),

    close: () => connection.close(),
  }
}
