import { useEffect, useRef } from 'react'
import type { Signal } from '#client/types.ts'
import { Problem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { figureFault } from '../trade/figure.ts'
import { number, partOf } from '../words/figures.ts'
import { isByPosition } from '../words/signal.ts'
import { reject, type Edit } from './decisions.ts'
import { StepField } from './step-field.tsx'

export type Editable = keyof Edit

const LABELS = { quantity: 'Quantity', limitPrice: 'Limit price ($)' } as const satisfies Record<
  Editable,
  string
>

/** Editable fields of a signal; a target sets its own quantity. */
const fieldsOf = (signal: Signal): Editable[] => [
  ...(isByPosition(signal) ? [] : (['quantity'] as const)),
  ...(signal.limitPrice === null ? [] : (['limitPrice'] as const)),
]

/** Whether this field can be changed; without a field, whether any can. */
export const mayEdit = (signal: Signal, field?: Editable): boolean =>
  field === undefined ? fieldsOf(signal).length > 0 : fieldsOf(signal).includes(field)

const SHARES_OF_IT = [
  ['½', 0.5],
  ['¼', 0.25],
] as const

/** A part of the requested quantity; whole shares stay whole. */
const quantityOf = ({ quantity, quantityType }: Signal, part: number): string | null =>
  partOf(part, quantity, quantityType === 'fixed' && Number.isInteger(quantity))

interface EditProps {
  signal: Signal
  edit: Edit
  /** The field to focus; the first one without it. */
  focus: Editable | undefined
  change: (edit: Edit) => void
  fault: Error | null
}

/** Quantity and limit price, checked by the service while a person types. */
export function EditPanel({ signal, edit, focus, change, fault }: EditProps) {
  const panel = useRef<HTMLDivElement>(null)
  const faults = fault instanceof Problem ? fault.faults : []
  const valueOf = (field: Editable): string => edit[field] ?? String(signal[field])
  // A malformed figure is marked at once; the service reports other faults.
  const faultOf = (field: Editable) =>
    figureFault(valueOf(field), field === 'limitPrice') ??
    faults.find((each) => each.field === field)?.message
  const fields = fieldsOf(signal)
  const first = focus !== undefined && fields.includes(focus) ? focus : fields[0]
  useEffect(() => {
    const input = panel.current?.querySelector<HTMLInputElement>(`input[name="${first}"]`)
    input?.focus({ preventScroll: true })
    input?.select()
    // The sticky bar covers the end of the visible part.
    panel.current?.scrollIntoView({ block: 'center' })
  }, [first])
  return (
    <div
      ref={panel}
      className="grid items-start gap-3 border-t border-line px-4 py-4 desk:grid-cols-2 desk:px-6"
    >
      {fields.map((field) => (
        <div key={field} className="grid gap-2">
          <StepField
            label={LABELS[field]}
            name={field}
            value={valueOf(field)}
            fault={faultOf(field)}
            change={(value) => change({ ...edit, [field]: value })}
          />
          {field === 'quantity' && (
            <div className="flex gap-2">
              {SHARES_OF_IT.map(([name, part]) => {
                const quantity = quantityOf(signal, part)
                return (
                  <Button
                    key={name}
                    aria-label={`${name} of ${number(signal.quantity)}`}
                    className="grow"
                    disabled={quantity === null}
                    onClick={() => quantity !== null && change({ ...edit, quantity })}
                  >
                    {name}
                  </Button>
                )
              })}
            </div>
          )}
        </div>
      ))}
      <p className="text-xs text-muted desk:col-span-2">
        Checked as you type. Approving sends the order with these values.
      </p>
    </div>
  )
}

export const RejectPanel = ({ signal, done }: { signal: Signal; done: () => void }) => (
  <form
    className="grid grid-cols-[1fr_auto] items-end gap-3 border-t border-line px-4 py-4 desk:px-6"
    onSubmit={(event) => {
      event.preventDefault()
      const reason = new FormData(event.currentTarget).get('reason')
      reject(signal, typeof reason === 'string' ? reason.trim() : '')
      done()
    }}
  >
    {/* The panel opened because its person asked to write here. */}
    {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
    <Field label="Reason (optional)" name="reason" maxLength={500} autoFocus />
    <Button type="submit" kind="danger" className="desk:h-9">
      Reject it
    </Button>
  </form>
)
