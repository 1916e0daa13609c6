import { serviceNow } from './clock.ts'

const KEY = 'last-contact'
/** Milliseconds between two stored times of contact. */
const CONTACT_PAUSE_MS = 5_000
let notedAt = Number.NEGATIVE_INFINITY

/** Stores the time of the last contact, shown when the app opens without a connection. */
export function noteContact(): void {
  if (performance.now() - notedAt < CONTACT_PAUSE_MS) return
  notedAt = performance.now()
  localStorage.setItem(KEY, new Date(serviceNow()).toISOString())
}

/** Time of the last contact, accurate to a few seconds; null if never. */
export const lastContact = (): string | null => localStorage.getItem(KEY)
