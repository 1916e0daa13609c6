import { CircleX, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { live, silentSince } from '../connection/live.ts'
import type { Problem } from '../connection/problem.ts'
import { useStore } from '../connection/store.ts'
import { marketTime } from '../words/times.ts'
import { Button } from './button.tsx'

const KINDS = {
  warn: {
    box: 'bg-warn-soft',
    icon: <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  },
  danger: {
    box: 'bg-danger-soft',
    icon: <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
  },
  info: {
    box: 'bg-accent-soft',
    icon: <Info aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />,
  },
} as const

export const Notice = ({
  kind,
  title,
  children,
}: {
  kind: keyof typeof KINDS
  title: string
  children?: ReactNode
}) => (
  <div className={`flex items-start gap-3 rounded-card px-4 py-3 ${KINDS[kind].box}`}>
    {KINDS[kind].icon}
    <div className="min-w-0 grow">
      <p className="font-bold wrap-anywhere">{title}</p>
      {children !== undefined && children !== false && (
        <div className="text-sm wrap-anywhere">{children}</div>
      )}
    </div>
  </div>
)

export const ProblemNotice = ({
  problem,
  title,
  again,
}: {
  problem: Problem
  title?: string
  again?: () => void
}) => (
  <div role="alert">
    <Notice kind="danger" title={title ?? problem.message}>
      {title !== undefined && <p className="text-sm wrap-anywhere">{problem.message}</p>}
      {problem.requestId !== null && problem.status >= 500 && (
        <p className="font-mono text-xs text-muted wrap-anywhere">request {problem.requestId}</p>
      )}
      {again && (
        <Button className="mt-2" onClick={again}>
          Try now
        </Button>
      )}
    </Notice>
  </div>
)

/** Says since when no events arrive; null while they arrive. */
export function NotLiveNotice({ children }: { children: string }) {
  const since = silentSince(useStore(live))
  if (since === null) return null
  return (
    <div className="mb-4">
      <Notice kind="warn" title={`No connection since ${marketTime(since)}`}>
        {children}
      </Notice>
    </div>
  )
}

/** Messages of the service, a paragraph for each. */
export const Messages = ({ of }: { of: readonly { message: string }[] }) =>
  of.map(({ message }) => <p key={message}>{message}</p>)

export const Warning = ({ children }: { children: string }) => (
  <p className="flex gap-2 wrap-anywhere">
    <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
    {children}
  </p>
)
