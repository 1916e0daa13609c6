import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'

export const security = createRoute({
  getParentRoute: () => shell,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('./page.tsx'), 'SecurityPage'),
})
