import { useId } from 'react'

interface Props<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [value: Value, name: string])[]
  choose: (value: Value) => void
  className?: string
}

/** One of many, as the device shows such lists. */
export function Select<Value extends string>({
  label,
  value,
  options,
  choose,
  className = '',
}: Props<Value>) {
  const id = useId()
  return (
    <div className={`grid min-w-0 gap-1 ${className}`}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => choose(event.target.value as Value)}
        className="h-11 w-full min-w-0 rounded-control border border-edge bg-surface px-2 text-base desk:h-9 desk:text-sm"
      >
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
