import { dropOldBuilds, FILES, file, hashedFile, keepFiles, page } from './files.ts'
import { noticeOf, ownAddress, type Notice } from './notices.ts'
import { NOT_OF_THE_APP } from '#domain/hook/host-name.ts'
import { wayOf } from './ways.ts'

declare const self: ServiceWorkerGlobalScope

/** An install event of browsers that support static routes past the worker. */
interface RoutedInstall {
  addRoutes?: (rules: { condition: { urlPattern: string }; source: 'network' }[]) => Promise<void>
}

// A new worker activates at once: files of earlier builds remain, so that no open tab misses a part.
self.addEventListener('install', (event) => {
  void self.skipWaiting()
  event.waitUntil(Promise.all([keepFiles(), letApiPass(event as RoutedInstall)]))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([dropOldBuilds(), self.clients.claim()]))
})

/** API requests do not wait for the worker to start, in browsers that support static routes. */
async function letApiPass(event: RoutedInstall): Promise<void> {
  await event.addRoutes?.(
    NOT_OF_THE_APP.flatMap((path) => [path, `${path}/*`]).map((urlPattern) => ({
      condition: { urlPattern },
      source: 'network',
    })),
  )
}

const ANSWERS = { page, file, hashed: hashedFile }

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  const way = wayOf(pathname, request.mode === 'navigate', FILES)
  if (way !== 'network') event.respondWith(ANSWERS[way](request))
})

self.addEventListener('push', (event) => {
  const notice = noticeOf(event.data?.text() ?? null, Date.now())
  if (notice) event.waitUntil(show(notice))
})

async function show(notice: Notice): Promise<void> {
  const { title, body, tag, url, staysOpen, isSilent, hasEnded } = notice
  const [before, windows] = [await self.registration.getNotifications({ tag }), await openWindows()]
  await self.registration.showNotification(title, {
    body,
    tag,
    silent: isSilent,
    requireInteraction: staysOpen,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { url },
  })
  // Browsers require that each message is shown. If no person needs it, it is closed again.
  const isSeenAnyway = windows.some(({ visibilityState }) => visibilityState === 'visible')
  if (hasEnded && (before.length === 0 || isSeenAnyway))
    for (const shown of await self.registration.getNotifications({ tag })) shown.close()
}

const openWindows = (): Promise<readonly WindowClient[]> =>
  self.clients.matchAll({ type: 'window', includeUncontrolled: true })

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { url } = (event.notification.data ?? {}) as { url?: unknown }
  event.waitUntil(open(ownAddress(url)))
})

/** Opens an address in an open tab without a reload, or in a new window. */
async function open(url: string): Promise<void> {
  const windows = await openWindows()
  const tab = windows.find(({ focused }) => focused) ?? windows.at(0)
  if (!tab) return void (await self.clients.openWindow(url))
  tab.postMessage({ open: url })
  await tab.focus()
}
