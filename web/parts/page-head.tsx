import type { ReactNode } from 'react'
import { PageTitle } from './page-title.tsx'
import { OfflineNotice } from './loaded.tsx'

/** The head of a page: its name, a note beside it, and what can be done on it. */
export const PageHead = ({
  name,
  title = name,
  note,
  children,
}: {
  name: string
  title?: ReactNode
  note?: ReactNode
  children?: ReactNode
}) => (
  <>
    <PageTitle name={name} />
    <div className="mb-4 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 desk:min-h-9">
      <h1 className="text-xl font-bold">{title}</h1>
      {note !== undefined && <span className="text-muted">{note}</span>}
      <span className="grow" />
      {children}
    </div>
    <OfflineNotice />
  </>
)
