import { flatFault, type FlatDraft } from '../words/flat-by-close.ts'
import { Checkbox } from './checkbox.tsx'
import { Field } from './field.tsx'

interface Props {
  draft: FlatDraft
  change: (draft: FlatDraft) => void
  whose: 'account' | 'strategy' | 'hook'
  fault?: string | undefined
}

export const FlatByCloseFields = ({ draft, change, whose, fault }: Props) => (
  <div className="grid gap-3">
    <Checkbox checked={draft.isOn} onChange={({ target }) => change({ ...draft, isOn: target.checked })}>
      Close all that this {whose} holds before the close
    </Checkbox>
    {draft.isOn && (
      <>
        <Field
          label="Minutes before the close"
          name="flatByClose"
          value={draft.minutes}
          onChange={({ target }) => change({ ...draft, minutes: target.value })}
          hint="1 to 120; on half days before their early close"
          fault={fault ?? flatFault(draft) ?? undefined}
          inputMode="numeric"
          autoComplete="off"
          className="desk:w-60"
        />
        {whose === 'account' ? (
          <Checkbox
            checked={draft.includeManual}
            onChange={({ target }) => change({ ...draft, includeManual: target.checked })}
            className="min-h-11 items-start gap-3 desk:min-h-7 [&>input]:mt-1"
          >
            <span>
              <span className="font-medium">Include positions opened by hand</span>{' '}
              <span className="text-muted">Otherwise only positions opened by signals</span>
            </span>
          </Checkbox>
        ) : (
          <p className="text-xs text-muted">
            Only positions opened by its signals. Positions opened by hand are a setting of the account.
          </p>
        )}
      </>
    )}
  </div>
)
