import { findAccount } from '#db/accounts/accounts.ts'
import { listPositions } from '#db/accounts/positions.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import { findRiskSettings } from '#db/risk/settings.ts'
import { findReach, type NoticeReach } from '#db/push/reach.ts'
import type { Account, Position, Signal } from '#db/entities/index.ts'
import type { Quote } from '#brokers/port.ts'
import type { Decimal } from '#domain/decimal.ts'
import { mayBeDecided } from '#domain/signal-status.ts'
import { riskLimits } from '#domain/risk-limits.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import type { MarketData } from '../market/market-data.ts'
import { describeState, type Edits } from './decision-commands.ts'
import type { DryRun, DryRunDeps } from './dry-run-commands.ts'
import { dryRunApproval } from './dry-run-signal.ts'

export interface SignalCheck {
  signal: Signal
  run: DryRun
  quote: Quote | null
  account: Pick<Account, 'buyingPower'>
  /** As last synced; null when flat. */
  position: Pick<Position, 'side' | 'quantity'> | null
  /** Percent that the price may have moved since the signal began to wait; null for no limit. */
  driftLimit: Decimal | null
  notice: NoticeReach | null
}

/** By the judgement that decides right before the order is sent. Throws {@link ApiError} SIGNAL_NOT_PENDING, and as the dry run does. */
export async function checkSignal(
  deps: DryRunDeps & { market: MarketData },
  caller: Caller,
  signal: Signal,
  edits: Edits,
): Promise<SignalCheck> {
  if (!mayBeDecided(signal.status))
    throw new ApiError('SIGNAL_NOT_PENDING', { message: describeState(signal) })
  const { userId, accountId, symbol } = signal
  const { em, beforeDatabaseDeadline: inTime } = caller
  const connection = await inTime(findAccountConnection(em, accountId))
  const known = await inTime(findAccount(em, userId, accountId))
  if (!connection || !known) throw new ApiError('ACCOUNT_NOT_FOUND')
  const [position = null] = await inTime(listPositions(em, userId, { accountId, symbol }))
  const limits = riskLimits(await inTime(findRiskSettings(em, userId, accountId)))
  const notice = await inTime(findReach(em, signal.id))
  const [run, { quotes }] = await Promise.all([
    dryRunApproval(deps, caller, signal, edits),
    deps.market.quotes(connection, [symbol]),
  ])
  return {
    signal,
    run,
    quote: quotes[0] ?? null,
    account: known.account,
    position,
    driftLimit: limits.maxApprovalDriftPercent,
    notice,
  }
}
