import { useEffect, useState } from 'react'

/** A number that changes when the theme or the mode of the page does: charts are then drawn in the other colours. */
export function usePalette(): number {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const change = () => setVersion((before) => before + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', change)
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-mode'] })
    return () => {
      dark.removeEventListener('change', change)
      observer.disconnect()
    }
  }, [])
  return version
}
