import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from '@tanstack/react-router'
import { useEffect } from 'react'
import { auditSearch } from './administration/search.ts'
import { alertsSearch } from './alert/search.ts'
import { session } from './connection/session.ts'
import { useStore } from './connection/store.ts'
import { inboxSearch } from './hook/search.ts'
import { newOrderSearch, ordersSearch } from './order/search.ts'
import { pageOf, textOf } from './parts/search.ts'
import { performanceSearch } from './performance/search.ts'
import { positionsSearch } from './position/search.ts'
import { SignInPage } from './session/sign-in.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Gate } from './shell/gate.tsx'
import { readFilters } from './signal/filters.ts'
import { symbolSearch } from './symbol/search.ts'
import { tradesSearch } from './trades/search.ts'

const root = createRootRoute()
/** Root of pages for signed-in persons. */
const gate = createRoute({
  getParentRoute: () => root,
  id: 'gate',
  beforeLoad: ({ location }) => {
    // Before loading any part of the page, which requires a sign-in.
    if (session.get().is === 'out')
      redirect({ to: '/sign-in', search: { to: location.href }, replace: true, throw: true })
  },
  component: Gate,
})
const loaded = <Parts extends Record<string, unknown>>(
  load: () => Promise<Parts>,
  name: keyof Parts,
): RouteComponent => lazyRouteComponent(load, name) as RouteComponent

/** Root of pages inside the application's frame. */
const shell = createRoute({
  getParentRoute: () => gate,
  id: 'shell',
  component: loaded(() => import('./shell/shell.tsx'), 'Shell'),
})

const page = <Path extends string, Parts extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Parts>,
  name: keyof Parts,
) => createRoute({ getParentRoute: () => shell, path, component: loaded(load, name) })

/** A page inside the frame, with its search parameters. */
const searchable = <Path extends string, Search, Parts extends Record<string, unknown>>(
  path: Path,
  validateSearch: (raw: Record<string, unknown>) => Search,
  load: () => Promise<Parts>,
  name: keyof Parts,
) => createRoute({ getParentRoute: () => shell, path, validateSearch, component: loaded(load, name) })

const setup = page('/set-up', () => import('./setup/frame.tsx'), 'SetupFrame')

const setupPage = <Path extends string, Parts extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Parts>,
  name: keyof Parts,
) => createRoute({ getParentRoute: () => setup, path, component: loaded(load, name) })

const letterPages = () => import('./session/letters.tsx')
const letters = <Path extends string>(path: Path, name: keyof Awaited<ReturnType<typeof letterPages>>) =>
  createRoute({ getParentRoute: () => root, path, component: loaded(letterPages, name) })

/** Redirects to the person's first page. */
const START = '/start'

/** Only an address of this application: a sign-in must not return to another site. */
const ownAddress = (to: unknown): string => (typeof to === 'string' && /^\/[a-z]/.test(to) ? to : START)

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    to === undefined ? {} : { to: ownAddress(to) },
  component: SignedOut,
})

function SignedOut() {
  const { to = START } = signIn.useSearch()
  const isIn = useStore(session).is === 'in'
  useEffect(() => {
    if (isIn) router.history.replace(to)
  }, [isIn, to])
  return isIn ? null : <SignInPage />
}

const approvalsSearch = ({ signal }: Record<string, unknown>): { signal?: string } =>
  typeof signal === 'string' ? { signal } : {}
/** A new signal may be copied from an earlier one. */
const newSignalSearch = ({ from }: Record<string, unknown>): { from?: string } =>
  typeof from === 'string' ? { from } : {}

const limits = createRoute({
  getParentRoute: () => setup,
  path: '/limits',
  validateSearch: (raw: Record<string, unknown>) => textOf(raw, 'account'),
  component: loaded(() => import('./risk/page.tsx'), 'LimitsPage'),
})

const inbox = createRoute({
  getParentRoute: () => setup,
  path: '/hooks/$hook',
  validateSearch: inboxSearch,
  component: loaded(() => import('./hook/inbox-page.tsx'), 'InboxRoute'),
})

const device = createRoute({
  getParentRoute: () => gate,
  path: '/device',
  component: loaded(() => import('./session/device.tsx'), 'DevicePage'),
})

