import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { newOrderSearch, ordersSearch } from './search.ts'

export const orderRoutes = [
  createRoute({
    getParentRoute: () => shell,
    path: '/orders',
    validateSearch: ordersSearch,
    component: lazyRouteComponent(() => import('./page.tsx'), 'OrdersRoute'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/orders/new',
    validateSearch: newOrderSearch,
    component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewOrderRoute'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/orders/$order',
    component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderRoute'),
  }),
] as const
