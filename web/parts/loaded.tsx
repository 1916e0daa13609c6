import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { live, silentSince } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { useStore } from '../connection/store.ts'
import { ProblemNotice } from './notice.tsx'

export type Reading<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'isError'> & {
  refetch: () => unknown
}

interface Props<Data> {
  query: Reading<Data>
  name: string
  rows?: number
  waiting?: ReactNode
  children: (data: Data) => ReactNode
}

/** Data of a query, or its loading state or problem; older data remains below the problem. */
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

/** Connection lost before any data was read. */
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

/** Empty state, with its reason or remedy. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="grid justify-items-center gap-1 px-6 py-10 text-center">
    <p className="font-bold">{title}</p>
    {children !== undefined && <p className="text-muted">{children}</p>}
  </div>
)
