import { linkOf, unlinkedTexts } from '../content.ts'
import { fieldsOf, judge, unconfirmed } from '../judge.ts'
import type { OutgoingAnswer } from '../outgoing.ts'
import type { ChannelDeps, Deliver, Delivery, Notice } from '../port.ts'
import { pauseOfSeconds } from '../retry-after.ts'

interface TelegramSettings {
  /** Secret, as BotFather wrote it. */
  botToken: string
  chatId: string
}

/** Of the 4,096 UTF-16 units of a message; title and link take the rest. */
const MAX_TELEGRAM_BODY_UNITS = 3_600

export const deliverTelegram: Deliver<TelegramSettings> = async (settings, notice, deps) => {
  // It becomes a part of a path.
  if (!/^[\w:-]+$/.test(settings.botToken)) return { is: 'refused', reason: 'the token is none of Telegram' }
  const answer = await deps.requestService(`${deps.telegramUrl}/bot${settings.botToken}/sendMessage`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: settings.chatId, ...messageOf(notice, deps) }),
  })
  return judgeTelegram(answer, settings, deps.now())
}

/** Entities, counted in UTF-16 units, instead of markup: nothing is escaped. */
function messageOf(notice: Notice, deps: ChannelDeps) {
  const { title, body } = unlinkedTexts(notice, MAX_TELEGRAM_BODY_UNITS)
  const link = linkOf(notice, deps)
  // Telegram refuses the whole message for a button to any other scheme.
  const hasButton = link.startsWith('https:')
  const buttons = [...(hasButton ? [{ text: 'Open', url: link }] : []), ...decisionsOf(notice)]
  return {
    text: [title, body, hasButton ? '' : link].filter(Boolean).join('\n'),
    entities: [{ type: 'bold', offset: 0, length: title.length }],
    link_preview_options: { is_disabled: true },
    ...(buttons.length > 0 && { reply_markup: { inline_keyboard: [buttons] } }),
  }
}

const decisionsOf = ({ decides }: Notice): { text: string; callback_data: string }[] =>
  decides === null
    ? []
    : [
        { text: 'Approve', callback_data: `approve:${decides}` },
        { text: 'Reject', callback_data: `decline:${decides}` },
      ]

/** A chat that is unknown, has blocked the bot, or lost it with its token. */
const isGone = (status: number, description: string): boolean =>
  status === 401 || status === 403 || (status === 400 && description.includes('chat not found'))

function judgeTelegram(answer: OutgoingAnswer, settings: TelegramSettings, now: number): Delivery {
  const { ok, error_code: code, description, parameters } = fieldsOf(answer)
  if (answer.status === 200 && ok === true) return { is: 'taken' }
  const { migrate_to_chat_id: chatId, retry_after: seconds } = fieldsWithin(parameters)
  if (typeof chatId === 'number') return { is: 'moved', settings: { ...settings, chatId: String(chatId) } }
  const status = ok === false && typeof code === 'number' ? code : answer.status
  if (status >= 200 && status < 300) return unconfirmed('Telegram')
  const detail = typeof description === 'string' ? description : ''
  if (isGone(status, detail)) return { is: 'gone', reason: `Telegram answered ${status}: ${detail}` }
  const retryAfter = pauseOfSeconds(seconds)
  return judge({ ...answer, status }, { service: 'Telegram', detail, retryAfter, now })
}

const fieldsWithin = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
