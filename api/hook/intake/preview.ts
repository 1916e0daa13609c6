import { sizedFor } from '#domain/account/size.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { TradeInstruction, ReadMessage } from '#domain/hook/message.ts'
import { approvalMinutesOf, type HookAccount, type HookSettings } from '#domain/hook/settings.ts'
import type { Move } from '#domain/signal/move.ts'
import type { SenderHolds } from '#domain/signal/sender-position.ts'
import { ApiError, fault, validationError, type Fault } from '#contract/errors.ts'
import { MAX_QUANTITY, signedDecimal } from '#contract/values/values.ts'
import { readSignalRequest, type SignalRequest } from '#contract/signal/request.ts'
import type { HookHolder } from '#db/hook/hook-auth.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import type { Caller } from '../../http/caller.ts'
import type { DryRun } from '../../signal/dry-run.ts'
import { dryRunSignal } from '../../signal/check.ts'
import type { IntakeDeps } from './deps.ts'
import { levelsIn } from './orders-of-hook.ts'

interface NamedAccounts {
  accountId?: unknown
  accountIds?: unknown
}

/** Throws VALIDATION_ERROR, in the sender's words. */
export function signalsOf(
  instruction: TradeInstruction,
  settings: HookSettings,
  now: number,
): SignalRequest[] {
  const { accountId, accountIds, ...body } = instruction.body as NamedAccounts & Record<string, unknown>
  const accounts = accountsFor({ accountId, accountIds }, settings)
  const requests: SignalRequest[] = []
  for (const account of accounts) {
    try {
      requests.push(signalOf(instruction, body, account, settings, now))
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error
      throw validationError(error.details.map((one) => inSendersWords(one, instruction.names)))
    }
  }
  return requests
}

function accountsFor({ accountId, accountIds }: NamedAccounts, { accounts }: HookSettings): HookAccount[] {
  const named = accountId ?? accountIds ?? null
  if (named === null) return accounts
  const field = accountId === undefined || accountId === null ? 'accountIds' : 'accountId'
  if (field === 'accountId' && accountIds !== undefined && accountIds !== null)
    throw refused('accountIds', 'not_allowed', 'accountIds is not allowed beside accountId: leave one out')
  const ids = (Array.isArray(named) ? named : [named]).map((one) => String(one).toLowerCase())
  const found = accounts.filter((account) => ids.includes(account.accountId))
  if (found.length > 0 && found.length === ids.length) return found
  const ours = accounts.map((one) => one.accountId).join(', ')
  throw refused(field, 'not_of_this_hook', `${field} must name accounts of this hook, each once: ${ours}`)
}

const refused = (field: string, code: string, message: string): ApiError =>
  validationError([fault([field], code, message)])

/** An account's fixed size is the whole position, in shares. */
function requireSized(
  said: Readonly<Record<string, unknown>>,
  move: Move | null,
  account: HookAccount,
): void {
  if (account.quantity === null) return
  const { quantityType } = said
  if (quantityType !== undefined && quantityType !== null && quantityType !== 'fixed')
    throw refused(
      'quantityType',
      'own_size',
      `quantityType must be fixed: the account ${account.accountId} has a size of its own in this hook, in shares. Give it a multiplier instead`,
    )
  if (move?.kind === 'close' && move.part !== null && 'shares' in move.part)
    throw refused(
      'quantity',
      'own_size',
      `quantity is a part of a position, and the account ${account.accountId} has a size of its own in this hook: it is not known how many of its shares that is. Give it a multiplier instead, or send the part in percent`,
    )
}

function signalOf(
  { move, senderHolds, delaySeconds }: TradeInstruction,
  said: Readonly<Record<string, unknown>>,
  account: HookAccount,
  settings: HookSettings,
  now: number,
): SignalRequest {
  requireSized(said, move, account)
  const target = sized(said['targetPosition'], account)
  const delay = delaySeconds ?? 0
  const isPending = settings.executeMode === 'pending'
  const body = {
    executeMode: settings.executeMode,
    ...(settings.strategyId !== null && { strategyId: settings.strategyId }),
    ...said,
    ...(delay > 0 && !isPending && dueAfter(delay, now)),
    ...quantityOf(said, account, settings),
    manages: managesOf(said, settings),
    ...(target !== undefined && { targetPosition: target }),
    accountId: account.accountId,
  }
  const request = readSignalRequest(body, now)
  return {
    ...request,
    validUntil: endOfApproval(request, settings, now),
    advisories: delay > 0 && isPending ? [...request.advisories, DELAY_LEFT_OUT] : request.advisories,
    move: move && forAccount(move, account),
    senderHolds: senderHolds && holdsOn(account, senderHolds),
  }
}

/** Only the owner may widen this. */
function managesOf({ manages = null }: Readonly<Record<string, unknown>>, settings: HookSettings): unknown {
  if (manages === 'position' && settings.manages === 'own')
    throw refused(
      'manages',
      'not_of_this_hook',
      'manages must be own: the hook manages the shares that it has opened',
    )
  return manages ?? settings.manages
}

