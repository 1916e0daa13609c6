import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../parts/button.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip } from '../parts/panel.tsx'
import { useMe } from '../records/person.ts'
import type { AdministeredUser } from './data.ts'

const PARTS = [
  { to: '/administration', name: 'Users' },
  { to: '/administration/log', name: 'Log' },
  { to: '/administration/service', name: 'Service' },
] as const

/** Frame of the administration pages, with a notice for persons without access. */
export function Administration({ name, children }: { name: string; children: ReactNode }) {
  const { data: me } = useMe()
  return (
    <>
      <PageHead name={name}>
        <nav aria-label="Administration" className="flex flex-wrap gap-2">
          {PARTS.map((part) => (
            <Link
              key={part.to}
              to={part.to}
              search={{}}
              activeOptions={{ exact: true, includeSearch: false }}
              className={`${buttonClass()} aria-[current=page]:border-accent aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent`}
            >
              {part.name}
            </Link>
          ))}
        </nav>
      </PageHead>
      {me && (me.role === 'admin' && me.mfaEnabled ? children : <Outside role={me.role} />)}
    </>
  )
}

const Outside = ({ role }: { role: 'admin' | 'member' }) => (
  <section className="rounded-card border border-line bg-surface">
    {role === 'member' ? (
      <Empty title="For administrators only">Ask an administrator of this service for what you need.</Empty>
    ) : (
      <Empty title="Administration needs two-step sign-in">
        <span className="mb-4 block">Administrators sign in with a code as well as a password.</span>
        <Link to="/settings/security" className={buttonClass('primary')}>
          Turn it on
        </Link>
      </Empty>
    )}
  </section>
)

export function UserState({ user }: { user: AdministeredUser }) {
  if (user.isDisabled) return <Chip kind="danger">suspended</Chip>
  return user.hasPassword ? <Chip kind="good">active</Chip> : <Chip kind="warn">invited</Chip>
}
