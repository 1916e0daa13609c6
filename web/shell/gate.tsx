import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { WifiOff } from 'lucide-react'
import { Fragment, useState } from 'react'
import { serviceNow } from '../connection/clock.ts'
import { lastContact } from '../connection/contact.ts'
import { tryNow } from '../connection/resume.ts'
import { session } from '../connection/session.ts'
import { useStore } from '../connection/store.ts'
import { Button } from '../parts/button.tsx'
import { Frame } from '../session/frame.tsx'
import { bothTimes } from '../words/times.ts'

/** Admits only signed-in persons; others sign in first and return here. */
export function Gate() {
  const state = useStore(session)
  const { pathname, searchStr } = useLocation()
  if (state.is === 'starting') return <p className="p-6 text-muted">One moment…</p>
  if (state.is === 'unreachable') return <OfflinePage />
  // The address changes before the page: another redirect from there would never end.
  if (state.is === 'out' && pathname === '/sign-in') return null
  if (state.is === 'out') return <Navigate to="/sign-in" search={{ to: pathname + searchStr }} replace />
  return (
    // Forms and open sheets belong to one person.
    <Fragment key={state.user}>
      <Outlet />
    </Fragment>
  )
}

function OfflinePage() {
  const [since] = useState(lastContact)
  return (
    <Frame title="No connection">
      <p role="status" className="flex items-start gap-3">
        <WifiOff aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
        <span>
          {since === null
            ? 'The service cannot be reached.'
            : `No connection since ${bothTimes(since, serviceNow())}.`}{' '}
          It is retried automatically.
        </span>
      </p>
      <p className="text-muted">
        This device keeps no signals, orders or figures, so there is nothing to show. Nothing can be decided
        here, and nothing is sent later automatically. At the service, orders and exits continue.
      </p>
      <Button kind="primary" size="big" onClick={tryNow}>
        Try now
      </Button>
    </Frame>
  )
}
