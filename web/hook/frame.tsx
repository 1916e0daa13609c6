import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Hook } from '#client/types.ts'
import { buttonClass } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { BackLink, PageHead } from '../parts/page-head.tsx'
import { useHook } from './data.ts'
import { KINDS } from './kinds.ts'

const PARTS = [
  { to: '/set-up/hooks/$hook', name: 'Inbox' },
  { to: '/set-up/hooks/$hook/message', name: 'Message' },
  { to: '/set-up/hooks/$hook/settings', name: 'Settings' },
] as const

interface Props {
  id: string
  /** Whether the page is below the inbox. */
  isBelow?: boolean
  children: (hook: Hook) => ReactNode
}

export function HookFrame({ id, isBelow = false, children }: Props) {
  const hook = useHook(id)
  return (
    <div data-mode={hook.data?.live === true ? 'live' : undefined}>
      <BackLink to="/set-up/hooks" name="Hooks" />
      <PageHead
        name={hook.data?.name ?? 'Hook'}
        title={<span className="wrap-anywhere">{hook.data?.name ?? 'Hook'}</span>}
        {...(hook.data && { note: KINDS[hook.data.kind].name })}
        offline="Last known state. Nothing can be changed or sent without a connection."
      >
        <Link to="/signals" search={{ token: id }} className={buttonClass()}>
          Signals<span className="sr-only"> of this hook</span>
        </Link>
        {hook.data && <ModePill isLive={hook.data.live} />}
      </PageHead>
      <nav aria-label="Hook" className="mb-4 border-b border-line">
        <ul className="flex">
          {PARTS.map(({ to, name }) => (
            <li key={to} className="max-desk:grow">
              <Link
                to={to}
                params={{ hook: id }}
                search={{}}
                {...(isBelow && name === 'Inbox' && { 'aria-current': 'true' as const })}
                activeOptions={{ exact: true, includeSearch: false }}
                className="-mb-px flex h-11 items-center justify-center border-b-2 border-transparent px-4 text-muted hover:text-text [&[aria-current]]:border-accent [&[aria-current]]:font-medium [&[aria-current]]:text-text desk:h-9"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Loaded query={hook} name="The hook">
        {children}
      </Loaded>
    </div>
  )
}
