import { CircleX } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { useHalts } from '../records/halts.ts'
import { Resume } from '../shell/stop-trading.tsx'
import type { Editable } from './card-panels.tsx'
import type { Refusal } from './refusal.ts'

interface Props {
  /** Id of the reason, for the button that is disabled by it. */
  id: string
  refusal: Refusal
  canEdit: (field: Editable) => boolean
  edit: (field: Editable) => void
}

const EDIT = { limitPrice: 'Edit price', quantity: 'Edit quantity' } as const

export function RefusalLine({ id, refusal: { short, mend, canChange }, canEdit, edit }: Props) {
  const own = useHalts().find(({ scope }) => scope === 'user')
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <CircleX aria-hidden="true" className="size-4 shrink-0 text-danger" />
      <p id={id} className="min-w-0 grow basis-40 text-sm">
        <b className="font-bold">Would be refused:</b> {short === '' ? 'the reason is above' : short}
        {!canChange && '. It will not change: reject it.'}
      </p>
      {mend === 'resume'
        ? own && <Resume halt={own} scope="user" />
        : mend !== null && canEdit(mend) && <Button onClick={() => edit(mend)}>{EDIT[mend]}</Button>}
    </div>
  )
}
