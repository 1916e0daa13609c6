import type { Signal } from '#client/types.ts'
import { Problem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { reject, type Edit } from './decisions.ts'

interface EditProps {
  signal: Signal
  edit: Edit
  change: (edit: Edit) => void
  fault: Error | null
}

/** Quantity and limit, checked by the service while somebody types. */
export function EditPanel({ signal, edit, change, fault }: EditProps) {
  const faults = fault instanceof Problem ? fault.faults : []
  const faultOf = (field: string) => faults.find((each) => each.field === field)?.message
  return (
    <div className="grid grid-cols-2 gap-3 border-t border-line px-4 py-4 desk:px-6">
      <Field
        label="Quantity"
        inputMode="decimal"
        defaultValue={edit.quantity ?? String(signal.quantity)}
        fault={faultOf('quantity')}
        onChange={(event) => change({ ...edit, quantity: event.target.value })}
      />
      {signal.limitPrice !== null && (
        <Field
          label="Limit, $ a share"
          inputMode="decimal"
          defaultValue={edit.limitPrice ?? String(signal.limitPrice)}
          fault={faultOf('limitPrice')}
          onChange={(event) => change({ ...edit, limitPrice: event.target.value })}
        />
      )}
      <p className="col-span-2 text-xs text-muted">
        Checked as you type. Approving sends the order with these values.
      </p>
    </div>
  )
}

export const RejectPanel = ({ signal, close }: { signal: Signal; close: () => void }) => (
  <form
    className="grid grid-cols-[1fr_auto] items-end gap-3 border-t border-line px-4 py-4 desk:px-6"
    onSubmit={(event) => {
      event.preventDefault()
      const reason = new FormData(event.currentTarget).get('reason')
      reject(signal, typeof reason === 'string' ? reason.trim() : '')
      close()
    }}
  >
    {/* The panel opened because its person asked to write here. */}
    {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
    <Field label="Reason, if you like" name="reason" maxLength={500} autoFocus />
    <Button type="submit" kind="danger" className="desk:h-9">
      Reject it
    </Button>
  </form>
)
