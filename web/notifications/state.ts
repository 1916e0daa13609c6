import { number } from '../words/figures.ts'

/** What a browser tells of itself that decides whether it can show notifications. */
export interface DeviceFacts {
  /** Opened by https, or on the machine of the service itself. */
  isSecure: boolean
  /** The service worker runs, and the browser knows push messages. */
  canReceive: boolean
  /** iPhone or iPad, where only apps of the home screen get messages. */
  isAppleMobile: boolean
  /** Opened from the home screen or as an app of its own. */
  isInstalled: boolean
  permission: NotificationPermission
  /** What the service knows this device by; null where the browser has no subscription. */
  id: string | null
}
type NotificationPermission = 'default' | 'denied' | 'granted'

/** Why a device can get no notifications. */
export type Obstacle = 'off-at-service' | 'insecure' | 'not-installed' | 'unsupported' | 'blocked'
type DeviceState = { is: Obstacle } | { is: 'off'; pushKey: string } | { is: 'on'; id: string }

/**
 * How this device stands with notifications, the first obstacle first.
 *
 * @param pushKey the service's public key; null where it sends none
 * @param known ids of the devices that the service knows
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

/** The bytes of a key that is written as base64url. */
export const bytesOf = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

/** Whether a subscription was made with this key of the service; another one brings no messages. */
export function isMadeWith(made: ArrayBuffer | null, key: string): boolean {
  const [before, now] = [new Uint8Array(made ?? new ArrayBuffer()), bytesOf(key)]
  return before.length === now.length && before.every((byte, at) => byte === now[at])
}

const messages = (count: number): string => (count === 1 ? '1 message' : `${number(count)} messages`)

/** What came of a test. */
export function testWords({ sent, failed }: { sent: number; failed: number }): string {
  if (sent + failed === 0) return 'Nothing was sent: no device is in the list.'
  if (failed === 0) return `${messages(sent)} sent. It takes a few seconds.`
  const rest = 'Turn notifications off and on again on a device that stays silent.'
  return sent === 0
    ? `No message could be sent. ${rest}`
    : `${messages(sent)} sent, ${number(failed)} could not be. ${rest}`
}
