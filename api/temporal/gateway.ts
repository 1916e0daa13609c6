import type { accountSyncWorkflow } from '#workflows/account/sync.ts'
import { accountSyncIdFor, type AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import { ACCOUNT_SYNC_WORKFLOW, FLATTEN_WORKFLOW } from '#workflows/names.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { WorkflowFailedError, WithStartWorkflowOperation, type ClientOptions } from '@temporalio/client'
import { type Calls, inAnswers, callsTo, type SignalGateway } from './calls.ts'
import { awaitFirstRound } from '#workflows/flatten/contract.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { flattenStartOptions, type OrderGateway, orderCalls, signalCalls } from './signals.ts'
import type { TemporalSettings } from '#config/temporal-address.ts'
import { type WatchGateway, watchCalls } from './watch-gateway.ts'
import { inTrace, SpanKind } from '#tracing/spans.ts'

export interface AccountSyncGateway {
  /**
   * Joins a running sync, which may not reach back to the UTC instant `since`. Throws `AnswerOverdue` while it
   * continues, `GatewayUnavailable`, and {@link SyncGivenUp}.
   */
  syncAccount(accountId: string, milliseconds: number, since?: string): Promise<AccountSyncOutcome>
}

/** Internal trouble lasted until the sync's end. */
export class SyncGivenUp extends Error {
  override readonly name = 'SyncGivenUp'
}

const accountSyncCalls = ({ client, taskQueue, bounded }: Calls): AccountSyncGateway => ({
  async syncAccount(accountId, milliseconds, since) {
    const end = Date.now() + milliseconds
    try {
      const sync = await bounded(milliseconds, () =>
        client.workflow.start<typeof accountSyncWorkflow>(ACCOUNT_SYNC_WORKFLOW, {
          workflowId: accountSyncIdFor(accountId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue,
          workflowTaskTimeout: '5s',
          args: [{ accountId, ...(since !== undefined && { since }) }],
          typedSearchAttributes: [{ key: searchAttributes.accountId, value: accountId }],
          staticSummary: 'Sync on request',
        }),
      )
      return await bounded(end - Date.now(), () => sync.result())
    } catch (error) {
      throw error instanceof WorkflowFailedError ? new SyncGivenUp(error.message, { cause: error }) : error
    }
  },
})

export interface FlattenGateway {
  beginFlattening(flattenId: string, milliseconds: number): Promise<unknown>
}

const flattenCalls = ({ client, taskQueue, bounded }: Calls): FlattenGateway => ({
  beginFlattening: (flattenId, milliseconds) =>
    inAnswers(
      bounded(milliseconds, () =>
        client.workflow.executeUpdateWithStart(awaitFirstRound, {
          updateId: 'first-round',
          startWorkflowOperation: new WithStartWorkflowOperation<typeof flattenWorkflow>(FLATTEN_WORKFLOW, {
            ...flattenStartOptions(flattenId, taskQueue),
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        }),
      ),
    ),
})

/** Calls throw GatewayUnavailable without a timely answer. */
export interface MarkGateway {
  readMark(milliseconds: number): Promise<number>
  writeMark(sequence: number, milliseconds: number): Promise<void>
}

/** Stored in the namespace, so as old as its workflows. */
function markCalls({ client, taskQueue, bounded }: Calls): MarkGateway {
  const { namespace } = client.options
  const key = `durable-trader.ledger-mark.${taskQueue}`
  return {
    readMark: (milliseconds) =>
      bounded(milliseconds, async () => {
        const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace })
        return Number(namespaceInfo?.data?.[key] ?? 0)
      }),
    writeMark: (sequence, milliseconds) =>
      bounded(milliseconds, async () => {
        await client.workflowService.updateNamespace({
          namespace,
          updateInfo: { data: { [key]: String(sequence) } },
        })
      }),
  }
}

/**
 * Connects at first use.
 * @param dataConverter encrypts payloads as the workers do
 */
export function createTemporalGateway(
  settings: TemporalSettings,
  dataConverter: NonNullable<ClientOptions['dataConverter']> = {},
): SignalGateway & OrderGateway & AccountSyncGateway & FlattenGateway & WatchGateway & MarkGateway {
  const { checkReachable, close, ...calls } = callsTo(settings, dataConverter)
  return {
    ...signalCalls(calls),
    ...orderCalls(calls),
    ...accountSyncCalls(calls),
    ...flattenCalls(calls),
    ...watchCalls(calls),
    ...markCalls(calls),
    checkReachable,
    close,
  }
}

export type Gateway = ReturnType<typeof createTemporalGateway>

export function tracedGateway(gateway: Gateway): Gateway {
  const asking = <T>(about: string, what: string, ask: () => Promise<T>): Promise<T> =>
    inTrace(about, { name: `Temporal ${what}`, kind: SpanKind.CLIENT }, ask)
  return {
    ...gateway,
    startAndAwaitEntry: (terms, ...rest) =>
      asking(terms.signalId, 'start and await entry', () => gateway.startAndAwaitEntry(terms, ...rest)),
    start: (terms, ...rest) => asking(terms.signalId, 'start', () => gateway.start(terms, ...rest)),
    approve: (to, ...rest) => asking(to.signalId, 'approve', () => gateway.approve(to, ...rest)),
    decline: (to, ...rest) => asking(to.signalId, 'decline', () => gateway.decline(to, ...rest)),
    withdraw: (to, ...rest) => asking(to.signalId, 'withdraw', () => gateway.withdraw(to, ...rest)),
    cancelExit: (to, ...rest) => asking(to.signalId, 'cancel exit', () => gateway.cancelExit(to, ...rest)),
    changeProtection: (to, ...rest) =>
      asking(to.signalId, 'change protection', () => gateway.changeProtection(to, ...rest)),
    replace: (to, ...rest) => asking(to.signalId, 'replace', () => gateway.replace(to, ...rest)),
    cancelOrder: (to, ...rest) => asking(to.signalId, 'cancel order', () => gateway.cancelOrder(to, ...rest)),
  }
}
