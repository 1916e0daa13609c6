import { useId, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'

interface Props {
  title: ReactNode
  /** At the other end of the title's line. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

export function Panel({ title, aside, className = '', children }: Props) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`min-w-0 overflow-clip rounded-card border border-line bg-surface ${className}`}
    >
      <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 id={id} className="flex items-center gap-2 font-bold">
          {title}
        </h2>
        <span className="grow" />
        {aside}
      </header>
      {children}
    </section>
  )
}

export const Count = ({ of }: { of: number }) => (
  <span className="min-w-5 rounded-full bg-accent-fill px-1.5 text-center text-xs leading-5 font-bold text-on-fill">
    {of}
  </span>
)

export const Chip = ({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'warn' | 'danger' | 'good'
  children: ReactNode
}) => {
  const LOOKS = {
    plain: 'bg-sunken text-text',
    warn: 'bg-warn-soft text-warn',
    danger: 'bg-danger-soft text-danger',
    good: 'bg-sunken text-buy',
  } as const
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-control px-2 py-0.5 text-xs whitespace-nowrap [&>svg]:size-3.5 ${LOOKS[kind]}`}
    >
      {children}
    </span>
  )
}

export const Item = ({
  icon,
  title,
  note,
  end,
}: {
  icon: ReactNode
  title: ReactNode
  note?: ReactNode
  end?: ReactNode
}) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line px-4 py-3 not-last:border-b">
    <span aria-hidden="true" className="self-start pt-0.5 [&>svg]:size-4">
      {icon}
    </span>
    {/* The control moves below where it would squeeze the words. */}
    <div className="min-w-0 flex-[1_1_12rem]">
      <p className="font-medium wrap-anywhere">{title}</p>
      {note !== undefined && <p className="text-xs text-muted wrap-anywhere">{note}</p>}
    </div>
    {end}
  </li>
)

export function OnRequest({ name, children }: { name: string; children: ReactNode }) {
  const [isShown, setShown] = useState(false)
  return isShown ? (
    children
  ) : (
    <Button className="justify-self-start" onClick={() => setShown(true)}>
      {name}
    </Button>
  )
}
