import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { performanceSearch } from './search.ts'

export const performance = createRoute({
  getParentRoute: () => shell,
  path: '/performance',
  validateSearch: performanceSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'PerformanceRoute'),
})
