import { randomBytes, randomUUID } from 'node:crypto'
import { CHANNEL_SETTINGS, type ChannelSettings } from '#contract/notify/requests.ts'
import { ApiError, fault } from '#contract/errors.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { lockUser, findUser } from '#db/identity/users.ts'
import {
  addChannel,
  changeChannel,
  findTarget,
  noteRefused,
  noteTaken,
  pauseChannel,
  removeChannel,
  saveBrowser,
  type ChannelTarget,
  type NotifyChannel,
} from '#db/notify/channels.ts'
import type { ChannelKind, EventKind, Urgency } from '#domain/alert/channels.ts'
import { requireFreshProof, type SignedIn } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { audit } from '../identity/audit.ts'
import { deliverTo } from './deliver.ts'
import { deliveryOf } from './failures.ts'
import { testNotice } from './message.ts'
import type { ChannelDeps, Delivery } from './port.ts'
import { openSettings, sealSettings, settingsOf, withNewSecret, type StoredSettings } from './settings.ts'
import { registerCallback } from './telegram/callback.ts'

export interface NotifyDeps extends ChannelDeps {
  /** What is wrong with an address of a person's choosing; null: nothing. */
  addressFault: (url: string) => string | null
}

export interface ChannelCommandDeps {
  notify: NotifyDeps
  secretKeys: EncryptionKeys
}

const DEFAULT_URGENCIES: Record<ChannelKind, readonly Urgency[]> = {
  push: ['alarm', 'decision', 'outcome', 'letter'],
  telegram: ['alarm', 'decision'],
  ntfy: ['alarm', 'decision'],
  discord: ['alarm', 'decision'],
  slack: ['alarm', 'decision'],
  webhook: [],
  email: ['alarm', 'decision', 'letter'],
}

interface AskedChannel {
  kind: ChannelKind
  name: string
  settings: object
  urgencies?: Urgency[] | undefined
  events?: EventKind[] | undefined
}

export interface AddedChannel {
  channel: NotifyChannel
  isNew: boolean
  secret: string | null
}

/**
 * Throws PUSH_DISABLED, PUSH_SERVICE_UNKNOWN, CHANNEL_LIMIT_REACHED, CHANNEL_ADDRESS_DENIED, CHANNEL_REFUSED, and
 * VERIFICATION_REQUIRED for Telegram.
 */
export async function createChannel(
  caller: Caller<SignedIn>,
  asked: AskedChannel,
  deps: ChannelCommandDeps,
): Promise<AddedChannel> {
  const { kind } = asked
  if (kind === 'push') return createBrowser(caller, asked, deps)
  const { em, principal, ...origin } = caller
  // Its buttons decide on signals for as long as it exists.
  if (kind === 'telegram') requireFreshProof(principal)
  const owner = { id: randomUUID(), userId: principal.userId }
  const settings = await settingsToStore(kind, asked.settings, em, owner, deps)
  const channel = await em.transactional(async (inner) => {
    await lockUser(inner, owner.userId)
    const added = await addChannel(inner, {
      ...owner,
      kind,
      name: asked.name,
      service: serviceOf(kind, settings, deps.notify),
      urgencies: asked.urgencies ?? DEFAULT_URGENCIES[kind],
      events: asked.events ?? [],
      sealed: sealSettings(deps.secretKeys, owner, settings),
    })
    if (!added) throw new ApiError('CHANNEL_LIMIT_REACHED')
    await audit(inner, 'channel.added', owner.userId, origin, { channelId: added.id, kind, name: added.name })
    return added
  })
  return { channel, isNew: true, secret: 'secrets' in settings ? settings.secrets[0]!.secret : null }
}

async function createBrowser(
  { em, principal, ...origin }: Caller<SignedIn>,
  { name, settings, urgencies = [...DEFAULT_URGENCIES.push] }: AskedChannel,
  { notify: { push } }: ChannelCommandDeps,
): Promise<AddedChannel> {
  if (!push) throw new ApiError('PUSH_DISABLED')
  const { endpoint, keys } = CHANNEL_SETTINGS.push.parse(settings)
  if (!push.isPushService(endpoint)) throw new ApiError('PUSH_SERVICE_UNKNOWN')
  const { userId, sessionId } = principal
  const address = { endpoint, ...keys, keyId: push.keys.current, service: new URL(endpoint).origin }
  return em.transactional(async (inner) => {
    const saved = await saveBrowser(inner, { ...address, name, urgencies, userId, sessionId })
    const { id: channelId } = saved.channel
    if (saved.isNew) await audit(inner, 'channel.added', userId, origin, { channelId, kind: 'push', name })
    return { ...saved, secret: null }
  })
}

type Stored = StoredSettings[keyof StoredSettings]

async function settingsToStore(
  kind: keyof StoredSettings,
  given: object,
  em: EntityManager,
  owner: { id: string; userId: string },
  { notify }: ChannelCommandDeps,
): Promise<Stored> {
  if (kind === 'email') return { address: (await findUser(em, owner.userId))!.email }
  if (kind === 'telegram') return withCallback(CHANNEL_SETTINGS.telegram.parse(given), owner.id, notify)
  const settings = CHANNEL_SETTINGS[kind].parse(given)
  const [field, address] = 'url' in settings ? ['url', settings.url] : ['server', settings.server]
  const wrong = notify.addressFault(address)
  if (wrong !== null)
    throw new ApiError('CHANNEL_ADDRESS_DENIED', { details: [fault(['settings', field], 'custom', wrong)] })
  return kind === 'webhook' ? withNewSecret({ url: address, secrets: [] }, notify.now()) : settings
}

