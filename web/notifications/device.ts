import { Problem } from '../connection/problem.ts'
import { worker } from '../connection/worker.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { isAppleMobile, isMadeWith, bytesOf, type DeviceFacts } from './state.ts'

/** Where the browser keeps by which id the service knows it. */
const MARK = 'notifications'

const idHere = (): string | null => localStorage.getItem(MARK)

const isInstalled = (): boolean =>
  matchMedia('(display-mode: standalone)').matches ||
  ('standalone' in navigator && navigator.standalone === true)

/** What this browser tells of itself. */
export async function readDevice(): Promise<DeviceFacts> {
  const facts = {
    isSecure: isSecureContext,
    isAppleMobile: isAppleMobile(navigator.userAgent, navigator.maxTouchPoints),
    isInstalled: isInstalled(),
  }
  const knowsPush = 'PushManager' in globalThis && 'Notification' in globalThis
  const isThere = knowsPush && 'serviceWorker' in navigator
  // At the first visit the worker is only coming, and there is no subscription yet: nothing has to be waited for.
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
 * FairQueue notifications on for this device; called by a press, because only then may a browser ask. Throws a {@link Problem}
 * where the person or the browser does not let it.
 *
 * @param device its name in the list
 * @param pushKey the service's public key
 */
export async function turnOn(device: string, pushKey: string): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission === 'denied') throw notDone('BLOCKED', 'The browser blocks notifications of this app.')
  if (permission === 'default')
    throw notDone('NOT_ALLOWED', 'Nothing was changed: you did not allow notifications in the browser.')
  await subscribe(device, pushKey)
}

async function subscribe(device: string, pushKey: string): Promise<void> {
  const registration = await worker
  if (!registration) throw notDone('NO_WORKER', 'This browser cannot receive messages.')
  const { pushManager } = registration
  // One that was made with another key would stand in the way.
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
    const { body } = await ask('POST /api/v1/push/subscriptions', {
      body: { endpoint: subscription.endpoint, keys: { p256dh, auth }, device },
    })
    localStorage.setItem(MARK, body.data.id)
  } catch (error) {
    await subscription.unsubscribe()
    throw error
  }
}

/** Takes a device off the list; this one stops to receive as well. */
export async function turnOff(id: string): Promise<void> {
  if (id === idHere()) await forgetDevice()
  await ask('DELETE /api/v1/push/subscriptions/{subscriptionId}', { path: { subscriptionId: id } })
}

/** As a person signs out: the device is taken off the list. What it shows is put away when the session has ended. */
export async function leaveDevice(): Promise<void> {
  const id = idHere()
  if (id === null) return
  // Without an answer the push service itself tells the service that nobody is there any more.
  await ask('DELETE /api/v1/push/subscriptions/{subscriptionId}', { path: { subscriptionId: id } }).catch(
    () => undefined,
  )
}

/** Ends what this browser receives and puts away what it shows: nothing of a former user stays on it. */
export async function forgetDevice(): Promise<void> {
  localStorage.removeItem(MARK)
  if (!('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration()
  if (!registration || !('PushManager' in globalThis)) return
  for (const shown of await registration.getNotifications()) shown.close()
  const subscription = await registration.pushManager.getSubscription()
  // Without its worker a browser has no subscription either.
  await subscription?.unsubscribe().catch(() => registration.unregister())
}

/**
 * Subscribes again where messages would not arrive any more: the service has another key, or the browser has dropped the
 * subscription. A device that was taken off the list stays off.
 */
export async function keepDevice(): Promise<void> {
  const id = idHere()
  if (id === null || !('Notification' in globalThis) || Notification.permission !== 'granted') return
  const registration = await worker
  // One tab does it, and the others then see that it is done.
  if (registration) await navigator.locks.request(MARK, () => renew(registration))
}

async function renew({ pushManager }: ServiceWorkerRegistration): Promise<void> {
  const { pushKey } = await dataOf('GET /api/v1/app')
  const subscription = await pushManager.getSubscription()
  if (pushKey === null || (subscription && isMadeWith(subscription.options.applicationServerKey, pushKey)))
    return
  const { data: devices } = (await ask('GET /api/v1/push/subscriptions')).body
  const own = devices.find(({ id }) => id === idHere())
  if (!own) return forgetDevice()
  await subscribe(own.device, pushKey)
  if (own.id === idHere()) return
  await ask('DELETE /api/v1/push/subscriptions/{subscriptionId}', { path: { subscriptionId: own.id } })
}
