import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'

interface Props {
  name: string
  note: string
  /** Opens for content that must be seen, such as a fault; only its person closes it. */
  isOpen?: boolean
  children: ReactNode
}

export function Disclosure({ name, note, isOpen = false, children }: Props) {
  const [isShown, show] = useState(isOpen)
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (wasOpen !== isOpen) {
    setWasOpen(isOpen)
    if (isOpen) show(true)
  }
  return (
    <details
      open={isShown}
      onToggle={({ currentTarget }) => show(currentTarget.open)}
      className="group border-line not-last:border-b"
    >
      <summary className="flex min-h-13 cursor-pointer list-none items-center gap-3 px-4 py-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted group-open:rotate-90" />
        <span className="min-w-0 grow">
          <span className="block font-medium">{name}</span>
          <span className="block text-xs text-muted wrap-anywhere">{note}</span>
        </span>
      </summary>
      <div className="grid gap-4 px-4 pt-1 pb-5">{children}</div>
    </details>
  )
}
