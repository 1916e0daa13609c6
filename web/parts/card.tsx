import type { ReactNode } from 'react'

interface Props {
  title: string
  /** Beside the title: a note, or a control. */
  aside?: ReactNode
  children: ReactNode
}

/** A part of a page under a title of its own. */
export const Card = ({ title, aside, children }: Props) => (
  <section className="min-w-0 overflow-clip rounded-card border border-line bg-surface">
    <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-2">
      <h2 className="font-bold">{title}</h2>
      {aside}
    </header>
    {children}
  </section>
)

/** Pairs of a name and its value, the values to the right. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-4 gap-y-2 p-4">{children}</dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="min-w-0 text-muted wrap-anywhere">{name}</dt>
    <dd className="text-right wrap-anywhere">{children}</dd>
  </>
)
