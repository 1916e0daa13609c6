import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useQueue } from '../approvals/queue.ts'
import { useMe } from '../records/person.ts'
import { NotLiveNotice } from './notice.tsx'

/** Tab title, beginning with the mode, so that a tab of real money is distinct. */
export function PageTitle({ name }: { name: string }) {
  const { data: me } = useMe()
  const { data: waiting } = useQueue()
  const count = waiting?.length ?? 0
  return (
    <title>
      {`${me?.tradingMode === 'LIVE' ? '[LIVE] ' : ''}${count > 0 ? `(${count}) ` : ''}${name} · Durable Trader`}
    </title>
  )
}

export const BackLink = ({ to, name }: { to: NonNullable<LinkProps['to']>; name: string }) => (
  <Link to={to} search={{}} className="mb-2 inline-flex min-h-11 items-center gap-2 text-muted desk:min-h-9">
    <ArrowLeft aria-hidden="true" className="size-4" /> {name}
  </Link>
)

interface Props {
  name: string
  title?: ReactNode
  note?: ReactNode
  /** Effect of a missing connection on this page. */
  offline?: string
  children?: ReactNode
}

export const PageHead = ({
  name,
  title = name,
  note,
  offline = 'Last known state. Nothing can be placed, closed or cancelled, and nothing is sent later automatically.',
  children,
}: Props) => (
  <>
    <PageTitle name={name} />
    <div className="mb-4 flex min-h-11 flex-wrap items-center gap-2 desk:min-h-9">
      <h1 className="text-xl font-bold">{title}</h1>
      {note !== undefined && <span className="text-muted">{note}</span>}
      <span className="grow" />
      {children}
    </div>
    <NotLiveNotice>{offline}</NotLiveNotice>
  </>
)
