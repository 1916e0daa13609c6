import { ExternalLink } from 'lucide-react'
import { useAppInfo } from '../session/app-info.ts'
import { buttonClass } from './button.tsx'

/** To a workflow's page in Temporal's UI: for administrators, where the operator has named the UI. */
export function WorkflowLink({ id, name }: { id: string; name: string }) {
  const temporalUi = useAppInfo().data?.temporalUiUrl
  if (temporalUi == null) return null
  return (
    <a href={`${temporalUi}/workflows/${id}`} target="_blank" rel="noreferrer" className={buttonClass()}>
      <ExternalLink aria-hidden="true" className="size-4" /> {name}
      <span className="sr-only"> (opens another tab)</span>
    </a>
  )
}
