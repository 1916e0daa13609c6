import { useId } from 'react'

interface Props<Value extends string> {
  label: string
  value: Value
  options: Readonly<Record<Value, string>>
  choose: (value: Value) => void
}

/** One of a few, all in sight. */
export function Choice<Value extends string>({ label, value, options, choose }: Props<Value>) {
  const name = useId()
  return (
    <fieldset className="inline-flex rounded-control border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {(Object.keys(options) as Value[]).map((each) => (
        <label
          key={each}
          className={`relative inline-flex h-11 min-w-11 items-center justify-center rounded-control px-2 text-sm has-focus-visible:outline-2 has-focus-visible:outline-text desk:h-8 desk:px-3 ${each === value ? 'bg-surface font-medium ring-1 ring-edge' : 'text-muted hover:text-text'}`}
        >
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => choose(each)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {options[each]}
        </label>
      ))}
    </fieldset>
  )
}
