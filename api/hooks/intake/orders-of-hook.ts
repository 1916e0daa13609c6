import type { HookHolder } from '#db/hooks/holders.ts'
import { listSignals } from '#db/signals/signals.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { HaltLevel } from '#domain/halt.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import type { HookAccount } from '#domain/hook/settings.ts'
import { createHash } from 'node:crypto'
import type { Caller } from '../../http/caller.ts'
import { ApiError } from '../../http/errors.ts'
import { cancelAllOrders } from '../../orders/cancel-all-commands.ts'
import { closePositions } from '../../positions/commands.ts'
import { ownAccount, putHalt } from '../../settings/halt-commands.ts'
import { withdrawSignal } from '../../signals/decision-commands.ts'
import type { IntakeDeps } from './deps.ts'

/** What was done by an instruction that is no trade. */
export interface Done {
  /** False where nothing was to do. */
  did: boolean
  message: string
  signals?: HookOutcome['signals']
}

/** Signals that are withdrawn for one message at most, and so many at a time. */
const MOST_WITHDRAWN = 200
const WITHDRAWN_AT_A_TIME = 16

/**
 * Takes back what waits of this hook, and cancels its entries that work, in one symbol or in all, as far as they came before the
 * message. Exits stay, and everything that somebody else has sent.
 */
export async function cancelEntries(
  deps: IntakeDeps,
  caller: Caller,
  hookId: string,
  { symbol, before }: { symbol: string | null; before: Date },
): Promise<Done> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const ofSymbol = symbol !== null && { symbol }
  const to = before.toISOString()
  const page = { limit: MOST_WITHDRAWN, offset: 0 }
  const waiting = { tokenId: hookId, status: ['pending', 'scheduled', 'queued'] as const, to, ...ofSymbol }
  const { items } = await inTime(listSignals(em, principal.userId, waiting, page))
  let withdrawn = 0
  await forEachAtMost(WITHDRAWN_AT_A_TIME, items, async (signal) => {
    try {
      await withdrawSignal(deps, caller, signal)
      withdrawn += 1
    } catch (error) {
      // On its way by now: its order is cancelled below, or has filled.
      if (!(error instanceof ApiError && error.code === 'SIGNAL_NOT_CANCELLABLE')) throw error
    }
  })
  const bounds = { ...principal.bounds, ownSignalsOnly: true } as const
  const own: Caller = { ...caller, principal: { ...principal, bounds } }
  const { lines } = await cancelAllOrders(deps, own, { symbol: symbol ?? undefined, keepExits: true, to })
  const failed = lines.find(({ outcome }) => outcome === 'failed')
  if (failed) throw new ApiError(failed.problem!.code, { message: failed.problem!.message })
  const cancelled = lines.filter(({ outcome }) => outcome !== 'over').length
  const where = symbol === null ? '' : ` in ${symbol}`
  return withdrawn + cancelled === 0
    ? { did: false, message: `Nothing of this hook waits or works${where}: nothing was to cancel` }
    : { did: true, message: `Signals withdrawn${where}: ${withdrawn}; orders cancelled: ${cancelled}` }
}

/** Stops trading on the accounts of the hook, or leaves what stops it more. A person lifts it. */
export async function haltAccounts(
  caller: Caller,
  { name, settings: { accounts } }: HookHolder,
  level: HaltLevel,
): Promise<Done> {
  const reason = `By a message of the hook ${JSON.stringify(name)}`.slice(0, 200)
  await onEach(accounts, async ({ accountId }) => {
    const target = await caller.beforeDatabaseDeadline(ownAccount(caller, accountId))
    await caller.beforeDatabaseDeadline(putHalt(caller, target, { level, reason }))
  })
  const whom = accounts.length === 1 ? 'the account' : `${accounts.length} accounts`
  return {
    did: true,
    message: `Trading is stopped for ${whom} (${level}); a person lifts it in the web application`,
  }
}

/**
 * Closes every position of the hook's accounts, at market, by orders that never open anything. An account whose broker cannot be
 * asked holds up no other: it is asked again later.
 *
 * @param key by which a repetition of the message is told; it places nothing again
 */
export async function closeEverything(
  deps: IntakeDeps,
  caller: Caller,
  { hookId, settings: { accounts } }: HookHolder,
  key: string,
): Promise<Done> {
  const signals: HookOutcome['signals'] = []
  await onEach(accounts, async ({ accountId }) => {
    const request = { key: `hook-${hashOf(`${hookId} ${key} ${accountId}`)}`, hash: hashOf(accountId) }
    const closing = { accountId, symbol: null, quantity: null }
    // Each has the time of an answer, and none what the one before has left.
    const own: Caller = { ...caller, receivedAt: performance.now() }
    try {
      const { orders } = await closePositions({ ...deps, ...deps.tradingBroker }, own, closing, request)
      for (const { orderId, status, denialCode, reason } of orders)
        signals.push({ accountId, id: null, status, orderId, code: denialCode, message: reason })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const { code, message } = error
      signals.push({ accountId, id: null, status: null, orderId: null, code, message })
    }
  })
  const placed = signals.filter(({ orderId }) => orderId !== null).length
  if (signals.length === 0) return { did: false, message: 'Nothing is held: nothing was to close' }
  const refused = signals.length - placed
  const left =
    refused === 0
      ? ''
      : `; accounts that could not be closed: ${refused}, ${signals.find(({ code }) => code !== null)!.message}`
  return { did: true, message: `Orders placed that close positions: ${placed}${left}`, signals }
}

/** Accounts that are dealt with at the same time. */
const ACCOUNTS_AT_A_TIME = 5

/** Does the work for every account, and throws afterwards what was thrown for one. */
async function onEach(
  accounts: readonly HookAccount[],
  work: (account: HookAccount) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  await forEachAtMost(ACCOUNTS_AT_A_TIME, accounts, async (account) => {
    await work(account).catch((error: unknown) => failures.push(error))
  })
  if (failures.length > 0) throw failures[0]
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
