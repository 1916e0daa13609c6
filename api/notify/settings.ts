import type { ChannelSettings } from '#contract/notify/requests.ts'
import { openSecret, sealSecret, type EncryptionKeys, type SecretPlace } from '#db/broker/secret-box.ts'
import type { ChannelTarget, PushAddress } from '#db/notify/channels.ts'
import { newWebhookSecret } from './webhook/deliver.ts'

/** As stored, sealed: what its owner entered, and secrets of ours. */
export interface StoredSettings {
  telegram: ChannelSettings<'telegram'> & {
    /** Proves that a press of a button comes from Telegram; null where it cannot reach this service. */
    callbackSecret: string | null
  }
  ntfy: ChannelSettings<'ntfy'>
  discord: ChannelSettings<'discord'>
  slack: ChannelSettings<'slack'>
  /** The newest first. */
  webhook: ChannelSettings<'webhook'> & { secrets: { secret: string; endsAt: string | null }[] }
  email: { address: string }
}

const placeOf = ({ id, userId }: { id: string; userId: string }): SecretPlace => ({
  table: 'channels',
  id,
  userId,
  field: 'settings',
})

export const sealSettings = (
  keys: EncryptionKeys,
  owner: { id: string; userId: string },
  settings: object,
): string => sealSecret(keys, placeOf(owner), JSON.stringify(settings))

/** Throws SecretUnreadable. */
export const openSettings = <K extends keyof StoredSettings>(
  keys: EncryptionKeys,
  target: ChannelTarget & { kind: K },
): StoredSettings[K] => JSON.parse(openSecret(keys, placeOf(target), target.sealed!)) as StoredSettings[K]

/** Settings as its `deliver` takes them. Throws SecretUnreadable. */
export function settingsOf(keys: EncryptionKeys, target: ChannelTarget, now: number): object | PushAddress {
  if (target.push !== null) return target.push
  if (target.kind !== 'webhook') return openSettings(keys, target as ChannelTarget & { kind: 'slack' })
  const { url, secrets } = openSettings(keys, target as ChannelTarget & { kind: 'webhook' })
  const valid = secrets.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now)
  return { url, secrets: valid.map(({ secret }) => secret) }
}

const PREVIOUS_SECRET_VALID_MS = 24 * 60 * 60_000

/** The previous secret signs too for a day; older ones end. */
export function withNewSecret(stored: StoredSettings['webhook'], now: number): StoredSettings['webhook'] {
  const [previous] = stored.secrets
  const endsAt = new Date(now + PREVIOUS_SECRET_VALID_MS).toISOString()
  const kept = previous === undefined ? [] : [{ ...previous, endsAt }]
  return { ...stored, secrets: [{ secret: newWebhookSecret(), endsAt: null }, ...kept] }
}
