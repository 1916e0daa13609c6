import { Link, Outlet } from '@tanstack/react-router'

const PARTS = [
  { to: '/set-up', name: 'Overview' },
  { to: '/set-up/brokers', name: 'Brokers' },
  { to: '/set-up/accounts', name: 'Accounts' },
  { to: '/set-up/strategies', name: 'Strategies' },
  { to: '/set-up/tokens', name: 'Tokens' },
  { to: '/set-up/limits', name: 'Limits' },
] as const

/** The way around the pages of the set-up, above each of them. */
export const SetupFrame = () => (
  <>
    <nav aria-label="Set-up" className="mb-3 border-b border-line">
      <ul className="flex flex-wrap">
        {PARTS.map(({ to, name }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/set-up', includeSearch: false }}
              className="-mb-px inline-flex h-11 items-center border-b-2 border-transparent px-3 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text max-desk:text-sm desk:h-9"
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
