import {
  createContext,
  useContext,
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type SyntheticEvent,
  type TextareaHTMLAttributes,
} from 'react'
import { numberFault, plainNumber } from './amount.ts'

export const FaultsOfForm = createContext<(name: string) => string | undefined>(() => undefined)

interface Framed {
  label: string
  /** The service's fault; without it, the surrounding form's by name. */
  fault?: string | undefined
  hint?: string
}

export function Labelled({
  label,
  name = '',
  fault: given,
  hint,
  className = '',
  children,
}: Framed & {
  name: string | undefined
  className?: string | undefined
  children: (control: {
    id: string
    'aria-invalid': boolean
    'aria-describedby': string
    className: string
  }) => ReactNode
}) {
  const id = useId()
  const faultOf = useContext(FaultsOfForm)
  const fault = given ?? (name === '' ? undefined : faultOf(name))
  return (
    <div className={`grid content-start gap-1 ${className}`}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': `${id}-note`,
        className: `h-11 w-full min-w-0 rounded-control border bg-surface text-base desk:h-9 desk:text-sm ${fault === undefined ? 'border-edge' : 'border-danger'}`,
      })}
      <p
        id={`${id}-note`}
        className={`text-xs wrap-anywhere ${fault === undefined ? 'text-muted' : 'text-danger'} empty:hidden`}
      >
        {fault ?? hint}
      </p>
    </div>
  )
}

/** Turns a typed decimal into plain digits before it is read. */
function writePlainly({ currentTarget: input }: SyntheticEvent<HTMLInputElement>): void {
  const plain = plainNumber(input.value)
  if (plain !== input.value) input.value = plain
}

/** Input that accepts paste and password managers, and commas between thousands. */
export const Field = ({
  label,
  fault,
  hint,
  className,
  sides,
  ...rest
}: Framed &
  InputHTMLAttributes<HTMLInputElement> & {
    /** Elements before and behind the input. */
    sides?: readonly [ReactNode, ReactNode]
  }) => (
  <Labelled
    {...{ label, className }}
    fault={rest.inputMode === 'decimal' ? (numberFault(rest.value) ?? fault) : fault}
    name={rest.name}
    {...(hint !== undefined && { hint })}
  >
    {({ className: look, ...control }) => {
      const input = (
        <input
          {...control}
          className={`${look} px-3`}
          {...rest}
          {...(rest.inputMode === 'decimal' && { onInput: writePlainly })}
        />
      )
      return sides ? (
        <span className="flex gap-2">
          {sides[0]}
          {input}
          {sides[1]}
        </span>
      ) : (
        input
      )
    }}
  </Labelled>
)

export const TextArea = ({
  label,
  fault,
  hint,
  className,
  ...rest
}: Framed & TextareaHTMLAttributes<HTMLTextAreaElement>) => (
  <Labelled {...{ label, fault, className }} name={rest.name} {...(hint !== undefined && { hint })}>
    {({ className: look, ...control }) => (
      <textarea
        {...control}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className={`${look.replace('h-11', 'min-h-11').replace('desk:h-9', '')} px-3 py-2 font-mono`}
        {...rest}
      />
    )}
  </Labelled>
)

interface SelectFieldProps extends Framed, SelectHTMLAttributes<HTMLSelectElement> {
  options: Readonly<Record<string, string>>
}

export const SelectField = ({ label, options, fault, hint, className, ...rest }: SelectFieldProps) => (
  <Labelled {...{ label, fault, className }} name={rest.name} {...(hint !== undefined && { hint })}>
    {({ className: look, ...control }) => (
      <select {...control} className={`${look} px-2 text-text`} {...rest}>
        {Object.entries(options).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Labelled>
)

interface SelectProps<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [value: Value, name: string])[]
  choose: (value: Value) => void
  className?: string
}

/** Choice of one of many typed values. */
export const Select = <Value extends string>({ options, choose, ...rest }: SelectProps<Value>) => (
  <SelectField
    {...rest}
    options={Object.fromEntries(options)}
    onChange={(event) => choose(event.target.value as Value)}
  />
)
