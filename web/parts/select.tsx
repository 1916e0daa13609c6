import { SelectField } from './select-field.tsx'

interface Props<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [value: Value, name: string])[]
  choose: (value: Value) => void
  className?: string
}

/** One of many, whose values are known by their type. */
export function Select<Value extends string>({ options, choose, ...rest }: Props<Value>) {
  return (
    <SelectField
      {...rest}
      options={Object.fromEntries(options)}
      onChange={(event) => choose(event.target.value as Value)}
    />
  )
}
