import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ComponentProps } from 'react'
import { Button } from './button.tsx'

const SHOWN_MS = 2_000

interface Props {
  text: string
  what: string
  label?: string
  kind?: ComponentProps<typeof Button>['kind']
}

/** Button that copies a text; absent without a secure connection, where a browser has no clipboard. */
export function CopyButton({ text, what, label = 'Copy', kind = 'plain' }: Props) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  if (!('clipboard' in navigator)) return null
  const Icon = isCopied ? Check : Copy
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <Button kind={kind} onClick={copy} aria-label={`${isCopied ? 'Copied' : label} ${what}`}>
      <Icon aria-hidden="true" className="size-4" />
      <span role="status">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}
