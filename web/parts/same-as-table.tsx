import type { ReactNode } from 'react'

export const SameAsTable = ({ children }: { children: ReactNode }) => (
  <details className="border-t border-line">
    <summary className="flex min-h-11 items-center px-4 underline desk:min-h-9">Show as a table</summary>
    {children}
  </details>
)
