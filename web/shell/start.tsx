import { Navigate } from '@tanstack/react-router'
import { useStore } from '../connection/store.ts'
import { PageTitle } from '../parts/page-head.tsx'
import { settings } from '../parts/settings.ts'
import { useHasSignal } from '../setup/first-steps.tsx'

/** Opens the person's first page: the chosen one, or the first steps until a signal was sent. */
export function StartPage() {
  const { firstPage } = useStore(settings)
  const hasSignal = useHasSignal()
  if (firstPage !== 'auto') return <Navigate to={firstPage} replace />
  if (hasSignal === undefined) return <PageTitle name="Durable Trader" />
  return <Navigate to={hasSignal ? '/approvals' : '/'} replace />
}
