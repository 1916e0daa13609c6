import type { Account } from '#client/types.ts'
import { isRealMoney } from '../words/signal.ts'
import type { Problem } from '../connection/problem.ts'
import { Field } from '../parts/field.tsx'
import type { BoundsDraft } from './bounds.ts'
import { Checkbox, Grant } from '../parts/checkbox.tsx'

interface Props {
  draft: BoundsDraft
  change: (draft: BoundsDraft) => void
  accounts: ReadonlyMap<string, Account>
  problem: Problem | null
}

export function BoundsFields({ draft, change, accounts, problem }: Props) {
  const set = (next: Partial<BoundsDraft>): void => change({ ...draft, ...next })
  const faultOf = (name: string): string | undefined =>
    problem?.faults.find(({ field }) => `${field}.`.startsWith(`bounds.${name}.`))?.message
  const toggle = (id: string): void => {
    const accountIds = new Set(draft.accountIds)
    if (!accountIds.delete(id)) accountIds.add(id)
    set({ accountIds })
  }
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-medium">Limits of the token</legend>
      <p className="text-muted">Anyone with the token can do no more than this. Empty fields set no limit.</p>
      <ul className="rounded-card border border-line">
        <Grant
          name="Only signals that wait for approval"
          effect="It opens only positions that you approve"
          isChosen={draft.pendingOnly}
          choose={() => set({ pendingOnly: !draft.pendingOnly })}
        />
        <Grant
          name="Only its own signals"
          effect="It withdraws, replaces and cancels only what it has sent itself"
          isChosen={draft.ownSignalsOnly}
          choose={() => set({ ownSignalsOnly: !draft.ownSignalsOnly })}
        />
      </ul>
      {accounts.size > 0 && (
        <fieldset className="grid min-w-0 gap-1">
          <legend className="mb-1 font-medium">Accounts</legend>
          <ul className="flex flex-wrap gap-x-6">
            {[...accounts.values()].map((account) => (
              <li key={account.id} className="min-w-0">
                <Checkbox checked={draft.accountIds.has(account.id)} onChange={() => toggle(account.id)}>
                  <span className="min-w-0 wrap-anywhere">
                    {account.name}
                    {isRealMoney(account) && <span className="text-muted"> · real money</span>}
                  </span>
                </Checkbox>
              </li>
            ))}
          </ul>
          <p className={`text-xs ${faultOf('accountIds') === undefined ? 'text-muted' : 'text-danger'}`}>
            {faultOf('accountIds') ?? 'With none chosen it acts on all, including later ones'}
          </p>
        </fieldset>
      )}
      <div className="grid gap-4 desk:grid-cols-2">
        <Field
          label="Symbols"
          value={draft.symbols}
          onChange={({ target }) => set({ symbols: target.value })}
          hint="That it may open, separated by spaces"
          autoCapitalize="characters"
          autoComplete="off"
          fault={faultOf('symbols')}
        />
        <Field
          label="Largest order, $"
          value={draft.maxOrderValue}
          onChange={({ target }) => set({ maxOrderValue: target.value })}
          hint="That it may open without your approval"
          inputMode="decimal"
          autoComplete="off"
          fault={faultOf('maxOrderValue')}
        />
      </div>
    </fieldset>
  )
}
