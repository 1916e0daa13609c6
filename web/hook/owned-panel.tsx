import type { Hook } from '#client/types.ts'
import { Panel } from '../parts/panel.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'
import { useAccounts } from '../records/accounts.ts'
import { shares } from '../words/figures.ts'

export function OwnedPanel({ hook }: { hook: Hook }) {
  const accounts = useAccounts()
  return (
    <Panel title="What it owns">
      <div className="grid gap-2 p-4">
        {hook.owns.length === 0 ? (
          <p className="text-muted">No shares</p>
        ) : (
          <ul className="grid gap-1">
            {hook.owns.map(({ accountId, symbol, side, quantity }) => (
              <li key={`${accountId} ${symbol}`} className="wrap-anywhere">
                <SymbolLink symbol={symbol} /> {shares(quantity)} {side.toLowerCase()},{' '}
                {accounts.get(accountId)?.name ?? 'an account'}
              </li>
            ))}
          </ul>
        )}
        <p className="text-xs text-muted">
          {hook.manages === 'position'
            ? 'Its targets and closes trade the whole position of the account, including shares bought by others.'
            : hook.strategyId === null
              ? 'Its targets and closes trade only these shares.'
              : 'Its targets and closes trade only the shares of its strategy.'}
        </p>
      </div>
    </Panel>
  )
}
