import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { limitsSearch } from '../limits/search.ts'

/** Above every page of the set-up: the way around among them. */
export const setupFrame = createRoute({
  getParentRoute: () => shell,
  path: '/set-up',
  component: lazyRouteComponent(() => import('./frame.tsx'), 'SetupFrame'),
})

/** The pages of the set-up, each for one part of it. */
export const setupRoutes = [
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/',
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/brokers',
    component: lazyRouteComponent(() => import('../brokers/page.tsx'), 'BrokersPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/brokers/new',
    component: lazyRouteComponent(() => import('../brokers/connect-page.tsx'), 'ConnectPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/accounts',
    component: lazyRouteComponent(() => import('../accounts/page.tsx'), 'AccountsPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/strategies',
    component: lazyRouteComponent(() => import('../strategies/page.tsx'), 'StrategiesPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/tokens',
    component: lazyRouteComponent(() => import('../tokens/page.tsx'), 'TokensPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/tokens/new',
    component: lazyRouteComponent(() => import('../tokens/new-page.tsx'), 'NewTokenPage'),
  }),
  createRoute({
    getParentRoute: () => setupFrame,
    path: '/limits',
    validateSearch: limitsSearch,
    component: lazyRouteComponent(() => import('../limits/page.tsx'), 'LimitsRoute'),
  }),
] as const
