import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useStore } from '../connection/store.ts'
import { isForShortcuts, useShortcuts } from '../parts/shortcuts.ts'
import { GO, GO_MS, GoKeys } from './keys.ts'
import { keysSheet } from './open.ts'

const KeysSheet = lazy(async () => ({ default: (await import('./keys-sheet.tsx')).KeysSheet }))

/** Keys of every page: G and a letter opens a page, ? lists all keys. */
export function KeysDoor() {
  const { history } = useRouter()
  const isListed = useStore(keysSheet)
  const [isWaiting, setWaiting] = useState(false)
  useShortcuts({ '?': () => keysSheet.set(true) })
  useEffect(() => {
    const keys = new GoKeys()
    let timer: ReturnType<typeof setTimeout> | undefined
    const press = (event: KeyboardEvent): void => {
      if (!isForShortcuts(event)) return
      const to = keys.press(event.key.toLowerCase(), performance.now())
      if (to === undefined) return
      // Runs before the keys of the page, which stay silent meanwhile.
      event.preventDefault()
      event.stopImmediatePropagation()
      clearTimeout(timer)
      setWaiting(to === 'begun')
      if (to === 'begun') timer = setTimeout(() => setWaiting(false), GO_MS)
      else if (to !== null) history.push(to)
    }
    document.addEventListener('keydown', press, { capture: true })
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', press, { capture: true })
    }
  }, [history])
  return (
    <>
      <p
        role="status"
        className="fixed bottom-4 left-1/2 z-20 -translate-x-1/2 rounded-card border border-line bg-surface px-4 py-2 shadow-float empty:hidden"
      >
        {isWaiting &&
          `Go to ${Object.entries(GO)
            .map(([key, { name }]) => `${key.toUpperCase()} ${name}`)
            .join(' · ')}`}
      </p>
      {isListed && (
        <Suspense>
          <KeysSheet />
        </Suspense>
      )}
    </>
  )
}
