import { CheckCheck, Layers2 } from 'lucide-react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { isRealMoney } from '../words/signal.ts'
import { useDeaf } from './deaf.ts'
import { checkedCost } from './check.ts'
import { approve, reject } from './decisions.ts'
import { totalOf } from './total.ts'

interface Props {
  /** Waiting signals of one group. */
  members: readonly Signal[]
  accounts: ReadonlyMap<string, Account>
  prices: ReadonlyMap<string, Quote>
  /** The bar has appeared with a card that replaced another one by itself. */
  comesByItself: boolean
}

/** One decision for all signals of a message to several accounts. */
export function GroupBar({ members, accounts, prices, comesByItself }: Props) {
  const isDeaf = useDeaf(comesByItself)
  const mayDecide = useIsLive() && !isDeaf
  const isReal = members.some(({ accountId }) => isRealMoney(accounts.get(accountId)))
  const count = members.length
  return (
    <section
      aria-label="One message for several accounts"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-surface py-2 pr-2 pl-4"
    >
      <Layers2 aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <p className="min-w-40 flex-1">
        <b className="font-medium">One message for {count} accounts</b>
        <span className="block text-xs text-muted">
          {isReal ? 'Real money is approved one by one.' : totalOf(members, accounts, prices, checkedCost)}
        </span>
      </p>
      <Button
        kind="danger"
        disabled={!mayDecide}
        onClick={() => {
          for (const each of members) reject(each, '')
        }}
      >
        Reject all {count}
      </Button>
      {!isReal && (
        <Button
          kind="primary"
          disabled={!mayDecide}
          onClick={() => {
            for (const each of members) void approve(each)
          }}
        >
          <CheckCheck aria-hidden="true" className="size-4" /> Approve all {count}
        </Button>
      )}
    </section>
  )
}
