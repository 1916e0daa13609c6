import { useId } from 'react'

interface Props<T extends string> {
  legend: string
  options: Readonly<Record<T, string>>
  value: T | undefined
  choose: (value: T) => void
}

export function Segmented<T extends string>({ legend, options, value, choose }: Props<T>) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full min-w-0 flex-wrap rounded-control border border-line bg-sunken p-0.5 max-desk:grow">
      <legend className="sr-only">{legend}</legend>
      {(Object.entries(options) as [T, string][]).map(([each, words]) => (
        <label
          key={each}
          className="relative inline-flex h-11 items-center justify-center rounded-control px-3 text-muted max-desk:grow has-checked:bg-surface has-checked:font-medium has-checked:text-text has-checked:ring-1 has-checked:ring-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text desk:h-7 desk:text-xs"
        >
          <input
            type="radio"
            name={name}
            checked={each === value}
            onChange={() => choose(each)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
