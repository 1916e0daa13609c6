import type { Account, Position } from '#client/types.ts'
import { money, number } from '../words/figures.ts'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { SIDES } from '../positions/columns.tsx'
import { age } from '../words/times.ts'
import { AccountName } from '../parts/account.tsx'

interface Props {
  position: Position
  account: Account | undefined
  now: number
  close: (() => void) | undefined
}

/** What is held of a symbol in one account. */
export const Held = ({ position, account, now, close }: Props) => (
  <div className="border-line p-4 not-last:border-b">
    <div className="flex items-start justify-between gap-3">
      <div>
        <p className="text-2xl font-bold">
          {number(position.quantity)} {SIDES[position.side]}
        </p>
        <Gain amount={position.unrealisedPnl} rate={position.unrealisedPnlPercent} className="font-medium" />
      </div>
      {close && <Button onClick={close}>Close…</Button>}
    </div>
    <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 [&>dd]:text-right [&>dt]:text-muted">
      <dt>Average cost</dt>
      <dd>{money(position.avgCost)}</dd>
      <dt>Market value</dt>
      <dd>{money(position.marketValue)}</dd>
      {account && account.equity > 0 && (
        <>
          <dt>Share of equity</dt>
          <dd>{((Math.abs(position.marketValue) / account.equity) * 100).toFixed(1)} %</dd>
        </>
      )}
      <dt>Account</dt>
      <dd className="wrap-anywhere">
        <AccountName account={account} />
      </dd>
      <dt>Told by the broker</dt>
      <dd>{age(now - Date.parse(position.lastUpdated))}</dd>
    </dl>
  </div>
)
