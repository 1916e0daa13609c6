import type { TemporalSettings } from '#config/temporal-address.ts'
import type { ClientOptions } from '@temporalio/client'
import { accountSyncCalls, type AccountSyncGateway } from './account-syncs.ts'
import { callsTo } from './calls.ts'
import { flattenCalls, type FlattenGateway } from './flatten.ts'
import { markCalls, type MarkGateway } from './ledger-mark.ts'
import { type OrderGateway, orderCalls } from './orders.ts'
import { signalCalls } from './signal-calls.ts'
import type { SignalGateway } from './signals.ts'
import { type WatchGateway, watchCalls } from './watch-gateway.ts'

/** Connects at first use and after a loss. `dataConverter` encrypts payloads, as that of the workers. */
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
