import type { EntityManager } from '#db/engine/database.ts'
import { listOwnAccountIds } from '#db/accounts/accounts.ts'
import type { AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'
import { SyncGivenUp, type AccountSyncGateway } from '../temporal/account-syncs.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { AnswerOverdue, GatewayUnavailable } from '../temporal/signals.ts'

/** Milliseconds; the sync goes on afterwards. */
const ANSWER_DEADLINE = 10_000

export interface AccountSync {
  accountId: string
  /** UTC instant; null while the sync is still running. */
  syncedAt: string | null
  failure: { code: ErrorCode; message: string } | null
}

/** Joins a sync that runs. Never throws for what goes wrong with the account or its broker. */
export async function syncAccount(gateway: AccountSyncGateway, accountId: string): Promise<AccountSync> {
  try {
    const outcome = await gateway.syncAccount(accountId, ANSWER_DEADLINE)
    if (outcome.outcome === 'synced') return { accountId, syncedAt: outcome.syncedAt, failure: null }
    return { accountId, syncedAt: null, failure: failureOf(outcome) }
  } catch (error) {
    if (error instanceof AnswerOverdue) return { accountId, syncedAt: null, failure: null }
    const failure = failureIn(error)
    if (!failure) throw error
    return { accountId, syncedAt: null, failure }
  }
}

export async function syncAccounts(
  gateway: AccountSyncGateway,
  em: EntityManager,
  owner: { userId: string; brokerId?: string },
): Promise<AccountSync[]> {
  const accountIds = await listOwnAccountIds(em, owner)
  return Promise.all(accountIds.map((accountId) => syncAccount(gateway, accountId)))
}

function failureOf(
  outcome: Exclude<AccountSyncOutcome, { outcome: 'synced' }>,
): NonNullable<AccountSync['failure']> {
  switch (outcome.outcome) {
    case 'rejected_keys':
      return failure('BROKER_CREDENTIALS_INVALID', `The broker does not accept the keys: ${outcome.detail}`)
    case 'unreachable':
      return failure('SYNC_FAILED', `The broker gave no answer: ${outcome.detail}`)
    case 'gone':
      return failure('ACCOUNT_INACTIVE')
  }
}

function failureIn(error: unknown): AccountSync['failure'] {
  if (error instanceof SyncGivenUp) return failure('SYNC_FAILED', 'The sync was given up: try again later')
  if (error instanceof GatewayUnavailable)
    return failure('TEMPORAL_UNAVAILABLE', 'The sync could not be started: send the request again')
  return null
}

const failure = (code: ErrorCode, message = new ApiError(code).message) => ({ code, message })
