import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useStore } from '../connection/store.ts'
import { Button, Key } from '../parts/button.tsx'
import { settings } from '../parts/settings.ts'
import { palette } from './open.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const IS_APPLE = /\b(?:Mac|iPhone|iPad)/.test(navigator.userAgent)

export const FindButton = ({ className = '' }: { className?: string }) => (
  <Button aria-haspopup="dialog" onClick={() => palette.set(true)} className={className}>
    <Search aria-hidden="true" className="size-4" />
    Find
    {useStore(settings).shortcuts && <Key>{IS_APPLE ? '⌘ K' : 'Ctrl K'}</Key>}
  </Button>
)

/** The command palette and its key, loaded when first opened. */
export function PaletteDoor() {
  const isOpen = useStore(palette)
  const [wasOpened, setOpened] = useState(false)
  if (isOpen && !wasOpened) setOpened(true)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isOurs = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isOurs || event.altKey || event.shiftKey || event.repeat || !settings.get().shortcuts) return
      // An open question remains until it is answered.
      if (document.querySelector('[role="alertdialog"]')) return
      event.preventDefault()
      palette.set(!palette.get())
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return wasOpened ? (
    <Suspense>
      <Palette />
    </Suspense>
  ) : null
}
