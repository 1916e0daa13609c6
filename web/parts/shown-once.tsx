import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Notice } from './notice.tsx'

interface Props {
  name: string
  text: string
  /** What to do with it now. */
  children: ReactNode
}

/** A secret that the service does not show again. */
export const ShownOnce = ({ name, text, children }: Props) => (
  <>
    <Notice kind="warn" title="Shown only once">
      {children}
    </Notice>
    <div className="flex flex-wrap items-center gap-3 rounded-card bg-sunken p-3">
      <output aria-label={name} className="min-w-0 grow font-mono text-sm wrap-anywhere select-all">
        {text}
      </output>
      <CopyButton text={text} what={`the ${name.toLowerCase()}`} kind="primary" />
    </div>
  </>
)
