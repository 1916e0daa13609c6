import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageOf } from '../parts/search.ts'
import { shell } from '../shell/routes.ts'
import { auditSearch } from './search.ts'

export const administrationRoutes = [
  createRoute({
    getParentRoute: () => shell,
    path: '/administration',
    validateSearch: pageOf,
    component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/administration/users/$user',
    component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/administration/log',
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('./log-page.tsx'), 'LogPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/administration/service',
    component: lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
  }),
] as const
