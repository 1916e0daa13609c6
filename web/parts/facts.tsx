import type { ReactNode } from 'react'

export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-4 gap-y-2 p-4">{children}</dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="min-w-0 text-muted wrap-anywhere">{name}</dt>
    <dd className="text-right wrap-anywhere">{children}</dd>
  </>
)
