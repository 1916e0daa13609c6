import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { tradesSearch } from './search.ts'

export const trades = createRoute({
  getParentRoute: () => shell,
  path: '/trades',
  validateSearch: tradesSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'TradesRoute'),
})
