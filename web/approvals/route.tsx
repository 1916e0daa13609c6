import { getRouteApi } from '@tanstack/react-router'
import { ApprovalsPage } from './page.tsx'

const route = getRouteApi('/gate/shell/approvals')

export function ApprovalsRoute() {
  const { signal } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <ApprovalsPage
      selected={signal}
      select={(id) => void navigate({ search: id === undefined ? {} : { signal: id }, replace: true })}
    />
  )
}
