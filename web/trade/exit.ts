import { TRIGGER, type ExitTrigger, type TriggerField } from '#domain/exit/exit.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order/order.ts'
import { amount } from '../parts/amount.ts'
import type { Body } from './requests.ts'

/** A time exit in the form: every field is text, under the service's name. */
export interface ExitDraft extends Record<TriggerField, string> {
  /** Empty for no exit. */
  exitTriggerType: '' | ExitTrigger
  exitOrderType: NonNullable<Body['exitOrderType']>
  exitLimitPrice: string
  exitStopPrice: string
}

export const NO_EXIT: ExitDraft = {
  exitTriggerType: '',
  exitTriggerMinutes: '15',
  exitTriggerTime: '15:45',
  exitOrderType: 'market',
  exitLimitPrice: '',
  exitStopPrice: '',
}

export function askedOfExit({ exitTriggerType: trigger, exitOrderType }: ExitDraft) {
  const hasExit = trigger !== ''
  return {
    hasExit,
    triggerField: hasExit ? TRIGGER[trigger].field : null,
    limitPrice: hasExit && hasLimitPrice(exitOrderType),
    stopPrice: hasExit && hasStopPrice(exitOrderType),
  }
}

export function exitBody(draft: ExitDraft): Partial<Body> {
  const { hasExit, triggerField, limitPrice, stopPrice } = askedOfExit(draft)
  const { exitTriggerType, exitOrderType, exitLimitPrice, exitStopPrice } = draft
  if (!hasExit || exitTriggerType === '') return {}
  return {
    exitTriggerType,
    ...(triggerField && { [triggerField]: amount(draft[triggerField]) }),
    ...(exitOrderType !== 'market' && { exitOrderType }),
    ...(limitPrice && exitLimitPrice !== '' && { exitLimitPrice: amount(exitLimitPrice) }),
    ...(stopPrice && exitStopPrice !== '' && { exitStopPrice: amount(exitStopPrice) }),
  }
}

export function exitDraft(exit: Readonly<Record<string, unknown>>): ExitDraft {
  const fields = Object.entries(exit).filter(([name, value]) => name in NO_EXIT && value !== null)
  return { ...NO_EXIT, ...Object.fromEntries(fields.map(([name, value]) => [name, String(value)])) }
}
