import { useId, type InputHTMLAttributes } from 'react'

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** What is wrong with it, as the service told. */
  fault?: string | undefined
  hint?: string
}

/** An input with its label above and its fault below; paste and password managers are welcome. */
export function Field({ label, fault, hint, className = '', ...rest }: Props) {
  const id = useId()
  return (
    <div className={`grid gap-1 ${className}`}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-note`}
        className={`h-11 w-full min-w-0 rounded-control border bg-surface px-3 text-base desk:h-9 desk:text-sm ${fault === undefined ? 'border-edge' : 'border-danger'}`}
        {...rest}
      />
      <p
        id={`${id}-note`}
        className={`text-xs ${fault === undefined ? 'text-muted' : 'text-danger'} empty:hidden`}
      >
        {fault ?? hint}
      </p>
    </div>
  )
}
