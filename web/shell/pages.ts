import { ArrowLeftRight, ChartLine, House, Inbox, Layers, ListOrdered, Settings } from 'lucide-react'

/** The pages that the way around names, in its order. On the phone `isTab` ones are tabs; the others are under More. */
export const PAGES = [
  { to: '/approvals', name: 'Approvals', icon: Inbox, isTab: true },
  { to: '/', name: 'Today', icon: House, isTab: true },
  { to: '/orders', name: 'Orders', icon: ListOrdered, isTab: false },
  { to: '/positions', name: 'Positions', icon: Layers, isTab: true },
  { to: '/trades', name: 'Trades', icon: ArrowLeftRight, isTab: false },
  { to: '/performance', name: 'Performance', icon: ChartLine, isTab: false },
  { to: '/settings', name: 'Settings', icon: Settings, isTab: false },
] as const
