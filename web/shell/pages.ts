import type { LinkProps } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  ChartLine,
  Ellipsis,
  House,
  Inbox,
  Layers,
  ListOrdered,
  Settings,
  ShieldUser,
  Wrench,
  Zap,
  type LucideIcon,
} from 'lucide-react'

export interface Page {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: LucideIcon
  /** Whether the phone shows a tab for it, or an entry under More. */
  isTab: boolean
  isForAdministrators?: true
}

export const PAGES: readonly Page[] = [
  { to: '/approvals', name: 'Approvals', icon: Inbox, isTab: true },
  { to: '/', name: 'Today', icon: House, isTab: true },
  { to: '/signals', name: 'Signals', icon: Zap, isTab: true },
  { to: '/orders', name: 'Orders', icon: ListOrdered, isTab: false },
  { to: '/positions', name: 'Positions', icon: Layers, isTab: true },
  { to: '/trades', name: 'Trades', icon: ArrowLeftRight, isTab: false },
  { to: '/performance', name: 'Performance', icon: ChartLine, isTab: false },
  { to: '/set-up', name: 'Set-up', icon: Wrench, isTab: false },
  { to: '/settings', name: 'Settings', icon: Settings, isTab: false },
  {
    to: '/administration',
    name: 'Administration',
    icon: ShieldUser,
    isTab: false,
    isForAdministrators: true,
  },
]

export const pagesFor = (me: { role: string } | undefined, pages: readonly Page[]): readonly Page[] =>
  pages.filter(({ isForAdministrators }) => isForAdministrators !== true || me?.role === 'admin')

export const UNDER_MORE = PAGES.filter(({ isTab }) => !isTab)
const MORE: Page = { to: '/more', name: 'More', icon: Ellipsis, isTab: true }

/** Tabs of the phone. A single page without a tab takes the place of More. */
export const TABS: readonly Page[] = [
  ...PAGES.filter(({ isTab }) => isTab),
  ...(UNDER_MORE.length === 1 ? UNDER_MORE : [MORE]),
]
