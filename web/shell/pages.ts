import { Inbox, Settings, Zap } from 'lucide-react'

/** The pages that the way around names, in its order. On the phone `isTab` ones are tabs; the others are under More. */
export const PAGES = [
  { to: '/approvals', name: 'Approvals', icon: Inbox, isTab: true },
  { to: '/signals', name: 'Signals', icon: Zap, isTab: true },
  { to: '/settings', name: 'Settings', icon: Settings, isTab: false },
] as const
