import { changeAccountSettings, findAccount, makePrimary, listOwnAccountIds } from '#db/account/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { Filter } from '#db/engine/filter.ts'
import { flatLater } from '#domain/risk/loosening.ts'
import { requireFreshProof } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError, fault, type ErrorCode } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { setTradingMode } from '#db/identity/users.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { ownUser, withSession } from '../identity/present.ts'
import { renewVerification, type Proof } from '../identity/verification.ts'
import type { ModeSwitchAnswer, TradingMode } from '#contract/account/shapes.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import { SyncGivenUp, type AccountSyncGateway } from '../temporal/gateway.ts'
import { AnswerOverdue, GatewayUnavailable } from '../temporal/calls.ts'

/** Throws ACCOUNT_NOT_FOUND, and VERIFICATION_REQUIRED to hold a live account longer without a fresh proof. */
export const changeAccount = (
  caller: Caller,
  accountId: string,
  change: Filter<Pick<Account, 'flatByClose'>>,
): Promise<Account> =>
  caller.em.transactional(async (em) => {
    const { userId } = caller.principal
    const was = await findAccount(em, userId, accountId)
    if (!was) throw new ApiError('ACCOUNT_NOT_FOUND')
    const { isDemo, flatByClose = null } = was.account
    if (!isDemo && change.flatByClose !== undefined && flatLater(flatByClose, change.flatByClose))
      requireFreshProof(caller.principal, [
        fault(['flatByClose'], 'loosened', 'flatByClose allows more than before'),
      ])
    const account = await changeAccountSettings(em, userId, accountId, change)
    await auditTrading(em, caller, 'account.changed', { accountId, change, was: { flatByClose } })
    return account
  })

/** Throws ACCOUNT_NOT_FOUND, ACCOUNT_INACTIVE, INSUFFICIENT_SCOPES and VERIFICATION_REQUIRED. */
export const choosePrimary = (caller: Caller, accountId: string): Promise<Account> =>
  caller.em.transactional(async (em) => {
    const { principal } = caller
    const made = await makePrimary(em, principal.userId, accountId)
    if (!made) throw new ApiError('ACCOUNT_NOT_FOUND')
    const { account, wasPrimary } = made
    if (!account.isActive) throw new ApiError('ACCOUNT_INACTIVE')
    if (!wasPrimary && !account.isDemo) permitLivePrimary(principal)
    if (!wasPrimary) await auditTrading(em, caller, 'account.made_primary', { accountId })
    return account
  })

/** Throws INSUFFICIENT_SCOPES for a program, and VERIFICATION_REQUIRED without a fresh proof. */
function permitLivePrimary(principal: Principal): void {
  if (principal.credential !== 'jwt')
    throw new ApiError('INSUFFICIENT_SCOPES', {
      details: [
        fault(
          ['accountId'],
          'credential_not_accepted',
          'Only a signed-in person may make a live account the primary one',
        ),
      ],
    })
  requireFreshProof(principal)
}

export interface TradingModeDeps extends Pick<IdentityDeps, 'limits' | 'secretKeys'> {
  liveTrading: boolean
}

/** Throws LIVE_TRADING_DISABLED, INSUFFICIENT_SCOPES, VERIFICATION_REQUIRED, WRONG_PASSWORD, WRONG_CODE. */
export async function switchMode(
  deps: TradingModeDeps,
  caller: Caller,
  mode: TradingMode,
  proof: Proof,
): Promise<ModeSwitchAnswer> {
  if (mode === 'LIVE') await permitLive(deps, caller, proof)
  const { userId } = caller.principal
  const before = await caller.em.transactional(async (em) => {
    const replaced = await setTradingMode(em, userId, mode)
    if (replaced !== mode)
      await auditTrading(em, caller, 'trading_mode.changed', { from: replaced, to: mode })
    return replaced
  })
  return { success: true, mode, message: describe(mode, before) }
}

async function permitLive(deps: TradingModeDeps, caller: Caller, proof: Proof): Promise<void> {
  if (!deps.liveTrading) throw new ApiError('LIVE_TRADING_DISABLED')
  const { credential, verifiedAt } = caller.principal
  if (credential !== 'jwt')
    throw new ApiError('INSUFFICIENT_SCOPES', {
      details: [fault(['mode'], 'credential_not_accepted', 'Only a signed-in person may switch to LIVE')],
    })
  if (proof.password !== undefined || proof.code !== undefined) {
    const person = withSession(caller)
    await renewVerification(deps, person, { user: await ownUser(person), proof })
  } else requireFreshProof({ verifiedAt })
}

function describe(mode: TradingMode, before: TradingMode): string {
  if (mode === before) return `The mode is ${mode} already`
  return mode === 'LIVE'
    ? 'The mode is LIVE: orders go to live accounts, for real money'
    : 'The mode is PAPER: orders go to demo accounts'
}

/** Milliseconds; the sync goes on afterwards. */
const ANSWER_DEADLINE = 10_000

export interface AccountSync {
  accountId: string
  /** UTC instant; null while the sync runs. */
  syncedAt: string | null
  failure: { code: ErrorCode; message: string } | null
}

/** Joins a running sync. Never throws for the account's or broker's trouble. */
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
      return failure('BROKER_CREDENTIALS_INVALID', `The broker rejects the keys: ${outcome.detail}`)
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
