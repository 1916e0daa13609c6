import type { ComponentProps } from 'react'

const KINDS = {
  plain: 'border-edge bg-surface text-text hover:bg-sunken',
  primary: 'border-accent-fill bg-accent-fill text-on-fill hover:opacity-90',
  danger: 'border-danger bg-surface text-danger hover:bg-danger-soft',
  buy: 'border-buy-fill bg-buy-fill text-on-fill hover:opacity-90',
  sell: 'border-sell-fill bg-sell-fill text-on-fill hover:opacity-90',
  stop: 'border-danger-fill bg-danger-fill text-on-fill hover:opacity-90',
} as const

const SIZES = {
  normal: 'h-11 px-4 rounded-control desk:h-8 desk:px-3',
  big: 'h-13 px-3 rounded-card text-base desk:h-12 desk:px-5',
} as const

export const buttonClass = (
  kind: keyof typeof KINDS = 'plain',
  size: keyof typeof SIZES = 'normal',
): string =>
  `inline-flex items-center justify-center gap-2 border font-medium whitespace-nowrap disabled:border-line disabled:bg-sunken disabled:text-muted disabled:opacity-100 aria-disabled:cursor-default aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-muted aria-disabled:opacity-100 ${KINDS[kind]} ${SIZES[size]}`

interface Props extends ComponentProps<'button'> {
  kind?: keyof typeof KINDS
  size?: keyof typeof SIZES
}

/** Button with a target of 44 px on touch. */
export const Button = ({
  kind = 'plain',
  size = 'normal',
  className = '',
  type = 'button',
  ...rest
}: Props) => <button type={type} className={`${buttonClass(kind, size)} ${className}`} {...rest} />

export const Key = ({ children }: { children: string }) => (
  <kbd
    aria-hidden="true"
    className="hidden min-w-5 rounded-control border border-current px-1 text-center font-sans text-xs opacity-75 desk:inline-block"
  >
    {children}
  </kbd>
)
