import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  type RouteComponent,
} from '@tanstack/react-router'
import { useEffect } from 'react'
import { auditSearch } from './administration/search.ts'
import { alertsSearch } from './alerts/search.ts'
import { ApprovalsPage } from './approvals/page.tsx'
import { session } from './connection/session.ts'
import { useStore } from './connection/store.ts'
import { newOrderSearch, ordersSearch } from './orders/search.ts'
import { pageOf, textOf } from './parts/search.ts'
import { performanceSearch } from './performance/search.ts'
import { SignInPage } from './session/sign-in.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Gate, Shell } from './shell/shell.tsx'
import { readFilters } from './signals/filters.ts'
import { symbolSearch } from './symbol/search.ts'
import { tradesSearch } from './trades/search.ts'

/** Above every page. */
const root = createRootRoute()
/** Above every page for those who are signed in. */
const gate = createRoute({ getParentRoute: () => root, id: 'gate', component: Gate })
/** Above every page with the application's frame around it. */
const shell = createRoute({ getParentRoute: () => gate, id: 'shell', component: Shell })
/** Above every page of the set-up: the way around among them. */
const setup = createRoute({
  getParentRoute: () => shell,
  path: '/set-up',
  component: lazy(() => import('./setup/frame.tsx'), 'SetupFrame'),
})

/** A page inside the frame. */
const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => shell, path, component })

/** A page inside the frame, with what it reads of its address. */
const searchable = <Path extends string, Search>(
  path: Path,
  validateSearch: (raw: Record<string, unknown>) => Search,
  component: RouteComponent,
) => createRoute({ getParentRoute: () => shell, path, validateSearch, component })

const setupPage = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => setup, path, component })

const letters = <Path extends string>(
  path: Path,
  name: 'RegisterPage' | 'ConfirmPage' | 'ForgotPasswordPage' | 'ResetPasswordPage',
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazy(() => import('./session/letters.tsx'), name),
  })

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
/** A new signal may be filled from one that was sent before. */
const newSignalSearch = ({ from }: Record<string, unknown>): { from?: string } =>
  typeof from === 'string' ? { from } : {}

const limits = createRoute({
  getParentRoute: () => setup,
  path: '/limits',
  validateSearch: (raw: Record<string, unknown>) => textOf(raw, 'account'),
  component: lazy(() => import('./limits/page.tsx'), 'LimitsPage'),
})
const device = createRoute({
  getParentRoute: () => gate,
  path: '/device',
  component: lazy(() => import('./session/device.tsx'), 'DevicePage'),
})
const signalPages = () => import('./signals/pages.tsx')

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
        page(
          '/',
          lazy(() => import('./today/page.tsx'), 'TodayPage'),
        ),
        approvals,
        searchable('/signals', readFilters, lazy(signalPages, 'SignalsRoute')),
        searchable('/signals/new', newSignalSearch, lazy(signalPages, 'NewSignalRoute')),
        page('/signals/$id', lazy(signalPages, 'StoryRoute')),
        searchable(
          '/orders',
          ordersSearch,
          lazy(() => import('./orders/page.tsx'), 'OrdersPage'),
        ),
        searchable(
          '/orders/new',
          newOrderSearch,
          lazy(() => import('./orders/new-page.tsx'), 'NewOrderPage'),
        ),
        page(
          '/orders/$order',
          lazy(() => import('./orders/order-page.tsx'), 'OrderRoute'),
        ),
        page(
          '/positions',
          lazy(() => import('./positions/page.tsx'), 'PositionsPage'),
        ),
        searchable(
          '/trades',
          tradesSearch,
          lazy(() => import('./trades/page.tsx'), 'TradesPage'),
        ),
        searchable(
          '/symbols/$symbol',
          symbolSearch,
          lazy(() => import('./symbol/page.tsx'), 'SymbolRoute'),
        ),
        searchable(
          '/performance',
          performanceSearch,
          lazy(() => import('./performance/page.tsx'), 'PerformancePage'),
        ),
        setup.addChildren([
          setupPage(
            '/',
            lazy(() => import('./setup/overview-page.tsx'), 'SetupPage'),
          ),
          setupPage(
            '/brokers',
            lazy(() => import('./brokers/page.tsx'), 'BrokersPage'),
          ),
          setupPage(
            '/brokers/new',
            lazy(() => import('./brokers/connect-page.tsx'), 'ConnectPage'),
          ),
          setupPage(
            '/accounts',
            lazy(() => import('./accounts/page.tsx'), 'AccountsPage'),
          ),
          setupPage(
            '/strategies',
            lazy(() => import('./strategies/page.tsx'), 'StrategiesPage'),
          ),
          setupPage(
            '/tokens',
            lazy(() => import('./tokens/page.tsx'), 'TokensPage'),
          ),
          setupPage(
            '/tokens/new',
            lazy(() => import('./tokens/new-page.tsx'), 'NewTokenPage'),
          ),
          limits,
        ]),
        searchable(
          '/alerts',
          alertsSearch,
          lazy(() => import('./alerts/page.tsx'), 'AlertsPage'),
        ),
        searchable(
          '/administration',
          pageOf,
          lazy(() => import('./administration/users-page.tsx'), 'UsersPage'),
        ),
        page(
          '/administration/users/$user',
          lazy(() => import('./administration/user-page.tsx'), 'UserPage'),
        ),
        searchable(
          '/administration/log',
          auditSearch,
          lazy(() => import('./administration/log-page.tsx'), 'LogPage'),
        ),
        page(
          '/administration/service',
          lazy(() => import('./administration/service-page.tsx'), 'ServicePage'),
        ),
        page(
          '/settings',
          lazy(() => import('./shell/settings.tsx'), 'SettingsPage'),
        ),
        page(
          '/settings/security',
          lazy(() => import('./security/page.tsx'), 'SecurityPage'),
        ),
        page(
          '/settings/notifications',
          lazy(() => import('./notifications/page.tsx'), 'NotificationsPage'),
        ),
        page(
          '/more',
          lazy(() => import('./shell/more.tsx'), 'MorePage'),
        ),
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