/** UTC instant: the earlier of the message's and the hook's. */
function endOfApproval(
  { executeMode, validUntil }: SignalRequest,
  settings: HookSettings,
  receivedAt: number,
): string | null {
  const approvalMinutes = approvalMinutesOf(settings)
  if (executeMode !== 'pending' || approvalMinutes === null) return validUntil
  const end = receivedAt + approvalMinutes * 60_000
  return validUntil !== null && Date.parse(validUntil) <= end ? validUntil : new Date(end).toISOString()
}

function holdsOn(account: HookAccount, holds: SenderHolds): SenderHolds {
  if (holds.side === 'FLAT' || holds.shares === null) return holds
  return { ...holds, shares: sized(holds.shares, account) as Decimal }
}

const DELAY_LEFT_OUT = {
  code: 'delay_left_out',
  message: 'The delay is ignored: signals of this hook need approval',
}

function quantityOf(
  { quantity: said }: Readonly<Record<string, unknown>>,
  account: HookAccount,
  { quantity, quantityType }: HookSettings,
): Record<string, unknown> {
  return said === undefined
    ? { quantity: sized(quantity ?? account.quantity, account), quantityType }
    : { quantity: sized(said, account) }
}

function sized(value: unknown, account: HookAccount): unknown {
  const { success, data: said } = signedDecimal(MAX_QUANTITY).safeParse(value)
  return success ? sizedFor(account, said) : (value ?? undefined)
}

/** A fixed size is held or not: a reducing order closes all. */
function forAccount(move: Move, account: HookAccount): Move {
  if (move.kind === 'trade')
    return account.quantity !== null && move.whenOpposite === 'reduce'
      ? { ...move, whenOpposite: 'close' }
      : move
  return move.part !== null && 'shares' in move.part
    ? { ...move, part: { shares: sized(move.part.shares, account) as Decimal } }
    : move
}

const dueAfter = (seconds: number, now: number): Record<string, string> => ({
  executeMode: 'scheduled',
  timezone: 'UTC',
  scheduledProcessAt: new Date(Math.ceil(now / 1_000 + seconds) * 1_000).toISOString().slice(0, 19),
})

function inSendersWords(one: Fault, names: TradeInstruction['names']): Fault {
  for (let length = one.path.length; length > 0; length -= 1) {
    const ours = one.path.slice(0, length).join('.')
    const theirs = names[ours]
    if (theirs === undefined || theirs === ours) continue
    return fault([theirs, ...one.path.slice(length)], one.code, one.message.replace(ours, theirs))
  }
  return one
}

export type Outcome = Omit<HookOutcome, 'requestId'>
export const NOTHING_ELSE = { code: null, faults: [], advisories: [], groupId: null, signals: [] }

export interface AccountAhead {
  accountId: string
  dryRun: DryRun | null
  code: string | null
  message: string | null
}

/** Throws VALIDATION_ERROR. */
export async function accountsAhead(
  deps: IntakeDeps,
  caller: Caller,
  { settings }: Pick<HookHolder, 'settings'>,
  { instructions }: ReadMessage,
  at: Date,
): Promise<AccountAhead[]> {
  const ahead: AccountAhead[] = []
  for (const instruction of instructions) {
    if (instruction.kind === 'protect') levelsIn(instruction.plan)
    if (instruction.kind !== 'trade') continue
    for (const request of signalsOf(instruction, settings, at.getTime())) {
      const { accountId } = request
      try {
        const dryRun = await dryRunSignal(deps, caller, { ...request, dryRun: true })
        const { forecast } = dryRun
        ahead.push({ accountId, dryRun, code: null, message: 'detail' in forecast ? forecast.detail : null })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        ahead.push({ accountId, dryRun: null, code: error.code, message: error.message })
      }
    }
  }
  return ahead
}

export async function preview(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  message: ReadMessage,
  at: Date,
): Promise<Outcome> {
  const ahead = await accountsAhead(deps, caller, hook, message, at)
  const lines = ahead.map(({ accountId, dryRun, code, message: words }) => {
    const forecast = dryRun?.forecast ?? null
    const isDenied = forecast?.outcome === 'denied'
    const order = dryRun?.order
    return {
      accountId,
      id: null,
      status: null,
      orderId: null,
      code: isDenied ? forecast.code : code,
      message: words ?? (order ? `${order.side} ${order.quantity} ${order.symbol} would be sent` : null),
    }
  })
  const advisories = [...message.advisories, ...ahead.flatMap(({ dryRun }) => dryRun?.advisories ?? [])]
  const words =
    lines.length === 0 ? 'The message is understood' : lines.map((line) => line.message).join('; ')
  return {
    ...NOTHING_ELSE,
    outcome: 'dry_run',
    message: `Nothing was stored or sent. ${words}`,
    advisories,
    signals: lines,
  }
}
