import { createStore } from './store.ts'

interface TrustedScripts {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => { createScriptURL: (address: string) => string }
}
declare global {
  /** Absent in browsers that do not know Trusted Types. */
  var trustedTypes: TrustedScripts | undefined
}

const SCRIPT = '/service-worker.js'
/** Milliseconds between two questions for a new version from a page that stays open. */
const ASK_AGAIN_MS = 3_600_000

/** A newer version of the app is ready, and this page is still the one before. */
export const newVersion = createStore(false)

let settle: (registration: ServiceWorkerRegistration | null) => void
/** The service worker once it works; null where there is none: without TLS, or where the browser keeps nothing. */
export const worker = new Promise<ServiceWorkerRegistration | null>((resolve) => (settle = resolve))

/**
 * Puts the service worker to work, once a page: the app then opens without a connection, and messages reach it while it is
 * closed.
 *
 * @param open goes to an address of the app, which a pressed notification names
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
    // The browser keeps nothing for this site: the app works, but only with a connection.
    return settle(null)
  }
  const registration = await serviceWorker.getRegistration()
  if (!registration || !(await works(registration))) return settle(null)
  settle(registration)
  askAgain(registration)
}

/** Whether there is a worker, or the one that is being installed begins to work. */
async function works({ active, waiting, installing }: ServiceWorkerRegistration): Promise<boolean> {
  const coming = waiting ?? installing
  if (active || !coming) return active !== null
  return new Promise((resolve) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated' || coming.state === 'redundant') resolve(coming.state === 'activated')
    })
  })
}

/** The address of the worker's script, and of no other, past Trusted Types. */
function trusted(address: string): string {
  const rules = {
    createScriptURL(wanted: string): string {
      if (wanted === SCRIPT) return wanted
      throw new TypeError(`No worker is at ${wanted}`)
    },
  }
  return globalThis.trustedTypes?.createPolicy('sw', rules).createScriptURL(address) ?? address
}

/** Looks for a new version when a person comes back to a page that stayed open for long. */
function askAgain(registration: ServiceWorkerRegistration): void {
  let askedAt = performance.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || performance.now() - askedAt < ASK_AGAIN_MS) return
    askedAt = performance.now()
    // Without a connection it is asked for the next time.
    registration.update().catch(() => undefined)
  })
}

/** Whether the service now has another page than this one; false while it cannot be asked. */
async function isOldPage(): Promise<boolean> {
  const script = document.querySelector('script[type="module"]')?.getAttribute('src')
  try {
    const answer = await fetch('/index.html', { cache: 'no-cache', redirect: 'error' })
    return answer.ok && typeof script === 'string' && !(await answer.text()).includes(script)
  } catch {
    return false
  }
}
