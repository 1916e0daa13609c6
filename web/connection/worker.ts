import { createStore } from './store.ts'

interface TrustedScripts {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => { createScriptURL: (address: string) => string }
}
declare global {
  /** Absent in browsers without Trusted Types. */
  var trustedTypes: TrustedScripts | undefined
}

const SCRIPT = '/service-worker.js'
/** Milliseconds between requests for a new version from an open page. */
const ASK_AGAIN_MS = 3_600_000

/** Whether a newer version of the app is ready than this page's. */
export const newVersion = createStore(false)

let settle: (registration: ServiceWorkerRegistration | null) => void
/** The active service worker; null without TLS, or where the browser stores nothing. */
export const worker = new Promise<ServiceWorkerRegistration | null>((resolve) => (settle = resolve))

/**
 * Registers the service worker, with which the app opens without a connection and receives messages while closed.
 *
 * @param open goes to the address in a pressed notification
 */
export async function startWorker(open: (address: string) => void): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return settle(null)
  const { serviceWorker } = navigator
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open !== undefined) open(data.open)
  })
  serviceWorker.addEventListener('controllerchange', () => void isOldPage().then(newVersion.set))
  try {
    await serviceWorker.register(trusted(SCRIPT), { updateViaCache: 'none' })
  } catch {
    // The browser stores nothing for this site: the app works only with a connection.
    return settle(null)
  }
  const registration = await serviceWorker.getRegistration()
  if (!registration || !(await works(registration))) return settle(null)
  settle(registration)
  askAgain(registration)
}

/** Resolves with whether a worker is active or becomes active. */
async function works({ active, waiting, installing }: ServiceWorkerRegistration): Promise<boolean> {
  const coming = waiting ?? installing
  if (active || !coming) return active !== null
  return new Promise((resolve) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated' || coming.state === 'redundant') resolve(coming.state === 'activated')
    })
  })
}

/** The address of the worker's script, and no other, past Trusted Types. */
function trusted(address: string): string {
  const rules = {
    createScriptURL(wanted: string): string {
      if (wanted === SCRIPT) return wanted
      throw new TypeError(`No worker is at ${wanted}`)
    },
  }
  return globalThis.trustedTypes?.createPolicy('sw', rules).createScriptURL(address) ?? address
}

/** Looks for a new version when a person returns after a long time. */
function askAgain(registration: ServiceWorkerRegistration): void {
  let askedAt = performance.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || performance.now() - askedAt < ASK_AGAIN_MS) return
    askedAt = performance.now()
    // Without a connection, the next visit asks.
    registration.update().catch(() => undefined)
  })
}

/** Whether the service has a newer page; false while it cannot be asked. */
async function isOldPage(): Promise<boolean> {
  const script = document.querySelector('script[type="module"]')?.getAttribute('src')
  try {
    const answer = await fetch('/index.html', { cache: 'no-cache', redirect: 'error' })
    return answer.ok && typeof script === 'string' && !(await answer.text()).includes(script)
  } catch {
    return false
  }
}
