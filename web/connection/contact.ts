import { serviceNow } from './clock.ts'

const KEY = 'last-contact'
/** Milliseconds between two notes, however often the service speaks. */
const CONTACT_PAUSE_MS = 5_000
let notedAt = Number.NEGATIVE_INFINITY

/** Notes that the service spoke just now, so that the app can tell it when it is opened without a connection. */
export function noteContact(): void {
  if (performance.now() - notedAt < CONTACT_PAUSE_MS) return
  notedAt = performance.now()
  localStorage.setItem(KEY, new Date(serviceNow()).toISOString())
}

/** When the service last spoke to this browser, true to a few seconds; null when it never did. */
export const lastContact = (): string | null => localStorage.getItem(KEY)
