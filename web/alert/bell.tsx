import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useQuiet } from '../connection/quiet.ts'
import { number } from '../words/figures.ts'
import { isUnseen, useOpenAlerts } from './list.ts'

/**
 * Number of unseen alerts, kept up to date by the stream. It is read after the page's content: a waiting card comes
 * first.
 */
export function AlertsBell() {
  const { data } = useOpenAlerts({ enabled: useQuiet() })
  const unseen = (data?.alerts ?? []).filter(isUnseen).length
  const words = unseen === 0 ? 'Alerts' : `Alerts, ${number(unseen)} not seen`
  return (
    <>
      <Link
        to="/alerts"
        search={{}}
        aria-label={words}
        className="relative inline-flex size-11 shrink-0 items-center justify-center rounded-control border border-edge bg-surface hover:bg-sunken desk:size-8"
      >
        <Bell aria-hidden="true" className="size-4" />
        {unseen > 0 && (
          <span
            aria-hidden="true"
            className="absolute -top-1.5 -right-1.5 min-w-5 rounded-full bg-danger-fill px-1 text-center text-xs leading-5 font-bold text-on-fill"
          >
            {unseen > 99 ? '99+' : unseen}
          </span>
        )}
      </Link>
      <span role="status" className="sr-only">
        {unseen > 0 && words}
      </span>
    </>
  )
}
