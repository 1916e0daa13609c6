import type { Hook } from '#client/types.ts'
import type { AlertChoices } from '#domain/hook/templates.ts'

export type SizeOf = 'strategy' | 'hook' | 'fixed'

interface Chosen extends Pick<AlertChoices, 'on' | 'word' | 'order'> {
  size: SizeOf
  shares: string
  stop: string
  target: string
}

/** Choices for the message; an indicator has no size, so that the hook's applies. */
export const choicesOf = ({ on, word, order, size, shares, stop, target }: Chosen): AlertChoices => ({
  on,
  word,
  order,
  size: size === 'fixed' ? { fixed: shares.trim() } : on === 'indicator' ? 'hook' : size,
  stop: stop.trim(),
  target: target.trim(),
})

/** Whether the hook has a size for messages without one. */
export const hasOwnSize = ({ quantity, accounts }: Pick<Hook, 'quantity' | 'accounts'>): boolean =>
  quantity !== null || accounts.every((account) => account.quantity !== null)

export const NOTES: Record<AlertChoices['on'], string> = {
  strategy:
    'Create one alert on the strategy, with order fills. Put this into its message, and the address of the hook under Notifications, Webhook URL.',
  indicator:
    'Create an alert for each condition: one that buys, one that sells or closes. Put this into its message, and the address of the hook under Notifications, Webhook URL.',
}
