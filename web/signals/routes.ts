import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from '../shell/routes.ts'
import { readFilters } from './filters.ts'

const pages = () => import('./pages.tsx')

export const signals = createRoute({
  getParentRoute: () => shell,
  path: '/signals',
  validateSearch: readFilters,
  component: lazyRouteComponent(pages, 'SignalsRoute'),
})

export const newSignal = createRoute({
  getParentRoute: () => shell,
  path: '/signals/new',
  /** from: a signal that is to be sent again. */
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: lazyRouteComponent(pages, 'NewSignalRoute'),
})

export const story = createRoute({
  getParentRoute: () => shell,
  path: '/signals/$id',
  component: lazyRouteComponent(pages, 'StoryRoute'),
})
