import { findOwnAccount, isAnyLive } from '#db/account/accounts.ts'
import { recordAuditEvent } from '#db/identity/audit-log.ts'
import type { Caller } from '../http/caller.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { given, type Filter } from '#db/engine/filter.ts'
import {
  archiveStrategy,
  changeStrategy,
  countUnsentSignals,
  insertStrategy,
  lockStrategy,
  StrategyNameTaken,
  type StrategyTerms,
} from '#db/signal/strategies.ts'
import { becomes, flatLater, loosenedBy, never, type LoosensEach } from '#domain/risk/loosening.ts'
import { isDeepStrictEqual } from 'node:util'
import { requireFreshProof } from '../access/policy.ts'
import { ApiError, fault } from '#contract/errors.ts'

type StrategyEvent = 'strategy.created' | 'strategy.changed' | 'strategy.deleted'

/** Returns its id. Throws STRATEGY_NAME_TAKEN and ACCOUNT_NOT_FOUND. */
export const createStrategy = (caller: Caller, terms: StrategyTerms): Promise<string> =>
  unlessNameTaken(
    caller.em.transactional(async (inner) => {
      await requireAccount(inner, caller, terms.defaultAccountId ?? null)
      const strategyId = await insertStrategy(inner, caller.principal.userId, terms)
      await record(inner, caller, 'strategy.created', { strategyId, ...logged(terms) })
      return strategyId
    }),
  )

/**
 * Throws STRATEGY_NOT_FOUND, STRATEGY_NAME_TAKEN, ACCOUNT_NOT_FOUND, and VERIFICATION_REQUIRED to loosen a live
 * account.
 */
export const editStrategy = (
  caller: Caller,
  strategyId: string,
  change: Filter<StrategyTerms>,
): Promise<void> =>
  unlessNameTaken(
    caller.em.transactional(async (inner) => {
      const was = await lockStrategy(inner, caller.principal.userId, strategyId)
      if (!was) throw new ApiError('STRATEGY_NOT_FOUND')
      await requireAccount(inner, caller, change.defaultAccountId ?? null)
      const loosened = loosenedBy(LOOSENS_STRATEGY, was, { ...was, ...given(change) })
      if (loosened.length > 0 && (await isAnyLive(inner, caller.principal.userId)))
        requireFreshProof(
          caller.principal,
          loosened.map((name) => fault([name], 'loosened', `${name} allows more than before`)),
        )
      const { expects } = change
      const isExpectingAgain = expects !== undefined && !isDeepStrictEqual(expects, was.expects ?? null)
      await changeStrategy(inner, caller.principal.userId, strategyId, {
        ...change,
        ...(isExpectingAgain && { expectsSince: new Date() }),
      })
      await record(inner, caller, 'strategy.changed', {
        strategyId,
        change: logged(change),
        was: logged(was),
      })
    }),
  )

const LOOSENS_STRATEGY: LoosensEach<StrategyTerms> = {
  name: never,
  description: never,
  status: becomes('active'),
  // Every signal names its account.
  defaultAccountId: never,
  metadata: never,
  expects: never,
  flatByClose: (before, after) => flatLater(before ?? null, after ?? null),
}

/** Signals and trades remain. Throws STRATEGY_NOT_FOUND, and STRATEGY_IN_USE while its signals wait to be sent. */
export const deleteStrategy = (caller: Caller, strategyId: string): Promise<void> =>
  caller.em.transactional(async (inner) => {
    const strategy = await lockStrategy(inner, caller.principal.userId, strategyId)
    if (!strategy) throw new ApiError('STRATEGY_NOT_FOUND')
    const unsent = await countUnsentSignals(inner, caller.principal.userId, strategyId)
    if (unsent > 0) {
      const message = `Signals of the strategy that wait to be sent: ${unsent}. Withdraw them first, or pause the strategy`
      throw new ApiError('STRATEGY_IN_USE', { message })
    }
    await archiveStrategy(inner, caller.principal.userId, strategyId)
    await record(inner, caller, 'strategy.deleted', { strategyId, name: strategy.name })
  })

async function requireAccount(
  em: EntityManager,
  { principal: { userId } }: Caller,
  accountId: string | null,
): Promise<void> {
  if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
    throw new ApiError('ACCOUNT_NOT_FOUND')
}

/** Texts and metadata may hold anything. */
const logged = ({
  name,
  status,
  defaultAccountId,
  flatByClose,
}: Filter<StrategyTerms>): Record<string, unknown> => given({ name, status, defaultAccountId, flatByClose })

const record = (
  em: EntityManager,
  { principal: { userId }, ip, requestId }: Caller,
  kind: StrategyEvent,
  data: Record<string, unknown>,
): Promise<void> => recordAuditEvent(em, { userId, actorId: userId, kind, ip, requestId, data })

async function unlessNameTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof StrategyNameTaken ? new ApiError('STRATEGY_NAME_TAKEN', { cause: error }) : error
  }
}
