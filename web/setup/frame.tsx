import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'

const PARTS = [
  { to: '/set-up', name: 'Overview' },
  { to: '/set-up/brokers', name: 'Brokers' },
  { to: '/set-up/accounts', name: 'Accounts' },
  { to: '/set-up/strategies', name: 'Strategies' },
  { to: '/set-up/hooks', name: 'Hooks' },
  { to: '/set-up/tokens', name: 'Tokens' },
  { to: '/set-up/limits', name: 'Limits' },
] as const

/** Navigation above each page of the set-up; on the phone the overview leads to the others. */
export function SetupFrame() {
  // Deeper pages have their own link back.
  const isPart = /^\/set-up\/[^/]+\/?$/.test(useLocation().pathname)
  return (
    <>
      {isPart && (
        <Link to="/set-up" className="mb-2 inline-flex min-h-11 items-center gap-2 text-muted desk:hidden">
          <ArrowLeft aria-hidden="true" className="size-4" /> Set-up
        </Link>
      )}
      <nav aria-label="Set-up" className="mb-3 border-b border-line max-desk:hidden">
        <ul className="flex">
          {PARTS.map(({ to, name }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/set-up', includeSearch: false }}
                className="-mb-px inline-flex h-9 items-center border-b-2 border-transparent px-3 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  )
}
