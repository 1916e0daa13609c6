import { CheckCheck } from 'lucide-react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { isRealMoney } from '../words/signal.ts'
import { checkedCost } from './check.ts'
import { approve, reject } from './decisions.ts'
import { totalOf } from './total.ts'

interface Props {
  chosen: readonly Signal[]
  waiting: readonly Signal[]
  accounts: ReadonlyMap<string, Account>
  prices: ReadonlyMap<string, Quote>
  pickAll: () => void
  done: () => void
}

export function PickedBar({ chosen, waiting, accounts, prices, pickAll, done }: Props) {
  const isLive = useIsLive()
  const mayAllBeApproved =
    chosen.length > 0 && chosen.every(({ accountId }) => !isRealMoney(accounts.get(accountId)))
  const decideAll = (decide: (signal: Signal) => void): void => {
    for (const signal of chosen) decide(signal)
    done()
  }
  return (
    <div className="sticky bottom-18 grid gap-2 rounded-card border border-line bg-surface p-3 shadow-float desk:bottom-2 short:static">
      <p className="flex items-center gap-2">
        <span className="grow font-bold">
          {chosen.length === 0 ? 'Nothing is selected' : totalOf(chosen, accounts, prices, checkedCost)}
        </span>
        <Button disabled={chosen.length === waiting.length} onClick={pickAll}>
          All
        </Button>
      </p>
      <div className="grid grid-cols-2 gap-2">
        <Button
          kind="danger"
          disabled={!isLive || chosen.length === 0}
          onClick={() => decideAll((each) => reject(each, ''))}
        >
          Reject
        </Button>
        <Button
          kind="primary"
          disabled={!isLive || !mayAllBeApproved}
          onClick={() => decideAll((each) => void approve(each))}
        >
          <CheckCheck aria-hidden="true" className="size-4" /> Approve
        </Button>
      </div>
      {chosen.length > 0 && !mayAllBeApproved && (
        <p className="text-xs text-muted">Real money is approved one by one.</p>
      )}
    </div>
  )
}
