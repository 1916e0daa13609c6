import { insertOrderByHand } from '#db/orders/by-hand.ts'
import type { OrderWish } from '#domain/by-hand.ts'
import { randomUUID } from 'node:crypto'
import { requireWithinBounds } from '../access/token-bounds.ts'
import type { Caller } from '../http/caller.ts'
import {
  playThrough,
  type DryRun,
  type DryRunDeps,
  type Stage,
  type Stored,
} from '../signals/dry-run-commands.ts'
import { acceptedTerms, permission, receivedEntry } from './commands.ts'

/** Throws as `playThrough()`, and {@link ApiError} TOKEN_BOUNDS_EXCEEDED for an account. */
export function dryRunOrder(
  deps: DryRunDeps,
  caller: Caller,
  wish: OrderWish,
  isKeyed: boolean,
): Promise<DryRun> {
  requireWithinBounds(caller.principal, { accountId: wish.accountId })
  return playThrough(deps, caller, wish.accountId, (stage) => accept(deps, caller, { wish, isKeyed }, stage))
}

async function accept(
  { maxStaleness }: DryRunDeps,
  caller: Caller,
  { wish, isKeyed }: { wish: OrderWish; isKeyed: boolean },
  { em, now }: Stage,
): Promise<Stored> {
  const { permitted, denial } = await permission({ ...caller, em }, wish)
  if (denial?.code === 'ACCOUNT_NOT_FOUND') throw denial
  const { userId } = caller.principal
  const terms = acceptedTerms(permitted, userId, 'person', { maxStaleness, now: () => Date.parse(now) })
  const received = receivedEntry(terms, '', caller)
  const key = isKeyed ? { key: randomUUID(), hash: '' } : null
  await insertOrderByHand(em, { terms, received }, key)
  // A person proves who they are when they place it.
  const isRefused = denial !== null && denial.code !== 'VERIFICATION_REQUIRED'
  return {
    signalId: terms.signalId,
    refused: isRefused ? { outcome: 'denied', code: denial.code, detail: denial.message } : null,
    advisories: [],
  }
}
