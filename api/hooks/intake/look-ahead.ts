import type { HookHolder } from '#db/hooks/holders.ts'
import type { ReadMessage } from '#domain/hook/message.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import type { Caller } from '../../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import type { DryRun } from '../../signals/dry-run-commands.ts'
import { dryRunSignal } from '../../signals/dry-run-signal.ts'
import type { IntakeDeps } from './deps.ts'
import { planIn } from './orders-of-hook.ts'
import { signalsOf } from './plan.ts'

export type Outcome = Omit<HookOutcome, 'requestId'>
export const NOTHING_ELSE = { code: null, faults: [], advisories: [], groupId: null, signals: [] }

export interface AccountAhead {
  accountId: string
  dryRun: DryRun | null
  code: string | null
  message: string | null
}

/** Throws {@link ApiError} VALIDATION_ERROR. */
export async function accountsAhead(
  deps: IntakeDeps,
  caller: Caller,
  { settings }: Pick<HookHolder, 'settings'>,
  { instructions }: ReadMessage,
  at: Date,
): Promise<AccountAhead[]> {
  const ahead: AccountAhead[] = []
  for (const instruction of instructions) {
    if (instruction.kind === 'protect') planIn(instruction.plan)
    if (instruction.kind !== 'trade') continue
    for (const request of signalsOf(instruction, settings, at.getTime())) {
      const { accountId } = request
      try {
        const dryRun = await dryRunSignal(deps, caller, { ...request, dryRun: true })
        const { prospect } = dryRun
        ahead.push({ accountId, dryRun, code: null, message: 'detail' in prospect ? prospect.detail : null })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        ahead.push({ accountId, dryRun: null, code: error.code, message: error.message })
      }
    }
  }
  return ahead
}

export async function lookAhead(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  message: ReadMessage,
  at: Date,
): Promise<Outcome> {
  const ahead = await accountsAhead(deps, caller, hook, message, at)
  const lines = ahead.map(({ accountId, dryRun, code, message: words }) => {
    const prospect = dryRun?.prospect ?? null
    const isDenied = prospect?.outcome === 'denied'
    const order = dryRun?.order
    return {
      accountId,
      id: null,
      status: null,
      orderId: null,
      code: isDenied ? prospect.code : code,
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
