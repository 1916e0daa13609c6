import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { live, silentSince } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { useStore } from '../connection/store.ts'
import { ProblemNotice } from './notice.tsx'

/** What is being read, or was, or could not be. */
export type Reading<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'isError'> & {
  refetch: () => unknown
}

interface Props<Data> {
  query: Reading<Data>
  /** What could not be read, such as "The orders". */
  name: string
  /** Lines that stand where the rows will. */
  rows?: number
  /** Stands there instead of such lines. */
  waiting?: ReactNode
  children: (data: Data) => ReactNode
}

/**
 * What was read, or that it is being read, or why it could not be. What was read before stays in sight below the
 * trouble, with the age that it tells itself.
 */
export function Loaded<Data>({ query, name, rows = 4, waiting, children }: Props<Data>) {
  const { data, isError, error, refetch } = query
  const isSilent = silentSince(useStore(live)) !== null
  return (
    <>
      {isError && (
        <div className="p-4">
          <ProblemNotice
            title={`${name} could not be read`}
            problem={asProblem(error)}
            again={() => void refetch()}
          />
        </div>
      )}
      {data === undefined
        ? !isError && (isSilent ? <NotRead /> : (waiting ?? <Waiting rows={rows} />))
        : children(data)}
    </>
  )
}

/** The connection was lost before anything was read. */
export const NotRead = () => (
  <p role="status" className="p-4 text-muted">
    Not loaded before the connection was lost. It loads when the connection is back.
  </p>
)

const Waiting = ({ rows }: { rows: number }) => (
  <div role="status" className="grid gap-5 p-4">
    <span className="sr-only">Loading</span>
    {Array.from({ length: rows }, (_, at) => (
      <div key={at} className="flex h-5 items-center justify-between gap-4">
        <span className="waiting-shape h-3 w-1/3" />
        <span className="waiting-shape h-3 w-1/6" />
      </div>
    ))}
  </div>
)

/** Nothing to show, and why that is so or what would change it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="grid justify-items-center gap-1 px-6 py-10 text-center">
    <p className="font-bold">{title}</p>
    {children !== undefined && <p className="text-muted">{children}</p>}
  </div>
)
