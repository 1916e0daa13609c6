import { createStore } from '../connection/store.ts'
import type { Zone } from '../words/times.ts'

const KEY = 'timeline-zone'
const stored = localStorage.getItem(KEY)

/** The zone that a person chose for this device. */
export const zone = createStore<Zone>(stored === 'here' || stored === 'utc' ? stored : 'market')

export function chooseZone(next: Zone): void {
  zone.set(next)
  localStorage.setItem(KEY, next)
}
