import type { Routes } from '#client/types.ts'
import { number } from '../words/figures.ts'
import { priceWords, sideWord } from '../words/order.ts'

export type Trial = Routes['POST /api/v1/hooks/{hookId}/try']['answers'][200]['data']
type AccountTrial = Trial['accounts'][number]

/** Order for an account in a line, the reason against it, and its weight. */
export function accountTrial({ dryRun, message, code }: AccountTrial): {
  text: string
  why: string[]
  kind: 'good' | 'plain' | 'warn' | 'danger'
} {
  if (dryRun === null)
    return { text: 'No order', why: [message ?? code ?? 'It would be refused.'], kind: 'danger' }
  const { outcome, order, follows, verdicts } = dryRun
  const says = (what: string): string[] =>
    verdicts.filter((verdict) => verdict.outcome === what).map((verdict) => verdict.message)
  if (outcome === 'nothing')
    return { text: 'Nothing to do', why: [message ?? 'It is done already.'], kind: 'plain' }
  if (outcome === 'waits')
    return { text: 'No order yet', why: [message ?? 'Another step must finish first.'], kind: 'warn' }
  if (outcome === 'existing')
    return { text: 'Nothing to do', why: ['This alert was received before.'], kind: 'plain' }
  const words =
    order === null
      ? 'No order'
      : `${sideWord(order)} ${number(order.quantity)} ${order.symbol}, ${priceWords(order)}${!follows ? '' : `, then ${sideWord(follows).toLowerCase()}${follows.quantity === null ? '' : ` ${number(follows.quantity)}`}`}`
  if (outcome === 'denied') {
    const denied = says('denied')
    return {
      text: words,
      why: denied.length > 0 ? denied : [dryRun.code ?? 'It would be refused.'],
      kind: 'danger',
    }
  }
  if (outcome === 'held') return { text: words, why: says('held'), kind: 'warn' }
  return { text: words, why: says('warned'), kind: order === null ? 'plain' : 'good' }
}

export function trialTitle({ faults, accounts, instructions }: Trial): string {
  if (faults.length > 0) return 'It would be refused'
  if (accounts.length === 0) return instructions.length === 0 ? 'Nothing would be done' : 'It is understood'
  const kinds = accounts.map((each) => accountTrial(each).kind)
  if (kinds.every((kind) => kind === 'danger')) return 'It is understood, and no order would be sent'
  return kinds.every((kind) => kind === 'plain')
    ? 'It is understood, and there is nothing to do'
    : 'It is understood'
}
