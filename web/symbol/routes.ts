import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { symbolSearch } from './search.ts'

export const symbol = createRoute({
  getParentRoute: () => shell,
  path: '/symbols/$symbol',
  validateSearch: symbolSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'SymbolRoute'),
})
