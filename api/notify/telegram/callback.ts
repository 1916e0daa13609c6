import { SecretUnreadable, type EncryptionKeys } from '#db/broker/secret-box.ts'
import { findUser, type UserRecord } from '#db/identity/users.ts'
import { findChannelTarget, type ChannelTarget } from '#db/notify/channels.ts'
import { hashOpaqueSecret } from '../../access/access-jwt.ts'
import { isSameHash } from '../../http/access-token.ts'
import type { Caller } from '../../http/caller.ts'
import { deliveryOf } from '../failures.ts'
import { fieldsOf } from '../judge.ts'
import { plainText } from '../plain-text.ts'
import type { ChannelDeps } from '../port.ts'
import { openSettings, type StoredSettings } from '../settings.ts'

type Bot = StoredSettings['telegram']

/** Has Telegram report presses of buttons here. Returns its refusal; null when it agrees. */
export async function registerCallback(
  bot: Bot,
  channelId: string,
  deps: ChannelDeps,
): Promise<string | null> {
  return callBot(deps, bot, 'setWebhook', {
    url: `${deps.publicUrl}/api/v1/telegram/${channelId}`,
    secret_token: bot.callbackSecret,
    allowed_updates: ['callback_query'],
    drop_pending_updates: true,
  })
}

export interface ProvenChannel {
  id: string
  bot: Bot
  user: UserRecord
  /** As after the token was revoked. */
  isPaused: boolean
}

/** Null unless Telegram proves itself by the secret of the channel. */
export async function findProven(
  { em, beforeDatabaseDeadline: inTime }: Caller<null>,
  id: string,
  secret: string,
  keys: EncryptionKeys,
): Promise<ProvenChannel | null> {
  const target = await inTime(findChannelTarget(em, id))
  const bot = target?.kind === 'telegram' ? readSettings(keys, target) : null
  // One that was stored before there were buttons has no secret.
  if (target === null || bot?.callbackSecret == null) return null
  if (!isSameHash(hashOpaqueSecret(secret), hashOpaqueSecret(bot.callbackSecret))) return null
  const user = await inTime(findUser(em, target.userId))
  return user && !user.isDisabled ? { id, bot, user, isPaused: target.isPaused } : null
}

function readSettings(keys: EncryptionKeys, target: ChannelTarget): Bot | null {
  try {
    return openSettings(keys, { ...target, kind: 'telegram' })
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

/** UTF-16 units; Telegram refuses longer answers. */
const MAX_ANSWER_UNITS = 200

export interface PressAnswer {
  pressId: string
  text: string
  /** The message that keeps only the link to its signal; null: it keeps its buttons. */
  settled: { messageId: number; signalId: string } | null
}

/** Answers a press with a line. Returns what Telegram refuses; null: nothing. */
export async function answerPress(
  deps: ChannelDeps,
  bot: Bot,
  { pressId, text, settled }: PressAnswer,
): Promise<string | null> {
  const answer = { callback_query_id: pressId, text: plainText(text, MAX_ANSWER_UNITS), show_alert: true }
  const refusal = await callBot(deps, bot, 'answerCallbackQuery', answer)
  if (settled === null) return refusal
  const url = `${deps.publicUrl}/approvals?signal=${settled.signalId}`
  const edited = await callBot(deps, bot, 'editMessageReplyMarkup', {
    chat_id: bot.chatId,
    message_id: settled.messageId,
    reply_markup: { inline_keyboard: [[{ text: 'Open', url }]] },
  })
  return refusal ?? edited
}

/** Returns a refusal, which holds no secret of the bot; null when Telegram agrees. */
async function callBot(
  { requestService, telegramUrl }: ChannelDeps,
  bot: Bot,
  method: string,
  content: object,
): Promise<string | null> {
  const delivery = await deliveryOf(bot, async () => {
    const answer = await requestService(`${telegramUrl}/bot${bot.botToken}/${method}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
    })
    const { ok, description } = fieldsOf(answer)
    if (ok === true) return { is: 'taken' }
    const reason = typeof description === 'string' ? description : `it answers ${answer.status}`
    return { is: 'refused', reason }
  })
  if (delivery.is === 'failed') return 'it does not answer'
  return 'reason' in delivery ? delivery.reason : null
}
