import type { ReactNode } from 'react'
import { ChevronRight } from 'lucide-react'

interface Props {
  name: string
  /** How it stands, in sight while it is closed. */
  note: string
  /** It holds what must be seen, such as a fault. */
  isOpen?: boolean
  children: ReactNode
}

/** Choices that are folded away; how they stand is told without opening them. */
export const Disclosure = ({ name, note, isOpen = false, children }: Props) => (
  <details open={isOpen} className="group border-line not-last:border-b">
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
