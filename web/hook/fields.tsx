import type { Account } from '#client/types.ts'
import { Live } from '../parts/account.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { isRealMoney } from '../words/signal.ts'
import type { HookDraft, SizeBy } from './draft.ts'
import { ALL_KINDS, KINDS } from './kinds.ts'

export interface HookFieldsProps {
  draft: HookDraft
  change: (change: Partial<HookDraft>) => void
  faultOf: (field: string) => string | undefined
}

export const KindChoice = ({ draft, change }: Omit<HookFieldsProps, 'faultOf'>) => (
  <fieldset className="grid gap-2 desk:grid-cols-2">
    <legend className="mb-1 font-medium">Messages are written for</legend>
    {ALL_KINDS.map((kind) => (
      <label
        key={kind}
        className="relative grid content-start rounded-control border border-edge px-3 py-2 desk:last:col-span-2 has-checked:border-accent has-checked:bg-accent-soft has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text"
      >
        <input
          type="radio"
          name="kind"
          checked={kind === draft.kind}
          onChange={() => change({ kind })}
          className="absolute inset-0 cursor-pointer opacity-0"
        />
        <span className="font-medium">{KINDS[kind].name}</span>
        <span className="text-xs text-muted">{KINDS[kind].about}</span>
      </label>
    ))}
  </fieldset>
)

export const NameField = ({ draft, change, faultOf }: HookFieldsProps) => (
  <Field
    label="Name"
    name="name"
    value={draft.name}
    onChange={({ target }) => change({ name: target.value })}
    placeholder={KINDS[draft.kind].name}
    hint="Shown as the sender of its signals"
    autoComplete="off"
    maxLength={100}
    fault={faultOf('name')}
  />
)

const SIZES = {
  message: 'what the message says',
  multiplier: 'a multiple',
  quantity: 'a size of its own',
} as const satisfies Record<SizeBy, string>

interface AccountsProps extends HookFieldsProps {
  accounts: ReadonlyMap<string, Account>
}

export function AccountsChoice({ draft, change, faultOf, accounts }: AccountsProps) {
  const set = (id: string, size: { by: SizeBy; value: string } | null): void => {
    const next = new Map(draft.accounts)
    if (size === null) next.delete(id)
    else next.set(id, size)
    change({ accounts: next })
  }
  const fault = faultOf('accountIds')
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="mb-1 font-medium">It trades in</legend>
      <ul className="rounded-card border border-line">
        {[...accounts.values()].map((account) => {
          const size = draft.accounts.get(account.id)
          return (
            <li key={account.id} className="grid gap-2 border-line px-3 py-1 not-last:border-b">
              <Checkbox
                checked={size !== undefined}
                onChange={({ target }) =>
                  set(account.id, target.checked ? { by: 'message', value: '' } : null)
                }
              >
                <span className="min-w-0 wrap-anywhere">
                  {isRealMoney(account) && <Live />}
                  {account.name}
                </span>
              </Checkbox>
              {size !== undefined && (
                <div className="grid gap-3 pb-2 pl-7 desk:grid-cols-[220px_140px]">
                  <SelectField
                    label="Trades"
                    aria-label={`${account.name} trades`}
                    value={size.by}
                    options={SIZES}
                    onChange={({ target }) => set(account.id, { ...size, by: target.value as SizeBy })}
                  />
                  {size.by !== 'message' && (
                    <Field
                      label={size.by === 'multiplier' ? 'Times' : 'Quantity'}
                      aria-label={
                        size.by === 'multiplier'
                          ? `Times for ${account.name}`
                          : `Quantity for ${account.name}`
                      }
                      value={size.value}
                      onChange={({ target }) => set(account.id, { ...size, value: target.value })}
                      inputMode="decimal"
                      autoComplete="off"
                    />
                  )}
                </div>
              )}
            </li>
          )
        })}
      </ul>
      <p className={`text-xs ${fault === undefined ? 'text-muted' : 'text-danger'}`}>
        {fault ??
          'Each message becomes one order per account. Live accounts are traded only after you switch LIVE on for the hook.'}
      </p>
    </fieldset>
  )
}

const MODES = { immediate: 'Sent at once', pending: 'You approve it first' } as const

export const ModeChoice = ({ draft, change, faultOf }: HookFieldsProps) => (
  <div className="grid gap-1 desk:justify-items-start">
    <p className="font-medium">Each order is</p>
    <Segmented
      legend="Each order is"
      options={MODES}
      value={draft.executeMode}
      choose={(executeMode) => change({ executeMode })}
    />
    <p className="text-xs text-muted">
      {draft.executeMode === 'pending'
        ? 'It waits under Approvals. Closing orders wait too.'
        : 'Your risk limits still apply to each order.'}
    </p>
    {draft.executeMode === 'pending' && (
      <Field
        label="Minutes to approve it"
        value={draft.approvalMinutes}
        onChange={({ target }) => change({ approvalMinutes: target.value })}
        hint="From the arrival of the message; then the signal expires. Empty: no time limit"
        inputMode="numeric"
        autoComplete="off"
        fault={faultOf('approvalMinutes')}
      />
    )}
  </div>
)
