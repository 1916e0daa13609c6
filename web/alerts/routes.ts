import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { alertsSearch } from './search.ts'

export const alerts = createRoute({
  getParentRoute: () => shell,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'AlertsPage'),
})
