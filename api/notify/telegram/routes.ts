import type { z } from 'zod'
import { channelEndpoints } from '#contract/notify/endpoints.ts'
import type { telegramUpdate } from '#contract/notify/requests.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { isId } from '#contract/values/values.ts'
import { findOwnAccount } from '#db/account/accounts.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { actAs } from '#db/engine/row-security.ts'
import type { Signal } from '#db/entities/index.ts'
import type { UserRecord } from '#db/identity/users.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { UNBOUNDED } from '#domain/risk/token-bounds.ts'
import { addressBucket } from '../../access/client-address.ts'
import { applyLimit, type Limits } from '../../access/limits.ts'
import { anyone } from '../../access/policy.ts'
import type { Caller } from '../../http/caller.ts'
import type { Principal } from '../../http/principal.ts'
import { runBounded, type WorkBounds } from '../../http/work-bounds.ts'
import { approveSignal, declineSignal, describeState, type Decided } from '../../signal/decide.ts'
import { ownSignalToChange, type SignalDeps } from '../../signal/own-signal.ts'
import { route, WRITTEN } from '../../route/route.ts'
import type { NotifyDeps } from '../commands.ts'
import { answerPress, findProven, type ProvenChannel } from './callback.ts'

interface PressDeps extends SignalDeps {
  notify: NotifyDeps
  secretKeys: EncryptionKeys
  limits: Pick<Limits, 'count'>
  work: WorkBounds
}

interface Outcome {
  /** For its person. */
  text: string
  /** The signal that no later press decides; null while one may, or there is none. */
  settled: string | null
}

const SECRET_HEADER = 'X-Telegram-Bot-Api-Secret-Token'
const DECISION = /^(approve|decline):([\da-f-]{36})$/
const OF_NO_LATER_PRESS: ReadonlySet<ErrorCode> = new Set(['SIGNAL_NOT_PENDING', 'VERIFICATION_REQUIRED'])

/** The owner of the channel, without a proof and without authority beyond their own rows. */
const principalOf = ({ id: userId, tradingMode }: UserRecord): Principal => ({
  credential: 'jwt',
  userId,
  role: 'member',
  tradingMode,
  scopes: new Set(),
  bounds: UNBOUNDED,
  tokenId: null,
  sessionId: null,
  expiresAt: null,
  isInPerson: true,
  verifiedAt: null,
  secondFactorAt: null,
})

/** Decides as the web app does, but never about real money. */
async function decideByPress(caller: Caller, data: string, deps: PressDeps): Promise<Outcome> {
  const [, decision, id = ''] = DECISION.exec(data) ?? []
  if (!isId(id)) return { text: 'This button is unknown: open the app', settled: null }
  try {
    const signal = await ownSignalToChange(caller, id)
    await refuseRealMoney(caller, signal)
    const decided =
      decision === 'approve'
        ? await approveSignal(deps, caller, signal, { quantity: null, limitPrice: null })
        : await declineSignal(deps, caller, signal, null)
    return outcomeOf(decided)
  } catch (error) {
    // Telegram repeats a press that fails, which would decide later without its person.
    if (!(error instanceof ApiError)) throw error
    const text = error.code === 'VERIFICATION_REQUIRED' ? 'Real money: open the app to decide' : error.message
    return { text, settled: OF_NO_LATER_PRESS.has(error.code) ? id : null }
  }
}

/** To reject it also needs a session. Throws VERIFICATION_REQUIRED. */
async function refuseRealMoney({ em, beforeDatabaseDeadline }: Caller, { userId, accountId }: Signal) {
  const account = await beforeDatabaseDeadline(findOwnAccount(em, userId, accountId))
  if (!account?.isDemo) throw new ApiError('VERIFICATION_REQUIRED')
}

function outcomeOf({ signal, isConfirmed }: Decided): Outcome {
  if (!isConfirmed) return { text: 'Not confirmed yet: look at the signal in the app', settled: null }
  const isDeclined = isFailed(signal.status) && signal.statusReason === 'DECLINED'
  return { text: isDeclined ? 'Rejected' : describeState(signal), settled: signal.id }
}

type Press = NonNullable<z.output<typeof telegramUpdate>['callback_query']>

async function takePress(person: Caller, { bot, isPaused }: ProvenChannel, press: Press, deps: PressDeps) {
  if (String(press.from.id) !== bot.chatId)
    return { text: 'Only the owner of this chat decides', settled: null }
  if (isPaused) return { text: 'This channel is paused: open the app', settled: null }
  return decideByPress(person, press.data ?? '', deps)
}

export const telegramRoutes = [
  route(channelEndpoints['POST /api/v1/telegram/:channelId'], {
    // Telegram's few addresses send for all bots, also of strangers: a proven channel is counted and bounded by itself.
    access: anyone(null, { work: null }),
    run: async ({ caller, path: { channelId }, body: { callback_query: press }, http }, deps: PressDeps) => {
      const address = `ip:${addressBucket(caller.ip)}`
      const find = () => findProven(caller, channelId, http.get(SECRET_HEADER), deps.secretKeys)
      const channel = await runBounded(deps.work, 'ordinary', address, caller, find)
      const counted = deps.limits.count('default', channel ? `channel:${channelId}` : address)
      applyLimit(http, await caller.beforeDatabaseDeadline(counted))
      if (!channel) throw new ApiError('CHANNEL_NOT_FOUND')
      const { bot, user } = channel
      const principal = principalOf(user)
      // For the log.
      http.state.principal = principal
      if (press !== undefined) {
        const em = deps.database.em.fork()
        actAs(em, user.id)
        const person = { ...caller, principal, em, actorName: async () => `${user.email} by Telegram` }
        const take = () => takePress(person, channel, press, deps)
        const { text, settled } = await runBounded(deps.work, 'trading', user.id, caller, take)
        const messageId = press.message?.message_id
        const isEdited = settled !== null && messageId !== undefined
        // Telegram repeats a press that is not answered soon.
        deps.background.run('answer a press in Telegram', async () => {
          const answer = {
            pressId: press.id,
            text,
            settled: isEdited ? { messageId, signalId: settled } : null,
          }
          const reason = await answerPress(deps.notify, bot, answer)
          if (reason !== null)
            deps.logger.warn({ channelId, reason }, 'Telegram does not take the answer to a press')
        })
      }
      http.status = 200
      http.body = ''
      return WRITTEN
    },
  }),
]
