import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Hook } from '#client/types.ts'
import { buttonClass } from '../parts/button.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { age } from '../words/times.ts'
import { useRequests } from './data.ts'
import { MessagePanel } from './message-panel.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import { ShownAddress } from './shown-address.tsx'

export function Made({ hook, url }: { hook: Hook; url: string }) {
  const heading = useRef<HTMLDivElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="grid gap-4">
      <div ref={heading} tabIndex={-1} className="outline-none">
        <Panel title="1. The address of the alert">
          <div className="grid gap-3 p-4">
            <ShownAddress url={url} />
          </div>
        </Panel>
      </div>
      <MessagePanel hook={hook} title="2. The message of the alert" />
      <FirstRequest hook={hook} />
      <Link
        to="/set-up/hooks/$hook"
        params={{ hook: hook.id }}
        search={{}}
        className={`${buttonClass('plain', 'big')} justify-self-start`}
      >
        I have copied both
      </Link>
    </div>
  )
}

function FirstRequest({ hook: { id } }: { hook: Hook }) {
  const { data: requests } = useRequests(id, {})
  const now = useNow()
  const first = requests?.requests.findLast(({ via }) => via === 'sender')
  return (
    <Panel title="3. The first request">
      <div role="status" className="flex items-start gap-3 p-4">
        {first === undefined ? (
          <>
            <LoaderCircle aria-hidden="true" className="mt-0.5 size-4 shrink-0 animate-spin text-muted" />
            <p className="text-muted">
              Waiting for it. This line updates automatically; you can leave the page.
            </p>
          </>
        ) : (
          <>
            <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
            <div className="grid min-w-0 gap-1">
              <p>
                <b className="font-bold">It has come</b>, {age(now - Date.parse(first.receivedAt))}.{' '}
                <OutcomeChip outcome={first.outcome} />
              </p>
              <p className="text-muted wrap-anywhere">{first.message ?? first.excerpt}</p>
              <Link
                to="/set-up/hooks/$hook/requests/$request"
                params={{ hook: id, request: first.id }}
                className="inline-flex min-h-11 items-center underline desk:min-h-6"
              >
                See its outcome
              </Link>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}
