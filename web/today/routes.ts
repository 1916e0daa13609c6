import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'

export const today = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./page.tsx'), 'TodayPage'),
})
