import type { ChannelKind } from '#domain/alert/channels.ts'
import { deliverDiscord } from './discord/deliver.ts'
import { deliverEmail } from './email/deliver.ts'
import { deliveryOf } from './failures.ts'
import { deliverNtfy } from './ntfy/deliver.ts'
import type { ChannelDeps, Deliver, Delivery, Notice } from './port.ts'
import { deliverSlack } from './slack/deliver.ts'
import { deliverTelegram } from './telegram/deliver.ts'
import { deliverPush } from './web-push/deliver.ts'
import { deliverWebhook } from './webhook/deliver.ts'

const DELIVERS: Record<ChannelKind, Deliver<never>> = {
  push: deliverPush,
  telegram: deliverTelegram,
  ntfy: deliverNtfy,
  discord: deliverDiscord,
  slack: deliverSlack,
  webhook: deliverWebhook,
  email: deliverEmail,
}

/**
 * Throws nothing, and no reason holds a secret of the settings.
 * @param settings of this kind, as its `deliver` takes them
 */
export const deliverTo = (
  kind: ChannelKind,
  settings: object,
  notice: Notice,
  deps: ChannelDeps,
): Promise<Delivery> =>
  deliveryOf(settings, async () => (DELIVERS[kind] as Deliver<object>)(settings, notice, deps))
