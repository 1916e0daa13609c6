import type { HookHolder } from '#db/hook/hook-auth.ts'
import { openEntries } from '#db/flatten/entries.ts'
import { findSignals } from '#db/signal/signals.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import type { HaltLevel } from '#domain/risk/halt.ts'
import type { Instruction } from '#domain/hook/message.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import type { Caller } from '../../http/caller.ts'
import { beginFlattening } from '../../flatten/commands.ts'
import { stopEntries } from '../../group/commands.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import { ApiError, validationError, type ErrorCode } from '#contract/errors.ts'
import { readFields } from '#contract/values/fields.ts'
import { protectPosition } from '../../position/commands.ts'
import { protectionFields } from '#contract/signal/fields.ts'
import { ownAccount, putHalt } from '../../risk/commands.ts'
import type { IntakeDeps } from './deps.ts'

export interface Done {
  did: boolean
  message: string
  signals?: HookOutcome['signals']
}

/** Cancels entries of this hook older than the message. Exits remain. */
export async function cancelEntries(
  deps: IntakeDeps,
  caller: Caller,
  hookId: string,
  { symbol, before }: { symbol: string | null; before: Date },
): Promise<Done> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const entries = await inTime(
    openEntries(em, {
      scope: 'hook',
      scopeId: hookId,
      userId: principal.userId,
      accountIds: null,
      entriesOf: null,
      symbols: symbol === null ? null : [symbol],
      withManual: false,
      before: before.toISOString(),
    }),
  )
  const ids = [...new Set(entries.map(({ signalId }) => signalId))]
  const signals = await inTime(findSignals(em, principal.userId, ids))
  const lines = await stopEntries(deps, caller, signals, true)
  const failed = lines.find(({ outcome }) => outcome === 'failed')
  if (failed) throw new ApiError(failed.problem!.code, { message: failed.problem!.message })
  const withdrawn = lines.filter(({ outcome }) => outcome === 'withdrawn').length
  const cancelled = lines.filter(({ outcome }) => outcome === 'cancelled' || outcome === 'asked').length
  const where = symbol === null ? '' : ` in ${symbol}`
  return withdrawn + cancelled === 0
    ? { did: false, message: `Nothing of this hook waits or is open${where}: there is nothing to cancel` }
    : { did: true, message: `Signals withdrawn${where}: ${withdrawn}; orders cancelled: ${cancelled}` }
}

const ACCOUNTS_AT_A_TIME = 5

/** A more severe halt remains. A person lifts it. */
export async function haltAccounts(
  caller: Caller,
  { name, settings: { accounts } }: HookHolder,
  level: HaltLevel,
): Promise<Done> {
  const reason = `By a message of the hook ${JSON.stringify(name)}`.slice(0, 200)
  const failures: unknown[] = []
  await mapLimit(ACCOUNTS_AT_A_TIME, accounts, async ({ accountId }) => {
    try {
      const target = await caller.beforeDatabaseDeadline(ownAccount(caller, accountId))
      await caller.beforeDatabaseDeadline(putHalt(caller, target, { level, reason }))
    } catch (error) {
      failures.push(error)
    }
  })
  // A failure must not keep other accounts from being halted.
  if (failures.length > 0) throw failures[0]
  const whom = accounts.length === 1 ? 'the account' : `${accounts.length} accounts`
  return {
    did: true,
    message: `Trading is stopped for ${whom} (${level}); a person resumes it in the web application`,
  }
}

/** Throws VALIDATION_ERROR. */
export function levelsIn(plan: Record<string, unknown>): ExitChange {
  const { values, faults } = readFields(protectionFields, plan, { isTemplate: true })
  if (faults.length > 0) throw validationError(faults)
  return values
}

/** Protects the hook's shares without an exit; with `position`, also shares without an owner. */
export async function protectHeld(
  deps: IntakeDeps,
  caller: Caller,
  { settings: { accounts, manages } }: HookHolder,
  { symbol, plan }: Extract<Instruction, { kind: 'protect' }>,
): Promise<Done> {
  const change = levelsIn(plan)
  const signals: Done['signals'] = []
  for (const { accountId } of accounts) {
    const line = { accountId, id: null, status: null, orderId: null, code: null, message: null }
    try {
      const asked = { accountId, symbol, change, adopts: manages === 'position' }
      const { signal } = await protectPosition(deps, caller, asked)
      signals.push({ ...line, id: signal.id, status: signal.status })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (accounts.length === 1) throw error
      const words = [error.message, ...error.details.map(({ message }) => message)].join('; ')
      signals.push({ ...line, code: error.code, message: words })
    }
  }
  const done = signals.filter(({ code }) => code === null).length
  const [refused] = signals.filter(({ code }) => code !== null)
  if (done === 0 && refused !== undefined)
    throw new ApiError(refused.code as ErrorCode, { message: refused.message! })
  return {
    did: true,
    message: `${symbol} has the stop and target in accounts: ${done} of ${accounts.length}`,
    signals,
  }
}

/**
 * Stops the hook's own entries first.
 * @param key of the message: its repetition closes nothing
 */
export async function closeEverything(
  deps: IntakeDeps,
  caller: Caller,
  { hookId, name, settings: { accounts } }: HookHolder,
  key: string,
): Promise<Done> {
  const request = { key, hash: hookId }
  const accountIds = accounts.map(({ accountId }) => accountId)
  const reason = `By a message of the hook ${JSON.stringify(name)}`
  const tradeRequest = { accountIds, symbols: null, reason, ownEntriesOnly: true }
  const { flattening, lines } = await beginFlattening(deps, caller, tradeRequest, request)
  if (flattening.status === 'done' && lines.length === 0)
    return { did: false, message: 'There is no position to close' }
  const signals = lines.map(({ accountId, status, orderId, detail, order }) => ({
    accountId,
    id: null,
    status,
    orderId,
    code: order?.code ?? null,
    message: detail,
  }))
  const closed = lines.filter(({ status }) => status === 'closed').length
  return {
    did: true,
    message: `Everything is being closed: positions: ${lines.length}, closed by now: ${closed}`,
    signals,
  }
}
