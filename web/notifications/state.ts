/** Facts that decide whether a browser can show notifications. */
export interface DeviceFacts {
  /** Opened by https, or on the service's own machine. */
  isSecure: boolean
  /** The service worker runs, and the browser supports push messages. */
  canReceive: boolean
  /** iPhone or iPad, where only apps of the home screen receive messages. */
  isAppleMobile: boolean
  /** Opened from the home screen or as an app of its own. */
  isInstalled: boolean
  permission: NotificationPermission
  /** Id at the service; null where the browser has no subscription. */
  id: string | null
}
type NotificationPermission = 'default' | 'denied' | 'granted'

export type Obstacle = 'off-at-service' | 'insecure' | 'not-installed' | 'unsupported' | 'blocked'
type DeviceState = { is: Obstacle } | { is: 'off'; pushKey: string } | { is: 'on'; id: string }

/**
 * State of notifications on this device; the first obstacle counts.
 *
 * @param pushKey the service's public key; null without notifications
 * @param known ids of channels at the service
 */
export function deviceStateOf(
  { isSecure, canReceive, isAppleMobile, isInstalled, permission, id }: DeviceFacts,
  pushKey: string | null,
  known: readonly string[],
): DeviceState {
  if (pushKey === null) return { is: 'off-at-service' }
  if (!isSecure) return { is: 'insecure' }
  if (isAppleMobile && !isInstalled) return { is: 'not-installed' }
  if (!canReceive) return { is: 'unsupported' }
  if (permission === 'denied') return { is: 'blocked' }
  if (permission === 'granted' && id !== null && known.includes(id)) return { is: 'on', id }
  return { is: 'off', pushKey }
}

/** iPads call themselves Macs, which have no touch screen. */
export const isAppleMobile = (userAgent: string, touchPoints: number): boolean =>
  /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) || (/\bMacintosh\b/.test(userAgent) && touchPoints > 1)

/** Bytes of a base64url key. */
export const bytesOf = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

/** Whether a subscription uses this key of the service; another brings no messages. */
export function isMadeWith(made: ArrayBuffer | null, key: string): boolean {
  const [before, now] = [new Uint8Array(made ?? new ArrayBuffer()), bytesOf(key)]
  return before.length === now.length && before.every((byte, at) => byte === now[at])
}
