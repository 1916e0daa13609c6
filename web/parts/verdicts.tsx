import { Check, CircleX, Hand, Minus, TriangleAlert } from 'lucide-react'
import type { Routes } from '#client/types.ts'

type Verdict = Routes['GET /api/v1/signals/{id}/check']['answers'][200]['data']['dryRun']['verdicts'][number]

const MARKS = {
  denied: <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
  held: <Hand aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  warned: <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  passed: <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />,
  skipped: <Minus aria-hidden="true" className="mt-0.5 size-4 shrink-0" />,
} as const
const SAID = {
  denied: 'Fails: ',
  held: 'Needs approval: ',
  warned: 'Warning: ',
  passed: '',
  skipped: 'Not checked: ',
} as const

export const Verdicts = ({ verdicts }: { verdicts: readonly Verdict[] }) =>
  verdicts.map(({ rule, outcome, message }) => (
    <li key={rule} className={`flex gap-2 wrap-anywhere ${outcome === 'skipped' ? 'text-muted' : ''}`}>
      {MARKS[outcome]}
      <span>
        <span className="sr-only">{SAID[outcome]}</span>
        {message}
      </span>
    </li>
  ))
