import { Link, type LinkProps } from '@tanstack/react-router'
import {
  ChevronRight,
  KeyRound,
  Layers2,
  PlugZap,
  Scale,
  Wallet,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import { useHooks } from '../hook/data.ts'
import { PageHead } from '../parts/page-head.tsx'
import { useAccountList, useBrokers } from '../records/accounts.ts'
import { useMe, useTokens } from '../records/person.ts'
import { useAllStrategies } from '../strategy/data.ts'
import { FirstSteps } from './first-steps.tsx'
import { accountsNote, brokersNote, hooksNote, strategiesNote, tokensNote } from './words.ts'

export function SetupPage() {
  const { data: brokers } = useBrokers()
  const { data: accounts } = useAccountList()
  const { data: strategies } = useAllStrategies(false)
  const { data: tokens } = useTokens()
  const { data: hooks } = useHooks()
  const { data: me } = useMe()
  const notes = {
    Brokers: brokersNote(brokers),
    Accounts: accountsNote(accounts, me?.tradingMode),
    Strategies: strategiesNote(strategies),
    Hooks: hooksNote(hooks),
    'Access tokens': tokensNote(tokens),
    'Risk limits': '',
  }
  return (
    <div className="max-w-180">
      <PageHead name="Set-up" />
      <div className="grid gap-4">
        <FirstSteps />
        <ul className="overflow-clip rounded-card border border-line bg-surface">
          {PARTS.map((part) => (
            <Part key={part.name} {...part} note={notes[part.name]} />
          ))}
        </ul>
      </div>
    </div>
  )
}

const PARTS = [
  { to: '/set-up/brokers', name: 'Brokers', about: 'Where orders are sent', icon: PlugZap },
  {
    to: '/set-up/accounts',
    name: 'Accounts',
    about: 'Balances, and whether real money is traded',
    icon: Wallet,
  },
  { to: '/set-up/strategies', name: 'Strategies', about: 'Groups of signals', icon: Layers2 },
  { to: '/set-up/hooks', name: 'Hooks', about: 'Addresses for TradingView and other senders', icon: Webhook },
  { to: '/set-up/tokens', name: 'Access tokens', about: 'For scripts and bots', icon: KeyRound },
  { to: '/set-up/limits', name: 'Risk limits', about: 'Limits of every order', icon: Scale },
] as const

interface Props {
  to: NonNullable<LinkProps['to']>
  name: string
  about: string
  /** State of the part; empty while unknown. */
  note: string
  icon: LucideIcon
}

const Part = ({ to, name, about, note, icon: Icon }: Props) => (
  <li className="border-line not-last:border-b">
    <Link to={to} className="flex min-h-16 items-center gap-3 px-4 py-2 hover:bg-sunken">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <span className="min-w-0 grow">
        <span className="block font-medium">{name}</span>
        <span className="block text-xs text-muted">{about}</span>
      </span>
      <span className="max-w-[45%] text-right text-sm">{note}</span>
      <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </Link>
  </li>
)
