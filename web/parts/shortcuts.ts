import { useEffect, useRef } from 'react'
import { settings } from './settings.ts'

const TYPED_INTO = 'input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"]'

export const isForShortcuts = (event: KeyboardEvent): boolean =>
  settings.get().shortcuts &&
  !event.repeat &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !(event.target instanceof Element && event.target.closest(TYPED_INTO))

/** Binds actions to keys such as `a`; silent while typing, in dialogs, with a modifier, or when switched off. */
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
