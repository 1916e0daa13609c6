import type { Hook } from '#client/types.ts'
import type { AlertChoices } from '#domain/hook/templates.ts'

/** Where the quantity of a message comes from. */
export type SizeOf = 'strategy' | 'hook' | 'fixed'

/** The choices as they are made, with the number of shares and the percentages as they are typed. */
interface Chosen extends Pick<AlertChoices, 'on' | 'word' | 'order'> {
  size: SizeOf
  shares: string
  stop: string
  target: string
}

/** What the message is written by: an indicator has no size of its own, so that the hook's is meant. */
export const choicesOf = ({ on, word, order, size, shares, stop, target }: Chosen): AlertChoices => ({
  on,
  word,
  order,
  size: size === 'fixed' ? { fixed: shares.trim() } : on === 'indicator' ? 'hook' : size,
  stop: stop.trim(),
  target: target.trim(),
})

/** Whether the hook says how much is traded where a message does not. */
export const hasOwnSize = ({ quantity, accounts }: Pick<Hook, 'quantity' | 'accounts'>): boolean =>
  quantity !== null || accounts.every((account) => account.quantity !== null)

/** Where the message goes. */
export const NOTES: Record<AlertChoices['on'], string> = {
  strategy:
    'Create one alert on the strategy, with order fills. Put this into its message, and the address of the hook under Notifications, Webhook URL.',
  indicator:
    'Create an alert for each condition: one that buys, one that sells or closes. Put this into its message, and the address of the hook under Notifications, Webhook URL.',
}
