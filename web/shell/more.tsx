import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { PageTitle } from '../parts/page-head.tsx'
import { useMe } from '../records/person.ts'
import { FindButton } from './palette-door.tsx'
import { CloseAllButton } from './close-all.tsx'
import { pagesFor, UNDER_MORE } from './pages.ts'
import { SignOut } from './sign-out.tsx'

export function MorePage() {
  const { data: me } = useMe()
  return (
    <nav aria-label="More" className="grid max-w-150 gap-4">
      <PageTitle name="More" />
      <div className="flex items-center justify-between gap-3">
        <h1 className="text-xl font-bold">More</h1>
        <FindButton className="desk:hidden" />
      </div>
      <ul className="overflow-clip rounded-card border border-line bg-surface">
        {pagesFor(me, UNDER_MORE).map(({ to, name, icon: Icon }) => (
          <li key={name} className="border-line not-last:border-b">
            <Link to={to} className="flex min-h-13 items-center gap-3 px-4">
              <Icon aria-hidden="true" className="size-5 text-muted" />
              {name}
              <ChevronRight aria-hidden="true" className="ml-auto size-4 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
      <CloseAllButton className="wide:hidden" />
      <div className="flex flex-wrap items-center justify-between gap-3 desk:hidden">
        <p className="text-muted wrap-anywhere">Signed in as {me?.email}</p>
        <SignOut />
      </div>
    </nav>
  )
}
