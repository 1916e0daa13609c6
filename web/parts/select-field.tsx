import { useId, type SelectHTMLAttributes } from 'react'

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  label: string
  /** What is shown by the value that it stands for. */
  options: Readonly<Record<string, string>>
  /** What is wrong with it, as the service told. */
  fault?: string | undefined
  hint?: string
}

/** A choice of one with its label above and its fault below. */
export function SelectField({ label, options, fault, hint, className = '', ...rest }: Props) {
  const id = useId()
  return (
    <div className={`grid content-start gap-1 ${className}`}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-note`}
        className={`h-11 w-full min-w-0 rounded-control border bg-surface px-2 text-base text-text desk:h-9 desk:text-sm ${fault === undefined ? 'border-edge' : 'border-danger'}`}
        {...rest}
      >
        {Object.entries(options).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <p
        id={`${id}-note`}
        className={`text-xs wrap-anywhere ${fault === undefined ? 'text-muted' : 'text-danger'} empty:hidden`}
      >
        {fault ?? hint}
      </p>
    </div>
  )
}
