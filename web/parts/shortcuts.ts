import { useEffect, useRef } from 'react'
import { settings } from './settings.ts'

const TYPED_INTO = 'input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"]'

/** Whether a key is one of ours: not while somebody types, in dialogs, with a modifier, and when switched off. */
export const isForShortcuts = (event: KeyboardEvent): boolean =>
  settings.get().shortcuts &&
  !event.repeat &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !(event.target instanceof Element && event.target.closest(TYPED_INTO))

/** Actions by key, such as `a`; silent while somebody types, in dialogs, with a modifier, and when switched off. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isForShortcuts(event)) return
      const action = latest.current[event.key.toLowerCase()]
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
