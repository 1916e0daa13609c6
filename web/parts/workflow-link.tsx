import { ExternalLink } from 'lucide-react'
import type { Workflow } from '#client/types.ts'
import { buttonClass } from './button.tsx'

/** Link to a workflow in Temporal's UI; null without its address. */
export function WorkflowLink({ workflow, name }: { workflow: Workflow | null; name: string }) {
  if (workflow?.url == null) return null
  return (
    <a href={workflow.url} target="_blank" rel="noreferrer" className={buttonClass()}>
      <ExternalLink aria-hidden="true" className="size-4" /> {name}
      <span className="sr-only"> (opens another tab)</span>
    </a>
  )
}
