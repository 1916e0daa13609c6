import { createStore } from '../connection/store.ts'
import type { Zone } from '../words/times.ts'

export type Theme = 'system' | 'light' | 'dark'
/** First page; `auto` is Today while setup steps remain, and then Approvals. */
export type FirstPage = 'auto' | '/approvals' | '/' | '/positions'

interface Settings {
  theme: Theme
  /** Shortcuts without a modifier; WCAG 2.1.4 requires a switch. */
  shortcuts: boolean
  zone: Zone
  firstPage: FirstPage
}

const THEMES = ['system', 'light', 'dark'] as const satisfies readonly Theme[]
const SHOWN_ZONES = ['market', 'here', 'utc'] as const satisfies readonly Zone[]
const FIRST_PAGES = ['auto', '/approvals', '/', '/positions'] as const satisfies readonly FirstPage[]

/** The stored value, or the first one. */
function stored<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value {
  const text = localStorage.getItem(name)
  return values.find((value) => value === text) ?? values[0]
}

export const settings = createStore<Settings>({
  theme: stored('theme', THEMES),
  shortcuts: localStorage.getItem('shortcuts') !== 'off',
  zone: stored('zone', SHOWN_ZONES),
  firstPage: stored('first-page', FIRST_PAGES),
})

/** Stores and applies a choice; theme.js applies the theme before the next first paint. */
export function choose(change: Partial<Settings>): void {
  const next = { ...settings.get(), ...change }
  settings.set(next)
  localStorage.setItem('theme', next.theme)
  localStorage.setItem('shortcuts', next.shortcuts ? 'on' : 'off')
  localStorage.setItem('zone', next.zone)
  localStorage.setItem('first-page', next.firstPage)
  if (next.theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = next.theme
}
