import type { InputHTMLAttributes, ReactNode } from 'react'

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  children: ReactNode
}

/** Checkbox; on touch its whole line takes the press. */
export const Checkbox = ({
  children,
  className = 'min-h-11 items-center gap-2 desk:min-h-7',
  ...rest
}: Props) => (
  <label className={`inline-flex ${className}`}>
    <input type="checkbox" {...rest} className="size-5 shrink-0 desk:size-4" />
    {children}
  </label>
)

interface GrantProps {
  name: string
  effect: string
  isChosen: boolean
  choose: () => void
}

/** One of several grants, with its effect. */
export const Grant = ({ name, effect, isChosen, choose }: GrantProps) => (
  <li className="border-line not-last:border-b">
    <Checkbox
      checked={isChosen}
      onChange={choose}
      className="min-h-11 w-full items-start gap-3 px-3 py-2 [&>input]:mt-1"
    >
      <span>
        <span className="font-medium">{name}</span> <span className="text-muted">{effect}</span>
      </span>
    </Checkbox>
  </li>
)
