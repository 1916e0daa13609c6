import { createStore } from '../connection/store.ts'

export type Theme = 'system' | 'light' | 'dark'

/** What a person chose for this device. */
interface Settings {
  theme: Theme
  /** Keys without a modifier; WCAG 2.1.4 wants them switchable. */
  shortcuts: boolean
}

const isTheme = (text: string | null): text is Theme =>
  text === 'light' || text === 'dark' || text === 'system'
const stored = localStorage.getItem('theme')

export const settings = createStore<Settings>({
  theme: isTheme(stored) ? stored : 'system',
  shortcuts: localStorage.getItem('shortcuts') !== 'off',
})

/** Keeps a choice and applies it at once; theme.js applies it before the next first paint. */
export function choose(change: Partial<Settings>): void {
  const next = { ...settings.get(), ...change }
  settings.set(next)
  localStorage.setItem('theme', next.theme)
  localStorage.setItem('shortcuts', next.shortcuts ? 'on' : 'off')
  if (next.theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = next.theme
}
