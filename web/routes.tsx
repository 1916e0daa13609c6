import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { useEffect } from 'react'
import { administrationRoutes } from './administration/routes.ts'
import { alerts } from './alerts/routes.ts'
import { ApprovalsPage } from './approvals/page.tsx'
import { useStore } from './connection/store.ts'
import { notifications } from './notifications/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { performance } from './performance/routes.ts'
import { positions } from './positions/routes.ts'
import { security } from './security/routes.ts'
import { session } from './connection/session.ts'
import { SignInPage } from './session/sign-in.tsx'
import { setupFrame, setupRoutes } from './setup/routes.ts'
import { NotFound } from './shell/not-found.tsx'
import { gate, root, shell } from './shell/routes.ts'
import { newSignal, signals, story } from './signals/routes.ts'
import { symbol } from './symbol/routes.ts'
import { today } from './today/routes.ts'
import { trades } from './trades/routes.ts'

/** Only an address of this application: no other site may be the way back from a sign-in. */
const ownAddress = (to: unknown): string =>
  typeof to === 'string' && /^\/[a-z]/.test(to) ? to : '/approvals'

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    to === undefined ? {} : { to: ownAddress(to) },
  component: SignedOut,
})

function SignedOut() {
  const { to = '/approvals' } = signIn.useSearch()
  const isIn = useStore(session).is === 'in'
  useEffect(() => {
    if (isIn) router.history.replace(to)
  }, [isIn, to])
  return isIn ? null : <SignInPage />
}

const letters = <Path extends string>(
  path: Path,
  name: 'RegisterPage' | 'ConfirmPage' | 'ForgotPasswordPage' | 'ResetPasswordPage',
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => import('./session/letters.tsx'), name),
  })

const device = createRoute({
  getParentRoute: () => gate,
  path: '/device',
  component: lazyRouteComponent(() => import('./session/device.tsx'), 'DevicePage'),
})
const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: ({ signal }: Record<string, unknown>): { signal?: string } =>
    typeof signal === 'string' ? { signal } : {},
  component: function Approvals() {
    const { signal } = approvals.useSearch()
    const navigate = approvals.useNavigate()
    return (
      <ApprovalsPage
        selected={signal}
        select={(id) => void navigate({ search: id === undefined ? {} : { signal: id }, replace: true })}
      />
    )
  },
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./shell/settings.tsx'), 'SettingsPage'),
})
const more = createRoute({
  getParentRoute: () => shell,
  path: '/more',
  component: lazyRouteComponent(() => import('./shell/more.tsx'), 'MorePage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    letters('/register', 'RegisterPage'),
    letters('/confirm', 'ConfirmPage'),
    letters('/forgot-password', 'ForgotPasswordPage'),
    letters('/reset-password', 'ResetPasswordPage'),
    gate.addChildren([
      device,
      shell.addChildren([
        today,
        approvals,
        signals,
        newSignal,
        story,
        ...orderRoutes,
        positions,
        trades,
        symbol,
        performance,
        setupFrame.addChildren([...setupRoutes]),
        alerts,
        ...administrationRoutes,
        settings,
        security,
        notifications,
        more,
      ]),
    ]),
  ]),
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
