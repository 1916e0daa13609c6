import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronRight, KeyRound, Layers2, PlugZap, Scale, Wallet, type LucideIcon } from 'lucide-react'
import { PageHead } from '../parts/page-head.tsx'
import { useAccountList, useBrokers } from '../records/accounts.ts'
import { useMe, useTokens } from '../records/person.ts'
import { useAllStrategies } from '../strategies/data.ts'
import { FirstSteps } from './first-steps.tsx'
import { accountsNote, brokersNote, strategiesNote, tokensNote } from './words.ts'

/** What is set up so far, and the way to each part. */
export function SetupPage() {
  const { data: brokers } = useBrokers()
  const { data: accounts } = useAccountList()
  const { data: strategies } = useAllStrategies(false)
  const { data: tokens } = useTokens()
  const { data: me } = useMe()
  return (
    <div className="max-w-180">
      <PageHead name="Set-up" />
      <div className="grid gap-4">
        <FirstSteps />
        <ul className="overflow-clip rounded-card border border-line bg-surface">
          <Part
            to="/set-up/brokers"
            name="Brokers"
            about="Where orders are sent to"
            note={brokersNote(brokers)}
            icon={PlugZap}
          />
          <Part
            to="/set-up/accounts"
            name="Accounts"
            about="Balances, and whether real money is traded"
            note={accountsNote(accounts, me?.tradingMode)}
            icon={Wallet}
          />
          <Part
            to="/set-up/strategies"
            name="Strategies"
            about="Signals that belong together"
            note={strategiesNote(strategies)}
            icon={Layers2}
          />
          <Part
            to="/set-up/tokens"
            name="Access tokens"
            about="For TradingView, scripts and bots"
            note={tokensNote(tokens)}
            icon={KeyRound}
          />
          <Part
            to="/set-up/limits"
            name="Risk limits"
            about="What no order may exceed"
            note=""
            icon={Scale}
          />
        </ul>
      </div>
    </div>
  )
}

interface Props {
  to: NonNullable<LinkProps['to']>
  name: string
  about: string
  /** How it stands; empty while that is not known. */
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
