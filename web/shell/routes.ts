import { createRootRoute, createRoute } from '@tanstack/react-router'
import { Gate, Shell } from './shell.tsx'

/** Above every page. */
export const root = createRootRoute()
/** Above every page for those who are signed in. */
export const gate = createRoute({ getParentRoute: () => root, id: 'gate', component: Gate })
/** Above every page with the application's frame around it: a room's own `routes.ts` hangs its pages here. */
export const shell = createRoute({ getParentRoute: () => gate, id: 'shell', component: Shell })
