import { WifiOff } from 'lucide-react'
import { useState } from 'react'
import { serviceNow } from '../connection/clock.ts'
import { lastContact } from '../connection/contact.ts'
import { Button } from '../parts/button.tsx'
import { Frame } from '../session/frame.tsx'
import { tryNow } from '../connection/resume.ts'
import { bothTimes } from '../words/times.ts'

/** The app was opened while the service cannot be reached: that this is so and since when, and that nothing is done meanwhile. */
export function OfflinePage() {
  const [since] = useState(lastContact)
  return (
    <Frame title="No connection">
      <p role="status" className="flex items-start gap-3">
        <WifiOff aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
        <span>
          {since === null
            ? 'The service cannot be reached.'
            : `No connection since ${bothTimes(since, serviceNow())}.`}{' '}
          It is tried again by itself.
        </span>
      </p>
      <p className="text-muted">
        This device keeps no signals, orders or figures, so there is nothing to show. Nothing can be decided
        here, and nothing is sent later by itself. At the service, orders and exits go on.
      </p>
      <Button kind="primary" size="big" onClick={tryNow}>
        Try now
      </Button>
    </Frame>
  )
}
