import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { browserForTests } from '../api/support/push.ts'
import { decrypted, type PushRequest, type PushService } from '../api/support/push-service.ts'
import { workerOf, type App, type Device } from './browser.ts'

/** A notification that the browser shows. */
export interface Shown {
  title: string
  body: string
  tag: string
  actions: number
}

/**
 * Pages whose browser subscribes at a push service of the test. Everything else is Chromium's own: the worker, the
 * messages that reach it, and the notifications that it shows.
 */
export function usePush(app: App, pushService: () => PushService) {
  /** Signs in at the notifications, in a browser that can receive them. */
  async function openNotifications(device: Device = {}) {
    const keys = browserForTests('')
    const path = `/${randomUUID()}`
    const page = await app.browse({ hasWorker: true, mayNotify: true, ...device })
    await page.addInitScript(pushStub(pushService().origin + path, keys.channel.settings.keys))
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    await workerOf(page)
    return { page, messages: () => messagesFor(path, keys) }
  }
  const messagesFor = (path: string, keys: Parameters<typeof decrypted>[1]) =>
    pushService()
      .requests.filter((request) => request.path.startsWith(path))
      .map((request: PushRequest) => decrypted(request, keys))

  return {
    openNotifications,
    /** As {@link openNotifications}, with notifications turned on. */
    async turnedOn(device?: Device) {
      const opened = await openNotifications(device)
      await opened.page.getByRole('button', { name: 'Turn on notifications' }).click()
      await opened.page.getByText('On.', { exact: true }).waitFor()
      return opened
    },
    /** Hands a message to the worker, as the browser does when it comes from a push service. */
    async deliver(page: Page, message: object): Promise<void> {
      const session = await page.context().newCDPSession(page)
      const found = new Promise<string>((resolve) => {
        session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          for (const { scopeURL, registrationId } of registrations)
            if (scopeURL.startsWith(app.origin)) resolve(registrationId)
        })
      })
      await session.send('ServiceWorker.enable')
      const registrationId = await found
      const data = JSON.stringify(message)
      await session.send('ServiceWorker.deliverPushMessage', { origin: app.origin, registrationId, data })
      await session.detach()
    },
    shown: (page: Page) =>
      page.evaluate<Shown[]>(`navigator.serviceWorker.getRegistration()
        .then((own) => own.getNotifications())
        .then((all) => all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.length })))`),
    /** Presses the notification of a tag. The event is made by script, so that the browser lets it focus no window. */
    async press(page: Page, tag: string): Promise<void> {
      const [worker] = page.context().serviceWorkers()
      assert.ok(worker)
      await worker.evaluate(`registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(([notification]) => {
        const event = new NotificationEvent('notificationclick', { notification })
        Object.defineProperty(event, 'waitUntil', { value: (work) => work.catch(() => undefined) })
        dispatchEvent(event)
      })`)
    },
    /** The key that the browser has subscribed with, by its bytes; null where it has not. */
    keyOf: (page: Page) =>
      page.evaluate<number[] | null>(`navigator.serviceWorker.getRegistration()
        .then((own) => own.pushManager.getSubscription())
        .then((own) => own && [...new Uint8Array(own.options.applicationServerKey)])`),
    /** The browsers that the service knows, of all users. */
    known: () =>
      app.stack.query<{ name: string }>(`select name from channels where kind = 'push' order by name`),
  }
}

/** Subscribing needs a push service that Chromium knows by itself. */
const pushStub = (endpoint: string, keys: object): string => `
  const KEY = 'subscription-of-the-test'
  globalThis.permissionsAsked = 0
  const made = ({ endpoint, key }) => ({
    endpoint,
    options: { userVisibleOnly: true, applicationServerKey: Uint8Array.from(key).buffer },
    toJSON: () => ({ endpoint, keys: ${JSON.stringify(keys)} }),
    unsubscribe: async () => (localStorage.removeItem(KEY), true),
  })
  if (globalThis.PushManager) {
    PushManager.prototype.getSubscription = async () => {
      const kept = localStorage.getItem(KEY)
      return kept && made(JSON.parse(kept))
    }
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const kept = { endpoint: '${endpoint}/' + performance.now(), key: [...new Uint8Array(applicationServerKey)] }
      localStorage.setItem(KEY, JSON.stringify(kept))
      return made(kept)
    }
    const ask = Notification.requestPermission.bind(Notification)
    Notification.requestPermission = () => (globalThis.permissionsAsked++, ask())
  }`
