import { Minus, Plus } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import type { Edit } from './decisions.ts'
import { stepped } from './steps.ts'

interface Props {
  label: string
  name: keyof Edit
  value: string
  fault: string | undefined
  change: (value: string) => void
}

const STEPS = {
  quantity: ['One less', 'One more'],
  limitPrice: ['Limit one step lower', 'Limit one step higher'],
} as const satisfies Record<keyof Edit, readonly [string, string]>

export function StepField({ name, value, change, ...rest }: Props) {
  const [less, more] = STEPS[name]
  const step = (isUp: boolean): void => {
    const next = stepped(name, value, isUp)
    if (next !== null) change(next)
  }
  const button = (isUp: boolean) => (
    <Button
      aria-label={isUp ? more : less}
      className="w-11 shrink-0 max-desk:px-0 desk:h-9"
      disabled={stepped(name, value, isUp) === null}
      onClick={() => step(isUp)}
    >
      {isUp ? (
        <Plus aria-hidden="true" className="size-4" />
      ) : (
        <Minus aria-hidden="true" className="size-4" />
      )}
    </Button>
  )
  return (
    <Field
      {...rest}
      name={name}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      sides={[button(false), button(true)]}
      onChange={({ target }) => change(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
        event.preventDefault()
        step(event.key === 'ArrowUp')
      }}
    />
  )
}
