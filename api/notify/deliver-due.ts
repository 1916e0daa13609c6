import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { DueNotice } from '#db/notify/news.ts'
import { deliverTo } from './deliver.ts'
import { deliveryOf } from './failures.ts'
import { noticeOf } from './message.ts'
import type { ChannelDeps, Delivery, Notice } from './port.ts'
import { settingsOf, type StoredSettings } from './settings.ts'
import { postEvent } from './webhook/deliver.ts'

/** Sends a row of the outbox by its channel. */
export const deliverDue = (due: DueNotice, keys: EncryptionKeys, deps: ChannelDeps): Promise<Delivery> =>
  deliveryOf({}, async () => deliver(due, settingsOf(keys, due.target, deps.now()), deps))

function deliver(due: DueNotice, settings: object, deps: ChannelDeps): Promise<Delivery> {
  const { target, news } = due
  if (news.kind === 'event') {
    const { id, type, at, data } = news.event
    return postEvent(
      settings as { url: string; secrets: string[] },
      { id: `evt_${id}`, type, timestamp: new Date(at).toISOString(), data },
      deps,
    )
  }
  const notice = noticeOf(due) ?? checkOf(due)
  return deliverTo(
    target.kind,
    settings,
    canDecide(due, settings) ? notice : { ...notice, decides: null },
    deps,
  )
}

/** Buttons work where Telegram reaches this service, and in a person's own chat. */
const canDecide = ({ target }: DueNotice, settings: object): boolean => {
  if (target.kind !== 'telegram') return false
  const { callbackSecret, chatId } = settings as StoredSettings['telegram']
  return callbackSecret != null && /^\d+$/.test(chatId)
}

const checkOf = ({ id, expiresAt }: DueNotice): Notice => ({
  id: `check-${id}`,
  kind: 'check',
  urgency: 'outcome',
  title: '',
  body: '',
  details: null,
  tag: 'check',
  url: '/',
  expiresAt: expiresAt.toISOString(),
  decides: null,
})