const setupPages = [
  setupPage('/', () => import('./setup/overview-page.tsx'), 'SetupPage'),
  setupPage('/brokers', () => import('./broker/page.tsx'), 'BrokersPage'),
  setupPage('/brokers/new', () => import('./broker/connect-page.tsx'), 'ConnectPage'),
  setupPage('/accounts', () => import('./account/page.tsx'), 'AccountsPage'),
  setupPage('/strategies', () => import('./strategy/page.tsx'), 'StrategiesPage'),
  setupPage('/tokens', () => import('./token/page.tsx'), 'TokensPage'),
  setupPage('/tokens/new', () => import('./token/new-page.tsx'), 'NewTokenPage'),
  setupPage('/hooks', () => import('./hook/list-page.tsx'), 'HooksPage'),
  setupPage('/hooks/new', () => import('./hook/new-page.tsx'), 'NewHookPage'),
  setupPage('/hooks/address', () => import('./hook/address-page.tsx'), 'AddressPage'),
  inbox,
  setupPage('/hooks/$hook/requests/$request', () => import('./hook/request-page.tsx'), 'RequestRoute'),
  setupPage('/hooks/$hook/message', () => import('./hook/message-page.tsx'), 'MessageRoute'),
  setupPage('/hooks/$hook/settings', () => import('./hook/settings-page.tsx'), 'HookSettingsRoute'),
  limits,
] as const

const signalPages = () => import('./signal/pages.tsx')
const tradePages = () => import('./trade/new-page.tsx')

const pages = [
  page('/', () => import('./today/page.tsx'), 'TodayPage'),
  page('/start', () => import('./shell/start.tsx'), 'StartPage'),
  searchable('/approvals', approvalsSearch, () => import('./approvals/route.tsx'), 'ApprovalsRoute'),
  searchable('/signals', readFilters, signalPages, 'SignalsRoute'),
  searchable('/signals/new', newSignalSearch, tradePages, 'NewSignalPage'),
  page('/signals/$id', signalPages, 'StoryRoute'),
  searchable('/orders', ordersSearch, () => import('./order/page.tsx'), 'OrdersPage'),
  searchable('/orders/new', newOrderSearch, tradePages, 'NewOrderPage'),
  page('/orders/$order', () => import('./order/order-page.tsx'), 'OrderRoute'),
  searchable('/positions', positionsSearch, () => import('./position/page.tsx'), 'PositionsPage'),
  searchable('/trades', tradesSearch, () => import('./trades/page.tsx'), 'TradesPage'),
  searchable('/symbols/$symbol', symbolSearch, () => import('./symbol/page.tsx'), 'SymbolRoute'),
  searchable('/performance', performanceSearch, () => import('./performance/page.tsx'), 'PerformancePage'),
  searchable(
    '/strategies/$strategy',
    performanceSearch,
    () => import('./strategy/strategy-page.tsx'),
    'StrategyRoute',
  ),
  setup.addChildren(setupPages),
  searchable('/alerts', alertsSearch, () => import('./alert/page.tsx'), 'AlertsPage'),
  searchable('/administration', pageOf, () => import('./administration/users-page.tsx'), 'UsersPage'),
  page('/administration/users/$user', () => import('./administration/user-page.tsx'), 'UserPage'),
  searchable('/administration/log', auditSearch, () => import('./administration/log-page.tsx'), 'LogPage'),
  page('/administration/service', () => import('./administration/service-page.tsx'), 'ServicePage'),
  page('/settings', () => import('./shell/settings.tsx'), 'SettingsPage'),
  page('/settings/security', () => import('./security/page.tsx'), 'SecurityPage'),
  page('/settings/notifications', () => import('./notifications/page.tsx'), 'NotificationsPage'),
  page('/more', () => import('./shell/more.tsx'), 'MorePage'),
] as const

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    letters('/register', 'RegisterPage'),
    letters('/confirm', 'ConfirmPage'),
    letters('/forgot-password', 'ForgotPasswordPage'),
    letters('/reset-password', 'ResetPasswordPage'),
    gate.addChildren([device, shell.addChildren(pages)]),
  ]),
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