/** Telegram reaches public addresses only, and a bot has one: elsewhere, and in groups, messages lead to the web app. */
async function withCallback(
  settings: ChannelSettings<'telegram'>,
  channelId: string,
  notify: NotifyDeps,
): Promise<StoredSettings['telegram']> {
  const withoutButtons = { ...settings, callbackSecret: null }
  if (!/^\d+$/.test(settings.chatId) || !notify.publicUrl.startsWith('https:')) return withoutButtons
  const callbackSecret = randomBytes(32).toString('base64url')
  const refusal = await registerCallback({ ...settings, callbackSecret }, channelId, notify)
  if (refusal !== null && /bad webhook/i.test(refusal)) return withoutButtons
  if (refusal !== null)
    throw new ApiError('CHANNEL_REFUSED', { message: `Telegram refuses the bot: ${refusal}` })
  return { ...settings, callbackSecret }
}

function serviceOf(kind: keyof StoredSettings, settings: Stored, notify: NotifyDeps): string {
  if ('url' in settings) return new URL(settings.url).origin
  if ('server' in settings) return new URL(settings.server).origin
  return kind === 'telegram' ? notify.telegramUrl : kind
}

interface ChangedChannel {
  name?: string | undefined
  urgencies?: Urgency[] | undefined
  events?: EventKind[] | undefined
}

/** Throws CHANNEL_NOT_FOUND, and VALIDATION_ERROR for events of another kind than a webhook. */
export async function editChannel(
  { em, principal: { userId } }: Caller<SignedIn>,
  id: string,
  change: ChangedChannel,
): Promise<NotifyChannel> {
  const target = await ownTarget(em, userId, id)
  if (change.events && change.events.length > 0 && target.kind !== 'webhook')
    throw new ApiError('VALIDATION_ERROR', {
      details: [fault(['events'], 'custom', 'only a webhook announces events')],
    })
  const channel = await changeChannel(em, userId, id, change)
  if (!channel) throw new ApiError('CHANNEL_NOT_FOUND')
  return channel
}

/** Throws CHANNEL_NOT_FOUND. */
export const deleteChannel = (
  { em, principal: { userId }, ...origin }: Caller<SignedIn>,
  channelId: string,
) =>
  em.transactional(async (inner) => {
    if (!(await removeChannel(inner, userId, channelId))) throw new ApiError('CHANNEL_NOT_FOUND')
    await audit(inner, 'channel.removed', userId, origin, { channelId })
  })

export async function ownTarget(em: EntityManager, userId: string, id: string): Promise<ChannelTarget> {
  const target = await findTarget(em, userId, id)
  if (!target) throw new ApiError('CHANNEL_NOT_FOUND')
  return target
}

/** A channel that is gone is paused. Throws CHANNEL_NOT_FOUND. */
export async function sendTest(
  { em, principal: { userId } }: Caller<SignedIn>,
  id: string,
  { notify, secretKeys }: ChannelCommandDeps,
): Promise<Delivery> {
  const target = await ownTarget(em, userId, id)
  const delivery = await deliveryOf({}, async () =>
    deliverTo(target.kind, settingsOf(secretKeys, target, notify.now()), testNotice(randomUUID()), notify),
  )
  await noteTest(em, target, delivery, secretKeys)
  return delivery
}

async function noteTest(
  em: EntityManager,
  { id, userId }: ChannelTarget,
  delivery: Delivery,
  keys: EncryptionKeys,
): Promise<void> {
  if (delivery.is === 'taken') await noteTaken(em, userId, id)
  if (delivery.is === 'moved')
    await changeChannel(em, userId, id, { sealed: sealSettings(keys, { id, userId }, delivery.settings) })
  if (delivery.is === 'refused') await noteRefused(em, userId, id, delivery.reason)
  if (delivery.is === 'gone') await pauseChannel(em, { id, userId }, delivery.reason)
}

/** A new secret; the old one signs too for a day. Throws CHANNEL_NOT_FOUND. */
export const rotateSecret = (
  { em, principal: { userId }, ...origin }: Caller<SignedIn>,
  id: string,
  { notify, secretKeys }: ChannelCommandDeps,
): Promise<string> =>
  em.transactional(async (inner) => {
    await lockUser(inner, userId)
    const target = await ownTarget(inner, userId, id)
    if (target.kind !== 'webhook')
      throw new ApiError('CHANNEL_NOT_FOUND', { message: 'The channel is no webhook' })
    const stored = openSettings(secretKeys, { ...target, kind: 'webhook' })
    const renewed = withNewSecret(stored, notify.now())
    await changeChannel(inner, userId, id, { sealed: sealSettings(secretKeys, { id, userId }, renewed) })
    await audit(inner, 'channel.secret_rotated', userId, origin, { channelId: id })
    return renewed.secrets[0]!.secret
  })
