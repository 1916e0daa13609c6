import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'

export const positions = createRoute({
  getParentRoute: () => shell,
  path: '/positions',
  component: lazyRouteComponent(() => import('./page.tsx'), 'PositionsPage'),
})
