import { useQuery } from '@tanstack/react-query'
import type { Routes, Signal } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import type { Edit } from './decisions.ts'

type Answer = Routes['POST /api/v1/signals']['answers'][200]
/** What sending the order now would lead to: the order, the exit, and what every rule says. */
export type DryRun = Extract<Answer, { dryRun: unknown }>['dryRun']
export interface Check {
  dryRun: DryRun
  /** Those that no verdict tells already. */
  advisories: readonly { code: string; message: string }[]
  /** When it was asked, in the service's time. */
  at: number
}

/** A dry run of a signal that waits takes that signal itself for an equal order; approving it does not. */
const TWIN_RULE = 'duplicateWindowSeconds'

/** Asked again so often while a card is open: prices move. */
const EVERY_MS = 10_000

/** Asks the service what approving this signal with these edits would do now. Nothing is stored or sent. */
export const useCheck = (signal: Signal, edit: Edit, isWanted: boolean) =>
  useQuery({
    queryKey: ['check', signal.id, edit.quantity ?? '', edit.limitPrice ?? ''],
    queryFn: () => check(signal, edit),
    enabled: isWanted,
    refetchInterval: EVERY_MS,
    retry: false,
  })

async function check(signal: Signal, edit: Edit): Promise<Check> {
  const { exitRule } = signal
  const { body } = await ask('POST /api/v1/signals', {
    body: {
      dryRun: true,
      executeMode: 'immediate',
      accountId: signal.accountId,
      strategyId: signal.strategyId,
      symbol: signal.symbol,
      action: signal.action,
      quantity: edit.quantity ?? signal.quantity,
      quantityType: signal.quantityType,
      orderType: signal.orderType,
      limitPrice: edit.limitPrice ?? signal.limitPrice,
      stopPrice: signal.stopPrice,
      timeInForce: signal.timeInForce,
      expiresAt: signal.expiresAt,
      extendedHours: signal.extendedHours,
      ...(exitRule && {
        exitTriggerType: exitRule.triggerType,
        exitTriggerMinutes: exitRule.triggerMinutes,
        exitTriggerTime: exitRule.triggerTime,
        exitOrderType: exitRule.orderType,
        exitLimitPrice: exitRule.limitPrice,
        exitStopPrice: exitRule.stopPrice,
        exitTimeInForce: exitRule.timeInForce,
      }),
    },
  })
  if (!('dryRun' in body)) throw new TypeError('The service did not answer with a dry run')
  const verdicts = body.dryRun.verdicts.filter(({ rule }) => rule !== TWIN_RULE)
  const told = new Set(body.dryRun.verdicts.map(({ message }) => message))
  return {
    dryRun: { ...body.dryRun, verdicts },
    advisories: (body.advisories ?? []).filter(({ message }) => !told.has(message)),
    at: serviceNow(),
  }
}
