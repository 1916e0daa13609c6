import { Problem } from '../connection/problem.ts'
import { worker } from '../connection/worker.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { isAppleMobile, isMadeWith, bytesOf, type DeviceFacts } from './state.ts'
import type { Channel } from './words.ts'

/** Storage key of the id under which the service knows this browser. */
const MARK = 'notifications'

const idHere = (): string | null => localStorage.getItem(MARK)

const isInstalled = (): boolean =>
  matchMedia('(display-mode: standalone)').matches ||
  ('standalone' in navigator && navigator.standalone === true)

export async function readDevice(): Promise<DeviceFacts> {
  const facts = {
    isSecure: isSecureContext,
    isAppleMobile: isAppleMobile(navigator.userAgent, navigator.maxTouchPoints),
    isInstalled: isInstalled(),
  }
  const knowsPush = 'PushManager' in globalThis && 'Notification' in globalThis
  const isThere = knowsPush && 'serviceWorker' in navigator
  // At the first visit the worker is still starting, and there is no subscription to await.
  const registration = isThere
    ? await Promise.race([worker, navigator.serviceWorker.getRegistration()])
    : null
  if (registration === null) return { ...facts, canReceive: false, permission: 'default', id: null }
  const subscription = (await registration?.pushManager.getSubscription()) ?? null
  return {
    ...facts,
    canReceive: true,
    permission: Notification.permission,
    id: subscription && idHere(),
  }
}

const notDone = (code: string, words: string): Problem => new Problem(0, code, words, null)

/**
 * Turns notifications on for this device; browsers ask only on a press. Throws a {@link Problem} when the person or
 * browser does not allow it.
 *
 * @param name as the list shows it
 * @param pushKey the service's public key
 */
export async function turnOn(name: string, pushKey: string): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission === 'denied') throw notDone('BLOCKED', 'The browser blocks notifications of this app.')
  if (permission === 'default')
    throw notDone('NOT_ALLOWED', 'Nothing was changed: you did not allow notifications in the browser.')
  await subscribe({ name }, pushKey)
}

async function subscribe(as: Pick<Channel, 'name'> & Partial<Channel>, pushKey: string): Promise<void> {
  const registration = await worker
  if (!registration) throw notDone('NO_WORKER', 'This browser cannot receive messages.')
  const { pushManager } = registration
  // A subscription with another key would block the new one.
  await (await pushManager.getSubscription())?.unsubscribe()
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(pushKey) })
    .catch(() => {
      throw notDone(
        'NO_PUSH_SERVICE',
        'The push service of this browser did not answer. Check the connection, or try another browser.',
      )
    })
  try {
    const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
    const settings = { endpoint: subscription.endpoint, keys: { p256dh, auth } }
    const { name, urgencies } = as
    const { channel } = await dataOf('POST /api/v1/channels', {
      body: { kind: 'push', name, settings, ...(urgencies && { urgencies }) },
    })
    localStorage.setItem(MARK, channel.id)
  } catch (error) {
    await subscription.unsubscribe()
    throw error
  }
}

/** Removes a channel from the list; this device also stops receiving. */
export async function removeChannel(id: string): Promise<void> {
  if (id === idHere()) await forgetDevice()
  await removeFromList(id)
}

const removeFromList = (channelId: string): Promise<unknown> =>
  ask('DELETE /api/v1/channels/{channelId}', { path: { channelId } })

/** Removes this device from the list at a sign-out; its notifications close once the session has ended. */
export async function leaveDevice(): Promise<void> {
  const id = idHere()
  if (id === null) return
  // Without an answer, the push service later reports the missing device.
  await removeFromList(id).catch(() => undefined)
}

/** Ends this browser's subscription and closes its notifications, so that nothing of a former user remains. */
export async function forgetDevice(): Promise<void> {
  localStorage.removeItem(MARK)
  if (!('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration()
  if (!registration || !('PushManager' in globalThis)) return
  for (const shown of await registration.getNotifications()) shown.close()
  const subscription = await registration.pushManager.getSubscription()
  // A browser without its worker has no subscription.
  await subscription?.unsubscribe().catch(() => registration.unregister())
}

/**
 * Renews the subscription after a new key of the service, or when the browser has dropped it. A removed device stays
 * off.
 */
export async function keepDevice(): Promise<void> {
  const id = idHere()
  if (id === null || !('Notification' in globalThis) || Notification.permission !== 'granted') return
  const registration = await worker
  // One tab renews it, and the others then find it renewed.
  if (registration) await navigator.locks.request(MARK, () => renew(registration))
}

async function renew({ pushManager }: ServiceWorkerRegistration): Promise<void> {
  const { pushKey } = await dataOf('GET /api/v1/app')
  const subscription = await pushManager.getSubscription()
  if (pushKey === null || (subscription && isMadeWith(subscription.options.applicationServerKey, pushKey)))
    return
  const own = (await dataOf('GET /api/v1/channels')).find(({ id }) => id === idHere())
  if (!own) return forgetDevice()
  await subscribe(own, pushKey)
  if (own.id !== idHere()) await removeFromList(own.id)
}
